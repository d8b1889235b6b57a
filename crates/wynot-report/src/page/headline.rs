//! The result in a sentence, and the status of the search in words.

use crate::page::session_summary::SessionSummary;
use crate::page::verdict_words::verdict_in_short;
use crate::text::number::{count, gone, grouped};
use wynot_session::{Certificate, Counts, EndRecord, EndStatus, Extremum};

/// The result in one sentence.
pub(crate) fn headline(summary: &SessionSummary) -> String {
    let input = match summary.run.command.as_str() {
        "history" => return walked(summary),
        "changes" => summary.run.excerpt.trim(),
        _ => &summary.run.input,
    };
    let tests = match &summary.end {
        Some(end) => format!(" in {}", tests_in_words(end)),
        None => " so far".to_owned(),
    };
    if let Some(answer) = summary.answer() {
        let headline = &answer.headline;
        return match (summary.run.command.as_str(), summary.isolates()) {
            ("changes", _) => format!("{input}: {headline}, found{tests}"),
            (_, true) => format!("{headline}, found{tests}"),
            (_, false) => format!("{headline}{tests}"),
        };
    }
    let result = if summary.isolates() { isolated(summary) } else { reduced(summary) };
    format!("{input}: {result}{tests}")
}

/// The number of tests, and that of their runs if each is more than one.
fn tests_in_words(end: &EndRecord) -> String {
    let Counts { executed, runs, .. } = end.tests;
    match runs {
        0 => count(executed, "test"),
        runs => format!("{} ({})", count(executed, "test"), count(runs, "run")),
    }
}

/// The result of a walk back through a history.
fn walked(summary: &SessionSummary) -> String {
    let end = summary.end.as_ref();
    let verdict = verdict_in_short(end.and_then(|end| end.history.as_deref()));
    let tests = end.map(|end| format!(", {}", count(end.tests.executed, "test")));
    format!("history: {verdict}{}", tests.unwrap_or_default())
}

/// The result of a reduction: bytes before and after.
fn reduced(summary: &SessionSummary) -> String {
    let (before, after) = (summary.run.bytes, summary.failing_bytes());
    if before == after {
        return format!("{}, none gone", count(before, "byte"));
    }
    let shrunk =
        if after < before { format!(" ({} gone)", gone(before, after)) } else { String::new() };
    format!("{} → {}{shrunk}", grouped(before), count(after, "byte"))
}

/// The result of an isolation: how many deltas decide.
fn isolated(summary: &SessionSummary) -> String {
    let (all, left) = (grouped(summary.all_deltas()), summary.difference());
    let noun = match summary.run.command.as_str() {
        "isolate" => format!("changed {}", summary.noun()),
        _ => summary.noun().to_owned(),
    };
    let deltas = count(left, &noun);
    match &summary.end {
        Some(end) if end.status == EndStatus::Minimal => {
            let verb = if left == 1 { "decides" } else { "decide" };
            format!("{deltas} of {all} {verb}, found")
        }
        _ => format!("narrowed to {deltas} of {all}"),
    }
}

/// How the search ended, and what that means for the result.
#[derive(Debug, PartialEq)]
pub(crate) struct StatusLine {
    /// The status in one word.
    pub status: String,
    /// What the status says about the result.
    pub meaning: String,
    /// Whether the search has finished.
    pub is_finished: bool,
}

impl StatusLine {
    /// The status of a session.
    pub(crate) fn of(summary: &SessionSummary) -> Self {
        let Some(end) = &summary.end else {
            return Self {
                status: "interrupted".to_owned(),
                meaning: "run the same command again to resume".to_owned(),
                is_finished: false,
            };
        };
        let meaning = match (end.status, &end.certificate) {
            (EndStatus::Stopped, None) => {
                "a limit or a signal ended the search; the result shows the failure \
                                  but may not be the smallest"
                    .to_owned()
            }
            (EndStatus::Stopped, Some(proved)) => {
                format!("the search was ended early; proved {proved}")
            }
            (EndStatus::Indeterminate, _) => {
                "the test is not deterministic: run again on the result, it \
                                     gave another outcome; --repeat may help"
                    .to_owned()
            }
            (_, Some(proved)) => {
                let meaning = minimality_in_words(proved, &summary.run.algorithm, summary.noun());
                format!("proved {}{meaning}{}", proved.claim(), proved.condition())
            }
            (EndStatus::Minimal, None) if end.history.is_some() => {
                "the walk came to its end".to_owned()
            }
            (_, None) => "nothing is proved about the result".to_owned(),
        };
        Self {
            status: end.status.name().to_owned(),
            meaning,
            is_finished: end.status == EndStatus::Minimal,
        }
    }
}

/// The meaning of N-minimality, which depends on the algorithm.
fn minimality_in_words(proved: &Certificate, algorithm: &str, noun: &str) -> String {
    let choice = match proved.order {
        1 => format!("no single {noun}"),
        order => format!("no choice of up to {} {noun}s", grouped(u64::from(order))),
    };
    match (algorithm, proved.extremum) {
        ("ddmin", Extremum::Minimal) => {
            format!(", so {choice} can go without the failure going too")
        }
        ("dd", Extremum::Minimal) => format!(", so {choice} of the difference can change sides"),
        ("ddmax", Extremum::Maximal) => format!(", so {choice} can be added to the passing side"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::session_summary::tests::{end, run, step, summary};
    use wynot_session::{HistoryRecord, Side, VersionRecord};

    #[test]
    fn the_headline_of_a_reduction_says_how_much_is_gone() {
        let headline_of =
            |before, after| headline(&summary(run("reduce", before, 9), Vec::new(), after));
        let done = headline_of(2328, Some(end(812, 51)));
        assert_eq!(done, "bug.c: 2,328 → 51 bytes (97.8 % gone) in 812 tests");
        assert_eq!(headline_of(5, Some(end(1, 5))), "bug.c: 5 bytes, none gone in 1 test");
        assert_eq!(headline_of(5, Some(end(2, 6))), "bug.c: 5 → 6 bytes in 2 tests");
        assert_eq!(headline_of(5, None), "bug.c: 5 bytes, none gone so far");
    }

    #[test]
    fn the_headline_of_an_isolation_says_what_decides() {
        let headline_of = |difference, status: EndStatus| {
            let end = EndRecord { difference: Some(difference), status, ..end(12, 20) };
            headline(&summary(run("isolate", 99, 40), Vec::new(), Some(end)))
        };
        assert_eq!(
            headline_of(1, EndStatus::Minimal),
            "bug.c: 1 changed character of 40 decides, found in 12 tests"
        );
        assert_eq!(
            headline_of(2, EndStatus::Minimal),
            "bug.c: 2 changed characters of 40 decide, found in 12 tests"
        );
        assert_eq!(
            headline_of(7, EndStatus::Stopped),
            "bug.c: narrowed to 7 changed characters of 40 in 12 tests"
        );
        let steps = vec![step(1, Side::Passing, 10), step(2, Side::Failing, 25)];
        let cut_off = headline(&summary(run("isolate", 99, 40), steps, None));
        assert_eq!(cut_off, "bug.c: narrowed to 15 changed characters of 40 so far");
    }

    #[test]
    fn the_headline_of_a_walk_says_what_it_has_shown() {
        let headline_of = |verdict: &str| {
            let failing = VersionRecord { id: "0123456789abcdef".into(), ..Default::default() };
            let record = HistoryRecord { verdict: verdict.into(), failing, ..Default::default() };
            let end = EndRecord { history: Some(Box::new(record)), ..end(12, 20) };
            headline(&summary(run("history", 99, 40), Vec::new(), Some(end)))
        };
        assert_eq!(headline_of("regression"), "history: introduced by 0123456789ab, 12 tests");
        let always = "history: fails in every version that can be tested, 12 tests";
        assert_eq!(headline_of("always"), always);
        assert_eq!(headline_of("unknown"), "history: not known yet, 12 tests");
        let cut_off = summary(run("history", 99, 40), Vec::new(), None);
        assert_eq!(headline(&cut_off), "history: not known yet");
    }

    #[test]
    fn minimality_is_explained_for_each_algorithm() {
        let proved = |extremum, order| Certificate {
            extremum,
            order,
            atoms: vec!["line".into()],
            timeouts: 0,
            apart_from: Box::default(),
        };
        let words = minimality_in_words(&proved(Extremum::Minimal, 1), "ddmin", "line");
        assert_eq!(words, ", so no single line can go without the failure going too");
        let words = minimality_in_words(&proved(Extremum::Minimal, 2), "dd", "line");
        assert!(words.contains("up to 2 lines of the difference"));
        let words = minimality_in_words(&proved(Extremum::Maximal, 1), "ddmax", "line");
        assert!(words.contains("added to the passing side"));
        assert_eq!(minimality_in_words(&proved(Extremum::Maximal, 1), "dd", "line"), "");
        assert_eq!(minimality_in_words(&proved(Extremum::Minimal, 1), "hdd", "line"), "");
    }
}
