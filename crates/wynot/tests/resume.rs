//! Nothing is lost: interruptions of every kind, and going on after them.

mod support;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::Place;
use wynot_session::{Digest, Journal, Record};

const ARGS: [&str; 9] = ["reduce", "-j", "2", "--unit", "char", "in.txt", "--", "./t", "{}"];

/// A search of some hundred tests that take 30 ms each; each leaves its input in a log.
fn long_run() -> Place {
    let place = Place::new();
    place.write("in.txt", "It worked yesterday, all of it, so why does it not work today?");
    let log = place.path("log");
    // One line per test even when tests run side by side: the line end comes with the text.
    place.script(
        "t",
        &format!(
            "printf '%s\\n' \"$(cat \"$1\")\" >> {}\nsleep 0.03\n! grep -q 'I.*k.*y.*e.*d.*,.*l.*f.*t.*o.*y.*o.*i.*n.*w.*t.*y?' \"$1\"",
            log.display()
        ),
    );
    place
}

fn start(place: &Place) -> Child {
    place.command().args(ARGS).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn session_dir(place: &Place) -> Option<PathBuf> {
    let sessions = fs::read_dir(place.path("state/wynot")).ok()?;
    sessions.flatten().map(|entry| entry.path()).next()
}

/// The digests of all tests that are in the journal.
fn journaled(place: &Place) -> HashSet<String> {
    let contents = session_dir(place).and_then(|dir| Journal::read(&dir).ok());
    let records = contents.map(|contents| contents.records).unwrap_or_default();
    let tests = records.into_iter().filter_map(|record| match record {
        Record::Test(test) => Some(test.digest),
        _ => None,
    });
    tests.collect()
}

fn fails(place: &Place, path: &Path) -> bool {
    let status = Command::new(place.path("t")).arg(path).status().unwrap();
    status.code() == Some(1)
}

#[test]
fn killed_50_times_it_ends_alike_and_repeats_no_journaled_test() {
    let whole = long_run();
    let expected = whole.json(&ARGS.join(" "));
    let place = long_run();
    let output = place.path("in.min.txt");
    let mut random = 20_021_115_u64;
    let mut kills = 0;
    let mut repeated = 0;
    loop {
        let known = journaled(&place);
        let _ = fs::remove_file(place.path("log"));
        let mut wynot = start(&place);
        // Killed at a random moment after something new is in the journal, whatever the machine's pace.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        let mut ended = None;
        while ended.is_none() && journaled(&place).len() <= known.len() {
            std::thread::sleep(Duration::from_millis(2));
            ended = wynot.try_wait().unwrap();
        }
        std::thread::sleep(Duration::from_millis((random >> 33) % 70));
        if ended.or(wynot.try_wait().unwrap()).is_none() {
            wynot.kill().unwrap();
            kills += 1;
        }
        let ended = wynot.wait().unwrap().code().is_some();
        if output.exists() {
            let best = fs::read(&output).unwrap();
            assert!(fails(&place, &output), "{:?} does not fail", String::from_utf8_lossy(&best));
        }
        let log = fs::read_to_string(place.path("log")).unwrap_or_default();
        let run_again =
            |line: &&str| known.contains(&Digest::of_bytes(line.as_bytes()).to_string());
        // The checks above ran the test too, and the end of the search tests its result once more.
        let best = fs::read_to_string(&output).unwrap_or_default();
        repeated += log.lines().filter(run_again).filter(|line| *line != best).count();
        if kills >= 50 || ended {
            break;
        }
    }
    assert!(kills >= 50, "it ended after {kills} kills: make the search longer");
    assert_eq!(repeated, 0, "journaled tests ran again");
    let last = place.json(&ARGS.join(" "));
    assert_eq!(place.text("in.min.txt"), whole.text("in.min.txt"));
    for name in ["executed", "pass", "fail", "unresolved", "cached"] {
        assert_eq!(last["tests"][name], expected["tests"][name], "{name}");
    }
    assert!(last["tests"]["replayed"].as_u64().unwrap() > 50);
    let litter = fs::read_dir(place.dir.path()).unwrap().flatten();
    let parts: Vec<_> =
        litter.filter(|e| e.file_name().to_string_lossy().contains(".part")).collect();
    assert_eq!(parts.len(), 0, "half-written results are left");
}

/// Sends a signal to processes. A shell does it: the command `kill` is not installed everywhere.
fn send(signal: &str, processes: &[&str]) {
    let mut sh = Command::new("sh");
    sh.args(["-c", "signal=$1; shift; kill -$signal \"$@\"", "sh", signal]).args(processes);
    assert!(sh.status().unwrap().success());
}

#[test]
fn an_interrupted_run_keeps_its_best_and_says_how_to_go_on() {
    for signal in ["INT", "TERM"] {
        let place = long_run();
        let wynot = place.interruptible().args(ARGS).stderr(Stdio::piped()).spawn().unwrap();
        while journaled(&place).len() < 5 {
            std::thread::sleep(Duration::from_millis(5));
        }
        send(signal, &[&wynot.id().to_string()]);
        let output = wynot.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{stderr}");
        assert!(stderr.contains("interrupted; the best so far is in in.min.txt"), "{stderr}");
        assert!(stderr.contains("run the same command again"), "{stderr}");
        assert!(fails(&place, &place.path("in.min.txt")));
        let again = place.wynot(&ARGS.join(" "));
        again.ends(0, "resuming with");
    }
}

#[test]
fn a_finished_run_is_replayed_and_fresh_starts_over() {
    let place = long_run();
    let first = place.json(&ARGS.join(" "));
    fs::remove_file(place.path("log")).unwrap();
    fs::remove_file(place.path("in.min.txt")).unwrap();
    let second = place.json(&ARGS.join(" "));
    assert_eq!(second["tests"]["executed"], first["tests"]["executed"]);
    let shared = first["tests"]["shared"].as_u64().unwrap();
    let executed = first["tests"]["executed"].as_u64().unwrap();
    assert_eq!(second["tests"]["replayed"].as_u64().unwrap(), executed - shared);
    assert_eq!(place.text("log").lines().count(), 1, "only the result is tested once more");
    assert!(place.path("in.min.txt").exists());
    let fresh = place.json(&format!("reduce --fresh {}", ARGS[1..].join(" ")));
    assert_eq!(fresh["tests"]["replayed"], 0);
}

#[test]
fn a_changed_test_shares_no_outcomes() {
    let place = long_run();
    place.json(&ARGS.join(" "));
    place.script("t", "! grep -q 'day?' \"$1\"");
    let changed = place.json(&ARGS.join(" "));
    assert_eq!(changed["tests"]["replayed"], 0);
    assert_eq!(place.text("in.min.txt"), "day?");
}

#[test]
fn limits_end_a_run_with_a_result() {
    let place = long_run();
    let ran = place.wynot(&format!("reduce --max-tests 20 {}", ARGS[1..].join(" ")));
    ran.ends(5, "the limit of 20 tests is reached; the best so far is in in.min.txt");
    assert!(fails(&place, &place.path("in.min.txt")));
    let ran = place.wynot(&format!("reduce --max-time 200ms {}", ARGS[1..].join(" ")));
    ran.ends(5, "the time limit is reached");
    assert_eq!(place.wynot(&ARGS.join(" ")).code, Some(0));
}

#[test]
fn a_session_serves_one_process_and_one_input() {
    let place = long_run();
    let session = place.path("here");
    let args = format!("reduce --session here {}", ARGS[1..].join(" "));
    let mut first = place.command();
    let mut first =
        first.args(args.split(' ')).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !session.join("journal.jsonl").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(50));
    place.wynot(&args).ends(1, "another wynot is working in");
    first.kill().unwrap();
    first.wait().unwrap();
    place.write("in.txt", "why not today?");
    let foreign = place.wynot(&args);
    foreign.ends(1, "belongs to another run");
    foreign.ends(1, "hint: use --fresh");
}

#[test]
fn a_run_that_stops_early_keeps_the_better_result_of_an_earlier_one() {
    let place = long_run();
    place.json(&ARGS.join(" "));
    let best = place.text("in.min.txt");
    let again = place.wynot(&format!("reduce --max-time 1ms {}", ARGS[1..].join(" ")));
    assert_eq!(again.code, Some(5), "{again:?}");
    assert_eq!(place.text("in.min.txt"), best);
}

#[test]
fn outcomes_of_reduce_do_not_let_isolate_skip_its_check() {
    let place = Place::new();
    place.write("in.txt", "abxc");
    place.script("t", "grep -q x \"$1\" && exit 1; exit 2");
    assert_eq!(place.wynot("reduce --unit char in.txt -- ./t {}").code, Some(0));
    place.wynot("isolate --unit char in.txt -- ./t {}").ends(3, "the passing side does not pass");
}

#[test]
fn a_test_that_only_ran_ahead_cannot_abort_the_run() {
    let place = Place::new();
    place.write("in.txt", "ab");
    // The first half is the failure; only the second, which is never needed, would abort.
    place.script("t", "case $(cat \"$1\") in b) exit 200;; *a*) sleep 0.05; exit 1;; esac");
    for jobs in [1, 2, 4] {
        let args =
            format!("reduce --fresh -j {jobs} --unit char --exit-code bisect in.txt -- ./t {{}}");
        assert_eq!(place.wynot(&args).code, Some(0), "{jobs} jobs");
        assert_eq!(place.text("in.min.txt"), "a");
    }
}

#[test]
fn supervisors_outlive_a_signal_to_all_of_them() {
    let place = long_run();
    let wynot = place.command().args(ARGS).stderr(Stdio::piped()).spawn().unwrap();
    while journaled(&place).len() < 3 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = wynot.id().to_string();
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    let all: Vec<&str> = children.split_whitespace().chain([pid.as_str()]).collect();
    send("TERM", &all);
    let output = wynot.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
}
