//! What a resumed search knows: the outcomes of earlier runs, by the digest of the variant.
//!
//! Resuming is replaying. The same deterministic strategy runs again; where an outcome is known, no test is run. There is
//! no saved state that could be wrong.

use crate::digest::Digest;
use crate::judge::{Abort, ObservedFailure};
use crate::record::Record;
use std::collections::{BTreeSet, HashMap};
use wynot_core::Outcome;

/// The outcomes that the records of earlier runs hold.
pub(crate) fn known_outcomes(past: &[Record]) -> HashMap<Digest, KnownOutcome> {
    let mut outcomes = HashMap::new();
    for record in past {
        if let Record::Test(test) = record
            && let Some((digest, outcome)) = test.parse()
        {
            let (crash, summary) = (test.crash.clone(), test.summary.clone());
            let (failure, reason) = (test.failure.clone(), test.reason.clone());
            let known = KnownOutcome::new(Ok(outcome), Origin::EarlierRun);
            let timed_out = test.ending.leaves_failure_open(outcome);
            let mentioned = test.mentioned.clone();
            let known =
                KnownOutcome { timed_out, crash, summary, failure, reason, mentioned, ..known };
            outcomes.insert(digest, known);
        }
    }
    outcomes
}

/// A known outcome and its origin.
#[derive(Clone, Debug)]
pub(crate) struct KnownOutcome {
    /// The outcome, or the test's request to abort the search.
    pub outcome: Result<Outcome, Abort>,
    pub origin: Origin,
    /// The first session that used the outcome.
    pub used_in: Option<u32>,
    /// Whether a second series of runs has confirmed it (only where failure rates are compared).
    pub confirmed: bool,
    /// Whether the test timed out, and that is not the failure.
    pub timed_out: bool,
    /// The name of the observed crash, if any.
    pub crash: Option<String>,
    /// The judge's summary of the run, if it gives one.
    pub summary: Option<String>,
    /// The failure that the run showed, if it failed.
    pub failure: Option<ObservedFailure>,
    /// The reason of an unresolved outcome.
    pub reason: Option<String>,
    /// The names and places that an unresolved run mentioned.
    pub mentioned: BTreeSet<String>,
}

/// The origin of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The journal of an earlier run.
    EarlierRun,
    /// A test of this run, in the session with this number.
    ThisRun(u32),
}

impl KnownOutcome {
    pub(crate) fn new(outcome: Result<Outcome, Abort>, origin: Origin) -> Self {
        let (used_in, confirmed, timed_out) = (None, false, false);
        let (crash, summary, failure, reason) = (None, None, None, None);
        let mentioned = BTreeSet::new();
        Self {
            outcome,
            origin,
            used_in,
            confirmed,
            timed_out,
            crash,
            summary,
            failure,
            reason,
            mentioned,
        }
    }

    /// Whether the outcome costs this session no test, because an earlier run or another session has paid for it.
    pub(crate) fn is_free_for(&self, session: u32) -> bool {
        self.origin == Origin::EarlierRun || self.used_in.is_some_and(|first| first != session)
    }
}
