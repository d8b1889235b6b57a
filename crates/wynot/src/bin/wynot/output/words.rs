//! Phrases that several outputs have in common.

use std::time::Duration;
use wynot::SearchReport;
use wynot_report::number::{count, grouped, time};
use wynot_session::Counts;
use wynot_session::judge::Rate;

/// A rate of failures, in words.
pub fn rate_in_words(rate: Rate) -> String {
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    let (low, high) = rate.interval();
    format!(
        "in {} of {} runs ({} %, between {} and {} %)",
        rate.fails,
        rate.runs,
        percent(rate.share()),
        percent(low),
        percent(high)
    )
}

/// The number of tests and the time of a search, in words.
pub fn cost_in_words(counts: &Counts, elapsed: Duration) -> String {
    cost_of("test", counts, elapsed)
}

/// The number of tests, or of single runs by another noun, and the time of a search, in words.
pub fn cost_of(noun: &str, counts: &Counts, elapsed: Duration) -> String {
    let kinds = [(counts.replayed, "known from before"), (counts.timeouts, "timed out")];
    let occurring = kinds.iter().filter(|(number, _)| *number > 0);
    let occurring = occurring.map(|(number, words)| format!("{} {words}", grouped(*number)));
    let runs = (counts.runs > 0).then(|| count(counts.runs, "run"));
    let listed: Vec<String> = runs.into_iter().chain(occurring).collect();
    let listed = match listed.as_slice() {
        [] => String::new(),
        listed => format!(" ({})", listed.join(", ")),
    };
    format!("{}{listed} in {}", count(counts.executed, noun), time(elapsed))
}

/// The failure that the result shows, and why tests were unresolved, in a line each.
pub fn failure_lines(report: &SearchReport) -> Vec<String> {
    // That a script has said so is no description of the failure.
    let failure =
        report.failure.as_ref().map(ToString::to_string).filter(|failure| failure != "exit 0");
    let failure = failure.map(|failure| format!("failure: {failure}"));
    let reasons = report.unresolved.iter();
    let reasons: Vec<String> =
        reasons.map(|(reason, count)| format!("{} {reason}", grouped(*count))).collect();
    let reasons = (!reasons.is_empty()).then(|| format!("unresolved: {}", reasons.join(", ")));
    failure.into_iter().chain(reasons).collect()
}
