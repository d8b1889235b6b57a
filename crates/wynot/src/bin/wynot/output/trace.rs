//! A line for each test, as in the papers' figures: what was kept, what was removed, the outcome.

use std::fmt::Write;
use std::io::{IsTerminal, stderr};
use wynot::{Counts, Event};
use wynot_core::{Configuration, Outcome};
use wynot_report::number::grouped;
use wynot_subjects::{Subject, TextSubject, Unit};

/// How many cells a line has at most.
const MAX_CELLS: u32 = 72;

/// Prints a line for each test to standard error.
pub struct Trace {
    deltas: u32,
    colour: bool,
    verbose: bool,
    /// The text of each delta, if all fit into a line.
    texts: Option<Vec<String>>,
}

impl Trace {
    pub fn new(subject: &Subject, verbose: bool) -> Self {
        let colour = has_colour();
        let texts = match subject {
            Subject::Text(input) if fits(input) => {
                Some((0..input.deltas()).map(|delta| text_of(input, delta)).collect())
            }
            _ => None,
        };
        Self { deltas: subject.deltas(), colour, verbose, texts }
    }

    /// A trace of experiments, whose deltas differ from place to place.
    pub fn of_states(verbose: bool) -> Self {
        Self { deltas: 0, colour: has_colour(), verbose, texts: None }
    }

    pub fn on(&mut self, event: &Event<'_>, counts: &Counts) {
        if let Event::Tested { question, configuration, size, label, outcome, repeated } = event {
            if *repeated && !self.verbose {
                return;
            }
            let number = if *repeated { "*".to_owned() } else { counts.executed.to_string() };
            let shown = match (&self.texts, configuration) {
                (Some(texts), Some(configuration)) => self.greyed(texts, configuration) + "  ",
                (None, Some(configuration)) if self.deltas == 0 => {
                    format!("{:>7} deltas  ", grouped(configuration.len() as u64))
                }
                (None, Some(configuration)) => self.cells(configuration) + "  ",
                // The label says which version.
                (_, None) if label.name() == "version" => String::new(),
                (_, None) => format!("{:>9} bytes  ", grouped(*size)),
            };
            let place = question.map(|place| format!("  {place}")).unwrap_or_default();
            let sign = self.sign(*outcome);
            print_error_line!("{number:>6}  {shown}{sign}  {label}{place}");
        }
    }

    /// The text itself, with the parts that are left out in grey, or as dots without colour.
    fn greyed(&self, texts: &[String], configuration: &Configuration) -> String {
        let mut line = String::new();
        for (delta, text) in texts.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = match (configuration.contains(delta as u32), self.colour) {
                (true, _) => write!(line, "{text}"),
                (false, true) => write!(line, "\x1b[90m{text}\x1b[0m"),
                (false, false) => write!(line, "{}", "·".repeat(text.chars().count())),
            };
        }
        line
    }

    /// A bar whose cells show how much of each stretch of deltas is there.
    fn cells(&self, configuration: &Configuration) -> String {
        let deltas = self.deltas;
        let cells = deltas.min(MAX_CELLS);
        let mut bar = String::new();
        let mut runs = configuration.ranges().iter().peekable();
        for cell in 0..cells {
            let bound = |cell: u32| (u64::from(cell) * u64::from(deltas) / u64::from(cells)) as u32;
            let (from, to) = (bound(cell), bound(cell + 1));
            let mut there = 0;
            while let Some(run) = runs.peek() {
                if run.start >= to {
                    break;
                }
                there += run.end.min(to) - run.start.max(from);
                if run.end > to {
                    break;
                }
                runs.next();
            }
            bar.push(match f64::from(there) / f64::from(to - from) {
                0.0 => '·',
                share if share < 0.34 => '░',
                share if share < 0.67 => '▒',
                share if share < 1.0 => '▓',
                _ => '█',
            });
        }
        format!("{bar}  {:>7}", configuration.len())
    }

    fn sign(&self, outcome: Outcome) -> String {
        let colour = match outcome {
            Outcome::Pass => 32,
            Outcome::Fail => 31,
            Outcome::Unresolved => 90,
        };
        match self.colour {
            true => format!("\x1b[{colour}m{}\x1b[0m", outcome.symbol()),
            false => outcome.symbol().to_string(),
        }
    }
}

/// Whether the trace goes to a terminal that shows colours.
fn has_colour() -> bool {
    stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Whether a whole text fits into a line.
fn fits(input: &TextSubject) -> bool {
    let short = input.deltas() <= MAX_CELLS && input.original().len() <= MAX_CELLS as usize;
    // Elements of JSON lie in each other and make no line.
    short && input.baseline().is_empty() && input.units().finest() != Unit::Json
}

fn text_of(subject: &TextSubject, delta: u32) -> String {
    let bytes = subject.delta(delta).new;
    let bytes = &subject.original()[bytes.start as usize..bytes.end as usize];
    String::from_utf8_lossy(bytes)
        .chars()
        .map(|c| match c {
            '\n' => '⏎',
            '\t' => '→',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}
