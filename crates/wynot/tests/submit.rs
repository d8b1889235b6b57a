//! `wynot submit`: the verbs on a server, with the files that they need, and their results here.

mod serve_support;
mod support;

use serve_support::Server;
use std::fs;
use std::process::Command;
use support::{Place, Ran, ran};
use wynot_test_support::{Tool, require};

/// Runs `wynot submit` here, on a server.
fn submit(place: &Place, server: &Server, args: &[&str]) -> Ran {
    let mut command = place.command();
    ran(command.args(["submit", "--server", &server.url]).args(args))
}

fn shell(place: &Place, script: &str) {
    let mut command = Command::new("sh");
    place.prepare(&mut command);
    let done = ran(command.args(["-ec", script]));
    assert_eq!(done.code, Some(0), "{done:?}");
}

#[test]
fn a_submitted_verb_writes_what_the_local_one_writes() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    place.write("in.txt", "one\ntwo\nbug\nthree\n");
    place.write("ok.txt", "one\ntwo\nthree\n");
    place.script("t", "grep -q bug \"$1\" && { echo error: bug >&2; exit 3; }; exit 0");
    let local = place.json("reduce in.txt -o local.txt -- ./t {}");
    let done = submit(&place, &server, &["reduce", "--json", "in.txt", "--", "./t", "{}"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let result: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(result["tests"]["executed"], local["tests"]["executed"]);
    assert_eq!(place.read("in.min.txt"), place.read("local.txt"));
    let done = submit(
        &place,
        &server,
        &["isolate", "-q", "--passing", "ok.txt", "-o", "pair.txt", "in.txt", "--", "./t", "{}"],
    );
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{done:?}");
    assert!(place.text("pair.txt").contains("bug"));
    assert!(!place.text("pair.passing.txt").contains("bug"));
    assert!(done.stdout.contains(&server.url), "{done:?}");
    place.script("outer", "exec sh \"${0%/*}/lib/inner.sh\" \"$1\"");
    shell(&place, "mkdir lib; echo 'grep -q bug \"$1\" && exit 3; exit 0' > lib/inner.sh");
    let args = ["reduce", "--with", "lib", "-o", "inner.txt", "in.txt", "--", "./outer", "{}"];
    assert_eq!(submit(&place, &server, &args).code, Some(0), "files that the test needs are sent");
    assert_eq!(place.text("inner.txt"), "bug");
    let report = submit(
        &place,
        &server,
        &["reduce", "--report", "page.html", "--unit", "line", "in.txt", "--", "./t", "{}"],
    );
    assert_eq!(report.code, Some(0), "{report:?}");
    assert!(place.text("page.html").contains("<svg"));
}

#[test]
fn directories_and_histories_are_sent() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    shell(
        &place,
        "mkdir -p tree/sub; echo a > tree/a; echo bug > tree/sub/b; echo c > tree/c
         mkdir repo; cd repo; git init -q -b main .; git config user.name n; git config user.email e@x
         printf '#!/bin/sh\\n! grep -q broken code\\n' > check.sh; chmod +x check.sh
         echo fine > code; git add -A; git commit -qm Start
         for i in 1 2 3; do echo $i >> code; git commit -qam \"Work $i\"; done
         echo broken >> code; git commit -qam 'Break it'; echo 4 >> code; git commit -qam 'Work 4'",
    );
    place.script("t", "grep -q bug tree/sub/b && exit 3; exit 0");
    let done = submit(&place, &server, &["reduce", "-o", "small", "tree", "--", "./t"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let files = ran(Command::new("find").args([
        place.path("small").as_os_str(),
        "-type".as_ref(),
        "f".as_ref(),
    ]))
    .stdout;
    assert!(files.trim().ends_with("/small/sub/b") && files.lines().count() == 1, "{files}");
    for verb in [&["history"][..], &["changes", "--good", "HEAD~5", "--bad", "HEAD"]] {
        let mut command = place.command();
        command.current_dir(place.path("repo")).args(["submit", "--server", &server.url]);
        let done = ran(command.args(verb).args(["-o", "found.patch", "--", "./check.sh"]));
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(done.stdout.contains("Break it"), "{done:?}");
        let patch = fs::read_to_string(place.path("repo/found.patch")).unwrap();
        assert!(patch.contains("+broken"), "{patch}");
    }
}

#[test]
fn environments_need_no_test_and_detached_jobs_are_not_waited_for() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    place.write(
        "grep.toml",
        "name = \"grep\"\ndescription = \"texts with a bug\"\ncommand = [\"/bin/sh\", \"-c\", \"! grep -q bug $0\", \"{}\"]\n",
    );
    let added = place.wynot("serve --data data environment add grep.toml");
    assert_eq!(added.stdout, "grep version 1\n", "{added:?}");
    let token = place.wynot("serve --data data token add fuzzer --rights read,submit").stdout;
    place.write("token", &token);
    let server = Server::start(&place, "");
    place.write("in.txt", "one\nbug\n");
    let args = ["--environment", "grep", "--token-file", "token", "--detach", "--project", "p"];
    let done = submit(&place, &server, &[&args[..], &["reduce", "--unit=line", "in.txt"]].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.trim().starts_with(&format!("{}/jobs/", server.url)), "{done:?}");
    let refused = submit(&place, &server, &["reduce", "in.txt", "--", "true"]);
    refused.ends(2, "the server refuses (401 Unauthorized): this needs the right `submit`");
    let refused =
        submit(&place, &server, &["--token-file", "token", "reduce", "in.txt", "--", "true"]);
    refused.ends(2, "(403 Forbidden): this needs the right `commands`");
}

#[test]
fn what_cannot_be_submitted_is_said() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    place.write("in.txt", "x\n");
    shell(
        &place,
        "mkdir good bad below; echo x > good/a; echo y > bad/a; echo '#!/bin/sh' > t; chmod +x t",
    );
    let say = |args: &[&str], code, text: &str| submit(&place, &server, args).ends(code, text);
    say(&["verify"], 2, "cannot be submitted");
    say(&["reduce", "none.txt", "--", "true"], 2, "cannot read");
    say(&["reduce", "in.txt"], 2, "there is no test: a command that shows the failure");
    say(&["reduce", "--session", "x", "in.txt", "--", "true"], 2, "--session is not an option");
    say(
        &["changes", "--good", "good", "--bad", "bad", "--", "true"],
        2,
        "tar czf good.tar.gz -C good .",
    );
    say(&["reduce", "in.txt", "--", "true"], 3, "the job has failed");
    let mut command = place.command();
    command.current_dir(place.path("below")).args(["submit", "--server", &server.url]);
    ran(command.args(["reduce", "../in.txt", "--", "../t", "{}"]))
        .ends(2, "is not below this directory");
    place
        .wynot("submit --server http://127.0.0.1:1 reduce in.txt -- true")
        .ends(1, "cannot reach http://127.0.0.1:1");
}
