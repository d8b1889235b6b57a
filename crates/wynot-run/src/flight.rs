//! Tests that run, and what is known of those that have.

use crate::votes::Votes;
use crate::{Abort, Digest};
use wynot_core::Outcome;
use wynot_subjects::Artefact;

/// An outcome and where it comes from.
pub(crate) struct Known {
    /// What the judge said, or that the test asked to end everything.
    pub outcome: Result<Outcome, Abort>,
    /// From the journal of an earlier run.
    pub replayed: bool,
    pub used: bool,
    /// Whether it was asked again, where rates are compared.
    pub confirmed: bool,
    /// The crash that was seen, if any.
    pub crash: Option<String>,
}

impl Known {
    pub(crate) fn new(outcome: Result<Outcome, Abort>, replayed: bool) -> Self {
        Self { outcome, replayed, used: false, confirmed: false, crash: None }
    }
}

/// A test that runs.
pub(crate) struct Flight {
    pub digest: Digest,
    pub bytes: u64,
    pub votes: Votes,
    /// Kept when the test may have to run again.
    pub variant: Option<Artefact>,
    pub cancelled: bool,
}
