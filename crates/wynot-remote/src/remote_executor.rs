//! The executor on the workers of a service.
//!
//! Jobs are tasks of an asynchronous runtime, which has a thread of its own; the session sees only their completions. A
//! service that does not answer is asked again. An action without a valid record is lost, and the session submits its job
//! again, which then bypasses the cache. Nothing that the infrastructure does becomes an outcome.

use crate::actions::{Actions, TestKey};
use crate::connection::{Connection, MAX_PAUSE, MIN_PAUSE, connect};
use crate::execution::{ActionRecord, OperationName, PreparedAction, cached_record, execute};
use crate::remote_error::RemoteError;
use crate::remote_options::RemoteOptions;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use wynot_exec::TestSpec;
use wynot_session::{Completion, Executor, ExecutorError, Job, JobId, Submitted, plain};
use wynot_supervisor::runner::worker_facts::WorkerFacts;
use wynot_supervisor::supervisor::Overrun;
use wynot_supervisor::supervisor::protocol::SupervisorReply;

/// How often a job whose service answers others is tried before it is lost.
const MAX_ATTEMPTS: u32 = 20;

/// The time in which operations are cancelled at the end.
const SHUTDOWN_TIME: Duration = Duration::from_secs(2);

/// An executor on the workers of a service.
pub struct Remote {
    actions: Actions,
    connection: Arc<Connection>,
    /// The tasks of jobs. It is an option only to be taken when the executor is dropped.
    runtime: Option<Runtime>,
    completions: Receiver<(JobId, JobEnd)>,
    sender: Sender<(JobId, JobEnd)>,
    jobs: HashMap<JobId, RemoteJob>,
    /// The tests that were lost, and how often. Their jobs bypass the cache.
    lost: HashMap<TestKey, u32>,
    counts: RemoteCounts,
    /// What is known of the worker that sent the last observation.
    worker: Option<WorkerFacts>,
    /// Whether the present trouble with the service was said.
    is_trouble_said: bool,
}

/// The jobs of a remote executor so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemoteCounts {
    /// The observations of workers.
    pub executed: u64,
    /// The observations that the cache of the service answered.
    pub cached: u64,
    /// The jobs that were lost.
    pub lost: u64,
}

/// A job in flight.
struct RemoteJob {
    key: TestKey,
    alone: bool,
    detects_crashes: bool,
    program: PathBuf,
    cancel: Option<oneshot::Sender<()>>,
}

/// How the task of a job ended.
enum JobEnd {
    Recorded(Box<ActionRecord>),
    Cancelled,
    Lost(String),
    /// The search cannot go on.
    Failed(String),
}

impl Remote {
    /// Connects to a service, and checks that it can run tests. An error says why not.
    pub fn new(options: RemoteOptions) -> Result<Self, ExecutorError> {
        let (runtime, connection) = connect(&options, true)?;
        let (sender, completions) = mpsc::channel();
        Ok(Self {
            actions: Actions::new(options, connection.service.has_output_paths),
            connection: Arc::new(connection),
            runtime: Some(runtime),
            completions,
            sender,
            jobs: HashMap::new(),
            lost: HashMap::new(),
            counts: RemoteCounts::default(),
            worker: None,
            is_trouble_said: false,
        })
    }

    /// The jobs so far.
    pub fn counts(&self) -> RemoteCounts {
        self.counts
    }

    /// The paths that a command mentions, and that workers may not have.
    pub fn doubtful_paths(&mut self, spec: &Arc<TestSpec>) -> Result<Vec<PathBuf>, ExecutorError> {
        self.actions.doubtful_paths(spec)
    }

    /// How the worker that sent the last observation differs from this machine, for a test that runs this program.
    pub fn worker_differences(&self, program: &Path) -> Vec<String> {
        let here = WorkerFacts::of_this_machine(program);
        self.worker.as_ref().map(|worker| worker.differences(&here, program)).unwrap_or_default()
    }

    /// The completion that a record stands for.
    fn completion(&mut self, job: &RemoteJob, action: ActionRecord) -> Completion {
        let is_cached = action.is_cached;
        let record = action.record;
        self.worker = Some(record.details.worker);
        match record.reply {
            SupervisorReply::Observed { mut observation, overrun, .. } => {
                match is_cached {
                    true => self.counts.cached += 1,
                    false => self.counts.executed += 1,
                }
                let may_be_contended = match overrun {
                    Overrun::Within | Overrun::Certain => false,
                    Overrun::UnlessContended | Overrun::Doubtful => !job.alone,
                };
                if may_be_contended {
                    return Completion::Contended;
                }
                self.actions.count(job.key);
                self.lost.remove(&job.key);
                observation.read = record.details.read;
                if job.detects_crashes {
                    observation.read_crash_reports();
                }
                Completion::Observed(observation)
            }
            SupervisorReply::CannotStart { errno } => {
                let error = std::io::Error::from_raw_os_error(errno);
                let program = job.program.display();
                self.lose(job, format!("a worker cannot run {program}: {}", plain(&error)))
            }
            SupervisorReply::Immortal => {
                self.lose(job, "processes of a test cannot be killed on a worker".to_owned())
            }
            other => self.lose(job, format!("a supervisor on a worker replies {other:?}")),
        }
    }

    fn lose(&mut self, job: &RemoteJob, reason: String) -> Completion {
        *self.lost.entry(job.key).or_default() += 1;
        self.counts.lost += 1;
        Completion::Lost(reason)
    }
}

impl Executor for Remote {
    type Spec = TestSpec;

    fn capacity(&self) -> usize {
        self.actions.options.jobs.saturating_sub(self.jobs.len())
    }

    fn submit(&mut self, job: Job<TestSpec>) -> Result<Submitted, ExecutorError> {
        if job.alone && !self.jobs.is_empty() {
            return Ok(Submitted::NoSpace);
        }
        let (key, action) = self.actions.prepare(&job)?;
        let lost = self.lost.get(&key).copied().unwrap_or_default();
        let use_cache = self.actions.options.use_cache;
        let (cancel, cancelled) = oneshot::channel();
        let task = JobTask { connection: Arc::clone(&self.connection), action, lost, use_cache };
        let (sender, id) = (self.sender.clone(), job.id);
        if let Some(runtime) = &self.runtime {
            runtime.spawn(async move {
                let end = task.run(cancelled).await;
                // The executor may have been dropped.
                let _ = sender.send((id, end));
            });
        }
        let detects_crashes = job.spec.crashes.is_some();
        let program = job.spec.command.program.clone();
        let (alone, cancel) = (job.alone, Some(cancel));
        self.jobs.insert(id, RemoteJob { key, alone, detects_crashes, program, cancel });
        Ok(Submitted::Accepted)
    }

    fn cancel(&mut self, id: JobId) -> Result<(), ExecutorError> {
        if let Some(cancel) = self.jobs.get_mut(&id).and_then(|job| job.cancel.take()) {
            // The task may have ended.
            let _ = cancel.send(());
        }
        Ok(())
    }

    fn wait(&mut self, until: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        let left = until.saturating_duration_since(Instant::now());
        let (id, end) = match self.completions.recv_timeout(left) {
            Ok(completion) => completion,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(None),
        };
        let Some(job) = self.jobs.remove(&id) else { return Ok(None) };
        let completion = match end {
            JobEnd::Recorded(action) => self.completion(&job, *action),
            JobEnd::Cancelled => Completion::Cancelled,
            JobEnd::Lost(reason) => self.lose(&job, reason),
            JobEnd::Failed(reason) => {
                let address = self.actions.options.address.to_string();
                return Err(ExecutorError::Service { address, reason });
            }
        };
        Ok(Some((id, completion)))
    }

    fn remark(&mut self) -> Option<String> {
        let trouble = self.connection.trouble();
        let was_said = std::mem::replace(&mut self.is_trouble_said, trouble.is_some());
        let address = &self.actions.options.address;
        match trouble {
            Some(reason) if !was_said => Some(format!("waiting for {address}: {reason}")),
            None if was_said => Some(format!("{address} answers again")),
            _ => None,
        }
    }
}

impl Drop for Remote {
    /// Cancels the operations that are still in flight.
    fn drop(&mut self) {
        for job in self.jobs.values_mut() {
            if let Some(cancel) = job.cancel.take() {
                let _ = cancel.send(());
            }
        }
        let deadline = Instant::now() + SHUTDOWN_TIME;
        let mut ended = HashSet::new();
        while ended.len() < self.jobs.len() {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.completions.recv_timeout(left) {
                Ok((id, _)) => ended.insert(id),
                Err(_) => break,
            };
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The task of a job.
struct JobTask {
    connection: Arc<Connection>,
    action: PreparedAction,
    /// How often the job was lost before.
    lost: u32,
    use_cache: bool,
}

impl JobTask {
    /// Runs the action until it is recorded, lost or cancelled.
    async fn run(self, cancelled: oneshot::Receiver<()>) -> JobEnd {
        let name = OperationName::default();
        tokio::select! {
            end = self.try_until_recorded(&name) => end,
            Ok(()) = cancelled => {
                name.cancel(&self.connection.service).await;
                JobEnd::Cancelled
            }
        }
    }

    async fn try_until_recorded(&self, name: &OperationName) -> JobEnd {
        if self.lost > 0 {
            // Another worker may take the job meanwhile.
            tokio::time::sleep((MIN_PAUSE * (1 << self.lost.min(6))).min(MAX_PAUSE)).await;
        }
        let (mut attempts, mut pause) = (0, MIN_PAUSE);
        loop {
            attempts += 1;
            let error = match self.try_once(name).await {
                Ok(record) => {
                    self.connection.note_answer();
                    return JobEnd::Recorded(Box::new(record));
                }
                Err(error) => error,
            };
            let reason = match error {
                RemoteError::NoObservation(reason) => return JobEnd::Lost(reason),
                RemoteError::Refused(reason) => return JobEnd::Failed(reason),
                RemoteError::MissingBlobs(reason) => {
                    self.connection.storage.forget();
                    reason
                }
                RemoteError::Transient(reason) => reason,
            };
            self.connection.note_trouble(&reason);
            if self.connection.silence() > self.connection.patience {
                let waited = self.connection.patience.as_secs();
                return JobEnd::Failed(format!("it has failed for {waited} s: {reason}"));
            }
            if attempts >= MAX_ATTEMPTS {
                return JobEnd::Lost(reason);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// The record from the cache, or of a new execution.
    async fn try_once(&self, name: &OperationName) -> Result<ActionRecord, RemoteError> {
        let Connection { service, storage, .. } = &*self.connection;
        let looks_up = self.use_cache && self.lost == 0;
        if looks_up
            && let Some(record) = cached_record(service, storage, self.action.digest).await?
        {
            return Ok(ActionRecord { record, is_cached: true });
        }
        // What is in the cache now, if anything, is no valid record.
        execute(service, storage, &self.action, true, name).await
    }
}
