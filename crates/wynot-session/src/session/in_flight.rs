//! Jobs in flight, and attempts whose outcomes have not been used.

use crate::digest::Digest;
use crate::judge::Votes;
use std::sync::Arc;
use wynot_core::Attempt;
use wynot_subjects::Variant;

/// A submitted job.
pub(crate) struct InFlight {
    pub digest: Digest,
    pub votes: Votes,
    pub variant: Arc<Variant>,
    pub cancelled: bool,
    /// The number of times that the executor lost the job.
    pub lost: u32,
}

/// An attempt whose outcome has not been used yet.
pub(crate) struct Pending<C, N> {
    pub attempt: Attempt<C, N>,
    pub identity: Digest,
    /// The digest of the variant; `None` if the candidate was already decided when the attempt was admitted.
    pub contents: Option<Digest>,
}
