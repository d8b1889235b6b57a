//! The size of the sides against the number of tests, drawn as SVG.
//!
//! Sizes only change at steps, so each curve is a staircase. A reduction shows the bytes of the failing
//! side. An isolation shows the deltas of both sides, because the difference lies between these two curves;
//! bytes would not do, since a passing side with fewer deltas may be the larger file.

use crate::page::axis::Axis;
use crate::page::session_summary::SessionSummary;
use crate::text::escape::Inline;
use crate::text::number::{count, grouped};
use std::fmt;
use wynot_session::{Side, Step};

/// The width of the drawing, in units of the SVG.
const WIDTH: f64 = 760.0;

/// The height of the drawing, in units of the SVG.
const HEIGHT: f64 = 320.0;

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
const LINE_HEIGHT: f64 = 15.0;

/// The curves of a session, as SVG.
pub(crate) struct Curve<'a> {
    summary: &'a SessionSummary,
    tracks: Vec<Track<'a>>,
    /// What sizes count: bytes or deltas.
    noun: &'static str,
    tests: Axis,
    sizes: Axis,
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

/// A position in the drawing.
#[derive(Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
}

impl<'a> Curve<'a> {
    /// The curves of all sides that move.
    pub(crate) fn of(summary: &'a SessionSummary) -> Self {
        let (run, isolates) = (&summary.run, summary.isolates());
        let size = |step: &Step| if isolates { step.deltas } else { step.bytes };
        let track = |side, start| Track {
            side,
            start,
            steps: summary.steps.iter().filter(|s| s.side == side).map(|s| (size(s), s)).collect(),
        };
        let tracks = match isolates {
            true => vec![track(Side::Failing, run.deltas), track(Side::Passing, 0)],
            false => vec![track(Side::Failing, run.bytes)],
        };
        let sizes = Axis::fitting(tracks.iter().flat_map(Track::sizes));
        let label_width = |labels: &mut dyn Iterator<Item = u64>| {
            labels.map(|label| grouped(label).len()).max().unwrap_or(0) as f64 * DIGIT_WIDTH
        };
        let starts = tracks.iter().map(|track| track.start);
        Self {
            summary,
            noun: if isolates { "delta" } else { "byte" },
            tests: Axis::linear(summary.tests_used()),
            left: 18.0 + label_width(&mut starts.chain(sizes.ticks())),
            right: WIDTH - 20.0 - label_width(&mut tracks.iter().map(Track::end)),
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
            let y = self.at(0, tick).y;
            writeln!(f, r#"<path class="grid" d="M{left:.1} {y:.1}H{right:.1}"/>"#)?;
            // The label of the original's size takes the place of a tick's label.
            if (y - self.at(0, self.original()).y).abs() >= LINE_HEIGHT {
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
        writeln!(f, r#"<text x="{left:.1}" y="16">{}s{log}</text>"#, self.noun)?;
        let y = HEIGHT - 8.0;
        writeln!(f, r#"<text class="end" x="{right:.1}" y="{y}">tests</text>"#)
    }

    /// Draws one curve and its marks.
    fn draw_track(&self, f: &mut fmt::Formatter<'_>, track: &Track<'_>) -> fmt::Result {
        let class = track.class();
        let start = self.at(0, track.start);
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
        self.draw_mark(f, start, class, format_args!("start: {}", count(track.start, self.noun)))?;
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
        let (x, y) = (self.left - 9.0, self.at(0, self.original()).y + 4.0);
        let size = grouped(self.original());
        writeln!(f, r#"<text class="size fail end" x="{x:.1}" y="{y:.1}">{size}</text>"#)?;
        let x = self.right + 9.0;
        // The failing side comes first and is never the smaller one, so the other label goes below it.
        let mut above = f64::NEG_INFINITY;
        let last = self.tracks.len().saturating_sub(1);
        for (index, track) in self.tracks.iter().enumerate() {
            let below = (last - index) as f64 * LINE_HEIGHT;
            let y = self.at(0, track.end()).y.min(HEIGHT - BOTTOM - below).max(above + LINE_HEIGHT);
            above = y;
            let (class, size, y) = (track.class(), grouped(track.end()), y + 4.0);
            writeln!(f, r#"<text class="size {class}" x="{x:.1}" y="{y:.1}">{size}</text>"#)?;
        }
        Ok(())
    }
}

impl fmt::Display for Curve<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = count(self.summary.steps.len() as u64, "step");
        writeln!(
            f,
            r#"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{}s against tests, {steps}">"#,
            self.noun
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
            "" => {}
            unit => write!(f, ", by {}", Inline(unit))?,
        }
        write!(f, " → {}, {}", count(step.bytes, "byte"), count(step.deltas, "delta"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::session_summary::tests::{end, run, step, summary};

    fn failing(sizes: impl IntoIterator<Item = u64>) -> Vec<Step> {
        (1..).zip(sizes).map(|(tests, size)| step(tests, Side::Failing, size)).collect()
    }

    fn marks(svg: &str) -> usize {
        svg.matches("<circle").count()
    }

    /// All numbers of an attribute or path, in order.
    fn numbers<'a>(svg: &'a str, attribute: &str) -> Vec<f64> {
        let opening = format!(" {attribute}=\"");
        let values: Vec<&'a str> =
            svg.split(&opening).skip(1).filter_map(|rest| rest.split('"').next()).collect();
        values.iter().map(|value| value.parse().unwrap()).collect()
    }

    fn assert_inside(svg: &str) {
        for (attributes, size) in [(["x", "cx"], WIDTH), (["y", "cy"], HEIGHT)] {
            for place in attributes.iter().flat_map(|attribute| numbers(svg, attribute)) {
                assert!((0.0..=size).contains(&place), "{place} in {svg}");
            }
        }
        for path in svg.split(" d=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let moves: Vec<&str> = path.split_inclusive(|c: char| c.is_alphabetic()).collect();
            for pair in moves.windows(2) {
                let size = if pair[0].ends_with('V') { HEIGHT } else { WIDTH };
                for number in pair[1].trim_end_matches(char::is_alphabetic).split(' ') {
                    let place: f64 = number.parse().unwrap();
                    assert!((0.0..=size).contains(&place), "{place} in {path}");
                }
            }
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn few_steps_are_all_marked() {
        for steps in [0, 1, 2] {
            let sizes = failing([500, 499].into_iter().take(steps));
            for tests in [0, 900] {
                let end = (tests > 0).then(|| end(tests, 100));
                let svg =
                    Curve::of(&summary(run("reduce", 1000, 9), sizes.clone(), end)).to_string();
                // The second step is right beside the first, but it is the last.
                assert!(marks(&svg) == steps + 1, "{steps} steps: {svg}");
                assert_inside(&svg);
            }
        }
    }

    #[test]
    fn many_steps_are_thinned_out_but_the_last_is_there() {
        let sizes = failing((0..5000).map(|i| 5001 - i));
        let svg =
            Curve::of(&summary(run("reduce", 6000, 9), sizes, Some(end(9000, 2)))).to_string();
        assert!((30..100).contains(&marks(&svg)), "{}", marks(&svg));
        assert!(svg.contains("<title>test 5,000: subset 1/2, by line → 2 bytes, 2 deltas</title>"));
        assert!(svg.contains("logarithmic"));
        assert!(svg.len() < 150_000, "{}", svg.len());
        assert_inside(&svg);
    }

    #[test]
    fn an_isolation_has_two_sides_that_meet() {
        let steps = vec![
            step(1, Side::Passing, 20),
            step(3, Side::Failing, 30),
            step(6, Side::Passing, 29),
        ];
        let svg = Curve::of(&summary(run("isolate", 999, 40), steps, Some(end(7, 30)))).to_string();
        assert_eq!(svg.matches(r#"class="mark fail""#).count(), 2);
        assert_eq!(svg.matches(r#"class="mark pass""#).count(), 3);
        assert_eq!(svg.matches(r#"class="line "#).count(), 2);
        assert_inside(&svg);
        let labels: Vec<&str> = svg.split("class=\"size ").skip(2).collect();
        let heights: Vec<f64> = labels.iter().map(|label| numbers(label, "y")[0]).collect();
        assert!(heights[1] - heights[0] >= LINE_HEIGHT - 0.1, "labels overlap: {heights:?}");
    }

    #[test]
    fn absurd_records_stay_inside_too() {
        let steps = vec![
            step(u64::MAX, Side::Failing, 0),
            step(3, Side::Failing, u64::MAX),
            step(0, Side::Passing, u64::MAX),
            Step { part: "</title><script>".to_owned(), level: 99, ..step(7, Side::Passing, 1) },
        ];
        for verb in ["reduce", "isolate", ""] {
            let svg = Curve::of(&summary(run(verb, 0, 0), steps.clone(), None)).to_string();
            assert_inside(&svg);
            assert!(!svg.contains("<script>"));
        }
    }
}
