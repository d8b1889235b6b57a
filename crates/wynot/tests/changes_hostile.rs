//! Which change broke it, where repositories, builds, tests and disks are not as one would wish.

mod support;

use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::{Place, ran};

/// Runs shell commands in a place, with a git that knows who works there.
fn sh(place: &Place, script: &str) {
    let mut command = Command::new("sh");
    place.prepare(&mut command);
    let git = "git() { command git -c protocol.file.allow=always -c user.name=n -c user.email=e \"$@\"; }";
    let done = ran(command.args(["-e", "-c", &format!("{git}\n{script}")]));
    assert_eq!(done.code, Some(0), "{script}: {done:?}");
}

/// What is found, with the audit in order.
#[track_caller]
fn found(place: &Place, args: &[&str]) -> Value {
    let ran = place.run(["changes", "--json"].iter().chain(args));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["audit"], json!({"alone": "fail", "without": "pass"}), "{found}");
    found
}

fn change(found: &Value) -> &str {
    found["difference"]["changes"][0].as_str().unwrap()
}

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

/// Two versions of eleven lines that all differ, the last of which matters.
fn lines(place: &Place) {
    sh(
        place,
        "mkdir good bad; { seq 1 10; echo Good; } > good/src; { seq 11 20; echo Bad; } > bad/src
         for version in good bad; do printf 'prog: src\n\tcp src prog\n' > $version/Makefile; done",
    );
}

/// Arguments that compare the two.
const BOTH: [&str; 4] = ["--good", "good", "--bad", "bad"];

/// The same answer, with the same tests, for one job and for two.
#[track_caller]
fn found_for_any_jobs(place: &Place, args: &[&str]) -> Value {
    let [one, two] = ["1", "2"]
        .map(|jobs| found(place, &[&["--fresh", "-j", jobs], BOTH.as_slice(), args].concat()));
    assert_eq!(one["difference"], two["difference"]);
    assert_eq!(one["tests"]["executed"], two["tests"]["executed"]);
    assert!(change(&one).contains("Bad"), "{one}");
    one
}

#[test]
fn what_a_test_leaves_behind_decides_nothing() {
    let place = Place::new();
    lines(&place);
    // Whoever finds the answer of an earlier test believes it.
    place.script(
        "t",
        "[ -e prog ] || cp src prog
         [ -e deep/answer ] || { mkdir deep; ! grep -q Bad prog; echo $? > deep/answer; }
         [ $(cat deep/answer) = 0 ] || { echo error: bad >&2; exit 1; }",
    );
    found_for_any_jobs(&place, &["--", "./t"]);
    found_for_any_jobs(&place, &["--build", "make", "--", "./t"]);
}

#[test]
fn what_a_test_does_to_a_build_decides_nothing() {
    let place = Place::new();
    lines(&place);
    let judge = "grep -q Bad prog && { echo error: bad >&2; code=1; }";
    for harm in [
        "echo Worse > prog; touch -d 2100-01-01 prog",
        "rm prog",
        "rm -r prog; mkdir prog",
        "chmod 0 .",
    ] {
        place.script("t", &format!("code=0; {judge}; {harm}; exit $code"));
        found_for_any_jobs(
            &place,
            &[
                "--build",
                "[ -e built -a ! src -nt built ] || { make && touch built; }",
                "--",
                "./t",
            ],
        );
    }
}

#[test]
fn a_build_notices_what_was_written_a_moment_ago() {
    let place = Place::new();
    // Nothing takes long enough for the clock of the files to move on.
    sh(&place, "mkdir good bad; seq 1 200 > good/src; seq 201 400 > bad/src");
    place.script("t", "! grep -q 333 prog || { echo error: bad >&2; exit 1; }");
    let build = "[ prog -nt src ] || cp src prog";
    let one =
        found(&place, &[BOTH.as_slice(), &["-j", "1", "--build", build, "--", "./t"]].concat());
    assert!(change(&one).contains("333"), "{one}");
}

#[test]
fn a_build_that_hangs_or_never_stops_talking_is_unresolved() {
    let place = Place::new();
    lines(&place);
    place.script("t", "! grep -q Bad prog || { echo error: bad >&2; exit 1; }");
    for harm in ["sleep 4208.25", "head -c 1073741824 /dev/zero | tr '\\0' x; exit 1"] {
        // Where the lines of both versions meet.
        let build = format!("if grep -qx 11 src && ! grep -qx 20 src; then {harm}; fi; make");
        let quoted = build.replace('\'', "'\\''");
        // Neither what it says nor a log of that would fit.
        let limited = format!(
            "ulimit -v 400000; ulimit -f 400000
             exec {} changes --json --timeout 5s --good good --bad bad --build '{quoted}' -- ./t",
            env!("CARGO_BIN_EXE_wynot"),
        );
        let mut command = Command::new("sh");
        place.prepare(&mut command);
        let ran = ran(command.args(["-c", &limited]));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let found: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert!(change(&found).contains("Bad"), "{found}");
        assert!(found["reasons"]["did not build"].as_u64() >= Some(1), "{harm}: {found}");
    }
    let slow =
        [&["changes", "--timeout", "0.2s"], BOTH.as_slice(), &["--build", "sleep 9", "--", "./t"]];
    let slow = place.run(slow.concat());
    slow.ends(3, "the bad version does not build");
    slow.ends(3, "wynot: the build took too long");
}

#[test]
fn a_search_that_was_killed_while_it_built_goes_on() {
    let place = Place::new();
    lines(&place);
    place.script("t", "! grep -q Bad prog || { echo error: bad >&2; exit 1; }");
    // Half of a product is as good as none.
    let build = "head -c 3 src > prog; sleep 0.2; make -B";
    let args = [BOTH.as_slice(), &["--scratch", "scratch", "--build", build, "--", "./t"]].concat();
    fs::create_dir(place.path("scratch")).unwrap();
    for _ in 0..3 {
        let mut command = place.command();
        command.arg("changes").args(&args).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(900));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let killed = found(&place, &args);
    assert!(killed["tests"]["replayed"].as_u64() > Some(0), "{killed}");
    let fresh = found(&place, &[&["--fresh"], args.as_slice()].concat());
    assert_eq!(killed["difference"], fresh["difference"]);
    assert_eq!(killed["tests"]["executed"], fresh["tests"]["executed"]);
    let deadline = Instant::now() + Duration::from_secs(10);
    while fs::read_dir(place.path("scratch")).unwrap().count() > 0 {
        assert!(Instant::now() < deadline, "private directories are left");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_full_disk_is_named_and_nothing_is_lost() {
    let place = Place::new();
    lines(&place);
    place.script("t", "! grep -q Bad src || { echo error: bad >&2; exit 1; }");
    sh(&place, "mkdir small; head -c 3000000 /dev/zero | tee good/large > bad/large");
    let on_a_small_disk = |size: &str, options: &str, argument: &str| {
        // The second time there is room enough.
        let wynot = env!("CARGO_BIN_EXE_wynot");
        let script = format!(
            "search() {{ {wynot} changes --json {options} --good good --bad bad -- ./t {argument}; }}
             mount -t tmpfs -o size={size} tmpfs small; search; echo $?
             mount -o remount,size=100m small; search"
        );
        let mut command = Command::new("unshare");
        place.prepare(&mut command);
        let both = ran(command.args(["-rm", "sh", "-c", &script]));
        both.ends(0, "no space left on device");
        let second: Value = serde_json::from_str(both.stdout.strip_prefix("1\n").unwrap()).unwrap();
        assert!(change(&second).contains("Bad"), "{second}");
        (both.stderr, second)
    };
    // No room for a single version.
    let (told, _) = on_a_small_disk("2m", "--scratch small", "");
    assert!(told.contains("hint: use --scratch DIR"), "{told}");
    // None for the session, after a few tests: what was typed takes most of it.
    let (told, second) = on_a_small_disk("4k", "-j 1 --session small/session", &"x".repeat(1350));
    assert!(told.contains("nothing is lost: run the same command again"), "{told}");
    let tests = |which: &str| second["tests"][which].as_u64().unwrap();
    assert!(0 < tests("replayed") && tests("replayed") < tests("executed"), "{second}");
}

#[test]
fn a_test_that_fills_the_disk_harms_no_other_test() {
    let place = Place::new();
    lines(&place);
    place.script(
        "t",
        "cat /dev/zero > fill 2> /dev/null; cat /dev/zero > $TMPDIR/fill 2> /dev/null
        ! grep -q Bad prog || { echo error: bad >&2; exit 1; }",
    );
    fs::create_dir(place.path("small")).unwrap();
    for jobs in ["1", "2"] {
        let script = format!(
            "mount -t tmpfs -o size=4m tmpfs small && exec {} changes --json --fresh -j {jobs} --scratch small \
             --good good --bad bad --build make -- ./t",
            env!("CARGO_BIN_EXE_wynot")
        );
        let mut command = Command::new("unshare");
        place.prepare(&mut command);
        let ran = ran(command.args(["-rm", "sh", "-c", &script]));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let found: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert!(change(&found).contains("Bad"), "{found}");
    }
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
