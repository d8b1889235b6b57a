//! Where people are: issue bodies, SARIF, the action for CI, and what packages contain.

mod support;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Place, Ran, ran};
use wynot_test_support::{Tool, require};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn place() -> Place {
    let place = Place::new();
    place.write("in.txt", "aaa\nabc\nccc\n");
    place.script("t", "if grep -q b \"$1\"; then echo 'error: b is here' >&2; exit 1; fi");
    place
}

#[test]
fn an_issue_has_what_a_maintainer_needs_in_less_than_a_thousand_tokens() {
    let place = place();
    assert_eq!(place.wynot("reduce in.txt -- ./t {}").code, Some(0));
    let issue = place.wynot("report --markdown in.min.txt").stdout;
    for part in [
        "## in.txt: 12 → 1 byte",
        "proved 1-minimal (token, byte)",
        "wynot reduce in.txt -- ./t {}",
        "error: b is here",
        "```txt\nb\n```",
        "- wynot 0.",
        "- Linux ",
        "./t in.min.txt\nwynot verify in.min.txt",
    ] {
        assert!(issue.contains(part), "{part} is not in {issue}");
    }
    // A token is about four bytes.
    assert!(issue.len() < 4_000, "{} bytes", issue.len());
    place.write("large.txt", "x".repeat(60_000) + "b");
    place.script("u", "! grep -q b \"$1\" || ! test $(wc -c < \"$1\") -gt 50000");
    let ran = place.wynot("reduce --max-tests 50 large.txt -- ./u {}");
    assert!(matches!(ran.code, Some(0 | 5)), "{ran:?}");
    assert!(place.read("large.min.txt").len() > 50_000);
    let issue = place.wynot("report --markdown large.min.txt").stdout;
    assert!(issue.len() < 4_000, "{} bytes", issue.len());
}

#[test]
fn results_are_short_for_programs_that_pay_by_the_word() {
    let place = place();
    let ran = place.wynot("reduce -q --json in.txt -- ./t {}");
    assert!(ran.stdout.len() + ran.stderr.len() < 4_000, "{ran:?}");
    let ran = place.wynot("reduce -q --json missing.txt -- ./t {}");
    assert!(ran.stdout.len() + ran.stderr.len() < 4_000, "{ran:?}");
}

#[test]
fn sarif_has_the_place_of_an_isolated_difference() {
    let place = place();
    place.write("good.txt", "aaa\nacc\nccc\n");
    let args = "isolate --unit line --passing good.txt in.txt -- ./t {}";
    assert_eq!(place.wynot(args).code, Some(0));
    let log: Value = serde_json::from_str(&place.wynot("report --sarif").stdout).unwrap();
    let result = &log["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "in.txt", "{log}");
    assert_eq!(place["region"]["startLine"], 2, "{log}");
    assert!(result["message"]["text"].as_str().unwrap().contains("1 changed line"), "{log}");
}

/// Runs the search of the action as a job in CI does.
fn action(place: &Place, verb: &str, arguments: &str) -> Ran {
    let mut command = Command::new(root().join("packaging/action.sh"));
    place.prepare(&mut command);
    fs::create_dir_all(place.path("runner")).unwrap();
    command
        .env("WYNOT", env!("CARGO_BIN_EXE_wynot"))
        .env("RUNNER_TEMP", place.path("runner"))
        .env("GITHUB_OUTPUT", place.path("output"))
        .env("GITHUB_STEP_SUMMARY", place.path("summary"))
        .env("VERB", verb)
        .env("ARGUMENTS", arguments);
    ran(&mut command)
}

#[test]
fn the_action_reduces_an_input_and_writes_outputs_and_a_summary() {
    require!(Tool::Python);
    let place = place();
    let done = action(&place, "reduce", "--max-time '1m' in.txt -- ./t {}");
    assert_eq!(done.code, Some(0), "{done:?}");
    let outputs = place.text("output");
    assert!(outputs.contains("status=minimal\nresult=in.min.txt\n"), "{outputs}");
    for name in ["markdown=", "report="] {
        let path = outputs.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        assert!(fs::metadata(path).unwrap().len() > 100, "{path}");
    }
    assert!(place.text("summary").contains("## in.txt: 12 → 1 byte"));
}

#[test]
fn the_action_fails_with_what_to_type() {
    require!(Tool::Python);
    let place = place();
    let done = action(&place, "reduce", "in.txt ./t {}");
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(place.text("output").contains("status=error"));
    let summary = place.text("summary");
    assert!(
        summary.contains("put -- before the test") && summary.contains("in.txt -- ./t"),
        "{summary}"
    );
}

#[test]
fn the_action_names_only_what_it_declares() {
    let action = fs::read_to_string(root().join("action.yml")).unwrap();
    let (declared, steps) = action.split_once("\nruns:").unwrap();
    for name in ["verb", "arguments", "directory", "wynot", "comment", "token"] {
        assert!(declared.contains(&format!("\n  {name}:\n")), "{name}");
        assert!(steps.contains(&format!("inputs.{name}")), "{name}");
    }
    let script = fs::read_to_string(root().join("packaging/action.sh")).unwrap();
    for name in ["status", "result", "markdown", "report"] {
        assert!(declared.contains(&format!("steps.search.outputs.{name}")), "{name}");
        assert!(script.contains(&format!("echo \"{name}=")), "{name}");
    }
}

#[test]
fn packages_have_a_manual_page_for_each_verb_and_completions() {
    let place = Place::new();
    let mut command = Command::new(root().join("packaging/files.sh"));
    place.prepare(&mut command);
    let done = ran(command.arg(env!("CARGO_BIN_EXE_wynot")).arg(place.path("usr")));
    assert_eq!(done.code, Some(0), "{done:?}");
    let help = place.wynot("--help").stdout;
    let verbs = help.lines().filter_map(|line| {
        let rest = line.strip_prefix("  ")?;
        rest.starts_with(|c: char| c.is_ascii_lowercase()).then(|| rest.split(' ').next())?
    });
    for verb in verbs.filter(|verb| !matches!(*verb, "help" | "completions" | "man")) {
        let page = place.path(format!("usr/share/man/man1/wynot-{verb}.1.gz"));
        assert!(page.exists(), "{} is missing", page.display());
    }
    let bash = place.text("usr/share/bash-completion/completions/wynot");
    assert!(bash.contains("--same-crash") && place.path("usr/bin/wynot").exists());
}
