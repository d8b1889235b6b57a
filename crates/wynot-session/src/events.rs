//! The events of a session, for progress displays, traces and logs.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use wynot_core::{Configuration, Label, Outcome};
use wynot_subjects::Variant;

/// One of the two sides that a search brings together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The largest configuration known to pass.
    Passing,
    /// The smallest configuration known to fail.
    Failing,
}

/// The number of tests of a session, by outcome and origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Distinct candidates whose outcome the search used.
    pub executed: u64,
    /// Repeated candidates, answered from the session's memory.
    pub cached: u64,
    /// Executed tests that passed.
    pub pass: u64,
    /// Executed tests that failed.
    pub fail: u64,
    /// Executed tests that were unresolved.
    pub unresolved: u64,
    /// Executed tests that timed out, where that is not the failure. With more time, they might fail.
    #[serde(default)]
    pub timeouts: u64,
    /// Executed tests whose variant equals that of an earlier test, so that no process was started.
    pub shared: u64,
    /// Executed tests whose outcome comes from the journal of an earlier run.
    pub replayed: u64,
    /// Outcomes that monotony implied, without a test.
    pub implied: u64,
    /// Tests that ran ahead of time and were not needed.
    pub speculative: u64,
    /// The runs of all these tests and of those that confirm them, where a test is more than one run; otherwise 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub runs: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Counts {
    /// The sum of two counts, field by field.
    pub fn and(self, other: &Self) -> Self {
        Self {
            executed: self.executed + other.executed,
            cached: self.cached + other.cached,
            pass: self.pass + other.pass,
            fail: self.fail + other.fail,
            unresolved: self.unresolved + other.unresolved,
            timeouts: self.timeouts + other.timeouts,
            shared: self.shared + other.shared,
            replayed: self.replayed + other.replayed,
            implied: self.implied + other.implied,
            speculative: self.speculative + other.speculative,
            runs: self.runs + other.runs,
        }
    }

    /// Counts an executed test; `timed_out` says whether it timed out, where that is not the failure.
    pub fn add(&mut self, outcome: Outcome, timed_out: bool) {
        self.executed += 1;
        self.timeouts += u64::from(timed_out);
        match outcome {
            Outcome::Pass => self.pass += 1,
            Outcome::Fail => self.fail += 1,
            Outcome::Unresolved => self.unresolved += 1,
        }
    }
}

/// A decisive test, which replaced one of the sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The number of tests of the search so far, including this one.
    pub tests: u64,
    /// The side that was replaced.
    pub side: Side,
    /// The size of the new variant in bytes.
    pub bytes: u64,
    /// The number of deltas of the new candidate.
    pub deltas: u64,
    /// The label that the strategy gave to the attempt.
    pub part: String,
    /// The level of the search, from 0.
    pub level: usize,
}

/// A part of a search: one cause after another, or commits and then the lines of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchPart {
    /// What is searched, such as "cause 2".
    pub name: String,
    /// The noun for its deltas, such as "option".
    pub noun: String,
    /// The number of tests before it.
    pub tests: u64,
    /// The number of deltas from which it starts.
    pub deltas: u64,
    /// The size of the failing side from which it starts, in bytes.
    pub bytes: u64,
}

/// An event of a session.
#[derive(Debug)]
pub enum Event<'a> {
    /// The search enters a level.
    Level {
        /// The number of the level, from 0.
        level: usize,
        /// The name of its deltas, such as `line`.
        unit: Option<&'a str>,
        /// The number of deltas at this level.
        deltas: usize,
    },
    /// The search used an outcome.
    Tested {
        /// The name of the subject, if the search has several; see [`Compose::question`](crate::Compose::question).
        question: Option<&'a str>,
        /// The candidate, if it is a configuration.
        configuration: Option<&'a Configuration>,
        /// The name of the version that the candidate stands for, if it is one of a row.
        version: Option<&'a str>,
        /// The size of the candidate, as [`Compose::deltas`](crate::Compose::deltas) counts it.
        size: u64,
        /// The label that the strategy gave to the attempt.
        label: Label,
        /// The outcome.
        outcome: Outcome,
        /// Whether no test was counted: the candidate was decided before, or monotony implied the outcome.
        repeated: bool,
    },
    /// A decisive test.
    Step {
        /// The step.
        step: &'a Step,
        /// The new variant of the side.
        variant: &'a Variant,
    },
    /// Where the search stands, in words.
    Place(&'a str),
    /// A remark about what was found on the way.
    Remark(&'a str),
    /// A part of the search begins.
    Part(&'a SearchPart),
    /// Some time has passed without an event.
    Tick {
        /// The number of tests that run now.
        running: usize,
        /// How long the one of them has run that was started first.
        longest: Duration,
    },
}

/// Receives the events of sessions.
pub trait Listener {
    /// Handles an event; `counts` are the totals of the search so far.
    fn on(&mut self, event: &Event<'_>, counts: &Counts);
}
