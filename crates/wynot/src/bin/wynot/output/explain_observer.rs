//! The observer of an explanation: forwards events to the trace, the event file and the live view, or prints lines of progress.

use super::display_options::DisplayOptions;
use super::search_observer::write_event;
use super::trace::Trace;
use crate::terminal::explain_view::ExplainView;
use std::fs::File;
use std::io::{IsTerminal, LineWriter, stderr};
use std::path::Path;
use std::time::{Duration, Instant};
use wynot::{Control, Counts, Error, Event, ExplainStart, Listener, Notes, Observer};
use wynot_report::number::count;

/// The time between two lines of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// Receives the events of an explanation and shows them as the arguments say.
pub struct ExplainObserver<'a> {
    display: &'a DisplayOptions,
    control: Control,
    limits: (Option<u64>, Option<Duration>),
    view: Option<ExplainView>,
    trace: Option<Trace>,
    events: Option<LineWriter<File>>,
    started: Instant,
    last_line: Instant,
    /// The number of experiments so far, at all places.
    tests: u64,
}

impl<'a> ExplainObserver<'a> {
    /// An observer for these options; it creates the event file. `limits` are those of the number of experiments and of the
    /// time.
    pub fn new(
        display: &'a DisplayOptions,
        directory: &Path,
        control: &Control,
        limits: (Option<u64>, Option<Duration>),
    ) -> Result<Self, Error> {
        let create = |path: &Path| {
            File::create(directory.join(path)).map_err(|error| Error::cannot_write(path, &error))
        };
        let now = Instant::now();
        Ok(Self {
            display,
            control: control.clone(),
            limits,
            view: None,
            trace: display.trace.then(|| Trace::of_states(display.verbose)),
            events: display.events.as_deref().map(create).transpose()?.map(LineWriter::new),
            started: now,
            last_line: now,
            tests: 0,
        })
    }
}

impl Notes for ExplainObserver<'_> {}

impl Observer for ExplainObserver<'_> {
    fn begin_explain(&mut self, start: &ExplainStart<'_>) {
        if self.display.quiet {
            return;
        }
        print_error_line!("wynot: passing: {}", start.passing);
        for ending in &start.also_passing {
            print_error_line!("wynot: passing as well: {ending}");
        }
        print_error_line!("wynot: failing: {}", start.failing);
        if start.known_outcomes > 0 {
            let known = count(start.known_outcomes, "outcome");
            print_error_line!("wynot: resuming with {known} known (--fresh starts over)");
        }
        if self.display.verbose {
            print_error_line!("wynot: session {}", start.session.display());
        }
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let has_lines = self.display.verbose || self.display.trace;
        if !has_lines && !is_dumb && stderr().is_terminal() {
            self.view = Some(ExplainView::new(&self.control, self.limits));
        }
    }

    fn end(&mut self) {
        self.view = None;
    }
}

impl Listener for ExplainObserver<'_> {
    fn on(&mut self, event: &Event<'_>, _: &Counts) {
        if let Event::Tested { repeated: false, .. } = event {
            self.tests += 1;
        }
        // Places are searched at the same time, each with its own counts; the tests of all places are counted here.
        let counts = Counts { executed: self.tests, ..Counts::default() };
        if let Some(trace) = &mut self.trace {
            trace.on(event, &counts);
        }
        if let Some(file) = &mut self.events {
            // An event that cannot be written must not end the search; the file simply ends early.
            let _ = write_event(file, event, &counts, self.started);
        }
        if let Some(view) = &self.view {
            match event {
                Event::Tested { question: Some(place), repeated: false, .. } => view.on_test(place),
                Event::Remark(found) => view.on_place(found),
                _ => {}
            }
            return;
        }
        match event {
            Event::Remark(text) if self.display.verbose => print_error_line!("wynot: {text}"),
            Event::Tested { question: Some(place), .. }
                if !self.display.quiet
                    && !self.display.trace
                    && self.last_line.elapsed() >= PROGRESS_INTERVAL =>
            {
                self.last_line = Instant::now();
                print_error_line!("{}, now at {place}", count(self.tests, "test"));
            }
            _ => {}
        }
    }
}
