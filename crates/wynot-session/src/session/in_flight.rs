//! Jobs in flight, and attempts whose outcomes have not been used.

use crate::digest::Digest;
use crate::judge::Votes;
use std::sync::Arc;
use std::time::Instant;
use wynot_core::{Attempt, Outcome};
use wynot_subjects::Variant;
use wynot_supervisor::Observation;

/// A submitted job.
pub(crate) struct InFlight {
    pub digest: Digest,
    /// The size of the variant.
    pub bytes: u64,
    pub votes: Votes,
    /// The variant, where the test may have to run more than once.
    pub variant: Option<Arc<Variant>>,
    pub cancelled: bool,
    /// The run and its outcome, while the command that checks the validity of its variant runs.
    pub checked: Option<(Outcome, Observation)>,
    /// When it was first submitted.
    pub started: Instant,
}

/// An attempt whose outcome has not been used yet.
pub(crate) struct Pending<C, N> {
    pub attempt: Attempt<C, N>,
    pub identity: Digest,
    /// The digest of the variant; `None` if the candidate was already decided when the attempt was admitted.
    pub contents: Option<Digest>,
}
