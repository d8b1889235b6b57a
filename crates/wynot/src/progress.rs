//! The line at the bottom of the terminal, and plain lines where there is no terminal.

use rustix::termios::tcgetwinsize;
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};
use wynot_report::number::{gone, grouped, time};
use wynot_run::{Counts, Event, Side};

/// How often the line on a terminal changes.
const ON_TERMINAL: Duration = Duration::from_millis(100);

/// How often a plain line is printed at most.
const PLAIN: Duration = Duration::from_secs(5);

/// Shows how far a search has come, on standard error.
pub struct Progress {
    terminal: bool,
    quiet: bool,
    shown: bool,
    started: Instant,
    last_drawn: Instant,
    last_gain: Option<Instant>,
    before: u64,
    now: u64,
    /// How many deltas the sides differ in, when isolating.
    isolating: bool,
    sides: (u64, u64),
    trying: String,
}

impl Progress {
    /// For an input of the given size and number of deltas.
    pub fn new(quiet: bool, bytes: u64, deltas: u64, isolating: bool) -> Self {
        let now = Instant::now();
        Self {
            terminal: stderr().is_terminal(),
            quiet,
            shown: false,
            started: now,
            last_drawn: now,
            last_gain: None,
            before: bytes,
            now: bytes,
            isolating,
            sides: (0, deltas),
            trying: String::new(),
        }
    }

    pub fn on(&mut self, event: &Event<'_>, counts: &Counts) {
        match event {
            Event::Step(step) => {
                self.last_gain = Some(Instant::now());
                match step.side {
                    Side::Failing => (self.now, self.sides.1) = (step.bytes, step.deltas),
                    Side::Passing => self.sides.0 = step.deltas,
                }
            }
            Event::Tested { part, repeated: false, .. } if self.due() => {
                self.trying = part.to_string()
            }
            _ => {}
        }
        if !self.quiet && self.due() {
            self.draw(counts);
        }
    }

    /// Prints a line of its own.
    pub fn line(&mut self, text: &str) {
        if !self.quiet {
            self.hide();
            told!("{text}");
        }
    }

    /// Takes the line off the terminal.
    pub fn hide(&mut self) {
        if std::mem::take(&mut self.shown) {
            // A terminal that cannot be written to shows nothing to take off.
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }

    fn due(&self) -> bool {
        let interval = if self.terminal { ON_TERMINAL } else { PLAIN };
        self.last_drawn.elapsed() >= interval
    }

    fn draw(&mut self, counts: &Counts) {
        self.last_drawn = Instant::now();
        let text = self.text(counts);
        if self.terminal {
            let columns = tcgetwinsize(stderr()).map_or(80, |size| usize::from(size.ws_col));
            let cut: String = text.chars().take(columns.saturating_sub(1)).collect();
            let _ = write!(stderr(), "\r{cut}\x1b[K");
            self.shown = true;
        } else {
            told!("{text}");
        }
    }

    fn text(&self, counts: &Counts) -> String {
        let run = counts.executed - counts.replayed;
        let rate = run as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let size = if self.isolating {
            let (passing, failing) = self.sides;
            format!("{} deltas apart", grouped(failing.saturating_sub(passing)))
        } else {
            let (before, now) = (self.before, self.now);
            format!("{} → {} bytes ({} gone)", grouped(before), grouped(now), gone(before, now))
        };
        let rate = if rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") };
        let mut parts = vec![size, format!("{} tests, {rate}/s", grouped(counts.executed))];
        parts.push(match self.last_gain {
            Some(gain) if gain.elapsed().as_secs() == 0 => "gaining".to_owned(),
            Some(gain) => format!("last gain {} ago", time(gain.elapsed())),
            None => "no gain yet".to_owned(),
        });
        if !self.trying.is_empty() {
            parts.push(self.trying.clone());
        }
        parts.join(" · ")
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.hide();
    }
}
