//! The progress of a search: a live view on a terminal, plain lines elsewhere.

use super::view::{TerminalView, ViewContents};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};
use wynot::{Control, Counts, Event};
use wynot_report::number::{count, gone, grouped, time};
use wynot_session::Side;
use wynot_subjects::Variant;

/// The time between two drawings of the view on a terminal.
const VIEW_INTERVAL: Duration = Duration::from_millis(100);

/// The time between two plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// The number of bytes of the best variant that are kept for the view.
const MAX_BYTES_SHOWN: usize = 4096;

/// The form in which progress is shown.
enum Display {
    /// Nothing is shown.
    Hidden,
    /// Plain lines, for a file, a pipe or a terminal to which the trace is printed.
    Lines,
    /// A view at the bottom of the terminal.
    View(TerminalView),
}

/// Shows the progress of a search on standard error.
pub struct Progress {
    display: Display,
    control: Control,
    started: Instant,
    last_drawn: Instant,
    last_gain: Option<Instant>,
    /// The size of the original in bytes.
    original_size: u64,
    /// After each gain: the number of tests, and the size in bytes.
    gains: Vec<(u64, u64)>,
    /// The beginning of the smallest variant that fails.
    best: Vec<u8>,
    /// Whether the search isolates, so that the distance of the sides is shown instead of a size.
    is_isolating: bool,
    /// Whether passes can be skipped.
    is_skippable: bool,
    /// The numbers of deltas of the passing and the failing side.
    sides: (u64, u64),
    /// The label of the latest test.
    latest_test: String,
    /// Where the search stands, if it says so.
    place: Option<String>,
    /// The tests of the parts of the search that have ended, and those of the present part.
    tests: (Counts, Counts),
}

/// What is known about a search before it begins.
pub struct ProgressStart<'a> {
    /// The original variant.
    pub original: &'a Variant,
    /// The number of deltas, or of versions, between the two sides.
    pub deltas: u64,
    /// Whether the search isolates.
    pub is_isolating: bool,
    /// Whether passes can be skipped.
    pub is_skippable: bool,
    /// Whether nothing is shown.
    pub is_quiet: bool,
    /// Whether other lines, such as those of a trace, are printed during the search. Then there is no view.
    pub has_trace: bool,
}

impl Progress {
    /// The display of a search that begins.
    pub fn new(control: &Control, start: &ProgressStart<'_>) -> Self {
        let now = Instant::now();
        let is_dumb = || std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let display = match start.is_quiet {
            true => Display::Hidden,
            false if !start.has_trace && !is_dumb() && stderr().is_terminal() => {
                Display::View(TerminalView::new())
            }
            false => Display::Lines,
        };
        let original_size = start.original.size();
        Self {
            display,
            control: control.clone(),
            started: now,
            last_drawn: now,
            last_gain: None,
            original_size,
            gains: vec![(0, original_size)],
            best: start.original.beginning(MAX_BYTES_SHOWN),
            is_isolating: start.is_isolating,
            is_skippable: start.is_skippable,
            sides: (0, start.deltas),
            latest_test: String::new(),
            place: None,
            tests: Default::default(),
        }
    }

    /// Takes an event into account, and shows the progress if it is time.
    pub fn on(&mut self, event: &Event<'_>, counts: &Counts) {
        // Each part of a search counts its own tests.
        if counts.executed < self.tests.1.executed {
            self.tests.0 = self.tests.0.and(&self.tests.1);
        }
        self.tests.1 = *counts;
        match event {
            Event::Place(text) => self.place = Some((*text).to_owned()),
            Event::Step { step, variant } => {
                self.last_gain = Some(Instant::now());
                match step.side {
                    Side::Failing => {
                        self.sides.1 = step.deltas;
                        self.gains.push((step.tests, step.bytes));
                        self.best = variant.beginning(MAX_BYTES_SHOWN);
                    }
                    Side::Passing => self.sides.0 = step.deltas,
                }
            }
            Event::Tested { label, version, outcome, repeated: false, .. } if self.is_due() => {
                self.latest_test = match version {
                    Some(version) => {
                        let short: String = version.chars().take(12).collect();
                        format!("{short}: {outcome}")
                    }
                    None => label.to_string(),
                }
            }
            _ => {}
        }
        if self.is_due() {
            self.handle_keys();
            self.draw();
        }
    }

    /// Prints a line between those of the progress.
    pub fn line(&mut self, text: &str) {
        if !matches!(self.display, Display::Hidden) {
            self.hide();
            print_error_line!("{text}");
        }
    }

    /// Removes the view from the terminal.
    pub fn hide(&mut self) {
        if let Display::View(view) = &mut self.display {
            view.hide();
        }
    }

    /// Whether the progress was last shown long enough ago.
    fn is_due(&self) -> bool {
        let interval = match self.display {
            Display::Hidden => return false,
            Display::Lines => LINE_INTERVAL,
            Display::View(_) => VIEW_INTERVAL,
        };
        self.last_drawn.elapsed() >= interval
    }

    /// Skips a pass or stops the search if a key for that was pressed.
    fn handle_keys(&self) {
        let Display::View(view) = &self.display else { return };
        while let Some(key) = view.pressed() {
            match key {
                b's' if self.is_skippable => self.control.skip_pass(),
                b'q' => drop(self.control.stop()),
                _ => {}
            }
        }
    }

    fn draw(&mut self) {
        self.last_drawn = Instant::now();
        let counts = self.tests.0.and(&self.tests.1);
        let (headline, details) = (self.headline(), self.details(&counts));
        match &mut self.display {
            Display::Hidden => {}
            Display::Lines => print_error_line!("{headline} · {details}"),
            Display::View(view) => view.draw(&ViewContents {
                headline: &headline,
                details: &details,
                gains: &self.gains,
                tests: counts.executed,
                best: (!self.is_isolating).then_some(&self.best),
                is_skippable: self.is_skippable,
            }),
        }
    }

    /// The size of the best variant, or the distance of the sides.
    fn headline(&self) -> String {
        if let Some(place) = &self.place {
            return place.clone();
        }
        if self.is_isolating {
            let (passing, failing) = self.sides;
            return format!("{} apart", grouped(failing.saturating_sub(passing)));
        }
        let before = self.original_size;
        let now = self.gains.last().map_or(before, |gain| gain.1);
        format!("{} → {} bytes ({} gone)", grouped(before), grouped(now), gone(before, now))
    }

    /// The number and speed of tests, the time of the last gain, and the latest test.
    fn details(&self, counts: &Counts) -> String {
        let run_now = counts.executed - counts.replayed;
        let rate = run_now as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let rate = if rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") };
        let mut parts = vec![format!("{}, {rate}/s", count(counts.executed, "test"))];
        parts.push(match self.last_gain {
            Some(gain) if gain.elapsed().as_secs() == 0 => "gaining".to_owned(),
            Some(gain) => format!("last gain {} ago", time(gain.elapsed())),
            None => "no gain yet".to_owned(),
        });
        if !self.latest_test.is_empty() {
            parts.push(self.latest_test.clone());
        }
        parts.join(" · ")
    }
}
