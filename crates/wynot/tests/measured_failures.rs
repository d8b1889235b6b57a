//! Slowness and memory as failures: the same result with and without load, thresholds from the first runs.

mod support;

use serde_json::Value;
use std::process::{Child, Command};
use support::Place;

/// Processes that use all processors until they are dropped.
struct BusyLoops(Vec<Child>);

impl BusyLoops {
    fn start() -> Self {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let start = |_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Self((0..processors * 2).map(start).collect())
    }
}

impl Drop for BusyLoops {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

/// A program that counts to a million if two words are there.
fn slow_place() -> Place {
    let place = Place::new();
    place.write("in.txt", "one\nslow\ntwo\nslower\nthree\nfour\n");
    place.script(
        "t",
        "n=10000; grep -q slow \"$1\" && grep -q slower \"$1\" && grep -qx slow \"$1\" && n=1000000\n\
         i=0; while [ $i -lt $n ]; do i=$((i+1)); done",
    );
    place
}

#[test]
fn slowness_is_a_failure_with_the_same_result_under_load() {
    let place = slow_place();
    let reduce = |options: &str| {
        let ran = place.wynot(&format!("reduce --json --fresh {options} in.txt -- ./t {{}}"));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let value: Value = serde_json::from_str(&ran.stdout).unwrap();
        (place.text("in.min.txt"), value["tests"]["executed"].as_u64(), value)
    };
    let calm = reduce("-j 1 --fail-when seconds");
    assert_eq!(calm.0, "slow\nslower");
    assert!(calm.2["decision"].as_str().unwrap().starts_with("seconds>0."), "{}", calm.2);
    let busy = BusyLoops::start();
    for options in ["-j 1 --fail-when seconds", "-j 4 --fail-when seconds>0.1"] {
        let loaded = reduce(options);
        assert_eq!((&loaded.0, loaded.1), (&calm.0, calm.1), "{options}");
    }
    drop(busy);
}

#[test]
fn memory_is_a_failure() {
    let place = Place::new();
    place.write("in.txt", "a\nlarge\nb\n");
    place.script(
        "t",
        "if grep -q large \"$1\"; then sh -c 'head -c 300000000 /dev/zero | sort -S 400M > /dev/null'; fi",
    );
    for condition in ["memory>100M", "memory"] {
        let ran = place.wynot(&format!("reduce --json --fail-when {condition} in.txt -- ./t {{}}"));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(place.text("in.min.txt"), "large");
    }
}

#[test]
fn limits_that_decide_nothing_are_refused() {
    let place = slow_place();
    place.script("busy", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done");
    let refused = |options: &str, test: &str| {
        let ran = place.wynot(&format!("reduce {options} in.txt -- ./{test} {{}}"));
        assert_ne!(ran.code, Some(0), "{ran:?}");
        ran.stderr
    };
    let same = refused("--fail-when seconds", "busy");
    assert!(same.contains("there is no clear limit between them"), "{same}");
    assert!(refused("--pass-when seconds", "t").contains("give the limit, such as seconds<2"));
    assert!(refused("--fail-when seconds>many", "t").contains("is no condition"));
    let never = refused("--fail-when memory>60G", "t");
    assert!(never.contains("the failure does not reproduce"), "{never}");
}

#[test]
fn a_limit_of_the_first_runs_holds_in_later_runs_of_the_session() {
    let place = slow_place();
    let ran = place.wynot("reduce --json --fail-when seconds --max-tests 3 in.txt -- ./t {}");
    let first: Value = serde_json::from_str(&ran.stdout).unwrap();
    let ran = place.wynot("reduce --json --fail-when seconds in.txt -- ./t {}");
    let second: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(first["decision"], second["decision"]);
    assert_eq!(place.text("in.min.txt"), "slow\nslower");
    assert_eq!(place.wynot("verify").code, Some(0));
}
