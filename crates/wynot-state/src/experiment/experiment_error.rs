//! Why the experiments cannot go on.

use crate::process::ProcessError;

/// An error that ends the whole search.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The stop flag was raised before a run was traced.
    #[error("interrupted")]
    Interrupted,
    /// The time of the search was over before a run was traced, or while it was.
    #[error("the time limit is reached")]
    TimeLimit,
    /// A run could not be started or controlled.
    #[error(transparent)]
    Process(#[from] ProcessError),
}
