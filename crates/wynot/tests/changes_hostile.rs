//! Which change broke it, where builds, tests and disks are not as one would wish.

mod support;

use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::changes::{change, found, sh};
use support::{Place, ran};
use wynot_test_support::{Tool, require};

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
    require!(Tool::Make);
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
    require!(Tool::Make);
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
    require!(Tool::Make);
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
    require!(Tool::Make);
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
    require!(Tool::UserNamespaces);
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
             mount -t tmpfs -o remount,size=100m tmpfs small; search"
        );
        let mut command = Command::new("unshare");
        place.prepare(&mut command);
        let both = ran(command.args(["-rm", "sh", "-c", &script]));
        both.ends(0, "no space left on device");
        let (first, second) = both.stdout.split_once("\n1\n").unwrap();
        let first: Value = serde_json::from_str(first).unwrap();
        assert_eq!((&first["status"], &first["exit"]), (&json!("error"), &json!(1)), "{first}");
        let second: Value = serde_json::from_str(second).unwrap();
        assert!(change(&second).contains("Bad"), "{second}");
        (both.stderr, second)
    };
    // No room for a single version.
    let (told, _) = on_a_small_disk("2m", "--scratch small", "");
    assert!(told.contains("hint: use --scratch DIR"), "{told}");
    // None for the session, after a few tests: what was typed takes most of it.
    let (told, second) = on_a_small_disk("4k", "-j 1 --session small/session", &"x".repeat(1150));
    assert!(told.contains("nothing is lost: run the same command again"), "{told}");
    let tests = |which: &str| second["tests"][which].as_u64().unwrap();
    assert!(0 < tests("replayed") && tests("replayed") < tests("executed"), "{second}");
}

#[test]
fn a_test_that_fills_the_disk_harms_no_other_test() {
    require!(Tool::Make, Tool::UserNamespaces);
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

#[test]
fn a_pipe_among_the_arguments_is_not_waited_for() {
    let place = Place::new();
    place.script("t", "grep -q old file || { echo error: not old >&2; exit 1; }");
    sh(&place, "mkdir good bad; echo old > good/file; echo new > bad/file; mkfifo pipe");
    let pipe = place.path("pipe");
    let found = place.json(&format!("changes --good good --bad bad -- ./t {}", pipe.display()));
    assert_eq!(found["difference"]["deltas"], 1, "{found}");
}

#[test]
fn a_test_that_hangs_does_not_take_as_long_as_ten_builds() {
    let place = Place::new();
    sh(
        &place,
        "mkdir good bad; echo 'x = 1' > good/a; echo 'y = 1' > good/b; echo 'x = 2' > bad/a; echo 'y = 2' > bad/b",
    );
    // With the new b alone, the test hangs.
    place.script(
        "t",
        "case $(cat a b | tr '\\n' ' ') in
         'x = 1 y = 2 ') while :; do :; done;;
         'x = 2 '*) echo error: wrong >&2; exit 1;;
         esac",
    );
    let build = "i=0; while [ $i -lt 1000000 ]; do i=$((i + 1)); done";
    let args =
        ["changes", "--json", "--good", "good", "--bad", "bad", "--build", build, "--", "./t"];
    let ran = place.run(args);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(ran.stderr.contains(" s, 2.0 s after the build)"), "{}", ran.stderr);
    assert_eq!(found["difference"]["deltas"], 1, "{found}");
}
