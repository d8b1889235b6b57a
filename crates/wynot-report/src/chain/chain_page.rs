//! The page of a cause-effect chain from the input to the failure.

use crate::chain::chain_summary::{ChainStep, ChainSummary};
use crate::chain::drawing::{AccessPath, STEP_COLOURS, Timeline};
use crate::page::chart_width::InBothWidths;
use crate::page::document;
use crate::text::escape::{Inline, Preformatted};
use crate::text::number::{count, grouped, time};
use std::fmt;

/// The HTML page of a chain, which loads nothing else.
pub fn chain_page(summary: &ChainSummary) -> String {
    ChainPage(summary).to_string()
}

struct ChainPage<'a>(&'a ChainSummary);

impl fmt::Display for ChainPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.0;
        let title = match summary.steps.last().and_then(|step| step.causes.first()) {
            Some(cause) => format!("It fails since {} was {}", cause.variable, cause.failing),
            None => "No chain was found".to_owned(),
        };
        document::write_start(f, &title)?;
        self.write_header(f, &title)?;
        writeln!(f, "<section>\n<h2>From start to end</h2>\n<figure>")?;
        write!(f, "{}", InBothWidths(|width| Timeline(summary, width)))?;
        writeln!(
            f,
            "<figcaption>Each dot is a place where both runs were stopped and compared. Dots of \
             one colour have one cause; hollow ones have none that was captured.</figcaption>\n\
             </figure>\n</section>"
        )?;
        let numbered: Vec<(usize, &ChainStep)> = summary.steps.iter().enumerate().collect();
        for group in numbered.chunk_by(|_, (_, step)| step.is_similar) {
            self.write_group(f, group)?;
        }
        self.write_ending(f)?;
        document::write_end(f)
    }
}

impl ChainPage<'_> {
    /// Writes the title, both command lines and the facts about the search.
    fn write_header(&self, f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
        let ChainSummary { tests, elapsed, places, .. } = self.0;
        let passing = (&self.0.passing_command, &self.0.passing_ending);
        let failing = (&self.0.failing_command, &self.0.failing_ending);
        writeln!(f, "<header>\n<h1>{}</h1>", Inline(title))?;
        writeln!(f, "<div class=\"pair\">")?;
        for (class, name, (command, ending)) in
            [("pass", "passes", passing), ("fail", "fails", failing)]
        {
            writeln!(
                f,
                "<div><h2 class=\"small {class}\">{name}</h2><pre class=\"wrap\" tabindex=\"0\">{}</pre>\
                 <p class=\"note\">{}</p></div>",
                Preformatted(command),
                Inline(ending)
            )?;
        }
        writeln!(
            f,
            "</div>\n<dl><div><dt>experiments</dt><dd>{}</dd></div><div><dt>places</dt><dd>{}</dd></div>\
             <div><dt>time</dt><dd>{}</dd></div></dl>\n</header>",
            grouped(*tests),
            places.len(),
            time(*elapsed)
        )
    }

    /// Writes a step, and those that are similar to it, which are folded.
    fn write_group(
        &self,
        f: &mut fmt::Formatter<'_>,
        group: &[(usize, &ChainStep)],
    ) -> fmt::Result {
        let Some(((number, first), similar)) = group.split_first() else { return Ok(()) };
        self.write_step(f, *number, first)?;
        if similar.is_empty() {
            return Ok(());
        }
        let steps = count(similar.len() as u64, "similar step");
        writeln!(f, "<details class=\"similar\"><summary>{steps}</summary>")?;
        for (number, step) in similar {
            self.write_step(f, *number, step)?;
        }
        writeln!(f, "</details>")
    }

    /// Writes one cause of the chain.
    fn write_step(
        &self,
        f: &mut fmt::Formatter<'_>,
        number: usize,
        step: &ChainStep,
    ) -> fmt::Result {
        writeln!(
            f,
            "<section class=\"step c{}\">\n<h2><span class=\"number\">{}</span> Execution reaches {}</h2>",
            number % STEP_COLOURS,
            number + 1,
            Inline(&step.place)
        )?;
        let before = number.checked_sub(1).map(|before| &self.0.steps[before]);
        let because = match before.and_then(|before| before.causes.first()) {
            Some(cause) => format!("{} was {}", cause.variable, cause.failing),
            None => format!("the program was invoked as {}", self.0.failing_command),
        };
        writeln!(f, "<p>Since {},</p>", Inline(&because))?;
        for cause in &step.causes {
            writeln!(
                f,
                "<p class=\"fact\">variable <code>{}</code> is now <mark>{}</mark> \
                 <span class=\"words\">instead of {}</span></p>\n{}",
                Inline(&cause.variable),
                Inline(&cause.failing),
                Inline(&cause.passing),
                InBothWidths(|width| AccessPath(cause, width))
            )?;
        }
        if let Some(transition) = &step.transition {
            writeln!(f, "<p class=\"note\">The cause has changed {}.</p>", Inline(transition))?;
        }
        write_source(f, &step.source, step.line)?;
        let confirmation =
            if step.verified { "confirmed by runs from the beginning" } else { "not confirmed" };
        writeln!(
            f,
            "<p class=\"note\">{} among {} vertices, {}, {confirmation}</p>",
            count(step.deltas as u64, "difference"),
            grouped(step.vertices),
            count(step.tests, "test"),
        )?;
        writeln!(
            f,
            "<details><summary>Replay it with GDB</summary>\n<pre tabindex=\"0\">{}</pre></details>\n</section>",
            Preformatted(&step.script)
        )
    }

    /// Writes the failure, and what was not found out.
    fn write_ending(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChainSummary { steps, failing_ending, passing_ending, open_questions, .. } = self.0;
        if let Some(cause) = steps.last().and_then(|step| step.causes.first()) {
            writeln!(
                f,
                "<section>\n<h2><span class=\"number\">{}</span> Execution ends</h2>\n\
                 <p>Since {} was {},</p>\n<p class=\"fact\">the program ends with <mark>{}</mark> \
                 <span class=\"words\">instead of {}</span></p>",
                steps.len() + 1,
                Inline(&cause.variable),
                Inline(&cause.failing),
                Inline(failing_ending),
                Inline(passing_ending)
            )?;
            write_source(f, &self.0.last_source, self.0.last_line)?;
            writeln!(f, "</section>")?;
        }
        for question in open_questions {
            writeln!(f, "<p class=\"note\">{}</p>", Inline(question))?;
        }
        Ok(())
    }
}

/// Writes lines of source code, with the one marked that has made the difference.
fn write_source(f: &mut fmt::Formatter<'_>, source: &[(u32, String)], marked: u32) -> fmt::Result {
    if source.is_empty() {
        return Ok(());
    }
    writeln!(f, "<pre tabindex=\"0\">")?;
    for (number, text) in source {
        let line = format!("{number:>5}  {text}");
        match *number == marked {
            true => writeln!(f, "<mark>{}</mark>", Preformatted(&line))?,
            false => writeln!(f, "{}", Preformatted(&line))?,
        }
    }
    writeln!(f, "</pre>")
}
