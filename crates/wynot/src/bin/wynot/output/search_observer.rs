//! The observer of a search: forwards events to the trace, the event file and the display of progress.

use super::display_options::DisplayOptions;
use super::json::{of_beginning, of_event, seconds};
use super::trace::Trace;
use super::words::rate_in_words;
use crate::terminal::progress::{Progress, ProgressStart};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{LineWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use wynot::describe::{delta_noun, noun_of_level};
use wynot::request::Algorithm;
use wynot::{Control, Counts, Error, Event, Listener, Notes, Observer, SearchStart};
use wynot_report::number::{count, grouped, time};
use wynot_session::{Side, Timeout};
use wynot_subjects::Subject;

/// Receives the events of a search and shows them as the display options say.
pub struct SearchObserver<'a> {
    display: &'a DisplayOptions,
    directory: &'a Path,
    control: Control,
    started: Instant,
    /// The first line of a check of a result; `None` for a search.
    check: Option<String>,
    trace: Option<Trace>,
    events: Option<LineWriter<File>>,
    progress: Option<Progress>,
    error: Option<Error>,
}

impl<'a> SearchObserver<'a> {
    /// An observer of a search.
    pub fn new(display: &'a DisplayOptions, directory: &'a Path, control: &Control) -> Self {
        Self {
            display,
            directory,
            control: control.clone(),
            started: Instant::now(),
            check: None,
            trace: None,
            events: None,
            progress: None,
            error: None,
        }
    }

    /// An observer of a check, which prints `line` at its beginning.
    pub fn for_verification(self, line: String) -> Self {
        Self { check: Some(line), ..self }
    }

    /// The error of a file that could not be opened, if there was one.
    pub fn error(self) -> Option<Error> {
        self.error
    }

    /// Prints how outcomes are judged, and how many are known.
    fn print_introduction(&self, start: &SearchStart<'_>) {
        let Timeout { whole, after_build } = start.timeout;
        let timeout = match after_build == whole {
            true => time(whole),
            false => format!("{}, {} after the build", time(whole), time(after_build)),
        };
        let judge = &start.judge;
        print_error_line!("wynot: {judge} (timeout {timeout})");
        if let Some(line) = &self.check {
            print_error_line!("wynot: {line}");
            return;
        }
        if let Some(rate) = start.rate {
            let (often, most) = (rate_in_words(rate), start.max_runs_per_variant);
            match start.plan.subject() {
                Subject::Versions(_) => print_error_line!(
                    "wynot: it fails {often}; versions are run until the answer is probable enough"
                ),
                _ => print_error_line!(
                    "wynot: it fails {often}; a variant is tested up to about {most} times"
                ),
            }
        }
        if start.known_outcomes > 0 {
            let known = count(start.known_outcomes, "outcome");
            print_error_line!("wynot: resuming with {known} known (--fresh starts over)");
        }
        if self.display.verbose {
            print_error_line!("wynot: session {}", start.plan.session.display());
            if let Some(tool) = start.external_tool {
                print_error_line!("wynot: with {}", tool.display());
            }
        }
    }

    fn open_events(&mut self, path: &PathBuf) -> Option<LineWriter<File>> {
        match File::create(self.directory.join(path)) {
            Ok(file) => Some(LineWriter::new(file)),
            Err(error) => {
                self.error = Some(Error::cannot_write(path, &error));
                self.control.stop();
                None
            }
        }
    }
}

impl Notes for SearchObserver<'_> {
    fn note(&mut self, text: &str) {
        if !self.display.quiet {
            self.warn(text);
        }
    }

    fn warn(&mut self, text: &str) {
        print_error_line!("wynot: {text}");
    }
}

impl Observer for SearchObserver<'_> {
    fn begin(&mut self, start: &SearchStart<'_>) {
        let display = self.display;
        if !display.quiet {
            self.print_introduction(start);
        }
        let subject = start.plan.subject();
        self.trace = display.trace.then(|| Trace::new(subject, display.verbose));
        self.events = display.events.as_ref().and_then(|path| self.open_events(path));
        if let (Some(file), None) = (&mut self.events, &self.check) {
            // As for all events: one that cannot be written must not end the search.
            let _ = write_object(file, of_beginning(start), &Counts::default(), self.started);
        }
        let is_check = self.check.is_some();
        let progress_start = ProgressStart {
            original: &subject.original(),
            deltas: start.plan.distance(),
            noun: delta_noun(subject),
            is_isolating: start.plan.algorithm.isolates() && !is_check,
            is_skippable: start.plan.algorithm == Algorithm::Smart && !is_check,
            is_quiet: display.quiet,
            has_trace: display.trace,
            limits: start.limits,
        };
        self.progress = Some(Progress::new(&self.control, &progress_start));
    }

    fn end(&mut self) {
        self.progress = None;
    }
}

impl Listener for SearchObserver<'_> {
    fn on(&mut self, event: &Event<'_>, counts: &Counts) {
        let Some(progress) = &mut self.progress else { return };
        if let Some(trace) = &mut self.trace {
            // A line of the trace must not be printed into the display of progress.
            progress.hide();
            trace.on(event, counts);
        }
        if let Some(file) = &mut self.events {
            // An event that cannot be written must not end the search; the file simply ends early.
            let _ = write_event(file, event, counts, self.started);
        }
        let is_quiet = self.display.quiet || self.check.is_some();
        if let (Event::Level { unit, deltas, .. }, false) = (event, is_quiet) {
            let noun = noun_of_level(unit.unwrap_or("part"));
            progress.line(&format!("searching {}", count(*deltas as u64, noun)));
        }
        if let (Event::Remark(text), false) = (event, is_quiet) {
            progress.line(&format!("wynot: {text}"));
        }
        if let (Event::Step { step, .. }, true) = (event, self.display.verbose) {
            let side = match step.side {
                Side::Failing => "failing",
                Side::Passing => "passing",
            };
            progress.line(&format!(
                "test {}: {side} side now {} bytes ({})",
                grouped(step.tests),
                grouped(step.bytes),
                step.part
            ));
        }
        progress.on(event, counts);
    }
}

/// Writes an event as a line of JSON.
pub(super) fn write_event(
    file: &mut LineWriter<File>,
    event: &Event<'_>,
    counts: &Counts,
    started: Instant,
) -> std::io::Result<()> {
    match of_event(event)? {
        Some(value) => write_object(file, value, counts, started),
        None => Ok(()),
    }
}

fn write_object(
    file: &mut LineWriter<File>,
    mut value: Value,
    counts: &Counts,
    started: Instant,
) -> std::io::Result<()> {
    value["tests"] = json!(counts.executed);
    value["seconds"] = json!(seconds(started.elapsed()));
    serde_json::to_writer(&mut *file, &value)?;
    file.write_all(b"\n")
}
