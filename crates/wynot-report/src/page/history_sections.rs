//! The sections about a walk back through a history: the way back, its blockers, and where the tests went.

use crate::page::chart_width::InBothWidths;
use crate::page::document::write_section;
use crate::page::history_plot::{HistoryPlot, class};
use crate::page::history_tables::{BlockersTable, DerivationsTable, PartsTable, VisitsTable};
use crate::text::number::{count, grouped};
use std::fmt;
use wynot_session::HistoryRecord;

/// The plot, with a legend of its colours.
pub(crate) struct WayBackSection<'a>(pub &'a HistoryRecord);

impl fmt::Display for WayBackSection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let history = self.0;
        writeln!(
            f,
            "<figure>\n{}<figcaption>",
            InBothWidths(|width| HistoryPlot::of(history, width))
        )?;
        let is_seen = |outcome| history.visits.iter().any(|visit| class(visit) == outcome);
        for (outcome, words) in
            [("fail", "fails"), ("pass", "passes"), ("unresolved", "cannot be tested")]
        {
            if is_seen(outcome) {
                writeln!(f, "<span class=\"key {outcome}\">{words}</span>")?;
            }
        }
        for (is_fix, purpose) in [(false, "blocker"), (true, "fix")] {
            if history.derivations.iter().any(|derivation| derivation.is_fix == is_fix) {
                writeln!(
                    f,
                    "<span class=\"key stroke {purpose}\">patch for a {purpose}, before and after reduction</span>"
                )?;
            }
        }
        writeln!(f, "{}</figcaption>\n</figure>", self.extent())
    }
}

impl WayBackSection<'_> {
    /// How much of the history was visited.
    fn extent(&self) -> String {
        let versions = count(self.0.versions as u64, "version");
        let numbers = || self.0.visits.iter().map(|visit| visit.index as u64);
        match numbers().min().zip(numbers().max()) {
            Some((oldest, newest)) if oldest == newest => {
                format!("Only version {} of {versions} was visited.", grouped(newest))
            }
            Some((oldest, newest)) => {
                let (oldest, newest) = (grouped(oldest), grouped(newest));
                format!("Visited from version {newest} back to {oldest}, of {versions}.")
            }
            None => format!("None of {versions} was visited."),
        }
    }
}

/// Writes the sections that follow the result: blockers and reasons.
pub(crate) fn write_details(f: &mut fmt::Formatter<'_>, history: &HistoryRecord) -> fmt::Result {
    if !history.blockers.is_empty() {
        write_section(f, "Blockers", &BlockersTable(&history.blockers))?;
    }
    write_section(f, "Reasons", &ReasonsSection(history))
}

/// Why versions could not be tested, what each patch cost, and how many tests each part took.
struct ReasonsSection<'a>(&'a HistoryRecord);

impl fmt::Display for ReasonsSection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HistoryRecord { visits, derivations, tests_by_part, .. } = self.0;
        if visits.is_empty() && derivations.is_empty() && tests_by_part.is_empty() {
            return f.write_str("<p class=\"none\">No version was tested.</p>\n");
        }
        f.write_str("<div class=\"pair\">\n")?;
        if !visits.is_empty() {
            writeln!(f, "<div>\n{}</div>", VisitsTable(visits))?;
        }
        if !tests_by_part.is_empty() {
            writeln!(f, "<div>\n{}</div>", PartsTable(tests_by_part))?;
        }
        f.write_str("</div>\n")?;
        if !derivations.is_empty() {
            writeln!(f, "<h3>Patches that were searched</h3>\n{}", DerivationsTable(derivations))?;
        }
        Ok(())
    }
}
