//! The progress of a job that waits or runs: numbers, a curve and messages.
//!
//! The page is complete without script. `live.js` finds the elements by their `data-live` names, and changes them as events
//! arrive; the attributes of the section say from which event on.

use super::visible_text::visible;
use crate::http::job_json::JobDetails;
use crate::jobs::LiveView;
use crate::store::{FileRole, JobState, ServedJob, ServedVerb};
use maud::{Markup, html};
use wynot_report::number::{count, grouped};

/// The size of the drawing. `live.js` has the same numbers.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 8.0;
const RIGHT: f64 = 472.0;
const TOP: f64 = 28.0;
const FLOOR: f64 = 172.0;

/// Beyond this ratio of the largest to the smallest size, the axis is logarithmic.
const MAX_LINEAR_RATIO: u64 = 50;

/// The progress of a job that has not ended.
pub fn progress(job: &ServedJob, details: &JobDetails, messages: &[String]) -> Markup {
    let empty = LiveView::default();
    let view = details.live.as_ref().filter(|view| view.attempt == job.attempts).unwrap_or(&empty);
    let before = input_bytes(job);
    let curve = serde_json::to_string(&view.curve).unwrap_or_default();
    html! {
        section.progress id="progress" aria-labelledby="progress-title"
            data-events={ "/jobs/" (job.code) "/events" } data-from=(last_event(job, details))
            data-curve=(curve) data-before=[before]
            data-fail=(view.outcomes.fail) data-pass=(view.outcomes.pass) data-unresolved=(view.outcomes.unresolved)
            data-tests=(view.tests) data-bytes=[view.bytes] {
            h2 id="progress-title" data-live="state" { (state_words(job, details)) }
            p role="status" aria-live="polite" data-live="summary" { (summary(view)) }
            dl.numbers {
                div { dt { "Tests" } dd data-live="tests" { (grouped(view.tests)) } }
                @if has_sizes(job) {
                    div { dt { "Smallest so far" } dd data-live="best" { (best(view, before)) } }
                }
                div { dt { "Failed" } dd.fail data-live="fail" { (grouped(view.outcomes.fail)) } }
                div { dt { "Passed" } dd.pass data-live="pass" { (grouped(view.outcomes.pass)) } }
                div { dt { "Neither" } dd data-live="unresolved" { (grouped(view.outcomes.unresolved)) } }
                div { dt { "Now trying" } dd data-live="part" { (if view.part.is_empty() { "–".to_owned() } else { visible(&view.part) }) } }
            }
            @if has_sizes(job) { (curve_drawing(view, before)) }
            h3 { "Messages" }
            ol.log data-live="log" tabindex="0" aria-label="Messages" {
                @for line in messages { li { (visible(line)) } }
            }
        }
    }
}

/// The id of the last event that is part of the page.
fn last_event(job: &ServedJob, details: &JobDetails) -> String {
    match (job.state, &details.live) {
        (JobState::Queued, _) => format!("{}-0", job.attempts + 1),
        (_, Some(view)) if view.attempt == job.attempts => {
            format!("{}-{}", view.attempt, view.events_bytes)
        }
        _ => format!("{}-0", job.attempts.max(1)),
    }
}

fn state_words(job: &ServedJob, details: &JobDetails) -> String {
    match (job.state, details.position) {
        (JobState::Queued, Some(0)) => "Waiting: it is the next one".to_owned(),
        (JobState::Queued, Some(before)) => format!("Waiting: {} before it", count(before, "job")),
        (JobState::Queued, None) => "Waiting".to_owned(),
        _ if job.is_cancelled => "Running, about to be cancelled".to_owned(),
        _ => "Running".to_owned(),
    }
}

fn summary(view: &LiveView) -> String {
    match (view.tests, view.bytes, &view.remark) {
        (0, ..) => "No test has ended yet.".to_owned(),
        (tests, _, Some(remark)) => format!("{}. {}", count(tests, "test"), visible(remark)),
        (tests, Some(bytes), _) => {
            format!(
                "{}; the smallest that fails has {}.",
                count(tests, "test"),
                count(bytes, "byte")
            )
        }
        (tests, None, _) => format!("{}.", count(tests, "test")),
    }
}

fn best(view: &LiveView, before: Option<u64>) -> String {
    match (view.bytes, before) {
        (Some(bytes), Some(before)) => format!("{} → {}", grouped(before), count(bytes, "byte")),
        (Some(bytes), None) => count(bytes, "byte"),
        (None, Some(before)) => count(before, "byte"),
        (None, None) => "–".to_owned(),
    }
}

/// Whether the search makes something smaller that has a size.
fn has_sizes(job: &ServedJob) -> bool {
    matches!(job.submission.verb, ServedVerb::Reduce | ServedVerb::Isolate)
}

/// The size of what is made smaller, if that is one thing.
fn input_bytes(job: &ServedJob) -> Option<u64> {
    let inputs = job.submission.files.iter().filter(|file| file.role == FileRole::Input);
    Some(inputs.map(|file| file.bytes).sum()).filter(|bytes| *bytes > 0)
}

/// The size of the smallest failing variant by the number of tests.
fn curve_drawing(view: &LiveView, before: Option<u64>) -> Markup {
    let points = points(view, before);
    let (first, last) = (points.first(), points.last());
    let is_hidden = points.len() < 2;
    let description = match (first, last) {
        (Some((_, first)), Some((tests, last))) => format!(
            "From {} to {} after {}",
            count(*first, "byte"),
            count(*last, "byte"),
            count(*tests, "test")
        ),
        _ => "No sizes yet".to_owned(),
    };
    html! {
        figure.curve data-live="figure" hidden[is_hidden] {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-labelledby="curve-title curve-description" {
                title id="curve-title" { "Size by number of tests" }
                desc id="curve-description" data-live="description" { (description) }
                path.grid d={ "M" (LEFT) " " (FLOOR) "H" (RIGHT) } {}
                path.line.fail data-live="path" d=(path(&points)) {}
                text x=(LEFT) y="16" data-live="first" { (first.map(|(_, bytes)| count(*bytes, "byte")).unwrap_or_default()) }
                text.end x=(RIGHT) y="16" data-live="last" { (last.map(|(_, bytes)| count(*bytes, "byte")).unwrap_or_default()) }
                text x=(LEFT) y="192" { "0 tests" }
                text.end x=(RIGHT) y="192" data-live="test-axis" { (count(view.tests, "test")) }
            }
        }
    }
}

/// The points of the curve, from the original to now.
fn points(view: &LiveView, before: Option<u64>) -> Vec<(u64, u64)> {
    let start = before.map(|before| (0, before));
    let end = view.curve.last().map(|(_, bytes)| (view.tests, *bytes));
    start.into_iter().chain(view.curve.iter().copied()).chain(end).collect()
}

/// A staircase through the points.
fn path(points: &[(u64, u64)]) -> String {
    let tests = points.iter().map(|(tests, _)| *tests).max().unwrap_or(0).max(1);
    let most = points.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0).max(1);
    let least =
        points.iter().map(|(_, bytes)| *bytes).filter(|bytes| *bytes > 0).min().unwrap_or(1);
    let share = |bytes: u64| match least.saturating_mul(MAX_LINEAR_RATIO) < most {
        true => (bytes as f64).ln_1p() / (most as f64).ln_1p(),
        false => bytes as f64 / most as f64,
    };
    let mut path = String::new();
    for (index, (test, bytes)) in points.iter().enumerate() {
        let x = LEFT + (RIGHT - LEFT) * *test as f64 / tests as f64;
        let y = FLOOR - (FLOOR - TOP) * share(*bytes);
        path += &match index {
            0 => format!("M{x:.1} {y:.1}"),
            _ => format!("H{x:.1}V{y:.1}"),
        };
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_begins_with_the_original_and_ends_now() {
        let view = LiveView { tests: 10, curve: vec![(4, 50)], ..LiveView::default() };
        assert_eq!(points(&view, Some(100)), [(0, 100), (4, 50), (10, 50)]);
        assert_eq!(path(&points(&view, Some(100))), "M8.0 28.0H193.6V100.0H472.0V100.0");
        assert_eq!(path(&[]), "");
    }

    #[test]
    fn the_drawing_is_complete_without_script() {
        let view = LiveView { tests: 10, curve: vec![(4, 50)], ..LiveView::default() };
        let drawing = curve_drawing(&view, Some(100)).into_string();
        assert_eq!(drawing.matches("<path").count(), drawing.matches("</path>").count());
        assert!(drawing.contains("From 100 bytes to 50 bytes after 10 tests"), "{drawing}");
        assert!(!drawing.contains("hidden"), "{drawing}");
        assert!(curve_drawing(&LiveView::default(), None).into_string().contains(" hidden"));
    }

    #[test]
    fn much_smaller_sizes_can_still_be_seen() {
        let end = path(&[(0, 1_000_000), (5, 10)]);
        let y: f64 = end.rsplit('V').next().unwrap().parse().unwrap();
        assert!(y < 150.0, "{end}");
    }
}
