//! The tables about a walk back through a history: blockers, reasons, searches for patches, tests.
//!
//! Reasons are counted as in Tables 2 and 3 of Artho's "Iterative delta debugging": of the versions that
//! were visited, and of the tests that the search for each patch took.

use crate::page::blocker_bars::mended_lines;
use crate::page::history_plot::{class, purpose};
use crate::page::verdict_words::short_id;
use crate::text::escape::{Inline, Preformatted};
use crate::text::number::{gone, grouped};
use std::collections::BTreeMap;
use std::fmt;
use wynot_session::{BlockerRecord, DerivationRecord, VisitRecord};

/// The blockers, each with its patch.
pub(crate) struct BlockersTable<'a>(pub &'a [BlockerRecord]);

impl fmt::Display for BlockersTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "<div class=\"wide\" tabindex=\"0\">\n<table class=\"blockers\">\n<thead>\n<tr><th scope=\"col\">name</th>\
             <th scope=\"col\" class=\"id\">from</th><th scope=\"col\" class=\"id\">back to</th>\
             <th scope=\"col\" class=\"number\">lines</th>\
             <th scope=\"col\" class=\"number\">tests</th></tr>\n</thead>\n",
        )?;
        for blocker in self.0 {
            let BlockerRecord { name, ids, lines, tests, patch, .. } = blocker;
            let [newest, oldest] = [&ids[0], &ids[1]].map(|id| Inline(short_id(id)));
            let [lines, tests] = [*lines as u64, *tests].map(grouped);
            writeln!(
                f,
                "<tbody>\n<tr><th scope=\"row\">{}</th><td><code>{newest}</code></td>\
                 <td><code>{oldest}</code></td><td class=\"number\">{lines}</td>\
                 <td class=\"number\">{tests}</td></tr>",
                Inline(name)
            )?;
            if !patch.is_empty() {
                writeln!(
                    f,
                    "<tr class=\"patch\"><td colspan=\"5\"><details>\n<summary>Patch: {}</summary>\n\
                     <pre tabindex=\"0\">\n{}</pre>\n</details></td></tr>",
                    mended_lines(blocker),
                    Preformatted(patch)
                )?;
            }
            f.write_str("</tbody>\n")?;
        }
        f.write_str("</table>\n</div>\n")
    }
}

/// The visits by outcome, and those that are unresolved by reason.
pub(crate) struct VisitsTable<'a>(pub &'a [VisitRecord]);

impl VisitsTable<'_> {
    /// The number of visits for each reason, the most frequent first.
    fn reasons(&self) -> Vec<(&str, u64)> {
        let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
        for visit in self.0.iter().filter(|visit| class(visit) == "unresolved") {
            let reason = match (visit.conflicts, &visit.reason) {
                (0, Some(reason)) => reason,
                (0, None) => "unknown",
                (_, _) => "a patch does not apply",
            };
            *reasons.entry(reason).or_default() += 1;
        }
        by_number(reasons)
    }
}

impl fmt::Display for VisitsTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "<table class=\"tally\">\n<thead>\n<tr><th scope=\"col\">versions visited</th>",
        )?;
        f.write_str("<th scope=\"col\" class=\"number\">visits</th></tr>\n</thead>\n<tbody>\n")?;
        for outcome in ["fail", "pass", "unresolved"] {
            let number = self.0.iter().filter(|visit| class(visit) == outcome).count();
            if number > 0 {
                write_number(f, outcome, outcome, number as u64)?;
            }
        }
        for (reason, number) in self.reasons() {
            write_number(f, "part", reason, number)?;
        }
        f.write_str("</tbody>\n</table>\n")
    }
}

/// The search for each patch: its size before and after, its tests, and why tests were unresolved.
pub(crate) struct DerivationsTable<'a>(pub &'a [DerivationRecord]);

impl fmt::Display for DerivationsTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "<div class=\"wide\" tabindex=\"0\">\n<table>\n<thead>\n<tr><th scope=\"col\" class=\"number\">version</th>\
             <th scope=\"col\">patch for</th><th scope=\"col\" class=\"number\">lines</th>\
             <th scope=\"col\" class=\"number\">gone</th><th scope=\"col\" class=\"number\">tests</th>\
             <th scope=\"col\">unresolved</th></tr>\n</thead>\n<tbody>\n",
        )?;
        let (mut all_tests, mut all_reasons) = (0_u64, BTreeMap::<&str, u64>::new());
        for derivation in self.0 {
            let DerivationRecord { index, lines: [before, after], tests, reasons, .. } = derivation;
            let reasons: BTreeMap<&str, u64> =
                reasons.iter().map(|(reason, number)| (reason.as_str(), *number)).collect();
            all_tests = all_tests.saturating_add(*tests);
            for (reason, number) in &reasons {
                let sum = all_reasons.entry(reason).or_default();
                *sum = sum.saturating_add(*number);
            }
            let gone = gone(*before as u64, *after as u64);
            let [index, before, after] = [*index, *before, *after].map(|n| grouped(n as u64));
            writeln!(
                f,
                "<tr><td class=\"number\">{index}</td><td>{}</td>\
                 <td class=\"number\">{before} → {after}</td><td class=\"number\">{gone}</td>\
                 <td class=\"number\">{}</td><td class=\"words\">{}</td></tr>",
                purpose(derivation),
                grouped(*tests),
                in_words(reasons)
            )?;
        }
        if self.0.len() > 1 {
            let (tests, reasons) = (grouped(all_tests), in_words(all_reasons));
            writeln!(
                f,
                "<tr class=\"all\"><th scope=\"row\" colspan=\"4\">all</th>\
                 <td class=\"number\">{tests}</td><td class=\"words\">{reasons}</td></tr>"
            )?;
        }
        f.write_str("</tbody>\n</table>\n</div>\n")
    }
}

/// The number of tests of each part of the search.
pub(crate) struct PartsTable<'a>(pub &'a [(String, u64)]);

impl fmt::Display for PartsTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "<table class=\"tally\">\n<thead>\n<tr><th scope=\"col\">part of the search</th>",
        )?;
        f.write_str("<th scope=\"col\" class=\"number\">tests</th></tr>\n</thead>\n<tbody>\n")?;
        for (part, tests) in self.0.iter().filter(|(_, tests)| *tests > 0) {
            write_number(f, "", part, *tests)?;
        }
        f.write_str("</tbody>\n</table>\n")
    }
}

/// Writes a row with one number.
fn write_number(f: &mut fmt::Formatter<'_>, class: &str, name: &str, number: u64) -> fmt::Result {
    let (name, number) = (Inline(name), grouped(number));
    writeln!(
        f,
        "<tr class=\"{class}\"><th scope=\"row\">{name}</th><td class=\"number\">{number}</td></tr>"
    )
}

/// Reasons with their numbers in a line.
fn in_words(reasons: BTreeMap<&str, u64>) -> String {
    let each = by_number(reasons)
        .into_iter()
        .map(|(reason, number)| format!("{} {}", grouped(number), Inline(reason)));
    each.collect::<Vec<_>>().join(", ")
}

/// The largest number first; names with the same number in alphabetical order.
fn by_number(numbers: BTreeMap<&str, u64>) -> Vec<(&str, u64)> {
    let mut sorted: Vec<(&str, u64)> = numbers.into_iter().collect();
    sorted.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    sorted
}
