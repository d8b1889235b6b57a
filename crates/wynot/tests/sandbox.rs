//! Tests in a sandbox, as a user sees it. What a hostile test can reach is in `sandbox_probes.rs`.

mod support;

use std::process::Command;
use support::{Place, ran};
use wynot_test_support::{Tool, require};

#[test]
fn a_sandbox_has_no_network_and_nothing_else_to_write_to() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let here = place.path(".").canonicalize().unwrap();
    place.write("in.txt", "a\nb\nwant\nc\n");
    place.write("precious", "keep me\n");
    place.script(
        "t",
        &format!(
            "exec 2>/dev/null
             echo x > {0}/precious && exit 99
             echo x > {0}/new && exit 98
             rm -f {0}/precious && exit 97
             echo x > /tmp/wynot-sandbox-test; test \"$(ls /tmp | grep -c '^wynot-sandbox-test$')\" = 1 || exit 96
             mount -o remount,rw / && exit 95
             test \"$(ls /sys/class/net 2>/dev/null | grep -vc '^lo$')\" -gt 0 && test -e /proc/net/route &&
                 test \"$(wc -l < /proc/net/route)\" -gt 1 && exit 94
             echo scratch > own-file && mktemp > /dev/null && echo ok > /dev/null || exit 93
             ! grep -q want \"$1\"",
            here.display()
        ),
    );
    for jobs in ["1", "3"] {
        let args = ["reduce", "--fresh", "--sandbox", "-j", jobs, "in.txt", "--", "./t", "{}"];
        let ran = place.run(args);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stderr.contains("exit 1 without a message is the failure"), "{ran:?}");
        assert_eq!(place.text("in.min.txt").trim(), "want");
    }
    assert_eq!(place.text("precious"), "keep me\n");
    assert!(!place.path("new").exists());
    assert!(!std::path::Path::new("/tmp/wynot-sandbox-test").exists());
}

#[test]
fn a_sandbox_that_the_system_forbids_is_an_error() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    place.write("in.txt", "x");
    place.script("t", "exit 1");
    // A user namespace that may have no further ones inside.
    let mut command = Command::new("unshare");
    place.prepare(&mut command);
    let inner = format!(
        "echo 0 > /proc/sys/user/max_user_namespaces; exec {} reduce --sandbox in.txt -- ./t {{}}",
        env!("CARGO_BIN_EXE_wynot")
    );
    command.args(["--user", "--map-root-user", "sh", "-c", &inner]);
    ran(&mut command).ends(1, "does not permit: user and process namespaces");
}

#[test]
fn a_partial_sandbox_is_used_only_on_request() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    place.write("in.txt", "a\nb\nwant\nc\n");
    place.script("t", "sleep 0.05; echo x > /usr/escaped && exit 9; ! grep -q want \"$1\"");
    // As in many containers, a part of /proc is covered, so that the kernel permits no other one. It would permit one that
    // looks like any other in sight, such as that of a system in a directory.
    let covered = "while read -r _ at kind _; do [ $kind = proc ] && mount -t tmpfs none $at/fs; done < /proc/mounts";
    let wynot = env!("CARGO_BIN_EXE_wynot");
    let run = |option: &str| {
        let mut command = Command::new("unshare");
        place.prepare(&mut command);
        let inner =
            format!("{covered}; {wynot} reduce --fresh --sandbox {option} in.txt -- ./t {{}}");
        ran(command.args(["-Urmpf", "--mount-proc", "sh", "-c", &inner]))
    };
    run("").ends(1, "does not permit: a private /proc (operation not permitted)");
    let partial = run("--sandbox-partial");
    partial.ends(0, "the sandbox is partial, it has no: user and process namespaces");
    assert_eq!(place.text("in.min.txt").trim(), "want");
    // Without a sandbox, wynot does without namespaces as well.
    let mut command = Command::new("unshare");
    place.prepare(&mut command);
    let inner = format!("{covered}; {wynot} reduce --fresh in.txt -- ./t2 {{}}");
    place.script("t2", "! grep -q want \"$1\"");
    let shared = ran(command.args(["-Urmpf", "--mount-proc", "sh", "-c", &inner]));
    assert_eq!(shared.code, Some(0), "{shared:?}");
}

#[test]
fn crashes_are_detected_in_a_sandbox() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let source = "#include <stdio.h>\n#include <string.h>\n\
        void fault(void) { *(volatile int *)0 = 1; }\n\
        int main(int c, char **v) { char b[999]; FILE *f = fopen(v[1], \"r\"); while (fgets(b, 999, f))\n\
        if (strstr(b, \"want\")) fault(); return 0; }";
    support::gcc(&place, "crash", &["-g", "-O0"], source);
    place.write("in.txt", "a\nb\nwant\nc\n");
    for options in ["", "--same-crash"] {
        let ran =
            place.wynot(&format!("reduce --fresh --sandbox {options} in.txt -- ./crash {{}}"));
        ran.ends(0, "signal SEGV in fault");
        assert_eq!(place.text("in.min.txt"), "want");
    }
}

#[test]
fn the_sandbox_hides_the_home_directory_unless_it_is_shown() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("list"), "want\n").unwrap();
    place.write("in.txt", "a\nb\nwant\nc\n");
    place.script("t", "[ -e \"$HOME/list\" ] || exit 0; ! grep -qf \"$HOME/list\" \"$1\"");
    let run = |options: &[&str]| {
        let mut command = place.command();
        command.env("HOME", home.path()).args(["reduce", "--fresh", "--sandbox"]).args(options);
        ran(command.args(["in.txt", "--", "./t", "{}"]))
    };
    let hidden = run(&[]);
    hidden.ends(3, "the sandbox is complete");
    hidden.ends(3, "--sandbox-read PATH shows what the test needs");
    let shown = run(&["--sandbox-read", &home.path().display().to_string()]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert_eq!(place.text("in.min.txt").trim(), "want");
    run(&["--sandbox-read", "no-such-file"]).ends(2, "--sandbox-read: cannot read no-such-file");
}

#[test]
fn nothing_in_a_hidden_directory_is_shown_but_where_wynot_was_started() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    for name in ["mine", "others"] {
        std::fs::create_dir(place.path(name)).unwrap();
        place.write(&format!("{name}/list"), "want\n");
    }
    place.write("mine/in.txt", "a\nb\nwant\nc\n");
    place.script("mine/t", "[ -e \"$2\" ] || exit 0; ! grep -qf \"$2\" \"$1\"");
    let run = |list: &str, options: &[&str]| {
        let mut command = place.command();
        command.current_dir(place.path("mine")).args(["reduce", "--fresh", "--sandbox"]);
        ran(command.args(options).args(["in.txt", "--", "./t", "{}"]).arg(place.path(list)))
    };
    let hide = ["--sandbox-hide", ".."];
    assert_eq!(run("others/list", &[]).code, Some(0), "files that a test names are shown");
    run("others/list", &hide).ends(3, "the sandbox is complete");
    let own = run("mine/list", &hide);
    assert_eq!(own.code, Some(0), "{own:?}");
    assert_eq!(place.text("mine/in.min.txt").trim(), "want");
    run("mine/list", &["--sandbox-hide", "none"]).ends(2, "--sandbox-hide: cannot read none");
}

#[test]
fn each_test_in_a_sandbox_finds_its_temporary_directories_empty() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    place.write("in.txt", "a\nb\nwant\nc\n");
    place.script(
        "t",
        "for d in /tmp /var/tmp /dev/shm $TMPDIR; do [ -e $d/left ] && exit 9; done
         for d in /tmp /var/tmp /dev/shm $TMPDIR; do echo x > $d/left || exit 8; done
         ! grep -q want \"$1\"",
    );
    for jobs in ["1", "3"] {
        let ran =
            place.run(["reduce", "--fresh", "--sandbox", "-j", jobs, "in.txt", "--", "./t", "{}"]);
        ran.ends(0, "exit 1 without a message is the failure");
        assert_eq!(place.text("in.min.txt").trim(), "want");
    }
}

#[test]
fn programs_for_32_bits_run_in_a_sandbox() {
    require!(Tool::UserNamespaces, Tool::Gcc32);
    let place = Place::new();
    let source = "#include <stdio.h>\n#include <string.h>\n#include <sys/socket.h>\n\
        int main(int c, char **v) { char b[999]; int pair[2]; FILE *f = fopen(v[1], \"r\");\n\
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || socket(AF_VSOCK, SOCK_STREAM, 0) >= 0) return 9;\n\
        while (fgets(b, 999, f)) if (strstr(b, \"want\")) return 1; return 0; }";
    support::gcc(&place, "program", &["-m32"], source);
    place.write("in.txt", "a\nb\nwant\nc\n");
    let ran = place.wynot("reduce --sandbox in.txt -- ./program {}");
    ran.ends(0, "exit 1 without a message is the failure");
    assert_eq!(place.text("in.min.txt").trim(), "want");
}
