//! The interface of everything that runs tests: jobs go in, completions come out.
//!
//! An executor decides nothing. It runs the jobs that a session submits, in any order and on any machine, and reports
//! the observation of each run. A job that the infrastructure failed to run is *lost*. That is never an outcome: the
//! session resubmits the job. A job whose time ran out, but perhaps only because of the jobs beside it, is *contended*.
//! That is no outcome either: the session submits the job once more, to run alone.

use crate::digest::Digest;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use wynot_subjects::Variant;
use wynot_supervisor::{JobId, Observation, Timeout, plain};

/// One test to run: the specification of the test and the variant that it gets.
///
/// Jobs are `Send` if the specification is, so executors may pass them to other threads and machines.
#[derive(Debug)]
pub struct Job<T> {
    /// The number that the completion refers to.
    pub id: JobId,
    /// The specification of the test, the same for all jobs of a session.
    pub spec: Arc<T>,
    /// The variant that the test gets.
    pub variant: Arc<Variant>,
    /// The digest by which the outcome of the test is known, for executors that cache or share observations.
    pub digest: Digest,
    /// The time limit of the test.
    pub timeout: Timeout,
    /// Whether the job must run while no other one does. It is then never contended.
    pub alone: bool,
}

/// How a job ended.
#[derive(Debug)]
pub enum Completion {
    /// The test has run, with this observation.
    Observed(Box<Observation>),
    /// The job was cancelled before its test had ended.
    Cancelled,
    /// The worker or the connection failed, for this reason. The session resubmits the job.
    Lost(String),
    /// The test exceeded its time limit beside other jobs, which may have slowed it down. The session submits the job
    /// once more, to run alone.
    Contended,
}

/// The result of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submitted {
    /// The job runs or is queued.
    Accepted,
    /// The job must wait for others in flight: there is no disk space for its variant beside theirs, or it must run
    /// alone.
    NoSpace,
}

/// Runs jobs, several at the same time.
pub trait Executor {
    /// The description of a test that this executor needs, such as a command and its limits.
    type Spec;

    /// The number of further jobs that the executor accepts now.
    fn capacity(&self) -> usize;

    /// Submits a job. The caller ensures that [`capacity`](Self::capacity) is not zero.
    fn submit(&mut self, job: Job<Self::Spec>) -> Result<Submitted, ExecutorError>;

    /// Requests the early end of a job. The job still completes, as observed or cancelled.
    fn cancel(&mut self, id: JobId) -> Result<(), ExecutorError>;

    /// Waits until a job completes, the time `until` is reached, or a signal arrives.
    fn wait(&mut self, until: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError>;

    /// Something that the user should know about the jobs in flight, such as trouble for which they wait. It is said once.
    fn remark(&mut self) -> Option<String> {
        None
    }
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

    fn remark(&mut self) -> Option<String> {
        (**self).remark()
    }
}

/// A test could not be run. This is never an outcome: the search ends, and its journal allows it to resume.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecutorError {
    /// The system cannot provide these parts of a sandbox.
    #[error("cannot make a sandbox; this system does not have, or does not permit: {}", .0.join(", "))]
    Sandbox(Vec<String>),
    /// The test runs in a directory that the sandbox hides.
    #[error("the test runs in {}, which the sandbox hides", .0.display())]
    HiddenDirectory(PathBuf),
    /// The system does not permit a process namespace.
    #[error("cannot make a process namespace: {}", plain(.0))]
    CannotIsolate(#[source] io::Error),
    /// The test program cannot be started.
    #[error("cannot run {}: {}", program.display(), plain(source))]
    CannotStart {
        /// The program that cannot be started.
        program: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The private directories cannot be created, filled or cleaned.
    #[error("cannot {action} {}: {}", path.display(), plain(source))]
    Scratch {
        /// The action that failed, as a verb.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The supervisor of the tests has died.
    #[error(
        "the process that supervises the tests has died; the test may have killed, stopped or traced it"
    )]
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
    /// A job was lost each time it was submitted.
    #[error("a test was lost {times} times: {reason}")]
    Lost {
        /// The number of submissions.
        times: u32,
        /// The last reason that the executor gave.
        reason: String,
    },
    /// The service whose workers run the tests cannot be used.
    #[error("cannot run tests at {address}: {reason}")]
    Service {
        /// The address of the service.
        address: String,
        /// Why not.
        reason: String,
    },
    /// A test, or a file that it needs, cannot be sent to workers.
    #[error("cannot run the test on workers: {0}")]
    NotForWorkers(String),
    /// An experiment could not be controlled.
    #[error(transparent)]
    Experiment(Box<dyn std::error::Error + Send + Sync>),
}
