//! How many tests were skipped: the last line of `cargo test --workspace` before the documentation tests.
//!
//! Cargo runs test binaries in the order of their packages' names, and `xtask` is the last one of the workspace;
//! `crates/wynot/tests/house` checks that it is.

use std::collections::BTreeSet;
use std::io::Write;
use wynot_test_support::skipped_in_this_run;

#[test]
fn skipped_tests_are_counted() {
    let skipped = skipped_in_this_run().expect("the record of skipped tests can be read");
    let tests: BTreeSet<&str> =
        skipped.iter().filter_map(|line| Some(line.split_once(" needs ")?.0)).collect();
    let packages: BTreeSet<&str> = skipped
        .iter()
        .filter_map(|line| Some(line.split_once("apt-get install ")?.1.trim_end_matches(')')))
        .flat_map(str::split_whitespace)
        .collect();
    let packages: Vec<&str> = packages.into_iter().collect();
    let line = match tests.len() {
        0 => "no tests were skipped\n".to_owned(),
        count => format!(
            "{count} tests were skipped, in whole or in part, for lack of: {} (cargo xtask test installs them \
             on Debian and skips nothing)\n",
            packages.join(" ")
        ),
    };
    // Not `eprint`: the test harness hides what passing tests print that way.
    let _ = std::io::stderr().write_all(line.as_bytes());
}
