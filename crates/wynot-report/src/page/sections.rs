//! The sections of a session's page between its header and its tables.

use crate::page::curve::Curve;
use crate::page::session_summary::SessionSummary;
use crate::page::verdict_words::VerdictSentence;
use crate::text::char_diff::{MarkedText, Spans, char_diff};
use crate::text::escape::{Inline, Preformatted};
use crate::text::number::{count, time};
use std::fmt;
use std::ops::Range;
use std::time::Duration;
use wynot_session::{EndRecord, RunSummary, Side};
use wynot_subjects::quote;

/// The curve, with a legend of its colours.
pub(crate) struct CurveSection<'a>(pub &'a SessionSummary);

impl fmt::Display for CurveSection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failing = "<span class=\"key fail\">failing side</span>";
        let passing = "<span class=\"key pass\">passing side</span>";
        let legend = match (self.0.isolates(), self.0.steps.is_empty()) {
            (true, _) => format!("{failing} {passing} Between them lies the difference."),
            (false, false) => format!("{failing} Each mark is a smaller input that still fails."),
            (false, true) => format!("{failing} No smaller input was found to fail."),
        };
        writeln!(f, "<figure>\n<div class=\"wide\">\n{}</div>", Curve::of(self.0))?;
        writeln!(f, "<figcaption>{legend}</figcaption>\n</figure>")
    }
}

/// The input before and after, or the two sides of a difference.
pub(crate) struct ResultSection<'a>(pub &'a SessionSummary);

impl ResultSection<'_> {
    /// Writes both sides, with what differs marked.
    fn write_sides(
        &self,
        f: &mut fmt::Formatter<'_>,
        end: &EndRecord,
        passing: &str,
    ) -> fmt::Result {
        let cut = is_cut(&end.failing, end.bytes);
        let size = self.0.last_step(Side::Passing).map(|step| step.bytes);
        let differences =
            char_diff(passing, &end.failing).map(|(in_passing, in_failing)| match cut {
                true => (without_last(in_passing, passing), without_last(in_failing, &end.failing)),
                false => (in_passing, in_failing),
            });
        let (in_passing, in_failing) = differences.clone().unwrap_or_default();
        let passing =
            Panel { title: "Passing", class: "pass", text: passing, size, marks: &in_passing };
        let failing = Panel {
            title: "Failing",
            class: "fail",
            text: &end.failing,
            size: Some(end.bytes),
            marks: &in_failing,
        };
        write_changes(f, end)?;
        writeln!(f, "<div class=\"pair\">\n{passing}{failing}</div>")?;
        match differences {
            Some((a, b)) if a.is_empty() && b.is_empty() && cut => {
                writeln!(f, "<p class=\"note\">The sides differ after what is shown here.</p>")
            }
            _ => Ok(()),
        }
    }
}

/// Writes the list of changes that decide.
fn write_changes(f: &mut fmt::Formatter<'_>, end: &EndRecord) -> fmt::Result {
    if end.changes.is_empty() {
        return Ok(());
    }
    writeln!(f, "<ul class=\"changes\">")?;
    for change in &end.changes {
        writeln!(f, "<li>{}</li>", Inline(change))?;
    }
    writeln!(f, "</ul>")
}

impl fmt::Display for ResultSection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = &self.0.run;
        let before = Panel {
            title: "Before",
            class: "",
            text: &run.excerpt,
            size: Some(run.bytes),
            marks: &[],
        };
        let Some(end) = &self.0.end else {
            writeln!(f, "<div class=\"pair\">\n{before}</div>")?;
            return writeln!(
                f,
                "<p class=\"note\">What has been found so far is in the output file.</p>"
            );
        };
        if let Some(history) = &end.history {
            write!(f, "{}", VerdictSentence(history))?;
        }
        if let Some(passing) = &end.passing {
            return self.write_sides(f, end, passing);
        }
        write_changes(f, end)?;
        let size = Some(end.bytes);
        // Between versions, the result is a patch.
        let is_patch = matches!(run.command.as_str(), "changes" | "history");
        let title = if is_patch { "Patch" } else { "After" };
        let after = Panel { title, class: "fail", text: &end.failing, size, marks: &[] };
        match is_patch {
            // A walk that has found no change has no patch.
            true if end.failing.is_empty() => writeln!(f, "<p>{}</p>", Inline(run.excerpt.trim())),
            true => writeln!(f, "<p>{}</p>\n{after}", Inline(run.excerpt.trim())),
            false => writeln!(f, "<div class=\"pair\">\n{before}{after}</div>"),
        }
    }
}

/// A text under a title with its size.
struct Panel<'a> {
    title: &'a str,
    class: &'a str,
    text: &'a str,
    size: Option<u64>,
    marks: &'a [Range<usize>],
}

impl fmt::Display for Panel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, class, text, size, marks } = self;
        write!(f, "<section class=\"panel\">\n<h3 class=\"{class}\">{title}")?;
        if let Some(size) = size {
            let begin = if is_cut(text, *size) { ", the beginning" } else { "" };
            write!(f, " <small>{}{begin}</small>", count(*size, "byte"))?;
        }
        f.write_str("</h3>\n")?;
        if text.is_empty() {
            f.write_str("<p class=\"none\">nothing at all</p>\n")?;
        } else {
            // HTML ignores a line end right after <pre>, so this one protects that of the text.
            writeln!(f, "<pre tabindex=\"0\">\n{}</pre>", MarkedText { text, marks })?;
        }
        f.write_str("</section>\n")
    }
}

/// Whether an excerpt is shorter than the text it is taken from.
fn is_cut(excerpt: &str, bytes: u64) -> bool {
    (excerpt.len() as u64) < bytes
}

/// Marks without one at the very end of an excerpt: there, one excerpt merely reaches further than the other.
fn without_last(mut marks: Spans, text: &str) -> Spans {
    marks.pop_if(|last| last.end == text.len());
    marks
}

/// The test: its command, how its outcomes are judged, and what its first runs showed.
pub(crate) struct TestSection<'a>(pub &'a SessionSummary);

impl fmt::Display for TestSection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = &self.0.run;
        let command = quote::command(&run.test);
        writeln!(
            f,
            "<pre class=\"wrap command\" tabindex=\"0\">\n{}</pre>",
            Preformatted(&command)
        )?;
        writeln!(f, "<p>Outcomes: {}.</p>", Inline(&run.reading))?;
        if let Some(end) = &self.0.end {
            write_failure(f, end)?;
        }
        let Some(first) = &self.0.first_runs else { return Ok(()) };
        f.write_str("<div class=\"pair\">\n")?;
        self.write_observation(f, "The original", "fail", &first.original)?;
        let passing = if self.0.isolates() { "The passing side" } else { "The empty input" };
        if let Some(run) = &first.passing {
            self.write_observation(f, passing, "pass", run)?;
        }
        let timeout = time(first.timeout);
        writeln!(f, "</div>\n<p class=\"note\">A test is stopped after {timeout}.</p>")
    }
}

/// Writes the failure that the result shows, and why tests were unresolved.
fn write_failure(f: &mut fmt::Formatter<'_>, end: &EndRecord) -> fmt::Result {
    if let Some(failure) = &end.failure {
        let words = failure.to_string();
        let other = if failure.same { "" } else { ", which is not the failure of the original" };
        writeln!(f, "<p>The result shows: {}{other}.</p>", Inline(&words))?;
        if !failure.functions.is_empty() {
            let functions = failure.functions.join(" ← ");
            writeln!(f, "<p>Its innermost functions: {}.</p>", Inline(&functions))?;
        }
    }
    if end.unresolved.is_empty() {
        return Ok(());
    }
    let reasons = end.unresolved.iter().map(|(reason, count)| format!("{count} {reason}"));
    let reasons = reasons.collect::<Vec<_>>().join(", ");
    writeln!(f, "<p>Unresolved tests: {}.</p>", Inline(&reasons))
}

impl TestSection<'_> {
    /// Writes what one run of the test showed.
    fn write_observation(
        &self,
        f: &mut fmt::Formatter<'_>,
        title: &str,
        class: &str,
        seen: &RunSummary,
    ) -> fmt::Result {
        let (ending, took) = (seen.ending.to_string(), time(Duration::from_micros(seen.micros)));
        writeln!(
            f,
            "<section class=\"panel\">\n<h3 class=\"{class}\">{title} <small>{}, {took}</small></h3>",
            Inline(&ending)
        )?;
        match seen.stderr.as_slice() {
            [] => f.write_str("<p class=\"none\">nothing on standard error</p>\n")?,
            lines => writeln!(
                f,
                "<pre class=\"wrap\" tabindex=\"0\">\n{}</pre>",
                Preformatted(&lines.join("\n"))
            )?,
        }
        f.write_str("</section>\n")
    }
}

/// How long the tests took, in all, on average and at most.
pub(crate) struct Durations<'a>(pub &'a SessionSummary);

impl fmt::Display for Durations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = &self.0.totals;
        let Some(slowest) = &totals.slowest else { return Ok(()) };
        let runs = match totals.runs {
            0 | 1 => String::new(),
            runs => format!(" over {}", count(runs, "run")),
        };
        write!(f, "<p>{} ran{runs}, for {}", count(totals.tests, "test"), time(totals.time))?;
        let mean = totals.time / u32::try_from(totals.tests).unwrap_or(u32::MAX).max(1);
        let longest = time(Duration::from_micros(slowest.micros));
        writeln!(
            f,
            " in all: {} each on average, {longest} at most ({}, {}).</p>",
            time(mean),
            count(slowest.bytes, "byte"),
            Inline(&slowest.ending.to_string())
        )
    }
}
