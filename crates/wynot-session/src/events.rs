//! The events of a session, for progress displays, traces and logs.

use serde::{Deserialize, Serialize};
use wynot_core::{Configuration, Label, Outcome};
use wynot_subjects::Variant;

/// One of the two things a search narrows down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The largest configuration known to pass.
    Passing,
    /// The smallest configuration known to fail.
    Failing,
}

/// How many tests there were, and how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Distinct configurations whose outcome the search used.
    pub executed: u64,
    /// Answers to repeated questions.
    pub cached: u64,
    /// Of the executed ones: passed.
    pub pass: u64,
    /// Of the executed ones: failed.
    pub fail: u64,
    /// Of the executed ones: unresolved.
    pub unresolved: u64,
    /// Of the executed ones: had the same bytes as another, so no further process was started.
    pub shared: u64,
    /// Of the executed ones: taken from the journal of an earlier run.
    pub replayed: u64,
    /// Answers that monotony implied, without a test.
    pub implied: u64,
    /// Tests that ran ahead of time and were not needed.
    pub speculative: u64,
}

impl Counts {
    /// These tests and those.
    pub fn and(self, other: &Self) -> Self {
        Self {
            executed: self.executed + other.executed,
            cached: self.cached + other.cached,
            pass: self.pass + other.pass,
            fail: self.fail + other.fail,
            unresolved: self.unresolved + other.unresolved,
            shared: self.shared + other.shared,
            replayed: self.replayed + other.replayed,
            implied: self.implied + other.implied,
            speculative: self.speculative + other.speculative,
        }
    }

    /// Counts a test that was run.
    pub fn add(&mut self, outcome: Outcome) {
        self.executed += 1;
        match outcome {
            Outcome::Pass => self.pass += 1,
            Outcome::Fail => self.fail += 1,
            Outcome::Unresolved => self.unresolved += 1,
        }
    }
}

/// A decisive test: one side has come closer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// How many tests the search had used, this one included.
    pub tests: u64,
    /// Which side has changed.
    pub side: Side,
    /// The size of the new variant.
    pub bytes: u64,
    /// How many deltas its configuration has.
    pub deltas: u64,
    /// How the strategy came to it.
    pub part: String,
    /// The level of the search, from 0.
    pub level: usize,
}

/// Something that happened in a session.
#[derive(Debug)]
pub enum Event<'a> {
    /// The search begins a level, with this many deltas.
    Level {
        /// The number of the level, from 0.
        level: usize,
        /// The name of its deltas, such as `line`.
        unit: Option<&'a str>,
        /// How many deltas it has.
        deltas: usize,
    },
    /// The search used an outcome.
    Tested {
        /// What distinguishes the subject from others of the same search, if there are several.
        question: Option<&'a str>,
        /// What was tested, if it is a set of deltas.
        configuration: Option<&'a Configuration>,
        /// How many deltas, or bytes if it is no set of deltas.
        size: u64,
        /// How the strategy came to it.
        label: Label,
        /// The outcome.
        outcome: Outcome,
        /// Whether the same configuration had been asked about before.
        repeated: bool,
    },
    /// A decisive test.
    Step {
        /// The step.
        step: &'a Step,
        /// The new variant of its side.
        variant: &'a Variant,
    },
    /// A remark about what was found on the way.
    Remark(&'a str),
    /// A moment has passed without an event.
    Tick,
}

/// Receives the events of sessions.
pub trait Listener {
    /// Receives an event; `counts` are the totals of the session so far.
    fn on(&mut self, event: &Event<'_>, counts: &Counts);
}
