//! The versions of a history from left to right, for everything that is drawn about one walk.

use crate::page::axis::Axis;
use crate::page::chart_width::ChartWidth;
use crate::page::verdict_words::{short_id, year};
use crate::text::escape::Inline;
use crate::text::number::grouped;
use std::fmt;
use wynot_session::{HistoryRecord, VisitRecord};

/// The margin to the right of the newest version.
const RIGHT: f64 = 22.0;

/// The width that the object name and the year of a version need.
const NAME_WIDTH: f64 = 130.0;

/// The height of the ticks with their labels and of the names below them.
pub(crate) const LABELS_HEIGHT: f64 = 44.0;

/// The versions that a walk has to do with, by their numbers.
pub(crate) struct VersionAxis<'a> {
    history: &'a HistoryRecord,
    axis: Axis,
    /// The position of the oldest version.
    pub left: f64,
    /// The position of the newest version.
    pub right: f64,
}

impl<'a> VersionAxis<'a> {
    /// An axis from the oldest version that was visited or for which a patch was searched to the newest version of all.
    pub(crate) fn of(history: &'a HistoryRecord, left: f64, width: ChartWidth) -> Self {
        let visited = history.visits.iter().map(|visit| visit.index);
        let derived = history.derivations.iter().map(|derivation| derivation.index);
        let blocked = history.blockers.iter().flat_map(|blocker| blocker.interval);
        let numbers = visited.chain(derived).chain(blocked).map(|number| number as u64);
        let (low, high) = (numbers.clone().min(), numbers.max());
        // Without any, the whole history is shown.
        let newest = history.versions.saturating_sub(1) as u64;
        let axis = Axis::between(low.unwrap_or(0), high.unwrap_or(0).max(newest));
        Self { history, axis, left, right: width.units() - RIGHT }
    }

    /// The position of a version.
    pub(crate) fn x(&self, number: usize) -> f64 {
        self.left + (self.right - self.left) * self.axis.position(number as u64)
    }

    /// The left end and the width of everything between two versions, at least so wide that it can be seen.
    pub(crate) fn span(&self, versions: [usize; 2], min_width: f64) -> (f64, f64) {
        let [a, b] = versions.map(|version| self.x(version));
        let (start, width) = (a.min(b), (a - b).abs());
        match width < min_width {
            true => (start - (min_width - width) / 2.0, min_width),
            false => (start, width),
        }
    }

    /// A text of this width as near as possible to a position, by the position of its middle.
    pub(crate) fn middle_of_text(&self, x: f64, width: f64) -> f64 {
        x.min(self.right - width / 2.0).max(self.left + width / 2.0)
    }

    /// Draws the ticks below a line, and the names of the oldest and of the newest version visited.
    pub(crate) fn draw_labels(&self, f: &mut fmt::Formatter<'_>, floor: f64) -> fmt::Result {
        let y = floor + 19.0;
        for tick in self.axis.ticks() {
            let x = self.left + (self.right - self.left) * self.axis.position(tick);
            writeln!(f, r#"<path class="grid" d="M{x:.1} {floor}v5"/>"#)?;
            writeln!(f, r#"<text class="middle" x="{x:.1}" y="{y}">{}</text>"#, grouped(tick))?;
        }
        let visits = &self.history.visits;
        let oldest = visits.iter().min_by_key(|visit| visit.index);
        let newest = visits.iter().max_by_key(|visit| visit.index);
        let y = floor + 37.0;
        match oldest.zip(newest) {
            Some((oldest, newest)) if oldest.index == newest.index => {
                let x = self.middle_of_text(self.x(newest.index), NAME_WIDTH);
                let name = self.name(newest);
                writeln!(f, r#"<text class="name middle" x="{x:.1}" y="{y}">{name}</text>"#)
            }
            Some((oldest, newest)) => {
                // The names lie beside each other even if the versions are close.
                let room = 2.0 * NAME_WIDTH;
                let x = self.x(oldest.index).min(self.right - room);
                let name = self.name(oldest);
                writeln!(f, r#"<text class="name" x="{x:.1}" y="{y}">{name}</text>"#)?;
                let x = self.x(newest.index).max(self.left + room);
                let name = self.name(newest);
                writeln!(f, r#"<text class="name end" x="{x:.1}" y="{y}">{name}</text>"#)
            }
            None => Ok(()),
        }
    }

    /// The object name of a version, and the year if it is known.
    fn name(&self, visit: &VisitRecord) -> String {
        let HistoryRecord { failing, passing, .. } = self.history;
        let known = std::iter::once(failing).chain(passing).find(|version| version.id == visit.id);
        let id = Inline(short_id(&visit.id));
        match known.and_then(|version| year(&version.date)) {
            Some(year) => format!("{id}, {year}"),
            None => id.to_string(),
        }
    }
}
