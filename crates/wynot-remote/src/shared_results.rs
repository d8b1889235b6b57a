//! An executor on this machine that shares results: a test that a service knows is not run, and those that are run become
//! known there.
//!
//! The result of a test depends on the machine more than that of an action with a platform. Therefore results are shared
//! among machines with the same system and the same program of the test.

use crate::actions::{Actions, TestKey};
use crate::connection::{Connection, connect};
use crate::execution::{PreparedAction, cached_record, share_record};
use crate::remote_error::RemoteError;
use crate::remote_executor::RemoteCounts;
use crate::remote_options::RemoteOptions;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use wynot_exec::TestSpec;
use wynot_session::{Completion, Executor, ExecutorError, Job, JobId, Observation, Submitted};
use wynot_supervisor::runner::worker_facts::WorkerFacts;
use wynot_supervisor::runner::worker_record::{RecordDetails, WorkerRecord};
use wynot_supervisor::supervisor::Overrun;
use wynot_supervisor::supervisor::protocol::SupervisorReply;

/// The longest wait for the tests of this machine while the service is asked for others.
const MAX_WAIT_BESIDE_LOOKUPS: Duration = Duration::from_millis(2);

/// The time in which the last results are shared at the end.
const SHUTDOWN_TIME: Duration = Duration::from_secs(5);

/// An executor whose results are shared through the cache of a service.
pub struct SharedResults<L> {
    inner: L,
    actions: Actions,
    connection: Arc<Connection>,
    runtime: Option<Runtime>,
    answers: Receiver<(JobId, Answer)>,
    sender: Sender<(JobId, Answer)>,
    /// The jobs for which the service is asked.
    asked: HashMap<JobId, AskedJob>,
    /// The jobs that wait for the executor of this machine.
    waiting: VecDeque<JobId>,
    /// The jobs that run on this machine.
    running: HashMap<JobId, (TestKey, PreparedAction, Arc<TestSpec>)>,
    counts: RemoteCounts,
    /// Closed when no result is being shared any more.
    unshared: (Option<Sender<()>>, Receiver<()>),
}

/// A job for which the service is asked, or that waits.
struct AskedJob {
    job: Job<TestSpec>,
    key: TestKey,
    action: PreparedAction,
    is_cancelled: bool,
}

/// The answer of the service.
enum Answer {
    Known(Box<WorkerRecord>),
    Unknown,
    Refused(String),
}

impl<L: Executor<Spec = TestSpec>> SharedResults<L> {
    /// Connects to a service whose results are shared. `program` is that of the test.
    pub fn new(
        inner: L,
        mut options: RemoteOptions,
        program: &Path,
    ) -> Result<Self, ExecutorError> {
        let (runtime, connection) = connect(&options, false)?;
        let here = WorkerFacts::of_this_machine(program);
        let facts = [
            ("wynot-system", here.system.unwrap_or_default()),
            ("wynot-machine", here.machine),
            ("wynot-program", here.program.unwrap_or_default()),
        ];
        options.platform.extend(facts.map(|(name, value)| (name.to_owned(), value)));
        let (sender, answers) = mpsc::channel();
        Ok(Self {
            inner,
            actions: Actions::new(options, connection.service.has_output_paths),
            connection: Arc::new(connection),
            runtime: Some(runtime),
            answers,
            sender,
            asked: HashMap::new(),
            waiting: VecDeque::new(),
            running: HashMap::new(),
            counts: RemoteCounts::default(),
            unshared: {
                let (sender, receiver) = mpsc::channel();
                (Some(sender), receiver)
            },
        })
    }

    /// The executor of this machine.
    pub fn inner(&self) -> &L {
        &self.inner
    }

    /// The jobs so far.
    pub fn counts(&self) -> RemoteCounts {
        self.counts
    }

    /// Asks the service for the result of an action.
    fn ask(&self, id: JobId, action: &PreparedAction) {
        let (connection, sender) = (Arc::clone(&self.connection), self.sender.clone());
        let (digest, use_cache) = (action.digest, self.actions.options.use_cache);
        let Some(runtime) = &self.runtime else { return };
        runtime.spawn(async move {
            let Connection { service, storage, .. } = &*connection;
            let answer = match use_cache {
                true => match cached_record(service, storage, digest).await {
                    Ok(Some(record)) => Answer::Known(Box::new(record)),
                    Err(RemoteError::Refused(reason)) => Answer::Refused(reason),
                    // Without an answer, the test runs here.
                    Ok(None) | Err(_) => Answer::Unknown,
                },
                false => Answer::Unknown,
            };
            // The executor may have been dropped.
            let _ = sender.send((id, answer));
        });
    }

    /// Handles an answer of the service. Returns the completion of the job if that is known now.
    fn handle(
        &mut self,
        id: JobId,
        answer: Answer,
    ) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        let Some(asked) = self.asked.get(&id) else { return Ok(None) };
        if asked.is_cancelled {
            self.asked.remove(&id);
            return Ok(Some((id, Completion::Cancelled)));
        }
        match answer {
            Answer::Refused(reason) => {
                let address = self.actions.options.address.to_string();
                Err(ExecutorError::Service { address, reason })
            }
            Answer::Known(record) => match record.reply {
                SupervisorReply::Observed { mut observation, .. } => {
                    observation.read = record.details.read;
                    self.actions.count(asked.key);
                    self.asked.remove(&id);
                    self.counts.cached += 1;
                    Ok(Some((id, Completion::Observed(observation))))
                }
                _ => {
                    self.waiting.push_back(id);
                    Ok(None)
                }
            },
            Answer::Unknown => {
                self.waiting.push_back(id);
                Ok(None)
            }
        }
    }

    /// Starts waiting jobs on this machine, as many as it takes. Returns a job that was cancelled meanwhile.
    fn start_waiting(&mut self) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        while let Some(id) = self.waiting.front().copied() {
            let Some(asked) = self.asked.get(&id) else {
                self.waiting.pop_front();
                continue;
            };
            if asked.is_cancelled {
                self.waiting.pop_front();
                self.asked.remove(&id);
                return Ok(Some((id, Completion::Cancelled)));
            }
            if self.inner.capacity() == 0 {
                return Ok(None);
            }
            let Job { spec, variant, digest, timeout, alone, .. } = &asked.job;
            let (spec, variant) = (Arc::clone(spec), Arc::clone(variant));
            let (digest, timeout, alone) = (*digest, *timeout, *alone);
            let job = Job { id, spec, variant, digest, timeout, alone };
            if self.inner.submit(job)? == Submitted::NoSpace {
                return Ok(None);
            }
            self.waiting.pop_front();
            if let Some(AskedJob { job, key, action, .. }) = self.asked.remove(&id) {
                self.running.insert(job.id, (key, action, job.spec));
            }
        }
        Ok(None)
    }

    /// Shares the observation of a test that ran on this machine, with paths as on a worker.
    fn share(
        &mut self,
        key: TestKey,
        action: PreparedAction,
        spec: &Arc<TestSpec>,
        observation: &mut Observation,
    ) -> Result<(), ExecutorError> {
        self.counts.executed += 1;
        self.actions.count(key);
        let template = self.actions.template(spec)?;
        template.hide_paths(&mut observation.stdout);
        template.hide_paths(&mut observation.stderr);
        if !self.actions.options.use_cache {
            return Ok(());
        }
        let details = RecordDetails {
            read: observation.read.clone(),
            worker: WorkerFacts::of_this_machine(&spec.command.program),
        };
        let reply = SupervisorReply::Observed {
            job: JobId(0),
            observation: Box::new(observation.clone()),
            overrun: Overrun::Within,
            own_cpu: Duration::ZERO,
            changed: Vec::new(),
        };
        let record = WorkerRecord { reply, details }.encode();
        let connection = Arc::clone(&self.connection);
        let shared = self.unshared.0.clone();
        if let Some(runtime) = &self.runtime {
            runtime.spawn(async move {
                let Connection { service, storage, .. } = &*connection;
                // A result that cannot be shared is still a result.
                let _ = share_record(service, storage, &action, record).await;
                drop(shared);
            });
        }
        Ok(())
    }
}

impl<L: Executor<Spec = TestSpec>> Executor for SharedResults<L> {
    type Spec = TestSpec;

    fn capacity(&self) -> usize {
        self.inner.capacity().saturating_sub(self.asked.len())
    }

    fn submit(&mut self, job: Job<TestSpec>) -> Result<Submitted, ExecutorError> {
        if job.alone && !(self.asked.is_empty() && self.running.is_empty()) {
            return Ok(Submitted::NoSpace);
        }
        let (key, action) = self.actions.prepare(&job)?;
        self.ask(job.id, &action);
        let (id, is_cancelled) = (job.id, false);
        self.asked.insert(id, AskedJob { job, key, action, is_cancelled });
        Ok(Submitted::Accepted)
    }

    fn cancel(&mut self, id: JobId) -> Result<(), ExecutorError> {
        match self.asked.get_mut(&id) {
            Some(asked) => {
                asked.is_cancelled = true;
                Ok(())
            }
            None => self.inner.cancel(id),
        }
    }

    fn wait(&mut self, until: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        loop {
            while let Ok((id, answer)) = self.answers.try_recv() {
                if let Some(completion) = self.handle(id, answer)? {
                    return Ok(Some(completion));
                }
            }
            if let Some(completion) = self.start_waiting()? {
                return Ok(Some(completion));
            }
            let now = Instant::now();
            if now >= until {
                return Ok(None);
            }
            let is_asking = self.asked.len() > self.waiting.len();
            if self.running.is_empty() {
                let left = until.saturating_duration_since(now);
                if let Ok((id, answer)) = self.answers.recv_timeout(left)
                    && let Some(completion) = self.handle(id, answer)?
                {
                    return Ok(Some(completion));
                }
                continue;
            }
            let limit = if is_asking { until.min(now + MAX_WAIT_BESIDE_LOOKUPS) } else { until };
            let Some((id, mut completion)) = self.inner.wait(limit)? else { continue };
            if let Some((key, action, spec)) = self.running.remove(&id)
                && let Completion::Observed(observation) = &mut completion
            {
                self.share(key, action, &spec, observation)?;
            }
            return Ok(Some((id, completion)));
        }
    }
}

impl<L> Drop for SharedResults<L> {
    /// Lets the last results be shared.
    fn drop(&mut self) {
        self.unshared.0 = None;
        // Nothing is ever sent: the wait ends when the last task has dropped its sender, or when it takes too long.
        let _ = self.unshared.1.recv_timeout(SHUTDOWN_TIME);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
