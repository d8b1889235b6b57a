//! Rows of versions and tests that fail only sometimes: answers with a stated confidence.

mod support;

use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;
use std::time::Duration;
use support::Place;

/// Versions 1.0 to 1.N in a file.
fn row(last: u32) -> Place {
    let place = Place::new();
    let list: String = (0..=last).map(|number| format!("1.{number}\n")).collect();
    place.write("versions.txt", list);
    place
}

fn answer(found: &Value) -> (&str, &str) {
    (found["versions"]["good"].as_str().unwrap(), found["versions"]["bad"].as_str().unwrap())
}

/// The number of runs so far.
fn runs(place: &Place) -> usize {
    fs::read_to_string(place.path("log")).unwrap_or_default().lines().count()
}

/// A test that is bad from a number on and then fails in a certain share of its runs, in percent.
fn flaky_from(place: &Place, number: u32, percent: u32) {
    let body = format!(
        "echo \"$1\" >> {}\nn=${{1#1.}}\n[ \"$n\" -lt {number} ] && exit 0
         {}
         test $chance -ge {percent} || {{ echo error: lost update >&2; exit 1; }}",
        place.path("log").display(),
        place.chance()
    );
    place.script("t", &body);
}

const FLAKY: &str =
    "changes -j 1 --flaky --confidence 0.999 --versions versions.txt -- ./t {version}";

#[test]
fn a_flaky_row_is_bisected_with_a_stated_confidence() {
    let place = row(60);
    flaky_from(&place, 23, 40);
    let found = place.json(FLAKY);
    assert_eq!(answer(&found), ("1.22", "1.23"), "{found}");
    let confidence = &found["confidence"];
    assert!((0.999..1.0).contains(&confidence["reached"].as_f64().unwrap()), "{found}");
    assert_eq!(confidence["runs"], found["tests"]["executed"], "{found}");
    let per_version = confidence["versions"].as_array().unwrap();
    let runs: u64 = per_version.iter().map(|one| one["runs"].as_u64().unwrap()).sum();
    assert_eq!(Some(runs), confidence["runs"].as_u64(), "{found}");
    let of = |name: &str| per_version.iter().find(|one| one["version"] == name).unwrap();
    assert_eq!(of("1.22")["fails"], 0, "{found}");
    assert!(of("1.23")["fails"].as_u64() > Some(0), "{found}");
    assert_eq!(found["minimality"], Value::Null);
    // Six versions, each about 17 times, would be decided one by one; the mean is below 50.
    assert!(runs < 110, "{found}");
    let ran = place.wynot(FLAKY);
    let line =
        "1.23 is the first bad version of 61, 1.22 the last good one with a confidence of 99.9";
    assert!(ran.stdout.starts_with(line), "{ran:?}");
    assert!(ran.stdout.contains("  1.22: fails in 0 of "), "{ran:?}");
    assert!(ran.stderr.contains("versions are run until the answer is probable enough"), "{ran:?}");
    place.wynot("verify").ends(2, "the search has ended and proved nothing about");
}

#[test]
fn a_flaky_row_with_versions_that_cannot_be_tested_gives_a_range() {
    let place = row(30);
    place.script(
        "t",
        &format!(
            "n=${{1#1.}}; [ $n -ge 9 ] && [ $n -le 11 ] && exit 125; [ $n -lt 10 ] && exit 0
             {}
             test $chance -ge 60 || {{ echo error: lost update >&2; exit 1; }}",
            place.chance()
        ),
    );
    let found = place.json(FLAKY);
    assert_eq!(answer(&found), ("1.8", "1.12"), "{found}");
    assert_eq!(found["versions"]["untested"], json!(["1.9", "1.10", "1.11"]), "{found}");
}

#[test]
fn a_flaky_search_that_was_killed_or_stopped_goes_on_and_repeats_no_run() {
    let place = row(200);
    flaky_from(&place, 77, 30);
    let args: Vec<&str> = FLAKY.split(' ').collect();
    let stopped = place.json_of(&FLAKY.replace(" --versions", " --max-tests 5 --versions"), 5);
    assert_eq!(stopped["confidence"]["runs"], 5, "{stopped}");
    let first_runs = runs(&place) - 5;
    let mut kills = 0;
    while kills < 8 {
        let mut command = place.command();
        let command = command.args(["changes"]).args(&args[1..]);
        let mut wynot = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(60 + 10 * kills));
        if wynot.try_wait().unwrap().is_some() {
            break;
        }
        wynot.kill().unwrap();
        wynot.wait().unwrap();
        kills += 1;
    }
    let found = place.json(FLAKY);
    assert_eq!(answer(&found), ("1.76", "1.77"), "{found}");
    let used = found["confidence"]["runs"].as_u64().unwrap() as usize;
    // A run that was killed is not in the journal.
    let done = runs(&place) - first_runs;
    assert!((used..=used + kills as usize).contains(&done), "{done} runs, {used} used");
    let again = place.json(&FLAKY.replace("-j 1", "-j 3"));
    let answers = [&again, &found].map(|found| (&found["versions"], &found["confidence"]));
    assert_eq!(answers[0], answers[1], "the same runs give the same answer");
    assert_eq!(runs(&place) - first_runs, done, "nothing was run");
}
