//! The live view of an explanation. Its experiments run on several threads and can take long, so a thread of its own draws
//! the view and looks for keys.

use super::remaining::{SearchTime, remaining};
use super::view::{TerminalView, ViewContents};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use wynot::Control;
use wynot_report::number::count;

/// The time between two drawings, and between two looks at the keyboard.
const INTERVAL: Duration = Duration::from_millis(100);

/// What the view shows.
#[derive(Debug, Default)]
struct Shown {
    /// The place at which an experiment has ended last.
    place: String,
    /// The number of experiments.
    tests: u64,
    /// The number of places that were compared.
    places: u64,
    /// What was found at the last of them.
    found: String,
    /// Whether a key has stopped the search.
    is_stopped: bool,
    limits: (Option<u64>, Option<Duration>),
}

/// The view, while it is on the terminal.
#[derive(Debug)]
pub struct ExplainView {
    shown: Arc<Mutex<Shown>>,
    /// Closed to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ExplainView {
    /// Shows the view; `limits` are those of the number of experiments and of the time.
    pub fn new(control: &Control, limits: (Option<u64>, Option<Duration>)) -> Self {
        let shown = Arc::new(Mutex::new(Shown { limits, ..Shown::default() }));
        let (end, ended) = channel();
        let (control, contents) = (control.clone(), Arc::clone(&shown));
        let thread = std::thread::spawn(move || {
            let (started, mut view) = (Instant::now(), TerminalView::new());
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let mut shown = locked(&contents);
                while let Some(key) = view.pressed() {
                    if key == b'q' {
                        control.stop();
                        shown.is_stopped = true;
                    }
                }
                draw(&mut view, &shown, started.elapsed());
            }
        });
        Self { shown, end: Some(end), thread: Some(thread) }
    }

    /// Counts an experiment at a place.
    pub fn on_test(&self, place: &str) {
        let mut shown = locked(&self.shown);
        shown.tests += 1;
        if shown.place != place {
            place.clone_into(&mut shown.place);
        }
    }

    /// Counts a place that was compared.
    pub fn on_place(&self, found: &str) {
        let mut shown = locked(&self.shown);
        shown.places += 1;
        found.clone_into(&mut shown.found);
    }
}

impl Drop for ExplainView {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // It removes the view from the terminal. If it has panicked, that was reported.
            let _ = thread.join();
        }
    }
}

fn locked(shown: &Mutex<Shown>) -> MutexGuard<'_, Shown> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

fn draw(view: &mut TerminalView, shown: &Shown, elapsed: Duration) {
    let headline = match shown.place.as_str() {
        "" => "running both, and comparing where they come through".to_owned(),
        place => format!("comparing at {place}"),
    };
    let rate = shown.tests as f64 / elapsed.as_secs_f64().max(0.001);
    let mut details = vec![format!("{}, {rate:.1}/s", count(shown.tests, "test"))];
    details.push(format!("{} compared", count(shown.places, "place")));
    details.extend(remaining(&SearchTime {
        elapsed,
        tests: shown.tests,
        limits: shown.limits,
        ..SearchTime::default()
    }));
    if !shown.found.is_empty() {
        details.push(shown.found.clone());
    }
    view.draw(&ViewContents {
        headline: &headline,
        elapsed,
        details: &details,
        gains: &[],
        tests: shown.tests,
        best: None,
        is_skippable: false,
        request: shown.is_stopped.then_some("stopping, the steps found so far are kept"),
    });
}
