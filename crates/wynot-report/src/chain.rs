//! The page of a chain from the input to the failure.

use crate::drawing::{Timeline, Way};
use crate::escape::{Block, Line};
use crate::number::{count, grouped, time};
use std::fmt;
use std::time::Duration;

/// A chain, as it is told.
#[derive(Clone, Debug, Default)]
pub struct ChainStory {
    /// The command lines, as they would be typed.
    pub passing: String,
    /// The one that fails.
    pub failing: String,
    /// How the passing run ends.
    pub passes: String,
    /// How the failing run ends.
    pub fails: String,
    /// Cause after cause.
    pub steps: Vec<ChainStep>,
    /// All places that were looked at, in order.
    pub places: Vec<ChainPlace>,
    /// How many experiments were made.
    pub tests: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// What was not found out.
    pub doubts: Vec<String>,
}

/// A place that was looked at.
#[derive(Clone, Debug)]
pub struct ChainPlace {
    /// What it is called.
    pub name: String,
    /// The number of the step whose cause decides there, from 0; none if nothing was found.
    pub step: Option<usize>,
}

/// A cause.
#[derive(Clone, Debug, Default)]
pub struct ChainStep {
    /// Where it decides first.
    pub place: String,
    /// The lines around that place: their numbers and texts.
    pub source: Vec<(u32, String)>,
    /// Which of them it is.
    pub line: u32,
    /// What decides.
    pub causes: Vec<ChainCause>,
    /// Where the cause before became this one.
    pub transition: Option<String>,
    /// How many differences there were.
    pub deltas: usize,
    /// How large the state was.
    pub vertices: u64,
    /// How many experiments were made there.
    pub tests: u64,
    /// Whether runs from the beginning have shown the same.
    pub verified: bool,
    /// Replays it.
    pub script: String,
}

/// A variable that decides.
#[derive(Clone, Debug, Default)]
pub struct ChainCause {
    /// As a programmer would write it.
    pub variable: String,
    /// Its value in the passing run.
    pub passing: String,
    /// Its value in the failing run.
    pub failing: String,
    /// The objects on the way to it: what each is called, and what it holds.
    pub way: Vec<(String, String)>,
}

/// Writes a chain down as a page of HTML that needs nothing else.
pub fn chain_html(story: &ChainStory) -> String {
    Page(story).to_string()
}

struct Page<'a>(&'a ChainStory);

impl fmt::Display for Page<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let story = self.0;
        let title = match story.steps.last().and_then(|step| step.causes.first()) {
            Some(cause) => format!("It fails since {} was {}", cause.variable, cause.failing),
            None => "No chain was found".to_owned(),
        };
        crate::html::begin(f, &title)?;
        self.header(f, &title)?;
        writeln!(f, "<section>\n<h2>From start to end</h2>\n<figure>\n<div class=\"wide\">")?;
        write!(f, "{}", Timeline(story))?;
        writeln!(
            f,
            "</div>\n<figcaption>Each dot is a place where both runs were stopped and compared. Dots of \
             one colour have one cause; hollow ones have none that was captured.</figcaption>\n\
             </figure>\n</section>"
        )?;
        for (number, step) in story.steps.iter().enumerate() {
            self.step(f, number, step)?;
        }
        self.end(f)?;
        crate::html::end(f)
    }
}

impl Page<'_> {
    fn header(&self, f: &mut fmt::Formatter<'_>, title: &str) -> fmt::Result {
        let ChainStory { passing, failing, passes, fails, tests, elapsed, places, .. } = self.0;
        writeln!(f, "<header>\n<h1>{}</h1>", Line(title))?;
        writeln!(f, "<div class=\"pair\">")?;
        for (class, name, command, end) in
            [("pass", "passes", passing, passes), ("fail", "fails", failing, fails)]
        {
            writeln!(
                f,
                "<div><h3 class=\"{class}\">{name}</h3><pre class=\"wrap\">{}</pre>\
                 <p class=\"note\">{}</p></div>",
                Block(command),
                Line(end)
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

    fn step(&self, f: &mut fmt::Formatter<'_>, number: usize, step: &ChainStep) -> fmt::Result {
        writeln!(
            f,
            "<section class=\"step c{}\">\n<h2><span class=\"number\">{}</span> Execution reaches {}</h2>",
            number % crate::drawing::COLOURS,
            number + 1,
            Line(&step.place)
        )?;
        let before = number.checked_sub(1).map(|before| &self.0.steps[before]);
        let because = match before.and_then(|before| before.causes.first()) {
            Some(cause) => format!("{} was {}", cause.variable, cause.failing),
            None => format!("the program was invoked as {}", self.0.failing),
        };
        writeln!(f, "<p>Since {},</p>", Line(&because))?;
        for cause in &step.causes {
            writeln!(
                f,
                "<p class=\"fact\">variable <code>{}</code> is now <mark>{}</mark> \
                 <span class=\"words\">instead of {}</span></p>\n<div class=\"wide\">\n{}</div>",
                Line(&cause.variable),
                Line(&cause.failing),
                Line(&cause.passing),
                Way(cause)
            )?;
        }
        if let Some(transition) = &step.transition {
            writeln!(f, "<p class=\"note\">The cause has changed {}.</p>", Line(transition))?;
        }
        self.source(f, step)?;
        let doubt =
            if step.verified { "confirmed by runs from the beginning" } else { "not confirmed" };
        writeln!(
            f,
            "<p class=\"note\">{} among {} vertices, {}, {doubt}</p>",
            count(step.deltas as u64, "difference"),
            grouped(step.vertices),
            count(step.tests, "test"),
        )?;
        writeln!(
            f,
            "<details><summary>Replay it with GDB</summary>\n<pre>{}</pre></details>\n</section>",
            Block(&step.script)
        )
    }

    fn source(&self, f: &mut fmt::Formatter<'_>, step: &ChainStep) -> fmt::Result {
        if step.source.is_empty() {
            return Ok(());
        }
        write!(f, "<pre>")?;
        for (number, text) in &step.source {
            let line = format!("{number:>5}  {text}");
            match *number == step.line {
                true => writeln!(f, "<mark>{}</mark>", Block(&line))?,
                false => writeln!(f, "{}", Block(&line))?,
            }
        }
        writeln!(f, "</pre>")
    }

    fn end(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChainStory { steps, fails, passes, doubts, .. } = self.0;
        if let Some(cause) = steps.last().and_then(|step| step.causes.first()) {
            writeln!(
                f,
                "<section>\n<h2><span class=\"number\">{}</span> Execution ends</h2>\n\
                 <p>Since {} was {},</p>\n<p class=\"fact\">the program ends with <mark>{}</mark> \
                 <span class=\"words\">instead of {}</span></p>\n</section>",
                steps.len() + 1,
                Line(&cause.variable),
                Line(&cause.failing),
                Line(fails),
                Line(passes)
            )?;
        }
        for doubt in doubts {
            writeln!(f, "<p class=\"note\">{}</p>", Line(doubt))?;
        }
        Ok(())
    }
}
