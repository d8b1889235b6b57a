//! The parts of the page between its headline and its tables.

use crate::Story;
use crate::contrast::{Marked, Places, contrast};
use crate::curve::Curve;
use crate::escape::{Block, Line};
use crate::number::{count, time};
use std::fmt;
use std::ops::Range;
use std::time::Duration;
use wynot_exec::command::quote;
use wynot_session::{EndRecord, RunSummary, Side};

/// The curve, and what its colours mean.
pub(crate) struct Course<'a>(pub &'a Story);

impl fmt::Display for Course<'_> {
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

/// The input before and after, or the two sides.
pub(crate) struct Findings<'a>(pub &'a Story);

impl Findings<'_> {
    fn sides(&self, f: &mut fmt::Formatter<'_>, end: &EndRecord, passing: &str) -> fmt::Result {
        let cut = is_cut(&end.failing, end.bytes);
        let size = self.0.last_step(Side::Passing).map(|step| step.bytes);
        let differences =
            contrast(passing, &end.failing).map(|(in_passing, in_failing)| match cut {
                true => (not_last(in_passing, passing), not_last(in_failing, &end.failing)),
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
        changes(f, end)?;
        writeln!(f, "<div class=\"pair\">\n{passing}{failing}</div>")?;
        match differences {
            Some((a, b)) if a.is_empty() && b.is_empty() && cut => {
                writeln!(f, "<p class=\"note\">The sides differ behind what is shown here.</p>")
            }
            _ => Ok(()),
        }
    }
}

/// What decides, in words.
fn changes(f: &mut fmt::Formatter<'_>, end: &EndRecord) -> fmt::Result {
    if end.changes.is_empty() {
        return Ok(());
    }
    writeln!(f, "<ul class=\"changes\">")?;
    for change in &end.changes {
        writeln!(f, "<li>{}</li>", Line(change))?;
    }
    writeln!(f, "</ul>")
}

impl fmt::Display for Findings<'_> {
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
        if let Some(passing) = &end.passing {
            return self.sides(f, end, passing);
        }
        changes(f, end)?;
        let size = Some(end.bytes);
        // Of versions, what is left is a patch.
        let title = if run.command == "changes" { "Patch" } else { "After" };
        let after = Panel { title, class: "fail", text: &end.failing, size, marks: &[] };
        match run.command.as_str() {
            "changes" => writeln!(f, "<p>{}</p>\n{after}", Line(run.excerpt.trim())),
            _ => writeln!(f, "<div class=\"pair\">\n{before}{after}</div>"),
        }
    }
}

/// A text, under a title that says how large it is.
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
            // HTML drops the first line end in a <pre>; this one is for dropping.
            writeln!(f, "<pre tabindex=\"0\">\n{}</pre>", Marked { text, marks })?;
        }
        f.write_str("</section>\n")
    }
}

/// Whether an excerpt leaves something out.
fn is_cut(excerpt: &str, bytes: u64) -> bool {
    (excerpt.len() as u64) < bytes
}

/// Without a mark at the very end, which is where one excerpt just reaches further than the other.
fn not_last(mut marks: Places, text: &str) -> Places {
    marks.pop_if(|last| last.end == text.len());
    marks
}

/// The test: its command, how it is judged, and what its first runs showed.
pub(crate) struct Test<'a>(pub &'a Story);

impl fmt::Display for Test<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = &self.0.run;
        let command = quote::command(&run.test);
        writeln!(f, "<pre class=\"wrap command\" tabindex=\"0\">\n{}</pre>", Block(&command))?;
        writeln!(f, "<p>Outcomes: {}.</p>", Line(&run.reading))?;
        let Some(first) = &self.0.first_runs else { return Ok(()) };
        f.write_str("<div class=\"pair\">\n")?;
        self.seen(f, "The original", "fail", &first.original)?;
        let passing = if self.0.isolates() { "The passing side" } else { "The empty input" };
        self.seen(f, passing, "pass", &first.passing)?;
        let timeout = time(first.timeout);
        writeln!(f, "</div>\n<p class=\"note\">A test is stopped after {timeout}.</p>")
    }
}

impl Test<'_> {
    fn seen(
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
            Line(&ending)
        )?;
        match seen.stderr.as_slice() {
            [] => f.write_str("<p class=\"none\">nothing on standard error</p>\n")?,
            lines => writeln!(
                f,
                "<pre class=\"wrap\" tabindex=\"0\">\n{}</pre>",
                Block(&lines.join("\n"))
            )?,
        }
        f.write_str("</section>\n")
    }
}

/// How long the tests took.
pub(crate) struct Pace<'a>(pub &'a Story);

impl fmt::Display for Pace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let work = &self.0.work;
        let Some(slowest) = &work.slowest else { return Ok(()) };
        let runs = match work.runs {
            0 | 1 => String::new(),
            runs => format!(" over {}", count(runs, "run")),
        };
        write!(f, "<p>{} ran{runs}, for {}", count(work.tests, "test"), time(work.time))?;
        let mean = work.time / u32::try_from(work.tests).unwrap_or(u32::MAX).max(1);
        let longest = time(Duration::from_micros(slowest.micros));
        writeln!(
            f,
            " in all: {} each on average, {longest} at most ({}, {}).</p>",
            time(mean),
            count(slowest.bytes, "byte"),
            Line(&slowest.ending.to_string())
        )
    }
}
