//! The checks: everything, and those that take less than a minute.

use crate::{Failure, Outcome, install};
use std::process::Command;
use std::time::Instant;
use wynot_test_support::REQUIRE_ALL_TOOLS;

/// Formatting, lints, documentation and all tests, of which none may be skipped.
pub fn everything() -> Outcome {
    install::missing_tools()?;
    step(&["fmt", "--all", "--check"])?;
    step(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])?;
    step(&["doc", "--workspace", "--no-deps", "--quiet"])?;
    step_without_skips(&["test", "--workspace"])?;
    // Ignored otherwise, since it takes a minute.
    step_without_skips(&[
        "test",
        "--quiet",
        "--package",
        "wynot",
        "--test",
        "changes_large",
        "--",
        "--ignored",
    ])
}

/// The test targets that need no tool and take a few seconds each.
const FAST_TARGETS: [&str; 16] = [
    "hooks",
    "causes",
    "published_figures",
    "golden",
    "house",
    "json",
    "options",
    "output",
    "process_tracees",
    "process_memory",
    "project",
    "session",
    "random_outcomes",
    "report_pages",
    "usage",
    "verify",
];

/// Unit and property tests of all crates, and the integration tests that are fast and need no tool.
pub fn fast() -> Outcome {
    let mut words = vec!["test", "--workspace", "--lib", "--bins"];
    words.extend(FAST_TARGETS.iter().flat_map(|target| ["--test", target]));
    let build = [words.as_slice(), &["--quiet", "--no-run"]].concat();
    step(&build)?;
    words.push("--quiet");
    step(&words)
}

/// Runs cargo, with its output on the terminal.
fn step(words: &[&str]) -> Outcome {
    run(words, Command::new("cargo").args(words))
}

/// The same, where a test that would be skipped fails.
fn step_without_skips(words: &[&str]) -> Outcome {
    run(words, Command::new("cargo").args(words).env(REQUIRE_ALL_TOOLS, "1"))
}

fn run(words: &[&str], command: &mut Command) -> Outcome {
    let line = format!("cargo {}", words.join(" "));
    eprintln!("xtask: {line}");
    let started = Instant::now();
    match command.env("RUSTDOCFLAGS", "-D warnings").status() {
        Ok(status) if status.success() => {
            eprintln!("xtask: done in {} s", started.elapsed().as_secs());
            Ok(())
        }
        Ok(_) => Err(Failure::Step(line)),
        Err(error) => Err(Failure::Step(format!("{line}: {error}"))),
    }
}
