//! How far a search has come: a live view on a terminal, plain lines where there is none.

use super::view::{TerminalView, ViewContents};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};
use wynot::{Control, Counts, Event};
use wynot_report::number::{count, gone, grouped, time};
use wynot_session::Side;
use wynot_subjects::Variant;

/// How often the view on a terminal changes.
const VIEW_INTERVAL: Duration = Duration::from_millis(100);

/// How often a plain line is printed at most.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// How much of the best so far is kept to be shown.
const MAX_BYTES_SHOWN: usize = 4096;

/// Where progress is shown.
enum Audience {
    Nobody,
    /// A file or a pipe.
    Reader,
    Terminal(TerminalView),
}

/// Shows how far a search has come, on standard error.
pub struct Progress {
    audience: Audience,
    control: Control,
    started: Instant,
    last_drawn: Instant,
    last_gain: Option<Instant>,
    before: u64,
    /// The size after each gain: number of tests, bytes.
    gains: Vec<(u64, u64)>,
    /// The beginning of the smallest variant that fails.
    best: Vec<u8>,
    /// How many deltas the sides differ in, when isolating.
    isolating: bool,
    /// Whether passes can be skipped.
    skippable: bool,
    sides: (u64, u64),
    trying: String,
}

/// What is known about a search before it begins.
pub struct ProgressStart<'a> {
    pub original: &'a Variant,
    pub deltas: u64,
    pub isolating: bool,
    pub skippable: bool,
}

impl Progress {
    /// Nothing is shown if `quiet`; lines in between only suit a terminal's view if it is `alone`.
    pub fn new(quiet: bool, alone: bool, control: &Control, outlook: &ProgressStart<'_>) -> Self {
        let now = Instant::now();
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let audience = match quiet {
            true => Audience::Nobody,
            false if alone && !dumb && stderr().is_terminal() => {
                Audience::Terminal(TerminalView::new())
            }
            false => Audience::Reader,
        };
        let before = outlook.original.size();
        Self {
            audience,
            control: control.clone(),
            started: now,
            last_drawn: now,
            last_gain: None,
            before,
            gains: vec![(0, before)],
            best: outlook.original.beginning(MAX_BYTES_SHOWN),
            isolating: outlook.isolating,
            skippable: outlook.skippable,
            sides: (0, outlook.deltas),
            trying: String::new(),
        }
    }

    pub fn on(&mut self, event: &Event<'_>, counts: &Counts) {
        match event {
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
            Event::Tested { label, repeated: false, .. } if self.due() => {
                self.trying = label.to_string()
            }
            _ => {}
        }
        if self.due() {
            self.obey();
            self.draw(counts);
        }
    }

    /// Prints a line of its own.
    pub fn line(&mut self, text: &str) {
        if !matches!(self.audience, Audience::Nobody) {
            self.hide();
            print_error_line!("{text}");
        }
    }

    /// Takes the view off the terminal.
    pub fn hide(&mut self) {
        if let Audience::Terminal(live) = &mut self.audience {
            live.hide();
        }
    }

    fn due(&self) -> bool {
        let interval = match self.audience {
            Audience::Nobody => return false,
            Audience::Reader => LINE_INTERVAL,
            Audience::Terminal(_) => VIEW_INTERVAL,
        };
        self.last_drawn.elapsed() >= interval
    }

    /// Does what the keys that were pressed ask for.
    fn obey(&self) {
        let Audience::Terminal(live) = &self.audience else { return };
        while let Some(key) = live.pressed() {
            match key {
                b's' if self.skippable => self.control.skip_pass(),
                b'q' => drop(self.control.stop()),
                _ => {}
            }
        }
    }

    fn draw(&mut self, counts: &Counts) {
        self.last_drawn = Instant::now();
        let (headline, details) = (self.headline(), self.details(counts));
        match &mut self.audience {
            Audience::Nobody => {}
            Audience::Reader => print_error_line!("{headline} · {details}"),
            Audience::Terminal(live) => live.draw(&ViewContents {
                headline: &headline,
                details: &details,
                gains: &self.gains,
                tests: counts.executed,
                best: (!self.isolating).then_some(&self.best),
                skippable: self.skippable,
            }),
        }
    }

    fn headline(&self) -> String {
        if self.isolating {
            let (passing, failing) = self.sides;
            return format!("{} apart", grouped(failing.saturating_sub(passing)));
        }
        let (before, now) = (self.before, self.gains.last().map_or(self.before, |gain| gain.1));
        format!("{} → {} bytes ({} gone)", grouped(before), grouped(now), gone(before, now))
    }

    fn details(&self, counts: &Counts) -> String {
        let run = counts.executed - counts.replayed;
        let rate = run as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let rate = if rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") };
        let mut parts = vec![format!("{}, {rate}/s", count(counts.executed, "test"))];
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
