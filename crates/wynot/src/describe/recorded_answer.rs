//! The answer of a search as its journal keeps it.

use super::answer_words::{cause_in_words, change_in_words, isolated_in_words, reduced_in_words};
use super::call_line::command_line;
use super::difference::describe_difference;
use super::nouns::delta_noun;
use super::stretches::differences;
use crate::request::{Request, Verb};
use crate::search::{Found, SearchReport};
use wynot_report::number::{count, grouped};
use wynot_session::{AnswerRecord, CauseRecord, OtherCrash};

/// The number of bytes of an input that are kept for pages.
const EXCERPT_BYTES: usize = 20_000;

/// The answer of a search in words.
pub(crate) fn recorded_answer(report: &SearchReport, request: &Request) -> AnswerRecord {
    if let Some(changes) = report.change() {
        let headline = change_in_words(report, changes);
        let (needed, _) = changes.needed_lines();
        let needed = needed.iter().map(|line| line.replacen(": fails ", ": ", 1));
        let notes = needed.map(|line| format!("needed: {line}")).collect();
        return AnswerRecord { headline, notes, ..Default::default() };
    }
    if let Some(versions) = &report.versions {
        return AnswerRecord { headline: versions.headline(), ..Default::default() };
    }
    if report.plan.verb == Verb::Options {
        return calls(report, request);
    }
    if let Some(sides) = report.isolated() {
        let found = report.found();
        return AnswerRecord {
            headline: isolated_in_words(report, sides),
            differences: differences(&found.passing, &found.failing),
            ..Default::default()
        };
    }
    AnswerRecord { headline: reduced_in_words(report), ..inputs(report) }
}

/// The causes in the call of a test.
fn calls(report: &SearchReport, request: &Request) -> AnswerRecord {
    let subject = report.plan.subject();
    let prevents = request.prevents();
    let cause = |found: &Found| CauseRecord {
        headline: cause_in_words(report, found, prevents),
        lines: found
            .sides
            .as_ref()
            .map(|sides| describe_difference(subject, sides))
            .unwrap_or_default(),
        command: Some(command_line(request, &found.failing)),
        ..Default::default()
    };
    let causes: Vec<CauseRecord> = report.causes.found.iter().map(cause).collect();
    let headline = match causes.as_slice() {
        [one] => one.headline.clone(),
        several => {
            let (number, noun) = (several.len() as u64, delta_noun(subject));
            let of = grouped(u64::from(subject.deltas()));
            let verb = if prevents { "prevents" } else { "causes" };
            let single = several.iter().all(|cause| cause.lines.len() == 1);
            match single {
                true => format!("{} of {of}, each {verb} the failure", count(number, &noun)),
                false => format!("{} among {of} {noun}s", count(number, "cause")),
            }
        }
    };
    let complete = match (report.causes.complete, prevents) {
        (false, _) => None,
        (true, true) => Some("prevents"),
        (true, false) => Some("causes"),
    };
    let noun = delta_noun(subject);
    let notes = complete.map(|verb| format!("no other {noun} {verb} the failure"));
    AnswerRecord { headline, causes, notes: notes.into_iter().collect(), ..Default::default() }
}

/// Further causes in an input, and other crashes that were met.
fn inputs(report: &SearchReport) -> AnswerRecord {
    let cause = |(number, found): (usize, &Found)| CauseRecord {
        headline: format!("cause {number}"),
        text: Some(String::from_utf8_lossy(&found.failing.beginning(EXCERPT_BYTES)).into_owned()),
        bytes: found.failing.size(),
        ..Default::default()
    };
    let causes = (1..).zip(&report.causes.found).skip(1).map(cause).collect();
    let complete = match (report.causes.complete, report.causes.found.len()) {
        (false, _) => None,
        (true, 1) => Some("no other cause: without it, the rest does not fail".to_owned()),
        (true, number) => {
            Some(format!("no other cause: without these {number}, the rest does not fail"))
        }
    };
    let crashes = report.crashes.iter().map(|OtherCrash { crash, bytes, path }| {
        format!("another crash: {crash}; {}, {}", count(*bytes, "byte"), path.display())
    });
    let notes = complete.into_iter().chain(crashes).collect();
    AnswerRecord { causes, notes, ..Default::default() }
}
