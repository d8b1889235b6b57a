//! The seam to everything that runs tests: jobs go in, completions come out.
//!
//! An executor decides nothing. It runs the jobs that a session submits, in any order and anywhere, and reports
//! what each run showed. A job that could not be observed for reasons of the infrastructure is *lost*, which is
//! never an outcome: the session submits it again.

use crate::digest::Digest;
use crate::observation::Observation;
use crate::system_error::plain;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wynot_subjects::Variant;

/// The number of a job; a session never uses one twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub u64);

/// One test to run: what is run (`spec`), and what it is given (`variant`).
///
/// Jobs are `Send` if the specification is, so executors may hand them to other threads and machines.
#[derive(Debug)]
pub struct Job<T> {
    /// The number under which the completion is reported.
    pub id: JobId,
    /// The test, the same for all jobs of a session.
    pub spec: Arc<T>,
    /// The variant that the test is given.
    pub variant: Arc<Variant>,
    /// The digest of the variant, for executors that remember or share results.
    pub digest: Digest,
    /// How long the test may take.
    pub timeout: Duration,
}

/// How a job came to its end.
#[derive(Debug)]
pub enum Completion {
    /// The test has run, and this is what it showed.
    Observed(Observation),
    /// The job was cancelled before its test had ended.
    Cancelled,
    /// Nothing is known about the test: the worker or the connection failed. The session submits the job again.
    Lost(String),
}

/// The answer to a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submitted {
    /// The job runs or waits for its turn.
    Accepted,
    /// There is no space for the variant as long as other jobs are under way.
    NoSpace,
}

/// Runs jobs, several at the same time.
pub trait Executor {
    /// What describes a test to this executor: a command and its limits, for instance.
    type Spec;

    /// How many more jobs the executor accepts now.
    fn capacity(&self) -> usize;

    /// Submits a job. The caller has made sure that there is capacity.
    fn submit(&mut self, job: Job<Self::Spec>) -> Result<Submitted, ExecutorError>;

    /// Asks for the early end of a job. The job is still reported, observed or cancelled.
    fn cancel(&mut self, id: JobId) -> Result<(), ExecutorError>;

    /// Waits until a job is complete, the moment has come, or a signal has arrived.
    fn wait(&mut self, until: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError>;
}

impl<E: Executor> Executor for &mut E {
    type Spec = E::Spec;

    fn capacity(&self) -> usize {
        (**self).capacity()
    }

    fn submit(&mut self, job: Job<Self::Spec>) -> Result<Submitted, ExecutorError> {
        (**self).submit(job)
    }

    fn cancel(&mut self, id: JobId) -> Result<(), ExecutorError> {
        (**self).cancel(id)
    }

    fn wait(&mut self, until: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        (**self).wait(until)
    }
}

/// A test could not be run. This is never an outcome: the search ends, with nothing lost.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecutorError {
    /// The system does not permit a sandbox.
    #[error("cannot make a sandbox: {}", plain(.0))]
    Sandbox(#[source] io::Error),
    /// The test program cannot be started.
    #[error("cannot run {}: {}", program.display(), plain(source))]
    CannotStart {
        /// The program that was to be started.
        program: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The private directories cannot be made, filled or cleaned.
    #[error("cannot {action} {}: {}", path.display(), plain(source))]
    Scratch {
        /// The action that failed, as a verb.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The supervisor of the tests is gone.
    #[error("the process that supervises the tests has died; the test may have killed it")]
    SupervisorDied,
    /// The supervisor could not be started, or the connection to it failed.
    #[error("cannot communicate with the process that supervises the tests: {}", plain(.0))]
    Supervisor(#[source] io::Error),
    /// The system does not permit tracing, which crash detection needs.
    #[error("cannot detect crashes, the system does not permit processes to be traced: {}", plain(.0))]
    CannotTrace(#[source] io::Error),
    /// Processes of a test survive SIGKILL.
    #[error("processes of a test cannot be killed; they keep forking or hang in the kernel")]
    Immortal,
    /// A job was lost again and again.
    #[error("a test was lost {times} times: {reason}")]
    Lost {
        /// How often it was submitted.
        times: u32,
        /// The last reason that the executor gave.
        reason: String,
    },
    /// An experiment could not be controlled.
    #[error(transparent)]
    Experiment(Box<dyn std::error::Error + Send + Sync>),
}
