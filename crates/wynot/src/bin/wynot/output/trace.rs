//! The trace: a line for each test with its configuration and its outcome, as in the figures of the ddmin paper.

use std::fmt::Write;
use std::io::{IsTerminal, stderr};
use wynot::{Counts, Event};
use wynot_core::{Configuration, Outcome};
use wynot_report::number::grouped;
use wynot_subjects::{Subject, TextSubject, Unit};

/// The maximum number of cells, or of characters of a text, in a line.
const MAX_CELLS: u32 = 72;

/// Prints a line for each test to standard error.
pub struct Trace {
    /// The number of deltas; 0 if it differs between tests.
    deltas: u32,
    has_colour: bool,
    /// Whether tests with known outcomes are printed, too.
    verbose: bool,
    /// The text of each delta, if the whole text fits into a line.
    texts: Option<Vec<String>>,
}

impl Trace {
    /// A trace of tests of one subject.
    pub fn new(subject: &Subject, verbose: bool) -> Self {
        let texts = match subject {
            Subject::Text(input) if fits_into_line(input) => {
                Some((0..input.deltas()).map(|delta| text_of(input, delta)).collect())
            }
            _ => None,
        };
        Self { deltas: subject.deltas(), has_colour: shows_colours(), verbose, texts }
    }

    /// A trace of experiments, whose deltas differ from place to place.
    #[cfg(target_arch = "x86_64")]
    pub fn of_states(verbose: bool) -> Self {
        Self { deltas: 0, has_colour: shows_colours(), verbose, texts: None }
    }

    /// Prints a line if the event is a test.
    pub fn on(&mut self, event: &Event<'_>, counts: &Counts) {
        if let Event::Tested { question, configuration, version, size, label, outcome, repeated } =
            event
        {
            if *repeated && !self.verbose {
                return;
            }
            let number = if *repeated { "*".to_owned() } else { counts.executed.to_string() };
            let variant = match (&self.texts, configuration) {
                (Some(texts), Some(configuration)) => self.grey_out(texts, configuration) + "  ",
                (None, Some(configuration)) if self.deltas == 0 => {
                    format!("{:>7} deltas  ", grouped(configuration.len() as u64))
                }
                (None, Some(configuration)) => self.cells(configuration) + "  ",
                // The label names the version.
                (_, None) if label.name() == "version" => String::new(),
                (_, None) => format!("{:>9} bytes  ", grouped(*size)),
            };
            let place = question.or(*version).map(|place| format!("  {place}")).unwrap_or_default();
            let sign = self.sign(*outcome);
            print_error_line!("{number:>6}  {variant}{sign}  {label}{place}");
        }
    }

    /// The whole text, with the missing deltas in grey, or as dots without colours.
    fn grey_out(&self, texts: &[String], configuration: &Configuration) -> String {
        let mut line = String::new();
        for (delta, text) in texts.iter().enumerate() {
            // Writing to a string does not fail.
            let _ = match (configuration.contains(delta as u32), self.has_colour) {
                (true, _) => write!(line, "{text}"),
                (false, true) => write!(line, "\x1b[90m{text}\x1b[0m"),
                (false, false) => write!(line, "{}", "·".repeat(text.chars().count())),
            };
        }
        line
    }

    /// A bar whose cells show the share of the deltas that the configuration contains, and its number of deltas.
    fn cells(&self, configuration: &Configuration) -> String {
        let deltas = self.deltas;
        let cells = deltas.min(MAX_CELLS);
        let mut bar = String::new();
        let mut ranges = configuration.ranges().iter().peekable();
        for cell in 0..cells {
            let bound = |cell: u32| (u64::from(cell) * u64::from(deltas) / u64::from(cells)) as u32;
            let (from, to) = (bound(cell), bound(cell + 1));
            let mut contained = 0;
            while let Some(range) = ranges.peek() {
                if range.start >= to {
                    break;
                }
                contained += range.end.min(to) - range.start.max(from);
                if range.end > to {
                    break;
                }
                ranges.next();
            }
            bar.push(match f64::from(contained) / f64::from(to - from) {
                0.0 => '·',
                share if share < 0.34 => '░',
                share if share < 0.67 => '▒',
                share if share < 1.0 => '▓',
                _ => '█',
            });
        }
        format!("{bar}  {:>7}", configuration.len())
    }

    /// The symbol of an outcome, in its colour.
    fn sign(&self, outcome: Outcome) -> String {
        let colour = match outcome {
            Outcome::Pass => 32,
            Outcome::Fail => 31,
            Outcome::Unresolved => 90,
        };
        match self.has_colour {
            true => format!("\x1b[{colour}m{}\x1b[0m", outcome.symbol()),
            false => outcome.symbol().to_string(),
        }
    }
}

/// Whether the trace is printed to a terminal with colours.
fn shows_colours() -> bool {
    stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Whether the whole text fits into a line, and its deltas follow each other.
fn fits_into_line(input: &TextSubject) -> bool {
    let is_short = input.deltas() <= MAX_CELLS && input.original().len() <= MAX_CELLS as usize;
    // The elements of JSON are nested.
    is_short && input.baseline().is_empty() && input.units().finest() != Unit::Json
}

/// The text of a delta, with a visible character for each control character.
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
