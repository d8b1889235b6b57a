//! Jobs that are under way, and attempts that wait for their turn.

use crate::digest::Digest;
use crate::judge::Votes;
use std::sync::Arc;
use wynot_core::Attempt;
use wynot_subjects::Variant;

/// A job that is under way.
pub(crate) struct InFlight {
    pub digest: Digest,
    pub votes: Votes,
    pub variant: Arc<Variant>,
    pub cancelled: bool,
    /// How often the job was lost.
    pub lost: u32,
}

/// An attempt whose outcome has not been used yet.
pub(crate) struct Pending<C, N> {
    pub attempt: Attempt<C, N>,
    pub identity: Digest,
    /// The digest of the variant, unless the candidate was decided when the attempt was admitted.
    pub contents: Option<Digest>,
}
