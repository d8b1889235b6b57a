//! `explain` on the engine of all verbs: journal, resume, limits, events and trace.

mod support;

use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};
use support::{Place, gcc, in_format_2};

const RUNS: [&str; 6] =
    ["--pass", "./sort 7 8 9 5", "--fail", "./sort 11 14", "--fail-when", "stdout~^0 "];

fn sort() -> Place {
    let place = Place::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/state/sort.c");
    gcc(&place, "sort", &["-g"], &fs::read_to_string(source).unwrap());
    place
}

fn explain(place: &Place, more: &[&str], code: i32) -> (Value, String) {
    let ran = place.run(["explain", "--json"].iter().chain(&RUNS).chain(more));
    assert_eq!(ran.code, Some(code), "{ran:?}");
    (serde_json::from_str(&ran.stdout).unwrap(), ran.stderr)
}

/// The chain, without what depends on time and on the place.
fn chain(found: &Value, place: &Place) -> String {
    let whole = format!("{} {}", found["chain"], found["tests"]);
    whole.replace(place.dir.path().to_str().unwrap(), "PLACE")
}

/// The journal of the only session, once there is one.
fn journal(place: &Place) -> Option<PathBuf> {
    let session = fs::read_dir(place.path("state/wynot")).ok()?.next()?.unwrap();
    Some(session.path().join("journal.jsonl"))
}

/// The digests of the journaled tests, in order: none before the session is there.
fn journaled(place: &Place) -> Vec<String> {
    let text = journal(place).and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
    let jsons = text.lines().filter_map(|line| Some(line.split_once(' ')?.1));
    let records = jsons.filter_map(|json| serde_json::from_str::<Value>(json).ok());
    records.filter_map(|record| Some(record["test"]["digest"].as_str()?.to_owned())).collect()
}

#[test]
fn killed_at_any_moment_it_goes_on_where_it_was() {
    let other = sort();
    let undisturbed = explain(&other, &["-j", "1"], 0).0;
    let all = undisturbed["tests"]["executed"].as_u64().unwrap();
    let undisturbed = chain(&undisturbed, &other);
    let place = sort();
    let mut before = 0;
    for share in 1..=4 {
        let mut running = place
            .command()
            .args(["explain", "-q", "-j", "1"])
            .args(RUNS)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let wanted = all as usize * share / 5;
        let started = Instant::now();
        while running.try_wait().unwrap().is_none() && started.elapsed().as_secs() < 120 {
            if journaled(&place).len() >= wanted {
                break;
            }
            sleep(Duration::from_millis(1));
        }
        running.kill().unwrap();
        running.wait().unwrap();
        let known = journaled(&place);
        assert!(known.len() >= before, "the journal only grows");
        before = known.len();
    }
    assert!(before > 0);
    let (resumed, said) = explain(&place, &["-j", "2"], 0);
    assert!(said.contains("wynot: resuming with"), "{said}");
    assert_eq!(chain(&resumed, &place), undisturbed);
    let tests = journaled(&place);
    let distinct: HashSet<&String> = tests.iter().collect();
    assert_eq!(tests.len(), distinct.len(), "no experiment was run twice");
    let again = explain(&place, &[], 0).0;
    assert_eq!(chain(&again, &place), undisturbed);
    assert_eq!(journaled(&place).len(), tests.len(), "everything is known");
}

#[test]
fn limits_end_the_search_with_what_is_known() {
    let place = sort();
    let (stopped, said) = explain(&place, &["--max-tests", "3", "-j", "1"], 5);
    assert_eq!(stopped["status"], "stopped");
    assert!(said.contains("the limit of 3 tests is reached"), "{said}");
    assert_eq!(journaled(&place).len(), 3);
    let (stopped, said) = explain(&place, &["--max-time", "1ms"], 5);
    assert_eq!(stopped["status"], "stopped");
    assert!(said.contains("the time limit is reached"), "{said}");
    let other = sort();
    let whole = chain(&explain(&other, &[], 0).0, &other);
    assert_eq!(chain(&explain(&place, &[], 0).0, &place), whole);
    let resumed = place.wynot("resume");
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert!(resumed.stdout.contains("a[2] is now 0"), "{resumed:?}");
}

#[test]
fn events_and_traces_show_each_experiment() {
    let place = sort();
    let (found, said) = explain(&place, &["--trace", "--events", "events.jsonl", "-j", "1"], 0);
    let tests = found["tests"]["executed"].as_u64().unwrap();
    let events = place.text("events.jsonl");
    let events: Vec<Value> = events.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let tested: Vec<&Value> = events.iter().filter(|event| event["event"] == "tested").collect();
    assert!(tested.iter().all(|event| event["place"].as_str().unwrap().contains("sort.c:")));
    let new = tested.iter().filter(|event| event["cached"] == false).count() as u64;
    let traced = said.lines().filter(|line| line.contains(" deltas  ")).count() as u64;
    assert_eq!(new, traced);
    // Runs from the beginning of the program confirm the causes, outside of the streams of attempts.
    assert!(new > 0 && new <= tests, "{new} of {tests}");
    assert!(said.contains('✘') && said.contains('✔'), "{said}");
}

#[test]
fn sessions_of_other_versions_are_refused() {
    let place = sort();
    explain(&place, &[], 0);
    let path = journal(&place).unwrap();
    fs::write(&path, in_format_2(&fs::read_to_string(&path).unwrap())).unwrap();
    let refused = place.run(["explain"].iter().chain(&RUNS));
    refused.ends(1, "was written by another version of wynot (format 2");
    assert!(refused.stderr.contains("--fresh"), "{refused:?}");
    explain(&place, &["--fresh"], 0);
}
