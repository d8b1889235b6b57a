//! Odd places: inputs without an end, full devices, small stacks, trees that no path reaches, directories of others.

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use support::changes::sh;
use support::{Place, Ran, gcc, ran};
use wynot_session::files::remove;
use wynot_test_support::{Tool, has, require};

/// wynot with a time limit, because what is tested here could wait forever.
fn limited(place: &Place, args: &str) -> Ran {
    let mut command = Command::new("timeout");
    command.args(["-k", "5", "60", env!("CARGO_BIN_EXE_wynot")]).args(args.split_whitespace());
    place.prepare(&mut command);
    ran(&mut command)
}

/// A place with an input that fails, and every kind of thing that is no file.
fn odd_place() -> Place {
    let place = Place::new();
    place.write("in.txt", "one\ntwo\nthree\n");
    place.script("t", "! grep -q two \"$1\"");
    sh(&place, "mkfifo fifo; truncate -s 2T sparse; mkdir tree; cp in.txt tree/");
    place
}

#[test]
fn inputs_that_are_no_files_are_refused_at_once() {
    let place = odd_place();
    let _socket = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
    let inputs = [
        ("fifo", "it is a pipe, not a file"),
        ("/dev/zero", "it is a device, not a file"),
        ("socket", "it is a socket, not a file"),
        ("sparse", "it has more than 1073741824 bytes"),
    ];
    for (input, reason) in inputs {
        for verb in [
            format!("reduce {input} -- ./t {{}}"),
            format!("reduce --algorithm ddmin {input} -- ./t {{}}"),
            format!("isolate --passing {input} in.txt -- ./t {{}}"),
            format!("options --vary-file {input} -- ./t {{options}}"),
            format!("options --env --failing-env {input} -- ./t in.txt"),
        ] {
            limited(&place, &verb).ends(2, &format!("wynot: cannot read {input}: {reason}"));
        }
        if input != "sparse" {
            let several = limited(&place, &format!("reduce in.txt {input} -- ./t in.txt"));
            several.ends(2, &format!("cannot read {input}: {reason}"));
            let versions = limited(&place, &format!("changes --good {input} --bad tree -- ./t x"));
            versions.ends(
                2,
                &format!("wynot: {input} is {}", &reason[6..].replace(", not a file", "")),
            );
            let test = limited(&place, &format!("reduce in.txt -- ./{input} {{}}"));
            assert_eq!(test.code, Some(2), "{test:?}");
        }
    }
    fs::rename(place.path("sparse"), place.path("tree/sparse")).unwrap();
    limited(&place, "reduce tree -- ./t tree/in.txt").ends(2, "cannot read tree: it has more than");
    // With a limit for files that are written, so that a copy of it would not fill the disk.
    let wynot = env!("CARGO_BIN_EXE_wynot");
    let limit = format!("ulimit -f 9999; exec timeout -k 5 60 '{wynot}' \"$@\"");
    let mut project = Command::new("sh");
    project.args(["-c", &limit, "sh", "reduce", "--in", "tree", "tree/in.txt", "--", "./t", "{}"]);
    place.prepare(&mut project);
    let project = ran(&mut project);
    project.ends(2, "wynot: --in tree: its files have more than 17179869184 bytes");
    fs::remove_file(place.path("tree/sparse")).unwrap();
    // What is below a directory is left out, as it always was; and an empty input has a name.
    fs::rename(place.path("fifo"), place.path("tree/fifo")).unwrap();
    let reduced = limited(&place, "reduce tree -- ./t tree/in.txt");
    assert_eq!(reduced.code, Some(0), "{reduced:?}");
    let isolated = limited(&place, "isolate --passing /dev/null in.txt -- ./t {}");
    assert_eq!(isolated.code, Some(0), "{isolated:?}");
}

#[test]
fn explain_refuses_programs_and_inputs_that_can_be_read_only_once() {
    let place = odd_place();
    gcc(&place, "p", &["-g"], "int main(int c, char **v) { return c > 1; }\n");
    let run = |pass: &str, fail: &str, more: &[&str]| {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "60", env!("CARGO_BIN_EXE_wynot"), "explain", "--pass", pass]);
        command.args(["--fail", fail]).args(more);
        place.prepare(&mut command);
        ran(&mut command)
    };
    run("./p", "./p x < fifo", &[]).ends(2, "wynot: --fail: fifo is a pipe, not a file");
    run("./fifo", "./fifo x", &[]).ends(2, "wynot: ./fifo is a pipe, not a file");
    run("./p", "./p x", &["--hints", "fifo"]).ends(2, "wynot: fifo: it is a pipe, not a file");
    let explained = run("./p < /dev/null", "./p x < /dev/null", &[]);
    assert_eq!(explained.code, Some(0), "{explained:?}");
}

#[test]
fn standard_input_is_no_input() {
    let place = odd_place();
    let from = |input: Stdio, args: &[&str]| {
        let mut command = place.command();
        command.args(args).stdin(input);
        ran(&mut command)
    };
    let mut cat =
        Command::new("cat").arg(place.path("in.txt")).stdout(Stdio::piped()).spawn().unwrap();
    let pipe = Stdio::from(cat.stdout.take().unwrap());
    let piped = from(pipe, &["reduce", "/dev/stdin", "--", "./t", "{}"]);
    piped.ends(
        2,
        "cannot read /dev/stdin: it is a pipe, not a file\nhint: write its contents to a file",
    );
    cat.wait().unwrap();
    let file = || Stdio::from(fs::File::open(place.path("in.txt")).unwrap());
    let unnamed = from(file(), &["reduce", "/dev/stdin", "--", "./t", "{}"]);
    unnamed
        .ends(2, "no result can be written beside /dev/stdin\nhint: choose a place for it with -o");
    let named = from(file(), &["reduce", "/dev/stdin", "-o", "small", "--", "./t", "{}"]);
    assert_eq!((named.code, place.text("small").as_str()), (Some(0), "two"), "{named:?}");
}

#[test]
fn output_that_cannot_be_written_is_an_error_and_results_are_kept() {
    let place = odd_place();
    let printing_to = |device: Stdio, args: &str| {
        let mut command = place.command();
        command.args(args.split_whitespace()).stdout(device).stderr(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Ran { code: output.status.code(), stdout: String::new(), stderr }
    };
    let full = |args: &str| {
        let device = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        printing_to(device.into(), args)
    };
    let said = "wynot: cannot write to standard output: no space left on device";
    for args in [
        "reduce --json --fresh in.txt -- ./t {}",
        "reduce --fresh in.txt -- ./t {}",
        "verify",
        "report",
        "man",
        "completions bash",
        "--help",
        "--version",
    ] {
        full(args).ends(1, said);
        assert_eq!(place.text("in.min.txt"), "two", "{args}");
    }
    // The code of a search that did not succeed says more.
    full("reduce --json --fresh --max-tests 1 in.txt -- ./t {}").ends(5, said);
    let closed = |args: &str| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        printing_to(writer.into(), args)
    };
    let broken = closed("reduce --fresh in.txt -- ./t {}");
    broken.ends(1, "wynot: cannot write to standard output: broken pipe");
    // A pager that was closed is no error.
    for page in ["man reduce", "reduce --help"] {
        let closed = closed(page);
        assert_eq!((closed.code, closed.stderr.as_str()), (Some(0), ""), "{page}");
    }
}

#[test]
fn a_stack_of_64_kilobytes_suffices() {
    let place = odd_place();
    gcc(
        &place,
        "crash",
        &["-g"],
        "#include <stdio.h>\n#include <string.h>\n\
         static int f(char *p) { return p ? *(volatile int *)0 : 0; }\n\
         int main(int c, char **v) { char b[999]; FILE *i = fopen(v[1], \"r\");\n\
         b[fread(b, 1, 998, i)] = 0; return f(strstr(b, \"two\")); }\n",
    );
    place.write("ok.txt", "one\n");
    place.write("deep.json", "[".repeat(300) + &"]".repeat(300));
    for line in [
        "reduce -j 2 in.txt -- ./t {}",
        "reduce --same-crash in.txt -- ./crash {}",
        "reduce tree -- ./t tree/in.txt",
        "isolate --passing ok.txt in.txt -- ./crash {}",
        "explain --pass './crash ok.txt' --fail './crash in.txt'",
        "state dump './crash in.txt'",
        "reduce --help",
        "reduce deep.json -- sh -c '! grep -q \"\\[\" {}'",
    ] {
        let shell = format!("ulimit -s 64 && exec '{}' {line}", env!("CARGO_BIN_EXE_wynot"));
        let mut command = Command::new("sh");
        place.prepare(command.args(["-c", &shell]));
        let done = ran(&mut command);
        assert_eq!(done.code, Some(0), "{line}: {done:?}");
    }
}

/// A copy of wynot that every user can run, whatever the permissions of the directory in which it was built.
fn copied(place: &Place) -> String {
    sh(place, &format!("cp '{}' wynot; chmod 755 wynot", env!("CARGO_BIN_EXE_wynot")));
    place.path("wynot").to_str().unwrap().to_owned()
}

/// A program that makes 1,500 directories, each in the other and without permissions, whose path has 90 kB.
const DIGGER: &str = "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <string.h>\n#include <sys/stat.h>\n\
    #include <unistd.h>\n\
    int main(void) {\n\
      char name[61]; memset(name, 'd', 60); name[60] = 0;\n\
      mkdir(\"deep\", 0700); int at = open(\"deep\", O_RDONLY);\n\
      for (int i = 0; i < 1500; i++) {\n\
        if (mkdirat(at, name, 0700)) return 2;\n\
        int below = openat(at, name, O_RDONLY); if (below < 0) return 3;\n\
        fchmod(at, 0); close(at); at = below;\n\
      }\n\
      return 0; }\n";

/// Runs a program as this user, and as an ordinary one if this is root; `check` sees each run, and whether it was root's.
fn as_users(place: &Place, program: &str, args: &[&str], check: impl Fn(Ran, bool)) {
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        place.prepare(command.args(args));
        ran(&mut command)
    };
    let is_root = rustix::process::geteuid().is_root();
    check(run(program, args), is_root);
    if is_root && has!(Tool::Setpriv) {
        // Sessions and results of root are not for the other user.
        sh(place, "rm -rf state *.min*; chown -R 65534:65534 .; chmod 755 .");
        let mut line = vec!["--reuid=65534", "--regid=65534", "--clear-groups", program];
        line.extend(args);
        check(run("setpriv", &line), false);
    }
}

#[test]
fn deep_trees_that_a_test_leaves_are_removed() {
    let place = odd_place();
    gcc(&place, "dig", &[], DIGGER);
    // In memory: many a disk takes seconds for each of these trees.
    let scratch = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let dig = place.path("dig");
    place.script("t", &format!("{} || exit 9; ! grep -q two \"$1\"", dig.display()));
    let at = scratch.path().to_str().unwrap();
    let args = ["reduce", "--scratch", at, "in.txt", "--", "./t", "{}"];
    as_users(&place, &copied(&place), &args, |done, _| {
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.stdout.contains("two"), "{done:?}");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0, "{done:?}");
    });
}

#[test]
fn a_deep_tree_as_input_is_refused_with_a_message() {
    let place = odd_place();
    gcc(&place, "dig", &[], DIGGER);
    let args = ["-c", "cd tree && ../dig && cd .. && exec \"$0\" reduce tree -- ./t tree/in.txt"];
    let wynot = copied(&place);
    let args = [args.as_slice(), &[&wynot]].concat();
    as_users(&place, "sh", &args, |done, is_root| {
        done.ends(2, if is_root { "file name too long" } else { "permission denied" });
        done.ends(2, "wynot: cannot read tree/deep");
        assert!(done.stderr.len() < 1000, "{done:?}");
        remove(&place.path("tree/deep")).unwrap();
    });
}

#[test]
fn directories_of_other_users_hold_no_sessions() {
    require!(Tool::Setpriv);
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let place = odd_place();
    copied(&place);
    sh(&place, "chmod 755 .; mkdir tmp; chmod 1777 tmp; mkdir mine; chown 65534 mine");
    let homeless = |args: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(place.path("wynot")).args(args);
        place.prepare(&mut command);
        command.env_remove("HOME").env_remove("XDG_STATE_HOME").env("TMPDIR", place.path("tmp"));
        ran(&mut command)
    };
    let search = ["reduce", "in.txt", "-o", "mine/small", "--", "./t", "{}"];
    let first = homeless(&search);
    assert_eq!(first.code, Some(0), "{first:?}");
    let sessions = place.path("tmp/wynot-sessions-65534");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&sessions), 0o700);
    homeless(&search).ends(0, "resuming with");
    // The journal of another user in the same place, as directory, as link, and as a session.
    sh(
        &place,
        "cp -a tmp/wynot-sessions-65534 planted; chown -R 0:0 planted; chmod -R a+rX planted",
    );
    sh(&place, "rm -r tmp/wynot-sessions-65534; cp -a planted tmp/wynot-sessions-65534");
    let refusal = "wynot: there is no directory for sessions\n";
    let hint = "it belongs to another user\nhint: choose a place with --session DIR";
    homeless(&search).ends(1, refusal);
    homeless(&search).ends(1, hint);
    homeless(&["resume", "mine/small"]).ends(2, "no session has written mine/small");
    sh(&place, "rm -r tmp/wynot-sessions-65534");
    symlink(place.path("planted"), place.path("tmp/wynot-sessions-65534")).unwrap();
    homeless(&search).ends(1, hint);
    let planted = fs::read_dir(place.path("planted")).unwrap().next().unwrap().unwrap().path();
    let named = planted.to_str().unwrap();
    homeless(&["resume", named]).ends(2, "there is no session in");
    let session = ["reduce", "in.txt", "-o", "mine/small", "--session", named, "--", "./t", "{}"];
    homeless(&session).ends(1, "is not safe, because it belongs to another user");
    // A directory of the user that others can write to.
    sh(
        &place,
        "rm tmp/wynot-sessions-65534; mkdir mine/open; chown 65534 mine/open; chmod 777 mine/open",
    );
    let session =
        ["reduce", "in.txt", "-o", "mine/small", "--session", "mine/open", "--", "./t", "{}"];
    homeless(&session)
        .ends(1, "other users can write to it\nhint: if only you have used it, chmod go-w");
    assert_eq!(homeless(&search).code, Some(0));
}
