//! The observer of a search, and what it receives.

use crate::notes::Notes;
use crate::plan::Plan;
use std::path::Path;
use std::time::Duration;
use wynot_session::judge::Rate;
use wynot_session::{Counts, Event, Listener, Timeout};

/// Receives remarks, the beginning, the events and the end of a search. Only the event handler must be implemented.
pub trait Observer: Listener + Notes + Send {
    /// The first runs are done, and the search begins.
    fn begin(&mut self, start: &SearchStart<'_>) {
        let _ = start;
    }

    /// The passing run has passed, the failing run has failed, and the search for an explanation begins.
    fn begin_explain(&mut self, start: &ExplainStart<'_>) {
        let _ = start;
    }

    /// The search has ended. Displays are removed here, before the result is printed.
    fn end(&mut self) {}
}

/// What is known when a search begins.
#[derive(Debug)]
pub struct SearchStart<'a> {
    /// The plan of the search.
    pub plan: &'a Plan,
    /// How outcomes are judged, in words.
    pub judge: String,
    /// How long a test may take.
    pub timeout: Timeout,
    /// How often the original fails, if that was measured.
    pub rate: Option<Rate>,
    /// The approximate maximum number of runs per variant.
    pub max_runs_per_variant: u32,
    /// How many outcomes are known from earlier runs.
    pub known_outcomes: u64,
    /// The limits of the number of tests and of the time, if there are any.
    pub limits: (Option<u64>, Option<Duration>),
    /// The program of the external rewriting tool, if one is used.
    pub external_tool: Option<&'a Path>,
}

/// What is known when the search for an explanation begins.
#[derive(Debug)]
pub struct ExplainStart<'a> {
    /// How the passing run ends, in words.
    pub passing: String,
    /// How the further passing runs end, in words.
    pub also_passing: Vec<String>,
    /// How the failing run ends, in words.
    pub failing: String,
    /// How many outcomes are known from earlier runs.
    pub known_outcomes: u64,
    /// The directory of the session.
    pub session: &'a Path,
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Listener for Silent {
    fn on(&mut self, _: &Event<'_>, _: &Counts) {}
}

impl Notes for Silent {}

impl Observer for Silent {}

/// Forwards events to a borrowed observer.
pub(crate) struct Forward<'o>(pub &'o mut dyn Observer);

impl Listener for Forward<'_> {
    fn on(&mut self, event: &Event<'_>, counts: &Counts) {
        self.0.on(event, counts);
    }
}
