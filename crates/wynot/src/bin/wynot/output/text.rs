//! Results in words, on standard output.

use super::call::print_options;
use super::history_text::{print_fix, print_verdict};
use super::short_result::{MAX_BYTES_PRINTED, print_short};
use super::standard_output::is_diverted;
use super::words::{cost_in_words, cost_of, failure_lines};
use crate::exit_code::Code;
use std::process::ExitCode;
use wynot::describe::{change_in_words, isolated_in_words, reduced_in_words};
use wynot::plan::numbered;
use wynot::request::Verb;
use wynot::search::{ChangesFound, Found, VersionsFound};
use wynot::{Error, Request, SearchReport};
use wynot_core::Isolated;
use wynot_report::number::count;
use wynot_session::{Certificate, OtherCrash};
use wynot_subjects::Variant;

/// The number of changes that a change needs, up to which they are described.
const MAX_NEEDED_PRINTED: u64 = 30;

/// Prints an error with its details and hints, and returns its exit code.
pub fn print_failure(error: &Error) -> ExitCode {
    print_error_line!("wynot: {}", error.message);
    for line in &error.details {
        print_error_line!("  {line}");
    }
    for hint in &error.hints {
        print_error_line!("hint: {hint}");
    }
    Code::from(error.kind).into()
}

/// Prints the result of a search.
pub fn print_search(report: &SearchReport, request: &Request) {
    let proved = match &report.found().certificate {
        Some(certificate) => certificate.to_string(),
        None => report.status().kind().name().to_owned(),
    };
    let cost = cost_in_words(&report.counts(), report.elapsed);
    if let Some(versions) = &report.versions {
        print_versions(report, versions);
    } else if let Some(history) = &report.history {
        print_verdict(report, history, &cost);
        if let Some(changes) = &history.changes {
            print_changes(report, changes, &proved);
        }
        history.fix.iter().for_each(|fix| print_fix(report, fix));
    } else if let Some(changes) = &report.changes {
        print_changes(report, changes, &format!("{proved}, {cost}"));
    } else if report.plan.verb == Verb::Options {
        print_options(report, request);
    } else if let Some(sides) = report.isolated() {
        print_difference(report, sides, &proved, &cost);
    } else {
        print_reduced(report, &proved, &cost);
        print_others(report);
    }
}

/// Prints an isolated difference.
fn print_difference(report: &SearchReport, sides: &Isolated, proved: &str, cost: &str) {
    let plan = &report.plan;
    print_line!("{}, {proved}, {cost}", isolated_in_words(report, sides));
    for line in report.changes_in_words() {
        print_line!("  {line}");
    }
    failure_lines(report).iter().for_each(|line| print_line!("{line}"));
    if let Some(passing) = &plan.outputs.passing {
        print_line!("passing: {}", passing.display());
    }
    print_line!("failing: {}", plan.outputs.failing.display());
}

/// Prints a reduced input.
fn print_reduced(report: &SearchReport, proved: &str, cost: &str) {
    let (plan, found) = (&report.plan, report.found());
    let varied = match &found.failing {
        Variant::Folder(folder) => Some(folder.select(&plan.results.places)),
        _ => None,
    };
    print_line!("{}, {proved}, {cost}", reduced_in_words(report));
    failure_lines(report).iter().for_each(|line| print_line!("{line}"));
    if is_diverted() {
        return;
    }
    print_line!("result: {}", plan.outputs.failing.display());
    print_short(&match varied {
        Some(kept) => Variant::Folder(kept).beginning(MAX_BYTES_PRINTED + 1),
        None => found.failing.beginning(MAX_BYTES_PRINTED + 1),
    });
}

/// Prints the change that was found between two versions, and what is proved about it.
fn print_changes(report: &SearchReport, changes: &ChangesFound, proved: &str) {
    print_line!("{}, {proved}", change_in_words(report, changes));
    let (needed, others) = changes.needed_lines();
    let is_said = changes.upgrades().is_some_and(|[found, _]| found.len() == 1);
    // A walk through a history has named the commit before.
    let lines = match report.history {
        Some(_) => changes.lines(),
        None => changes.summary(),
    };
    for line in lines.into_iter().filter(|_| !is_said) {
        let indent = if line.starts_with("commit ") { "" } else { "  " };
        print_line!("{indent}{line}");
    }
    if others <= MAX_NEEDED_PRINTED {
        let lines = needed.iter().map(|line| line.replacen(": fails ", ": ", 1));
        lines.for_each(|line| print_line!("  needed: {line}"));
    }
    for upgrade in changes.upgrades().iter().flat_map(|[_, needed]| needed) {
        print_line!("  it needs {}", upgrade.in_words());
    }
    if let Some(confidence) = &changes.confidence {
        let (sure, runs) = (confidence.in_words(), count(confidence.runs, "run"));
        print_line!("confidence in the commit: {sure}, after {runs}");
        confidence.lines().for_each(|line| print_line!("  {line}"));
    }
    changes.evidence().iter().for_each(|line| print_line!("{line}"));
    failure_lines(report).iter().for_each(|line| print_line!("{line}"));
    if let Some(patch) = &report.patch {
        let version = &changes.applies_to;
        let version = match changes.commits.is_empty() {
            true => version,
            false => &version[..version.len().min(12)],
        };
        print_line!("patch for {version}: {}", patch.display());
    }
    if let Some(revert) = changes.revert.as_ref().filter(|revert| revert.patch.is_some()) {
        print_line!("revert for {}: {}", revert.version, report.revert_patch().display());
    }
    if let Some([good, bad]) = &changes.sources {
        let (good, bad) = (good.display(), bad.display());
        print_line!(
            "its sources are here, for a test that uses the package in its current directory:"
        );
        print_line!("  wynot changes --good {good} --bad {bad} -- TEST");
    }
    print_short(&changes.patch);
}

/// Prints the answer about a row of versions.
fn print_versions(report: &SearchReport, versions: &VersionsFound) {
    let noun = if versions.confidence.is_some() { "run" } else { "test" };
    let cost = cost_of(noun, &report.counts(), report.elapsed);
    print_line!("{}, {cost}", versions.headline());
    versions.details().iter().for_each(|line| print_line!("  {line}"));
    failure_lines(report).iter().for_each(|line| print_line!("{line}"));
}

/// Prints the causes besides the first one, and other crashes.
fn print_others(report: &SearchReport) {
    for (index, found) in report.causes.found.iter().enumerate().skip(1) {
        let number = index + 1;
        let path = numbered(&report.plan.outputs.failing, number);
        let proved = certificate_or_status(found);
        let (bytes, tests) = (found.failing.size(), found.counts.executed);
        print_line!("cause {number}: {}, {proved}, {}", count(bytes, "byte"), count(tests, "test"));
        print_line!("result: {}", path.display());
        print_short(&found.failing.beginning(MAX_BYTES_PRINTED + 1));
    }
    match (report.causes.complete, report.causes.found.len()) {
        (true, 1) => print_line!("no other cause: without it, the rest does not fail"),
        (true, number) => {
            print_line!("no other cause: without these {number}, the rest does not fail")
        }
        (false, _) => {}
    }
    for OtherCrash { crash, bytes, path } in &report.crashes {
        print_line!("another crash: {crash}; {}, {}", count(*bytes, "byte"), path.display());
    }
}

/// What is proved about a cause, or how its search ended.
fn certificate_or_status(found: &Found) -> String {
    let certificate = found.certificate.as_ref().map(Certificate::to_string);
    certificate.unwrap_or_else(|| found.status.kind().name().to_owned())
}
