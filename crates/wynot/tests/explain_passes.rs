//! Several passing runs: a value that one of them has as well is no step of the chain.

mod reference;
mod support;

use reference::{Reference, compile, explain, holds};
use support::Place;
use wynot_test_support::{Tool, require};

/// Too many rows are enough to fail, and so is a heading with ten of them.
const ROWS: Reference = Reference {
    source: "rows.c",
    pass: "./rows 10",
    fail: "./rows -h 12",
    options: &["--pass", "./rows -h 3"],
    chain: &[("argc", "3", 25), ("argc", "3", 10), ("rows", "12", 10), ("lines", "13", 19)],
    confirmed: "SIGABRT",
};

#[test]
fn a_value_of_another_passing_run_is_no_step() {
    require!(Tool::Gdb);
    holds(&ROWS);
}

#[test]
fn without_the_other_run_that_value_is_a_step() {
    let place = Place::new();
    compile(&place, ROWS.source);
    let told = explain(&place, &Reference { options: &[], ..ROWS }, &[]);
    let mut steps = told["chain"].as_array().unwrap().iter();
    assert!(steps.any(|step| step["causes"][0]["variable"] == "heading"), "{told:#}");
    assert_eq!(told["also_passing"], serde_json::json!([]));
    assert_eq!(told["chain"][0]["other_runs"], 0);
}

#[test]
fn the_other_run_is_named_with_how_much_it_excludes() {
    let place = Place::new();
    compile(&place, ROWS.source);
    let told = explain(&place, &ROWS, &[]);
    assert_eq!(told["passing"], "./rows 10");
    assert_eq!(told["also_passing"], serde_json::json!(["./rows -h 3"]));
    let last = told["chain"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["other_runs"], &last["shared"]), (&1.into(), &2.into()), "{last:#}");
}

#[test]
fn a_place_where_nothing_else_decides_is_no_step() {
    let place = Place::new();
    compile(&place, ROWS.source);
    // Each value of the failing run is one of a passing run; only together they are too many.
    let reference = Reference {
        pass: "./rows 9",
        fail: "./rows -h 10",
        options: &[
            "--pass",
            "./rows -h 8",
            "--pass",
            "./rows 10",
            "--at",
            "fill",
            "--at",
            "rows.c:26",
        ],
        ..ROWS
    };
    let told = explain(&place, &reference, &[]);
    let steps = told["chain"].as_array().unwrap();
    assert_eq!(steps.len(), 1, "{told:#}");
    assert_eq!(steps[0]["causes"][0]["variable"], "lines");
    assert_eq!(told["incomplete"][0]["shared"], true, "{told:#}");
}

#[test]
fn a_further_run_must_pass_as_well() {
    let place = Place::new();
    compile(&place, ROWS.source);
    let done =
        place.run(["explain", "--pass", "./rows 10", "--pass", "./rows 30", "--fail", "./rows 12"]);
    assert_eq!(done.code, Some(3), "{done:?}");
    assert!(done.stderr.contains("a further run of --pass fails: ./rows 30"), "{done:?}");
    let done =
        place.run(["explain", "--pass", "./rows 10", "--pass", "/bin/true", "--fail", "./rows 12"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("another --pass runs /bin/true"), "{done:?}");
}
