//! What can go wrong outside the algorithms.

use crate::Abort;
use std::io;
use std::path::PathBuf;

/// A test could not be run. Never an outcome: the run ends here, with nothing lost.
#[derive(Debug, thiserror::Error)]
pub enum ExecutorError {
    /// The system does not let wynot make a sandbox.
    #[error("cannot make a sandbox: {}", plain(.0))]
    Sandbox(#[source] io::Error),
    /// The test program cannot be started.
    #[error("cannot run {}: {}", program.display(), plain(source))]
    CannotStart {
        /// What was to be started.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The private directories cannot be made, filled or cleaned.
    #[error("cannot {action} {}: {}", path.display(), plain(source))]
    Scratch {
        /// What was attempted.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The process that starts and watches the tests is gone.
    #[error("the process that watches the tests has died; the test may have killed it")]
    SupervisorDied,
    /// That process could not be started or talked to.
    #[error("cannot talk to the process that watches the tests: {}", plain(.0))]
    Supervisor(#[source] io::Error),
    /// The system does not let processes be traced, which is how crashes are looked at.
    #[error("cannot look at crashes, the system does not let processes be traced: {}", plain(.0))]
    CannotTrace(#[source] io::Error),
    /// Processes of a test survive being killed.
    #[error("processes of a test cannot be killed; they keep forking or hang in the kernel")]
    Immortal,
}

/// Why a session gives no more answers.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// The limit of `--max-tests` is reached.
    #[error("the limit of {0} tests is reached")]
    MaxTests(u64),
    /// The limit of `--max-time` is reached.
    #[error("the time limit is reached")]
    MaxTime,
    /// The failing side is as small as `--until-size` asks.
    #[error("the result has no more than {0} bytes")]
    SmallEnough(u64),
    /// Somebody wanted the last checks to be skipped.
    #[error("the last checks were skipped")]
    Skipped,
    /// A signal or a key asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The test asked to stop.
    #[error(transparent)]
    Abort(#[from] Abort),
    /// A test could not be run.
    #[error(transparent)]
    Executor(#[from] ExecutorError),
    /// A file of the session or a result cannot be written.
    #[error("cannot write {}: {}", path.display(), plain(source))]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// The system's words without the number behind them.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    let mut characters = words.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => text,
    }
}
