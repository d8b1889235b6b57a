//! What decides besides the values of variables: blocks that were freed, padding, and entries of hash tables.

mod reference;
mod support;

use reference::{Reference, compile, explain, holds};
use serde_json::{Value, json};
use support::Place;
use wynot_test_support::{Tool, require};

#[test]
fn a_block_that_only_the_failing_run_has_freed() {
    require!(Tool::Gdb);
    holds(&Reference {
        source: "sessions.c",
        pass: "./sessions never",
        fail: "./sessions early",
        options: &[],
        chain: &[("argv[1]", "\"early\"", 35), ("sessions[1]", "a freed block", 38)],
        confirmed: "SIGABRT",
    });
}

#[test]
fn bytes_between_the_members_of_a_structure() {
    require!(Tool::Gdb);
    holds(&Reference {
        source: "keys.c",
        pass: "./keys 0",
        fail: "./keys 1",
        options: &[],
        chain: &[
            ("argv[1]", "\"1\"", 27),
            ("fill", "1", 14),
            ("wanted (padding at byte 1)", "0x1010101010101", 15),
        ],
        confirmed: "SIGABRT",
    });
}

#[test]
fn an_entry_of_a_hash_table_of_rust() {
    let place = Place::new();
    compile(&place, "prices.rs");
    let reference = Reference {
        source: "prices.rs",
        pass: "./prices apple=200 pear=50",
        fail: "./prices apple=200 pear=60",
        options: &[],
        chain: &[],
        confirmed: "",
    };
    // GDB does not give the program the same random bytes, so that an entry lies elsewhere there: steps are not replayed.
    let told = explain(&place, &reference, &[]);
    let steps = told["chain"].as_array().unwrap();
    let cause = |step: &Value| (step["causes"][0]["variable"].clone(), step["verified"].clone());
    assert!(
        steps.iter().any(|step| cause(step) == (json!("prices[\"pear\"]"), json!(true))),
        "{told:#}"
    );
}
