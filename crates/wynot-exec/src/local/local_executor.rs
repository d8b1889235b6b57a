//! The executor over supervisor processes on this machine.

use super::local_options::LocalOptions;
use super::slot::Slot;
use crate::scratch_directory::ScratchDirectory;
use crate::spec::TestSpec;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wynot_session::files::size_of_tree;
use wynot_session::{
    Completion, Executor, ExecutorError, Job, JobId, Observation, Submitted, Timeout, names_a_line,
};
use wynot_subjects::Variant;
use wynot_supervisor::hide_path;
use wynot_supervisor::supervisor::Overrun;
use wynot_supervisor::supervisor::protocol::{Run, SupervisorReply, SupervisorRequest};

/// An executor over supervisor processes on this machine.
///
/// A slot serves one test specification at a time. A job with a specification that no slot serves restarts a slot.
pub struct Local {
    options: LocalOptions,
    slots: Vec<Slot>,
    /// The jobs in flight.
    jobs: HashMap<JobId, LocalJob>,
    /// The moving average of the duration of tests.
    mean_duration: Duration,
    /// Whether tests have process namespaces.
    own_processes: bool,
    /// The parts of the sandbox that the system cannot provide.
    missing_parts: Vec<String>,
    /// The directory around the private directories. It is declared after the slots, so it is dropped after them.
    scratch: ScratchDirectory,
}

/// A job in flight.
struct LocalJob {
    /// The index of its slot.
    slot: usize,
    /// The index of its private directory.
    dir: usize,
    /// Whether no other job was in flight since it was submitted.
    is_alone: bool,
    /// The variant and the time limit, if its build may have to be repeated in an empty directory.
    rebuild: Option<(Arc<Variant>, Timeout)>,
}

/// Slots queue a second test if tests take less time than this, because waiting for the next request would be costly.
const SHORT_TEST_DURATION: Duration = Duration::from_millis(5);

/// The disk space that is reserved in each slot for the files that tests write.
const TEST_OUTPUT_BYTES_PER_SLOT: u64 = 16 << 20;

impl Local {
    /// Starts the supervisors and prepares them for a test.
    pub fn new(options: LocalOptions, spec: &Arc<TestSpec>) -> Result<Self, ExecutorError> {
        let project_bytes = spec.project.as_deref().map_or(0, size_of_tree);
        let needed_bytes = (spec.variant_size * 4 + project_bytes + TEST_OUTPUT_BYTES_PER_SLOT)
            * options.jobs as u64;
        let scratch = ScratchDirectory::for_tests(options.scratch.as_deref(), needed_bytes)?;
        let mut executor = Self {
            own_processes: !spec.isolation.shares_processes || spec.isolation.sandbox.is_some(),
            options,
            slots: Vec::new(),
            jobs: HashMap::new(),
            mean_duration: SHORT_TEST_DURATION,
            missing_parts: Vec::new(),
            scratch,
        };
        match executor.start_slots(spec) {
            Err(error) if executor.own_processes && may_do_without(&error, spec) => {
                executor.own_processes = false;
                executor.start_slots(spec)?;
            }
            result => result?,
        }
        Ok(executor)
    }

    /// Starts the slots for the first specification, all at the same time.
    fn start_slots(&mut self, spec: &Arc<TestSpec>) -> Result<(), ExecutorError> {
        self.slots.iter_mut().for_each(Slot::abandon);
        self.slots.clear();
        for index in 0..self.options.jobs {
            let slot = self.new_slot(index, spec)?;
            self.slots.push(slot);
        }
        for slot in &self.slots {
            self.missing_parts = slot.wait_until_ready()?;
        }
        Ok(())
    }

    /// The parts of the sandbox that the system cannot provide, if the sandbox may be partial.
    pub fn missing_parts(&self) -> &[String] {
        &self.missing_parts
    }

    /// Starts as many slots for a further specification, so that jobs of both can alternate without restarts.
    pub fn add_specification(&mut self, spec: &Arc<TestSpec>) -> Result<(), ExecutorError> {
        let first = self.slots.len();
        for index in first..first + self.options.jobs {
            let slot = self.start_slot(index, spec)?;
            self.slots.push(slot);
        }
        Ok(())
    }

    /// The slot for a job with a specification: the least busy one that serves it and has a free directory, or else an idle
    /// one that can be restarted for it.
    fn slot_for(&self, spec: &Arc<TestSpec>) -> Option<usize> {
        let serves = |index: &usize| {
            let slot = &self.slots[*index];
            Arc::ptr_eq(&slot.spec, spec) && slot.tests() < slot.test_dirs.len()
        };
        let serving = (0..self.slots.len()).filter(serves);
        let serving = serving.min_by_key(|index| self.slots[*index].tests());
        // The slots of further specifications stay as they are.
        let mut first_slots = 0..self.options.jobs;
        let is_restartable = |index: &usize| {
            let slot = &self.slots[*index];
            slot.tests() == 0 && !Arc::ptr_eq(&slot.spec, spec)
        };
        match serving {
            Some(index) if self.slots[index].tests() == 0 => Some(index),
            busy => first_slots.find(is_restartable).or(busy),
        }
    }

    /// The directory around the private directories, for other temporary files of the search. It is removed even if this
    /// process is killed.
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// The processor time that the supervisors themselves have used.
    pub fn own_cpu(&self) -> Duration {
        self.slots.iter().map(|slot| slot.own_cpu).sum()
    }

    /// The number of tests that a slot currently accepts.
    fn tests_per_slot(&self) -> usize {
        if self.mean_duration < SHORT_TEST_DURATION { 2 } else { 1 }
    }

    /// Restarts an idle slot for another specification. If that fails, the slot serves the earlier one again.
    fn restart_slot(&mut self, index: usize, spec: &Arc<TestSpec>) -> Result<(), ExecutorError> {
        let earlier = Arc::clone(&self.slots[index].spec);
        match self.start_slot(index, spec) {
            Ok(slot) => {
                self.slots[index] = slot;
                Ok(())
            }
            Err(error) => {
                self.slots[index] = self.start_slot(index, &earlier)?;
                Err(error)
            }
        }
    }

    /// Starts the supervisor of a slot, ends the earlier one if there is one, and waits until the new one is ready.
    fn start_slot(&mut self, index: usize, spec: &Arc<TestSpec>) -> Result<Slot, ExecutorError> {
        let mut slot = self.new_slot(index, spec)?;
        if let Err(error) = slot.wait_until_ready() {
            slot.abandon();
            return Err(error);
        }
        Ok(slot)
    }

    /// Starts the supervisor of a slot.
    fn new_slot(&mut self, index: usize, spec: &Arc<TestSpec>) -> Result<Slot, ExecutorError> {
        let earlier = self.slots.get_mut(index);
        Slot::new(&self.options, spec, &mut self.scratch, index, self.own_processes, earlier)
    }

    /// Whether the build of a job has failed for a reason that may lie in the products of earlier builds: it does not name
    /// a line of the source.
    fn must_rebuild(&self, id: JobId, observation: &Observation) -> bool {
        let may = self.jobs.get(&id).is_some_and(|job| job.rebuild.is_some());
        may && observation.did_not_build() && !names_a_line(observation)
    }

    /// Starts a job once more, in its directory without the products of earlier builds.
    fn rebuild(&mut self, id: JobId) -> Result<(), ExecutorError> {
        let is_only_job = self.jobs.len() == 1;
        let Some(job) = self.jobs.get_mut(&id) else { return Ok(()) };
        let Some((variant, timeout)) = job.rebuild.take() else { return Ok(()) };
        let slot = &mut self.slots[job.slot];
        let dir = &mut slot.test_dirs[job.dir];
        let written = dir.clear().and_then(|()| dir.write(&variant, &slot.spec));
        let call = written.map_err(|source| ExecutorError::Scratch {
            action: "write",
            path: dir.variant.clone(),
            source,
        })?;
        let alone = job.is_alone && is_only_job;
        let run = Run { job: id, test_dir: job.dir as u8, timeout, alone, call };
        slot.send_request(&SupervisorRequest::Run(run))
    }

    /// The files that the test of a job has read, if that was recorded.
    fn files_read(&mut self, id: JobId) -> Option<BTreeSet<PathBuf>> {
        let job = self.jobs.get(&id)?;
        self.slots[job.slot].test_dirs[job.dir].files_read()
    }

    /// Frees the private directory of a job that has ended. Returns the job, and the paths that its output must not
    /// contain.
    fn release(&mut self, id: JobId, changed: &[PathBuf]) -> Option<(LocalJob, [PathBuf; 2])> {
        let job = self.jobs.remove(&id)?;
        let slot = &mut self.slots[job.slot];
        let dir = &mut slot.test_dirs[job.dir];
        dir.release(changed);
        Some((job, [dir.path.clone(), slot.temp.clone()]))
    }
}

impl Executor for Local {
    type Spec = TestSpec;

    fn capacity(&self) -> usize {
        // With several specifications there are more slots than jobs.
        let per_slot = self.tests_per_slot().min(self.slots[0].test_dirs.len());
        (self.options.jobs * per_slot).saturating_sub(self.jobs.len())
    }

    fn submit(&mut self, job: Job<TestSpec>) -> Result<Submitted, ExecutorError> {
        let busy = !self.jobs.is_empty();
        if busy && job.alone {
            return Ok(Submitted::NoSpace);
        }
        let Some(index) = self.slot_for(&job.spec) else { return Ok(Submitted::NoSpace) };
        if !Arc::ptr_eq(&self.slots[index].spec, &job.spec) {
            self.restart_slot(index, &job.spec)?;
        }
        let slot = &mut self.slots[index];
        let free = slot.test_dirs.iter().position(|dir| dir.job.is_none());
        let dir = free.expect("the slot was chosen for its free directory");
        let test_dir = &mut slot.test_dirs[dir];
        let call = match test_dir.write(&job.variant, &job.spec) {
            Ok(call) => call,
            Err(error) if busy && is_out_of_space(&error) => {
                test_dir.remove_partial(&job.variant);
                return Ok(Submitted::NoSpace);
            }
            Err(source) => {
                let path = test_dir.variant.clone();
                return Err(ExecutorError::Scratch { action: "write", path, source });
            }
        };
        test_dir.job = Some(job.id);
        let may_rebuild = job.spec.keeps_products && test_dir.is_reused();
        let rebuild = may_rebuild.then(|| (Arc::clone(&job.variant), job.timeout));
        let alone = job.alone || self.options.jobs == 1;
        let run = Run { job: job.id, test_dir: dir as u8, timeout: job.timeout, alone, call };
        slot.send_request(&SupervisorRequest::Run(run))?;
        if busy {
            self.jobs.values_mut().for_each(|other| other.is_alone = false);
        }
        self.jobs.insert(job.id, LocalJob { slot: index, dir, is_alone: !busy, rebuild });
        Ok(Submitted::Accepted)
    }

    fn cancel(&mut self, id: JobId) -> Result<(), ExecutorError> {
        match self.jobs.get(&id) {
            Some(job) => self.slots[job.slot].send_request(&SupervisorRequest::Cancel(id)),
            None => Ok(()),
        }
    }

    fn wait(&mut self, until: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
        let ready = {
            let mut fds: Vec<PollFd<'_>> =
                self.slots.iter().map(|slot| PollFd::new(&slot.socket, PollFlags::IN)).collect();
            match poll(&mut fds, Some(&left)) {
                Ok(_) => fds.iter().position(|fd| !fd.revents().is_empty()),
                Err(Errno::INTR) => None,
                Err(error) => return Err(ExecutorError::Supervisor(error.into())),
            }
        };
        let Some(index) = ready else {
            return match self.slots.iter().any(Slot::is_stopped) {
                true => Err(ExecutorError::SupervisorDied),
                false => Ok(None),
            };
        };
        let reply = self.slots[index].receive_reply()?;
        if let SupervisorReply::Observed { job: id, observation, .. } = &reply
            && self.must_rebuild(*id, observation)
        {
            return self.rebuild(*id).map(|()| None);
        }
        let slot = &mut self.slots[index];
        match reply {
            SupervisorReply::Observed { job: id, mut observation, overrun, own_cpu, changed } => {
                slot.own_cpu = own_cpu;
                let detects_crashes = slot.spec.crashes.is_some();
                self.mean_duration = (self.mean_duration * 7 + observation.elapsed) / 8;
                let changed: Vec<PathBuf> = changed.iter().map(|path| path.path()).collect();
                observation.read = self.files_read(id);
                let Some((job, paths)) = self.release(id, &changed) else { return Ok(None) };
                let is_contended = match overrun {
                    Overrun::Within | Overrun::Certain => false,
                    Overrun::UnlessContended => !job.is_alone,
                    Overrun::Doubtful => true,
                };
                if is_contended {
                    return Ok(Some((id, Completion::Contended)));
                }
                for output in [&mut observation.stdout, &mut observation.stderr] {
                    for path in &paths {
                        let before = output.kept.len();
                        output.kept = hide_path(std::mem::take(&mut output.kept), path);
                        output.total -= (before - output.kept.len()) as u64;
                    }
                }
                if detects_crashes {
                    observation.read_crash_reports();
                }
                Ok(Some((id, Completion::Observed(observation))))
            }
            SupervisorReply::Cancelled { job, changed } => {
                let changed: Vec<PathBuf> = changed.iter().map(|path| path.path()).collect();
                Ok(self.release(job, &changed).map(|_| (job, Completion::Cancelled)))
            }
            SupervisorReply::CannotStart { errno } => {
                let source = io::Error::from_raw_os_error(errno);
                let program = slot.spec.command.program.clone();
                Err(ExecutorError::CannotStart { program, source })
            }
            SupervisorReply::Scratch { action, errno } => Err(slot.scratch_error(action, errno)),
            SupervisorReply::Immortal => Err(ExecutorError::Immortal),
            SupervisorReply::Ready { .. }
            | SupervisorReply::CannotTrace { .. }
            | SupervisorReply::CannotIsolate { .. }
            | SupervisorReply::Missing(_) => Ok(None),
        }
    }
}

impl Drop for Local {
    /// Ends the supervisors by closing their sockets; they kill their tests and remove their directories.
    fn drop(&mut self) {
        self.scratch.unlock();
        self.slots.iter_mut().for_each(Slot::close);
        self.slots.iter_mut().for_each(Slot::end);
    }
}

/// Whether an error means that the system has no process namespaces, and tests may run without.
fn may_do_without(error: &ExecutorError, spec: &TestSpec) -> bool {
    match error {
        ExecutorError::CannotIsolate(_) => true,
        ExecutorError::Sandbox(_) => {
            spec.isolation.sandbox.as_ref().is_some_and(|sandbox| sandbox.partial)
        }
        _ => false,
    }
}

fn is_out_of_space(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
