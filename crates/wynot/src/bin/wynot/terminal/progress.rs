//! The progress of a search: a live view on a terminal, plain lines elsewhere.

use super::remaining::{SearchTime, remaining};
use super::view::{TerminalView, ViewContents};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};
use wynot::{Control, Counts, Event};
use wynot_report::number::{count, gone, grouped, time};
use wynot_session::{Side, Step};
use wynot_subjects::Variant;

/// The time between two drawings of the view on a terminal.
const VIEW_INTERVAL: Duration = Duration::from_millis(100);

/// The time after which keys are looked for again.
const KEYS_INTERVAL: Duration = Duration::from_millis(20);

/// The time between two plain lines in the first minute.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// The time between two plain lines after that.
const LATER_LINE_INTERVAL: Duration = Duration::from_secs(30);

/// What the view shows while a pass ends that is skipped.
const SKIPPING: &str = "skipping this pass";

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
    last_keys: Instant,
    last_gain: Option<Instant>,
    /// The size of the original in bytes.
    original_size: u64,
    /// After each gain: the number of tests, and the size in bytes or the distance of the sides.
    gains: Vec<(u64, u64)>,
    /// The beginning of the smallest variant that fails.
    best: Vec<u8>,
    /// Whether the search isolates, so that the distance of the sides is shown instead of a size.
    is_isolating: bool,
    /// Whether passes can be skipped.
    is_skippable: bool,
    /// The noun for the deltas.
    noun: String,
    /// The numbers of deltas of the passing and the failing side.
    sides: (u64, u64),
    /// The label of the latest test.
    latest_test: String,
    /// Whether the latest test was that of a version in a bisection.
    is_bisecting: bool,
    /// The number of tests that run, and how long the first of them has run.
    running: Option<(usize, Duration)>,
    /// What a key has requested.
    request: Option<&'static str>,
    /// Where the search stands, if it says so.
    place: Option<String>,
    limits: (Option<u64>, Option<Duration>),
    counts: Counts,
}

/// What is known about a search before it begins.
pub struct ProgressStart<'a> {
    /// The original variant.
    pub original: &'a Variant,
    /// The number of deltas, or of versions, between the two sides.
    pub deltas: u64,
    /// The noun for these.
    pub noun: String,
    /// Whether the search isolates.
    pub is_isolating: bool,
    /// Whether passes can be skipped.
    pub is_skippable: bool,
    /// Whether nothing is shown.
    pub is_quiet: bool,
    /// Whether other lines, such as those of a trace, are printed during the search. Then there is no view.
    pub has_trace: bool,
    /// The limits of the number of tests and of the time.
    pub limits: (Option<u64>, Option<Duration>),
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
        let first = if start.is_isolating { start.deltas } else { original_size };
        Self {
            display,
            control: control.clone(),
            started: now,
            last_drawn: now,
            last_keys: now,
            last_gain: None,
            original_size,
            gains: vec![(0, first)],
            best: start.original.beginning(MAX_BYTES_SHOWN),
            is_isolating: start.is_isolating,
            is_skippable: start.is_skippable,
            noun: start.noun.clone(),
            sides: (0, start.deltas),
            latest_test: String::new(),
            is_bisecting: false,
            running: None,
            request: None,
            place: None,
            limits: start.limits,
            counts: Counts::default(),
        }
    }

    /// Takes an event into account, and shows the progress if it is time.
    pub fn on(&mut self, event: &Event<'_>, counts: &Counts) {
        self.counts = *counts;
        match event {
            Event::Place(text) => self.place = Some((*text).to_owned()),
            Event::Part(part) => {
                self.noun.clone_from(&part.noun);
                self.sides = (0, part.deltas);
                self.is_bisecting = false;
                if self.is_isolating {
                    self.gains = vec![(part.tests, part.deltas)];
                }
            }
            Event::Step { step, variant } => self.gain(step, variant),
            Event::Tick { running, longest } => self.running = Some((*running, *longest)),
            Event::Tested { label, version, outcome, repeated: false, .. } => {
                self.running = None;
                // A pass that was skipped has no further tests.
                self.request = self.request.filter(|request| *request != SKIPPING);
                self.is_bisecting = label.name() == "version";
                if self.is_due() {
                    self.latest_test = match version {
                        Some(version) => {
                            let short: String = version.chars().take(12).collect();
                            format!("{short}: {outcome}")
                        }
                        None => label.to_string(),
                    }
                }
            }
            _ => {}
        }
        let is_pressed = self.last_keys.elapsed() >= KEYS_INTERVAL && self.handle_keys();
        if is_pressed || self.is_due() {
            self.draw();
        }
    }

    /// Takes a step into account.
    fn gain(&mut self, step: &Step, variant: &Variant) {
        self.last_gain = Some(Instant::now());
        match step.side {
            Side::Failing => {
                self.sides.1 = step.deltas;
                self.best = variant.beginning(MAX_BYTES_SHOWN);
            }
            Side::Passing => self.sides.0 = step.deltas,
        }
        match (self.is_isolating, step.side) {
            (true, _) => self.gains.push((step.tests, self.distance())),
            (false, Side::Failing) => self.gains.push((step.tests, step.bytes)),
            (false, Side::Passing) => {}
        }
    }

    /// The number of deltas between the sides.
    fn distance(&self) -> u64 {
        self.sides.1.saturating_sub(self.sides.0)
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
            Display::Lines if self.started.elapsed().as_secs() < 60 => LINE_INTERVAL,
            Display::Lines => LATER_LINE_INTERVAL,
            Display::View(_) => VIEW_INTERVAL,
        };
        self.last_drawn.elapsed() >= interval
    }

    /// Skips a pass or stops the search if a key for that was pressed. Returns whether one was.
    fn handle_keys(&mut self) -> bool {
        self.last_keys = Instant::now();
        let Display::View(view) = &self.display else { return false };
        let before = self.request;
        let mut request = before;
        while let Some(key) = view.pressed() {
            match key {
                b's' if self.is_skippable => {
                    self.control.skip_pass();
                    request = request.or(Some(SKIPPING));
                }
                b'q' => {
                    self.control.stop();
                    request = Some("stopping, the result is kept");
                }
                _ => {}
            }
        }
        self.request = request;
        request != before
    }

    fn draw(&mut self) {
        self.last_drawn = Instant::now();
        let (headline, details) = (self.headline(), self.details());
        match &mut self.display {
            Display::Hidden => {}
            Display::Lines => print_error_line!("{headline} · {}", details.join(" · ")),
            Display::View(view) => view.draw(&ViewContents {
                headline: &headline,
                elapsed: self.started.elapsed(),
                details: &details,
                gains: &self.gains,
                tests: self.counts.executed,
                best: (!self.is_isolating).then_some(&self.best),
                is_skippable: self.is_skippable,
                request: self.request,
            }),
        }
    }

    /// The size of the best variant, or the distance of the sides.
    fn headline(&self) -> String {
        if let Some(place) = &self.place {
            return place.clone();
        }
        if self.is_isolating {
            return format!("{} apart", count(self.distance(), &self.noun));
        }
        let before = self.original_size;
        let now = self.gains.last().map_or(before, |gain| gain.1);
        format!("{} → {} ({} gone)", grouped(before), count(now, "byte"), gone(before, now))
    }

    /// The number and speed of tests, those that run, the time of the last gain, the rest, and the latest test.
    fn details(&self) -> Vec<String> {
        let counts = &self.counts;
        let run_now = counts.executed.saturating_sub(counts.replayed);
        let rate = run_now as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let rate = if rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") };
        let runs = match counts.runs {
            0 => String::new(),
            runs => format!(" ({})", count(runs, "run")),
        };
        let mut parts = vec![format!("{}{runs}, {rate}/s", count(counts.executed, "test"))];
        if let Some((running @ 1.., longest)) = self.running {
            let seconds = Duration::from_secs(longest.as_secs());
            parts.push(match seconds.is_zero() {
                true => format!("{running} running"),
                false => format!("{running} running, for {}", whole_seconds(seconds)),
            });
        }
        parts.push(match self.last_gain {
            Some(gain) if gain.elapsed().as_secs() == 0 => "gaining".to_owned(),
            Some(gain) => format!("last gain {} ago", whole_seconds(gain.elapsed())),
            None => "no gain yet".to_owned(),
        });
        parts.extend(remaining(&SearchTime {
            elapsed: self.started.elapsed(),
            tests: counts.executed,
            run_now,
            versions: self.is_bisecting.then(|| self.distance()),
            limits: self.limits,
        }));
        if !self.latest_test.is_empty() {
            parts.push(self.latest_test.clone());
        }
        parts
    }
}

/// A duration of at least a second, without parts of seconds.
fn whole_seconds(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        _ => time(duration),
    }
}
