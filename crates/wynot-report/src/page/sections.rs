//! The sections of a session's page between its header and its tables.

use crate::page::chart_width::InBothWidths;
use crate::page::curve::{Curve, are_nested};
use crate::page::session_summary::SessionSummary;
use crate::text::escape::{Inline, Preformatted};
use crate::text::number::{count, time};
use crate::text::sentence::capitalised;
use std::fmt;
use std::time::Duration;
use wynot_session::{EndRecord, RunSummary, SearchPart, Step};
use wynot_subjects::quote;

/// The curve, with a legend of its colours.
pub(crate) struct CurveSection<'a>(pub &'a SessionSummary);

impl fmt::Display for CurveSection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.0.parts_with_steps();
        let all = self.0.tests_used();
        let ends = parts.iter().skip(1).map(|(part, _)| part.tests).chain(std::iter::once(all));
        for ((part, steps), end) in parts.iter().zip(ends) {
            if parts.len() > 1 {
                let (name, size) = (capitalised(&part.name), count(part.deltas, &part.noun));
                writeln!(f, "<h3>{} <small>{}</small></h3>", Inline(&name), Inline(&size))?;
            }
            let chart = InBothWidths(|width| Curve::of(self.0, part, steps, end, width));
            writeln!(f, "<figure>\n{chart}")?;
            let legend = self.legend(part, steps);
            writeln!(f, "<figcaption>{legend}</figcaption>\n</figure>")?;
        }
        Ok(())
    }
}

impl CurveSection<'_> {
    /// What the colours of a chart mean.
    fn legend(&self, part: &SearchPart, steps: &[Step]) -> String {
        let failing = "<span class=\"key fail\">failing side</span>";
        let passing = "<span class=\"key pass\">passing side</span>";
        match (self.0.isolates(), steps.is_empty()) {
            (true, _) if self.0.run.algorithm == "gather" && !are_nested(part, steps) => {
                format!("{failing} Each mark is a smaller choice that still fails.")
            }
            (true, _) if self.0.run.algorithm == "gather" => format!(
                "{failing} {passing} Each mark is a smaller choice that still fails, or a larger one that passes."
            ),
            (true, _) => format!("{failing} {passing} Between them lies the difference."),
            (false, false) => format!("{failing} Each mark is a smaller input that still fails."),
            (false, true) => format!("{failing} No smaller input was found to fail."),
        }
    }
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
        let (original, passing) = match (run.command.as_str(), run.units.as_str()) {
            ("changes", _) => ("The bad version", "The good version"),
            ("options", "option") => ("With all options", "Without options"),
            ("options", _) => ("With this environment", "With the clean one"),
            _ if self.0.isolates() => ("The original", "The passing side"),
            _ => ("The original", "The empty input"),
        };
        self.write_observation(f, original, "fail", &first.original)?;
        if let Some(run) = &first.passing {
            self.write_observation(f, passing, "pass", run)?;
        }
        let timeout = time(first.timeout);
        writeln!(f, "</div>\n<p class=\"note\">A test is stopped after {timeout}.</p>")
    }
}

/// Writes where the result fails, and why tests were unresolved. The failure itself is at the top of the page.
fn write_failure(f: &mut fmt::Formatter<'_>, end: &EndRecord) -> fmt::Result {
    if let Some(failure) = end.failure.as_ref().filter(|failure| !failure.functions.is_empty()) {
        let functions = failure.functions.join(" ← ");
        writeln!(f, "<p>Its innermost functions: {}.</p>", Inline(&functions))?;
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
        // Older journals have only the last lines.
        let lines = if seen.excerpt.is_empty() { &seen.stderr } else { &seen.excerpt };
        match lines.as_slice() {
            [] => f.write_str("<p class=\"none\">nothing on standard error</p>\n")?,
            // Lines are not wrapped, as marks below code would lose their places.
            lines => {
                writeln!(f, "<pre tabindex=\"0\">\n{}</pre>", Preformatted(&lines.join("\n")))?
            }
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
