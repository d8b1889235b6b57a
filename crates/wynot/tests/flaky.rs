//! Tests that fail only now and then.

mod support;

use serde_json::Value;
use std::fs;
use support::Place;

/// A test that fails with a probability, in percent, that a script finds out: `has WORD` asks the input.
fn place(rate: &str) -> Place {
    let place = Place::new();
    let body = format!(
        "has() {{ case $text in *$1*) true;; *) false;; esac; }}
         text=$(cat \"$1\")
         {rate}
         {}
         test $chance -ge $rate",
        place.chance()
    );
    place.script("t", &body);
    let text: String = (0..12).map(|number| format!("line {number}\n")).collect::<String>()
        + "need this and that\n";
    place.write("in.txt", text);
    place
}

fn share(rate: &Value) -> f64 {
    rate["fails"].as_f64().unwrap() / rate["runs"].as_f64().unwrap()
}

#[test]
fn a_test_that_fails_30_times_out_of_100_is_reduced_to_what_it_needs() {
    let place = place("rate=0; has this && has that && rate=30");
    let mut short_results = 0;
    for round in 0..3 {
        let found = place.json("reduce -j 1 --fresh --flaky --unit line,token in.txt -- ./t {}");
        assert_eq!(found["status"], "minimal", "round {round}: {found}");
        // Chance may keep a word or two, but nothing that fails less often.
        let result = place.text("in.min.txt");
        assert!(result.contains("this") && result.contains("that"), "{result:?}");
        short_results += u32::from(result.len() <= 30);
        assert!(share(&found["rate"]["result"]) > 0.13, "{found}");
        assert!(share(&found["rate"]["original"]) > 0.13, "{found}");
    }
    // About one result in fifty is longer by chance.
    assert!(short_results >= 2, "only {short_results} of 3 results are short");
}

#[test]
fn what_makes_the_failure_frequent_is_kept() {
    // Without "this" it still fails, but five times less often.
    let place = place("rate=0; has that && rate=10; has that && has this && rate=50");
    let found = place.json("reduce -j 1 --flaky --unit line,token in.txt -- ./t {}");
    let result = place.text("in.min.txt");
    assert!(result.contains("this") && result.contains("that"), "{result:?} {found}");
    assert!(share(&found["rate"]["result"]) > 0.3, "{found}");
    assert!(result.len() <= 30, "{result:?}");
}

#[test]
fn the_rate_is_told_and_one_that_is_zero_refused() {
    let place = place("rate=0; has this && rate=60");
    let ran = place.wynot("reduce -j 1 --flaky in.txt -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("wynot: it fails in "), "{ran:?}");
    assert!(ran.stdout.contains(" runs (") && ran.stdout.contains("; the original in "), "{ran:?}");
    fs::write(place.path("in.txt"), "nothing\n").unwrap();
    place.wynot("reduce -j 1 --flaky in.txt -- ./t {}").ends(3, "it did not fail once in 120 runs");
    place.wynot("reduce -j 1 --flaky --repeat 3 in.txt -- ./t {}").ends(2, "cannot be used with");
}

#[test]
fn repeated_tests_are_also_asked_repeatedly_at_first() {
    let place = place("rate=0; has this && rate=50");
    let found = place.wynot("reduce -j 1 --repeat 12 --quorum 1 in.txt -- ./t {}");
    assert_eq!(found.code, Some(0), "{found:?}");
    assert_eq!(place.text("in.min.txt").trim(), "this");
}

#[test]
fn the_commit_after_which_a_test_fails_in_some_runs_is_found_with_a_confidence() {
    let place = Place::new();
    place.script(
        "t",
        &format!(
            "grep -q unlocked code || exit 0
             {}
             test $chance -ge 50 || {{ echo error: lost update >&2; exit 1; }}",
            place.chance()
        ),
    );
    support::changes::sh(
        &place,
        "git init -q -b main .; printf 'state\\nt\\nchances\\n' > .git/info/exclude
         echo locked > code; seq 9 > notes; git add -A; git commit -qm Start; git tag good
         for i in $(seq 12); do echo $i >> notes; git commit -qam \"Work $i\"; done
         echo unlocked > code; echo faster >> notes; git commit -qam 'Take the lock out'
         for i in $(seq 13 20); do echo $i >> notes; git commit -qam \"Work $i\"; done",
    );
    let args = "changes -j 1 --flaky --confidence 0.999 --good good --bad HEAD -- ./t";
    let found = place.json(args);
    assert_eq!(found["commits"][0]["subject"], "Take the lock out", "{found}");
    let change = support::changes::change(&found);
    assert!(change.contains("unlocked"), "{found}");
    assert!(found["confidence"]["reached"].as_f64() >= Some(0.999), "{found}");
    assert!(found["confidence"]["runs"].as_u64() < Some(80), "{found}");
    let ran = place.wynot(args);
    assert!(ran.stdout.contains("confidence in the commit: 99.9"), "{ran:?}");
}
