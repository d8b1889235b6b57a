//! The answer of a search in a sentence, as the terminal prints it and pages show it.

use super::nouns::delta_noun;
use crate::search::{ChangesFound, Found, SearchReport, Status, needed_in_words};
use wynot_core::Isolated;
use wynot_report::number::{count, gone, grouped};
use wynot_session::Stop;
use wynot_subjects::Variant;

/// The number of changed lines up to which the result of a search that ended early is an answer.
const MAX_LINES_OF_ANSWER: u64 = 12;

/// A reduced input: its size before and after.
pub fn reduced_in_words(report: &SearchReport) -> String {
    let plan = &report.plan;
    let before = plan.input.varied.size().max(plan.subject().size() - plan.input.fixed.size());
    let after = report.varied_size();
    let files = match &report.found().failing {
        Variant::Folder(folder) => {
            let kept = folder.select(&plan.results.places).file_count();
            let files = count(plan.input.varied.file_count(), "file");
            format!("{files} → {}, ", grouped(kept))
        }
        _ => String::new(),
    };
    format!(
        "{}: {files}{} → {} ({} gone)",
        plan.input.name.to_string_lossy(),
        grouped(before),
        count(after, "byte"),
        gone(before, after)
    )
}

/// An isolated difference: how much of what differs decides.
pub fn isolated_in_words(report: &SearchReport, sides: &Isolated) -> String {
    let plan = &report.plan;
    let apart = sides.difference().len() as u64;
    let decided = match (&report.found().status, apart) {
        (Status::Stopped(_), _) => "left to search",
        (_, 1) => "decides",
        _ => "decide together",
    };
    format!(
        "{}: {} of {} {decided}",
        plan.input.name.to_string_lossy(),
        count(apart, &format!("changed {}", delta_noun(plan.subject()))),
        grouped(u64::from(plan.subject().deltas())),
    )
}

/// One of the causes in the call of a test: how many of the options or settings cause the failure, or prevent it.
pub fn cause_in_words(report: &SearchReport, found: &Found, prevents: bool) -> String {
    let subject = report.plan.subject();
    let deltas = found.sides.as_ref().map_or(0, |sides| sides.difference().len() as u64);
    let verb = match (&found.status, deltas, prevents) {
        (Status::Stopped(_), ..) => "left to search",
        (_, 1, false) => "causes the failure",
        (_, _, false) => "cause the failure together",
        (_, 1, true) => "prevents the failure",
        (_, _, true) => "prevent the failure together",
    };
    let all = grouped(u64::from(subject.deltas()));
    format!("{} of {all} {verb}", count(deltas, &delta_noun(subject)))
}

/// A change between two versions: how many of the changed lines break it.
pub fn change_in_words(report: &SearchReport, changes: &ChangesFound) -> String {
    let apart = changes.changes.len() as u64;
    let verb = match (&report.found().status, apart) {
        (Status::Stopped(stop), _) if !matches!(stop, Stop::Undecided(_)) => "left to search",
        (Status::Stopped(_), others) if others > MAX_LINES_OF_ANSWER => {
            "are left, among which the search found no smaller cause"
        }
        (_, 1) => "breaks it",
        _ => "break it together",
    };
    let of = grouped(u64::from(changes.subject.deltas()));
    match changes.upgrades() {
        Some([found, _]) if found.len() == 1 => {
            format!("{} {verb}, 1 of {of}", found[0].in_words())
        }
        Some(_) => format!("{} of {of} {verb}", count(apart, "upgrade")),
        None => {
            let noun = format!("changed {}", delta_noun(&changes.subject));
            let with = match changes.needed_lines().1 {
                0 => String::new(),
                others => {
                    let needed = needed_in_words(others, apart, changes.needs_are_least);
                    format!(" with {}{needed}", count(others, "other"))
                }
            };
            format!("{} of {of} {verb}{with}", count(apart, &noun))
        }
    }
}
