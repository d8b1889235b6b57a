//! The size of the sides against the number of tests in one part of a search, drawn as SVG.
//!
//! Sizes only change at steps, so each curve is a staircase. A reduction shows the bytes of the failing
//! side. An isolation shows the deltas of both sides, because the difference lies between these two curves;
//! bytes would not do, since a passing side with fewer deltas may be the larger file. Where the passing side is
//! not within the failing one, as in the search for single options, only the failing side is shown.

use crate::page::axis::Axis;
use crate::page::chart_width::ChartWidth;
use crate::page::session_summary::SessionSummary;
use crate::text::escape::Inline;
use crate::text::number::{count, grouped};
use std::fmt;
use wynot_session::{SearchPart, Side, Step};

/// The height of the drawing, in units of the SVG.
pub(crate) const HEIGHT: f64 = 320.0;

/// The height of the margin above the curves.
const TOP: f64 = 34.0;

/// The height of the margin below the curves.
const BOTTOM: f64 = 46.0;

/// The approximate width of a digit, with which labels stay inside the drawing.
const DIGIT_WIDTH: f64 = 8.0;

/// The smallest distance between two marks.
const MARK_DISTANCE: f64 = 6.0;

/// With more steps than this, marks are further apart, so that the curve remains visible.
const MAX_DENSE_STEPS: usize = 100;

/// The smallest distance between two labels, one above the other.
pub(crate) const LINE_HEIGHT: f64 = 15.0;

/// The curves of a session, as SVG.
pub(crate) struct Curve<'a> {
    summary: &'a SessionSummary,
    tracks: Vec<Track<'a>>,
    /// What sizes count: bytes, or what the deltas are.
    noun: String,
    /// The number of tests before the part.
    before: u64,
    steps: usize,
    tests: Axis,
    sizes: Axis,
    width: f64,
    /// The position at which the curves begin.
    left: f64,
    /// The position at which the curves end.
    right: f64,
}

/// The sizes of one side in the course of the search.
struct Track<'a> {
    side: Side,
    /// The size before the first step.
    start: u64,
    /// The size after each step.
    steps: Vec<(u64, &'a Step)>,
}

/// Whether the failing side has never fewer deltas than the passing one, so that the difference lies between them.
pub(crate) fn are_nested(part: &SearchPart, steps: &[Step]) -> bool {
    let (mut failing, mut passing) = (part.deltas, 0);
    steps.iter().all(|step| {
        match step.side {
            Side::Failing => failing = step.deltas,
            Side::Passing => passing = step.deltas,
        }
        passing <= failing
    })
}

/// A position in the drawing.
#[derive(Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
}

impl<'a> Curve<'a> {
    /// The curves of all sides that move in a part of the search, up to the number of tests `end`.
    pub(crate) fn of(
        summary: &'a SessionSummary,
        part: &SearchPart,
        steps: &'a [Step],
        end: u64,
        width: ChartWidth,
    ) -> Self {
        let isolates = summary.isolates();
        let size = |step: &Step| if isolates { step.deltas } else { step.bytes };
        let track = |side, start| Track {
            side,
            start,
            steps: steps.iter().filter(|s| s.side == side).map(|s| (size(s), s)).collect(),
        };
        let tracks = match isolates {
            true if are_nested(part, steps) => {
                vec![track(Side::Failing, part.deltas), track(Side::Passing, 0)]
            }
            true => vec![track(Side::Failing, part.deltas)],
            false => vec![track(Side::Failing, part.bytes)],
        };
        let sizes = Axis::fitting(tracks.iter().flat_map(Track::sizes));
        let label_width = |labels: &mut dyn Iterator<Item = u64>| {
            labels.map(|label| grouped(label).len()).max().unwrap_or(0) as f64 * DIGIT_WIDTH
        };
        let starts = tracks.iter().map(|track| track.start);
        let last = steps.iter().map(|step| step.tests).max().unwrap_or(0).max(end);
        let tests = match part.tests {
            0 => Axis::linear(last),
            before => Axis::between(before, last.max(before.saturating_add(1))),
        };
        Self {
            summary,
            noun: if isolates { part.noun.clone() } else { "byte".to_owned() },
            before: part.tests,
            steps: steps.len(),
            tests,
            left: 18.0 + label_width(&mut starts.chain(sizes.ticks())),
            right: width.units() - 20.0 - label_width(&mut tracks.iter().map(Track::end)),
            width: width.units(),
            sizes,
            tracks,
        }
    }

    /// The size that the failing side starts with.
    fn original(&self) -> u64 {
        self.tracks.first().map_or(0, |failing| failing.start)
    }

    /// The position of a size after a number of tests.
    fn at(&self, tests: u64, size: u64) -> Point {
        let floor = HEIGHT - BOTTOM;
        Point {
            x: self.left + (self.right - self.left) * self.tests.position(tests),
            y: floor - (floor - TOP) * self.sizes.position(size),
        }
    }

    /// Draws the grid with its labels.
    fn draw_grid(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (left, right, floor) = (self.left, self.right, HEIGHT - BOTTOM);
        let x = left - 9.0;
        for tick in self.sizes.ticks() {
            let y = self.at(self.before, tick).y;
            writeln!(f, r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/>"#)?;
            // The label of the original's size takes the place of a tick's label.
            if (y - self.at(self.before, self.original()).y).abs() >= LINE_HEIGHT {
                let (tick, y) = (grouped(tick), y + 4.0);
                writeln!(f, r#"<text class="end" x="{x:.1}" y="{y:.1}">{tick}</text>"#)?;
            }
        }
        for tick in self.tests.ticks() {
            let x = self.at(tick, 0).x;
            writeln!(f, r#"<path class="grid" d="M{x:.1} {floor}v5"/>"#)?;
            let y = floor + 19.0;
            writeln!(f, r#"<text class="middle" x="{x:.1}" y="{y}">{}</text>"#, grouped(tick))?;
        }
        let log = if self.sizes.is_logarithmic() { ", logarithmic" } else { "" };
        let noun = Inline(&self.noun);
        writeln!(f, r#"<text x="{left:.1}" y="16">{noun}s{log}</text>"#)?;
        let y = HEIGHT - 8.0;
        writeln!(f, r#"<text class="end" x="{right:.1}" y="{y}">tests</text>"#)
    }

    /// Draws one curve and its marks.
    fn draw_track(&self, f: &mut fmt::Formatter<'_>, track: &Track<'_>) -> fmt::Result {
        let class = track.class();
        let start = self.at(self.before, track.start);
        write!(f, r#"<path class="line {class}" d="M{:.1} {:.1}"#, start.x, start.y)?;
        let mut drawn = start;
        for &(size, step) in &track.steps {
            let point = self.at(step.tests, size);
            // Steps at the same position are drawn once.
            if (point.x - drawn.x).abs() + (point.y - drawn.y).abs() >= 0.1 {
                write!(f, "H{:.1}V{:.1}", point.x, point.y)?;
                drawn = point;
            }
        }
        writeln!(f, r#"H{:.1}"/>"#, self.right)?;
        self.draw_mark(
            f,
            start,
            class,
            format_args!("start: {}", Inline(&count(track.start, &self.noun))),
        )?;
        let distance =
            if track.steps.len() > MAX_DENSE_STEPS { 2.0 * MARK_DISTANCE } else { MARK_DISTANCE };
        let mut marked = start;
        for (index, &(size, step)) in track.steps.iter().enumerate() {
            let point = self.at(step.tests, size);
            let last = index + 1 == track.steps.len();
            if last || (point.x - marked.x).hypot(point.y - marked.y) >= distance {
                self.draw_mark(f, point, class, format_args!("{}", StepTitle(self.summary, step)))?;
                marked = point;
            }
        }
        Ok(())
    }

    /// Draws the mark of a step, with a title.
    fn draw_mark(
        &self,
        f: &mut fmt::Formatter<'_>,
        Point { x, y }: Point,
        class: &str,
        title: fmt::Arguments<'_>,
    ) -> fmt::Result {
        writeln!(
            f,
            r#"<circle class="mark {class}" cx="{x:.1}" cy="{y:.1}" r="2.8"><title>{title}</title></circle>"#
        )
    }

    /// Draws the original's size beside the start of its curve, and the final sizes beside the ends.
    fn draw_labels(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = (self.left - 9.0, self.at(self.before, self.original()).y + 4.0);
        let size = grouped(self.original());
        writeln!(f, r#"<text class="size fail end" x="{x:.1}" y="{y:.1}">{size}</text>"#)?;
        let x = self.right + 9.0;
        // The failing side comes first and is never the smaller one, so the other label goes below it.
        let mut above = f64::NEG_INFINITY;
        let last = self.tracks.len().saturating_sub(1);
        for (index, track) in self.tracks.iter().enumerate() {
            let below = (last - index) as f64 * LINE_HEIGHT;
            let y = self
                .at(self.before, track.end())
                .y
                .min(HEIGHT - BOTTOM - below)
                .max(above + LINE_HEIGHT);
            above = y;
            let (class, size, y) = (track.class(), grouped(track.end()), y + 4.0);
            writeln!(f, r#"<text class="size {class}" x="{x:.1}" y="{y:.1}">{size}</text>"#)?;
        }
        Ok(())
    }
}

impl fmt::Display for Curve<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (steps, noun) = (count(self.steps as u64, "step"), Inline(&self.noun));
        let width = self.width;
        writeln!(
            f,
            r#"<svg viewBox="0 0 {width} {HEIGHT}" role="img" aria-label="{noun}s against tests, {steps}">"#
        )?;
        self.draw_grid(f)?;
        self.tracks.iter().try_for_each(|track| self.draw_track(f, track))?;
        self.draw_labels(f)?;
        writeln!(f, "</svg>")
    }
}

impl Track<'_> {
    fn sizes(&self) -> impl Iterator<Item = u64> + Clone {
        std::iter::once(self.start).chain(self.steps.iter().map(|(size, _)| *size))
    }

    fn end(&self) -> u64 {
        self.steps.last().map_or(self.start, |(size, _)| *size)
    }

    fn class(&self) -> &'static str {
        match self.side {
            Side::Failing => "fail",
            Side::Passing => "pass",
        }
    }
}

/// A step in words, as the title of its mark.
struct StepTitle<'a>(&'a SessionSummary, &'a Step);

impl fmt::Display for StepTitle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(summary, step) = self;
        write!(f, "test {}: {}", grouped(step.tests), Inline(&step.part))?;
        match summary.unit(step.level) {
            // The names of passes say more.
            "" | "syntax" => {}
            unit => write!(f, ", by {}", Inline(unit))?,
        }
        let noun = summary.part_of(step).map_or_else(|| summary.noun(), |part| &part.noun);
        write!(f, " → {}", count(step.bytes, "byte"))?;
        match step.deltas == step.bytes {
            true => Ok(()),
            false => write!(f, ", {}", Inline(&count(step.deltas, noun))),
        }
    }
}
