//! The reasons why a session stops.

use crate::executor::ExecutorError;
use crate::judge::Abort;
use std::io;
use std::path::PathBuf;
use wynot_supervisor::plain;

/// Why a session stops before its search is complete.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// The limit of `--max-tests` is reached.
    #[error("the limit of {0} tests is reached")]
    MaxTests(u64),
    /// The limit of `--max-time` is reached.
    #[error("the time limit is reached")]
    MaxTime,
    /// So many tests of a search have decided nothing.
    #[error("{0} tests have decided nothing")]
    Undecided(u64),
    /// The oldest commit of a shallow clone fails.
    #[error("the clone is shallow and has no older commits")]
    Shallow,
    /// The failing side is at most as large as `--until-size`.
    #[error("the result has no more than {0} bytes")]
    SmallEnough(u64),
    /// The user skipped the last checks.
    #[error("the last checks were skipped")]
    Skipped,
    /// A signal or a key press interrupted the search.
    #[error("interrupted")]
    Interrupted,
    /// The test requested the end of the search.
    #[error(transparent)]
    Abort(#[from] Abort),
    /// A test could not be run.
    #[error(transparent)]
    Executor(#[from] ExecutorError),
    /// A file of the session or a result cannot be written.
    #[error("cannot write {}: {}", path.display(), plain(source))]
    Write {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}

impl Stop {
    /// Whether the search has reached a limit.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::MaxTests(_)
                | Self::MaxTime
                | Self::SmallEnough(_)
                | Self::Undecided(_)
                | Self::Shallow
                | Self::Skipped
        )
    }
}
