//! The same bytes, the same steps and the same count of tests for every number of jobs, with real
//! processes that take random times.

mod support;

use serde_json::Value;
use support::Place;
use wynot_test_support::{Tool, require};

/// The steps in `--events`, without times.
fn steps(place: &Place, name: &str) -> Vec<Value> {
    let lines = place.text(name);
    let events = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let steps = events.filter(|event| event["event"] == "step").map(|mut event| {
        event["seconds"].take();
        event
    });
    steps.collect()
}

fn assert_same_for_all_jobs(test: &str, args: &str, outputs: &[&str]) {
    let place = Place::new();
    let text: String = (0..12).map(|i| format!("line {i} has some-thing {}\n", i * i)).collect();
    place.write("in.txt", text);
    place.script("t", test);
    let mut first = None;
    for jobs in [1, 2, 3, 8] {
        let command = format!("{args} -j {jobs} --fresh --events ev{jobs} in.txt -- ./t {{}}");
        let mut result = place.json(&command);
        result["tests"]["speculative"].take();
        let files: Vec<Vec<u8>> = outputs.iter().map(|name| place.read(name)).collect();
        let shown = (result["tests"].clone(), files, steps(&place, &format!("ev{jobs}")));
        assert!(!shown.2.is_empty());
        match &first {
            None => first = Some(shown),
            Some(first) => assert_eq!(&shown, first, "{jobs} jobs"),
        }
    }
}

/// A random time of up to 15 ms that has nothing to do with the input.
const RANDOM_SLEEP: &str =
    "sleep $(od -An -N1 -tu1 /dev/urandom | awk '{printf \"0.%03d\", $1 / 17}')\n";

#[test]
fn reducing_gives_the_same_for_1_2_3_and_8_jobs() {
    require!(Tool::Awk);
    let test = format!(
        "{RANDOM_SLEEP}grep -q 'line 3' \"$1\" || exit 0\ngrep -q 49 \"$1\" || exit 2\nexit 1"
    );
    assert_same_for_all_jobs(&test, "reduce", &["in.min.txt"]);
}

#[test]
fn reducing_by_ddmin_gives_the_same_for_1_2_3_and_8_jobs() {
    require!(Tool::Awk);
    let test = format!("{RANDOM_SLEEP}grep -q 'line 3' \"$1\" || exit 0\nexit 1");
    assert_same_for_all_jobs(&test, "reduce --unit line,char", &["in.min.txt"]);
}

#[test]
fn isolating_gives_the_same_for_1_2_3_and_8_jobs() {
    require!(Tool::Awk);
    let test = format!(
        "{RANDOM_SLEEP}n=$(grep -c 'some-thing' \"$1\")\n\
         grep -q 'line 7' \"$1\" && grep -q 'line 2' \"$1\" && exit 1\n[ $((n % 3)) = 1 ] && exit 2\nexit 0"
    );
    let args = "isolate";
    assert_same_for_all_jobs(&test, args, &["in.passing.txt", "in.failing.txt"]);
}
