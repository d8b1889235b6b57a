//! The way back through a history, drawn as SVG: the lines of patch with which each version was tested.
//!
//! The drawing follows Figures 9 to 22 of Artho's "Iterative delta debugging", where the oldest revision
//! is at the left and each reduction of a patch is a pair of points, its size before and after. The bars of
//! blockers are below, by the same versions.

use crate::page::axis::Axis;
use crate::page::blocker_bars::BlockerBars;
use crate::page::chart_width::ChartWidth;
use crate::page::verdict_words::short_id;
use crate::page::version_axis::{LABELS_HEIGHT, VersionAxis};
use crate::text::escape::Inline;
use crate::text::number::{count, grouped};
use std::cmp::Reverse;
use std::fmt;
use wynot_session::{DerivationRecord, HistoryRecord, VersionRecord, VisitRecord};

/// The height of the margin above the plot.
const TOP: f64 = 46.0;

/// The lower end of the plot.
const FLOOR: f64 = 276.0;

/// The same if no version was tested with a patch, so that there are no lines to show.
const FLAT_FLOOR: f64 = TOP + 18.0;

/// The height of the margin below everything.
const BOTTOM: f64 = 8.0;

/// The approximate width of a digit, with which labels stay inside the drawing.
const DIGIT_WIDTH: f64 = 8.0;

/// The approximate width of a character of the label of the gap.
const CHARACTER_WIDTH: f64 = 8.2;

/// The smallest width of the gap between the passing and the failing version.
const MIN_GAP_WIDTH: f64 = 4.0;

/// The length of the strokes at both ends of a reduction.
const END_STROKE: f64 = 6.0;

/// The plot of a walk with its blockers, as SVG.
pub(crate) struct HistoryPlot<'a> {
    history: &'a HistoryRecord,
    versions: VersionAxis<'a>,
    lines: Axis,
    bars: BlockerBars<'a>,
    width: f64,
    /// The newest version, which fails as the search began with it, unless it was visited.
    newest: Option<VisitRecord>,
    /// The lower end.
    floor: f64,
}

impl<'a> HistoryPlot<'a> {
    /// The plot of everything that a record holds.
    pub(crate) fn of(history: &'a HistoryRecord, width: ChartWidth) -> Self {
        let tested = history.visits.iter().map(|visit| visit.patch_lines);
        let derived = history.derivations.iter().flat_map(|derivation| derivation.lines);
        let numbers = tested.clone().chain(derived.clone()).map(|lines| lines as u64);
        let lines = Axis::fitting(numbers);
        let is_flat = tested.chain(derived).all(|lines| lines == 0);
        let digits = lines.ticks().into_iter().map(|tick| grouped(tick).len()).max().unwrap_or(0);
        Self {
            history,
            versions: VersionAxis::of(history, 18.0 + digits as f64 * DIGIT_WIDTH, width),
            lines,
            bars: BlockerBars::of(&history.blockers),
            width: width.units(),
            newest: newest(history),
            floor: if is_flat { FLAT_FLOOR } else { FLOOR },
        }
    }

    /// All versions whose outcome is known.
    fn visits(&self) -> impl Iterator<Item = &VisitRecord> {
        self.history.visits.iter().chain(&self.newest)
    }

    /// The height of a number of lines.
    fn y(&self, lines: usize) -> f64 {
        self.floor - (self.floor - TOP) * self.lines.position(lines as u64)
    }

    /// Draws the numbers of lines and of versions.
    fn draw_grid(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (left, right) = (self.versions.left, self.versions.right);
        let x = left - 9.0;
        if self.floor == FLAT_FLOOR {
            writeln!(f, r#"<path class="grid" d="M{left:.1} {FLAT_FLOOR}H{right:.1}"/>"#)?;
            writeln!(f, r#"<text x="{left:.1}" y="16">versions by number</text>"#)?;
            return self.versions.draw_labels(f, FLAT_FLOOR);
        }
        for tick in self.lines.ticks() {
            let y = FLOOR - (FLOOR - TOP) * self.lines.position(tick);
            writeln!(f, r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/>"#)?;
            let (tick, y) = (grouped(tick), y + 4.0);
            writeln!(f, r#"<text class="end" x="{x:.1}" y="{y:.1}">{tick}</text>"#)?;
        }
        let log = if self.lines.is_logarithmic() { ", logarithmic" } else { "" };
        let title = format_args!("lines of patch by number of version{log}");
        writeln!(f, r#"<text x="{left:.1}" y="16">{title}</text>"#)?;
        self.versions.draw_labels(f, FLOOR)
    }

    /// Draws the place where the failure came: between the passing and the failing version.
    fn draw_gap(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HistoryRecord { failing, passing, verdict, .. } = self.history;
        let Some(passing) = passing else { return Ok(()) };
        let (Some(old), Some(new)) = (self.number(passing), self.number(failing)) else {
            return Ok(());
        };
        let (x, width) = self.versions.span([old, new], MIN_GAP_WIDTH);
        let height = self.floor - TOP;
        let (passing_id, failing_id) = (short_id(&passing.id), short_id(&failing.id));
        writeln!(
            f,
            "<rect class=\"gap\" x=\"{x:.1}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{height}\">\
             <title>{} passes, {} fails</title></rect>",
            Inline(passing_id),
            Inline(failing_id)
        )?;
        let label = match verdict.as_str() {
            "regression" => format!("introduced by {failing_id}"),
            _ => "introduced in between".to_owned(),
        };
        let label_width = label.chars().count() as f64 * CHARACTER_WIDTH;
        let (x, y) = (self.versions.middle_of_text(x + width / 2.0, label_width), TOP - 9.0);
        let label = Inline(&label);
        writeln!(f, r#"<text class="size fail middle" x="{x:.1}" y="{y}">{label}</text>"#)
    }

    /// The number of a version, if it was visited.
    fn number(&self, version: &VersionRecord) -> Option<usize> {
        let visit = self.history.visits.iter().find(|visit| visit.id == version.id);
        visit.map(|visit| visit.index)
    }

    /// Draws each reduction of a patch, from its size before to its size after.
    fn draw_derivations(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for derivation in &self.history.derivations {
            let x = self.versions.x(derivation.index);
            let [before, after] = derivation.lines.map(|lines| self.y(lines));
            let (class, end) = (purpose(derivation), x - END_STROKE / 2.0);
            writeln!(
                f,
                "<path class=\"derived {class}\" d=\"M{end:.1} {before:.1}h{END_STROKE}\
                 M{x:.1} {before:.1}V{after:.1}M{end:.1} {after:.1}h{END_STROKE}\">\
                 <title>{}</title></path>",
                DerivationTitle(derivation)
            )?;
        }
        Ok(())
    }

    /// Draws the line from the newest version to the oldest one, past those that could not be tested.
    fn draw_line(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut visits: Vec<&VisitRecord> =
            self.visits().filter(|visit| class(visit) != "unresolved").collect();
        visits.sort_by_key(|visit| Reverse(visit.index));
        let mut drawn: Option<(f64, f64)> = None;
        for visit in visits {
            let (x, y) = (self.versions.x(visit.index), self.y(visit.patch_lines));
            match drawn {
                None => write!(f, r#"<path class="line tested" d="M{x:.1} {y:.1}"#)?,
                Some((last_x, last_y)) if (x - last_x).abs() + (y - last_y).abs() < 0.1 => continue,
                Some(_) => write!(f, "L{x:.1} {y:.1}")?,
            }
            drawn = Some((x, y));
        }
        match drawn {
            Some(_) => writeln!(f, r#""/>"#),
            None => Ok(()),
        }
    }

    /// Draws the marks of all visits; those with a result are above the others.
    fn draw_marks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let radius = match self.history.visits.len() {
            0..=150 => 3.2,
            151..=600 => 2.4,
            _ => 1.6,
        };
        for drawn in ["unresolved", "fail", "pass"] {
            for visit in self.visits().filter(|visit| class(visit) == drawn) {
                let (x, y) = (self.versions.x(visit.index), self.y(visit.patch_lines));
                let title = VisitTitle(visit);
                writeln!(
                    f,
                    r#"<circle class="mark {drawn}" cx="{x:.1}" cy="{y:.1}" r="{radius}"><title>{title}</title></circle>"#
                )?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for HistoryPlot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = self.floor + LABELS_HEIGHT;
        let height = below + self.bars.height() + BOTTOM;
        let visits = count(self.history.visits.len() as u64, "visit");
        let width = self.width;
        writeln!(
            f,
            r#"<svg viewBox="0 0 {width} {height:.1}" role="img" aria-label="lines of patch against versions, {visits}">"#
        )?;
        self.draw_gap(f)?;
        self.draw_grid(f)?;
        self.draw_derivations(f)?;
        self.draw_line(f)?;
        self.draw_marks(f)?;
        self.bars.draw(f, &self.versions, below)?;
        writeln!(f, "</svg>")
    }
}

/// The newest version of a history, if the walk began below it.
fn newest(history: &HistoryRecord) -> Option<VisitRecord> {
    let index = history.versions.checked_sub(1)?;
    let last = history.visits.iter().map(|visit| visit.index).max()?;
    (last < index).then(|| VisitRecord {
        index,
        id: "the newest".to_owned(),
        outcome: "fail".to_owned(),
        reason: None,
        patch_lines: 0,
        conflicts: 0,
    })
}

/// The CSS class of a visit by its outcome. Outcomes that a later version may have are no result.
pub(crate) fn class(visit: &VisitRecord) -> &'static str {
    match visit.outcome.as_str() {
        "pass" => "pass",
        "fail" => "fail",
        _ => "unresolved",
    }
}

/// What a patch was searched for.
pub(crate) fn purpose(derivation: &DerivationRecord) -> &'static str {
    if derivation.is_fix { "fix" } else { "blocker" }
}

/// A visit in words, as the title of its mark.
struct VisitTitle<'a>(&'a VisitRecord);

impl fmt::Display for VisitTitle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VisitRecord { index, id, outcome, reason, patch_lines, conflicts } = self.0;
        let number = grouped(*index as u64);
        write!(f, "version {number}, {}: {}", Inline(short_id(id)), Inline(outcome))?;
        if let Some(reason) = reason {
            write!(f, " ({})", Inline(reason))?;
        }
        match patch_lines {
            0 => f.write_str(", without a patch")?,
            lines => write!(f, ", with {} of patch", count(*lines as u64, "line"))?,
        }
        match conflicts {
            0 => Ok(()),
            conflicts => write!(f, ", {} not applied", count(*conflicts as u64, "hunk")),
        }
    }
}

/// The search for a patch in words, as the title of its stroke.
struct DerivationTitle<'a>(&'a DerivationRecord);

impl fmt::Display for DerivationTitle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DerivationRecord { index, lines: [before, after], tests, .. } = self.0;
        let (number, before) = (grouped(*index as u64), grouped(*before as u64));
        let (after, tests) = (count(*after as u64, "line"), count(*tests, "test"));
        write!(f, "version {number}, {}: {before} → {after}, {tests}", purpose(self.0))
    }
}
