//! Which change broke it, in repositories with submodules, hooks, odd names and a checkout that must not change.

mod support;

use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use support::changes::{change, found, sh};
use support::{Place, ran};

#[test]
fn submodules_are_searched_where_their_objects_are_here() {
    let place = Place::new();
    place.script("t", "! grep -q broken lib/code || { echo error: broken >&2; exit 1; }");
    sh(
        &place,
        "git init -q -b main lib; cd lib; printf 'a\\nb\\nc\\n' > code; echo x > other; git add -A
         git commit -qm Start; cd ..
         git init -q -b main top; cd top; git submodule --quiet add ../lib lib; echo 1 > mine
         git add -A; git commit -qm Start; git tag good; cd lib
         printf 'A\\nb\\nbroken\\n' > code; echo y > other; git commit -qam Break; cd ..
         echo 2 > mine; git commit -qam 'Take a new lib'; echo 3 > mine; git commit -qam Later
         cd ..; git clone -q top plain; cp -r top bare; rm -rf bare/lib; cp t top; cp t bare; cp t plain",
    );
    let within = |dir: &str| {
        let mut command = place.command();
        command.current_dir(place.path(dir));
        ran(command.args(["changes", "--json", "--good", "good", "--bad", "main", "--", "./t"]))
    };
    for dir in ["top", "bare"] {
        let ran = within(dir);
        assert_eq!(ran.code, Some(0), "{dir}: {ran:?}");
        let found: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(found["commits"][0]["subject"], "Take a new lib");
        assert!(change(&found).starts_with("lib/code, line 3"), "{found}");
        assert!(!ran.stderr.contains("submodule"), "{ran:?}");
    }
    let told =
        "leaving out the submodule lib, although it has changed; git submodule update --init";
    within("plain").ends(3, told);
    // What does not change may be missing.
    sh(&place, "cd plain; git checkout -q main; echo broken > mine; git commit -qam 'Break mine'");
    place.script("plain/t", "! grep -q broken mine || { echo error: broken >&2; exit 1; }");
    within("plain").ends(0, told);
}

/// What can be seen of a directory: names, contents, times.
fn look(dir: &Path, seen: &mut Vec<String>) {
    let mut entries: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let metadata = entry.metadata().unwrap();
        let times =
            (metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec());
        seen.push(format!("{:?} {:o} {times:?}", entry.path(), metadata.mode()));
        if metadata.is_dir() {
            look(&entry.path(), seen);
        }
    }
}

#[test]
fn a_checkout_stays_as_it_is_to_the_last_stamp() {
    let place = Place::new();
    place.script("t", "! grep -q bad code || { echo error: bad >&2; exit 1; }");
    sh(
        &place,
        "git init -q -b main repo; cd repo; echo good > code; echo a > a; echo b > b; git add -A
         git commit -qm Start; git tag good; for i in 1 2 3; do echo $i >> a; git commit -qam $i; done
         echo bad > code; git commit -qam Break; echo c > a; git commit -qam Later
         echo mine > a; git add a; echo more > a; rm b; echo new > untracked; touch code; cp ../t .",
    );
    let seen = || {
        let mut seen = Vec::new();
        look(&place.path("repo"), &mut seen);
        seen
    };
    let before = seen();
    let mut command = place.command();
    command.current_dir(place.path("repo"));
    let ran = ran(command.args([
        "changes",
        "--good",
        "good",
        "--bad",
        "main",
        "--build",
        "cp code prog",
        "--",
        "./t",
    ]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains(": Break"), "{ran:?}");
    assert_eq!(seen(), before);
}

#[test]
fn kinds_and_names_of_any_sort_are_changes() {
    let place = Place::new();
    let differ = |good: &str, bad: &str, test: &str, told: &str| {
        sh(
            &place,
            &format!(
                "rm -rf repo; git init -q -b main repo; cd repo; echo same > same; echo 1 > other; {good}
                 git add -A; git commit -qm Start; git tag good; echo 2 > other; {bad}
                 git add -A; git commit -qm Change"
            ),
        );
        place.script("t", &format!("{test} || {{ echo error: bad >&2; exit 1; }}"));
        let mut command = place.command();
        command.current_dir(place.path("repo"));
        let ran =
            ran(command
                .args(["changes", "--json", "--good", "good", "--bad", "main", "--", "../t"]));
        assert_eq!(ran.code, Some(0), "{bad}: {ran:?}");
        let found: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(found["audit"], json!({"alone": "fail", "without": "pass"}), "{bad}: {found}");
        let changes = found["difference"]["changes"].to_string();
        assert!(changes.contains(told), "{bad}: {found}");
        let patch = found["patch"].as_str().unwrap();
        sh(&place, &format!("cd repo; git checkout -q good; git apply '{patch}'; ! ../t"));
    };
    differ("seq 1 50 > old", "git mv old new", "test -e old", "old");
    differ("printf 'a\\0b' > bin", "printf 'a\\0c' > bin", "! grep -aq c bin", "bin");
    differ("ln -s same kind", "rm kind; echo file > kind", "test -L kind", "kind");
    differ("echo file > kind", "rm kind; ln -s same kind", "test ! -L kind", "kind");
    differ("echo file > kind", "rm kind; mkdir kind; echo x > kind/x", "test -f kind", "kind");
    differ("mkdir kind; echo x > kind/x", "rm -r kind; echo file > kind", "test ! -f kind", "kind");
    differ("echo 1 > 'a b'", "echo 2 > 'a b'", "grep -q 1 'a b'", "a b, line 1");
    let line = "\"$(printf 'a\\nb')\"";
    differ(
        &format!("echo 1 > {line}"),
        &format!("echo 2 > {line}"),
        &format!("grep -q 1 {line}"),
        "line 1",
    );
    let odd = "\"$(printf 'a\\377\\042\\134z')\"";
    differ(
        &format!("echo 1 > {odd}"),
        &format!("echo 2 > {odd}"),
        &format!("grep -q 1 {odd}"),
        "line 1",
    );
    differ(
        &format!("echo 1 > {odd}"),
        &format!("git rm -q {odd}"),
        &format!("test -e {odd}"),
        "fails",
    );
}

#[test]
fn a_test_of_the_versions_need_not_be_in_all_of_them() {
    let place = Place::new();
    sh(
        &place,
        "git init -q -b main .; printf 'state\\n' > .git/info/exclude
         echo good > code; printf '#!/bin/sh\\n! grep bad code || { echo error: bad >&2; exit 1; }\\n' > check
         chmod +x check; git add -A; git commit -qm Start; git tag good
         for i in 1 2 3; do echo $i >> a; git add a; git commit -qm $i; done
         git mv check away; git commit -qm 'Lose the test'; echo 4 >> a; git commit -qam 4
         git mv away check; git commit -qm 'Find it'; echo bad > code; git commit -qam Break
         for i in 5 6 7; do echo $i >> a; git commit -qam $i; done",
    );
    for build in [&[][..], &["--build", "true"]] {
        let found = found(
            &place,
            &[&["--fresh", "--good", "good", "--bad", "main"], build, &["--", "./check"]].concat(),
        );
        assert_eq!(found["commits"][0]["subject"], "Break", "{found}");
    }
}

#[test]
fn a_hooks_environment_does_not_lead_astray() {
    let place = Place::new();
    place.script("t", "! grep -q 8 f || { echo error: eight >&2; exit 1; }");
    sh(
        &place,
        "git init -q -b main .; printf 'state\nt\n' > .git/info/exclude
         for i in $(seq 5 9); do echo $i > f; git add f; git commit -qm $i; done
         git reset -q --hard HEAD~1; git branch old; git branch new HEAD~1; git config diff.noprefix true",
    );
    let branches = |place: &Place| {
        let mut git = Command::new("git");
        place.prepare(&mut git);
        ran(git.args(["for-each-ref"])).stdout
    };
    let before = branches(&place);
    let mut command = place.command();
    // git sets it for hooks, and means the repository of the hook.
    command.env("GIT_DIR", place.path(".git")).env("GIT_WORK_TREE", place.path(""));
    command.args(["changes", "--json", "--good", "HEAD~3", "--bad", "HEAD", "--", "./t"]);
    let done = ran(&mut command);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(branches(&place), before);
    let found: Value = serde_json::from_str(&done.stdout).unwrap();
    let patch = fs::read_to_string(found["patch"].as_str().unwrap()).unwrap();
    assert!(patch.contains("--- a/f\n+++ b/f\n"), "{patch}");
}

#[test]
fn what_a_build_makes_is_run_and_not_an_older_product_in_this_directory() {
    let place = Place::new();
    for (dir, code) in [("good", 0), ("bad", 1)] {
        fs::create_dir(place.path(dir)).unwrap();
        let source = format!("#!/bin/sh\necho error: broken >&2\nexit {code}\n");
        place.write(&format!("{dir}/source"), source);
    }
    // Made by an earlier build of another version.
    place.script("program", "exit 0");
    place.script("check", "grep -q 'exit 0' source || { echo error: found >&2; exit 1; }");
    let build = "cp source program; chmod +x program";
    let run = |build: &str, test: &str| {
        place.run(["changes", "-q", "--good", "good", "--bad", "bad", "--build", build, "--", test])
    };
    let built = run(build, "./program");
    assert_eq!(built.code, Some(0), "{built:?}");
    assert!(built.stdout.contains("source, line 3"), "{built:?}");
    // What no build makes is run from here.
    let here = run("true", "./check");
    assert_eq!(here.code, Some(0), "{here:?}");
    assert!(here.stdout.contains("source, line 3"), "{here:?}");
}
