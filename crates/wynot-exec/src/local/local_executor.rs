//! The executor over supervisor processes on this machine.

use super::local_options::LocalOptions;
use super::scratch;
use super::slot::Slot;
use crate::spec::TestSpec;
use crate::supervisor::protocol::{Reply, Request, Run, receive};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::collections::HashMap;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use wynot_session::files::size_of_tree;
use wynot_session::{Completion, Executor, ExecutorError, Job, JobId, Submitted};

/// An executor over supervisor processes on this machine.
///
/// A slot serves one test specification at a time. A job with another one makes the slot start over.
pub struct Local {
    options: LocalOptions,
    slots: Vec<Slot>,
    /// The slot and the private directory of each job under way.
    jobs: HashMap<JobId, (usize, usize)>,
    /// How long tests have taken lately.
    usual_duration: Duration,
    /// Removed when dropped, after the slots.
    scratch: TempDir,
}

/// Tests shorter than this wait for the next request longer than is worth it.
const SHORT_TEST: Duration = Duration::from_millis(5);

/// Space for what tests write, for each slot, in bytes.
const SPACE_PER_SLOT: u64 = 16 << 20;

impl Local {
    /// Starts the supervisors, ready for a test.
    pub fn new(options: LocalOptions, spec: &Arc<TestSpec>) -> Result<Self, ExecutorError> {
        let project = spec.project.as_deref().map_or(0, size_of_tree);
        let needed = (spec.variant_size * 4 + project + SPACE_PER_SLOT) * options.jobs as u64;
        let scratch = scratch::create(options.scratch.as_deref(), needed)?;
        let slots = (0..options.jobs).map(|index| Slot::new(&options, spec, scratch.path(), index));
        let slots = slots.collect::<Result<Vec<_>, _>>()?;
        for slot in &slots {
            slot.wait_until_ready()?;
        }
        let (jobs, usual_duration) = (HashMap::new(), SHORT_TEST);
        Ok(Self { options, slots, jobs, usual_duration, scratch })
    }

    /// Processor time that the supervisors themselves have used.
    pub fn own_cpu(&self) -> Duration {
        self.slots.iter().map(|slot| slot.own_cpu).sum()
    }

    /// How many tests a slot takes at the moment.
    fn depth(&self) -> usize {
        if self.usual_duration < SHORT_TEST { 2 } else { 1 }
    }

    /// Makes an idle slot ready for another test.
    fn restart_slot(&mut self, index: usize, spec: &Arc<TestSpec>) -> Result<(), ExecutorError> {
        self.slots[index].end();
        // The last supervisor to end removes the directory around those of the slots.
        let path = self.scratch.path();
        std::fs::create_dir_all(path).map_err(|source| {
            let path = path.to_owned();
            ExecutorError::Scratch { action: "make", path, source }
        })?;
        let slot = Slot::new(&self.options, spec, path, index)?;
        slot.wait_until_ready()?;
        self.slots[index] = slot;
        Ok(())
    }

    /// Takes note that a job has ended; the paths that its output must not show.
    fn free(&mut self, id: JobId, disturbed: &[PathBuf]) -> Option<[PathBuf; 2]> {
        let (slot, dir) = self.jobs.remove(&id)?;
        let slot = &mut self.slots[slot];
        let dir = &mut slot.test_dirs[dir];
        dir.release(disturbed);
        Some([dir.path.clone(), slot.temp.clone()])
    }
}

impl Executor for Local {
    type Spec = TestSpec;

    fn capacity(&self) -> usize {
        let depth = self.depth();
        let free = |slot: &Slot| depth.min(slot.test_dirs.len()).saturating_sub(slot.tests());
        self.slots.iter().map(free).sum()
    }

    fn submit(&mut self, job: Job<TestSpec>) -> Result<Submitted, ExecutorError> {
        let busy = !self.jobs.is_empty();
        let least = (0..self.slots.len()).min_by_key(|index| self.slots[*index].tests());
        let index = least.expect("there is at least one slot");
        if !Arc::ptr_eq(&self.slots[index].spec, &job.spec) {
            if self.slots[index].tests() > 0 {
                return Ok(Submitted::NoSpace);
            }
            self.restart_slot(index, &job.spec)?;
        }
        let slot = &mut self.slots[index];
        let free = slot.test_dirs.iter().position(|dir| dir.job.is_none());
        let dir = free.expect("the caller makes sure that there is capacity");
        let test_dir = &mut slot.test_dirs[dir];
        let call = match test_dir.place(&job.variant, job.spec.mode) {
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
        let run = Run { job: job.id, test_dir: dir as u8, timeout: job.timeout, call };
        slot.ask(&Request::Run(run))?;
        self.jobs.insert(job.id, (index, dir));
        Ok(Submitted::Accepted)
    }

    fn cancel(&mut self, id: JobId) -> Result<(), ExecutorError> {
        match self.jobs.get(&id) {
            Some((slot, _)) => self.slots[*slot].ask(&Request::Cancel(id)),
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
        let Some(slot) = ready.map(|index| &mut self.slots[index]) else { return Ok(None) };
        let frame = receive(&slot.socket).map_err(ExecutorError::Supervisor)?;
        let frame = frame.ok_or(ExecutorError::SupervisorDied)?;
        match Reply::decode(&frame).map_err(ExecutorError::Supervisor)? {
            Reply::Observed { job, mut observation, own_cpu, disturbed } => {
                slot.own_cpu = own_cpu;
                self.usual_duration = (self.usual_duration * 7 + observation.elapsed) / 8;
                let disturbed: Vec<PathBuf> = disturbed.iter().map(|path| path.path()).collect();
                let Some(paths) = self.free(job, &disturbed) else { return Ok(None) };
                for output in [&mut observation.stdout, &mut observation.stderr] {
                    for path in &paths {
                        let before = output.kept.len();
                        output.kept = without_path(std::mem::take(&mut output.kept), path);
                        output.total -= (before - output.kept.len()) as u64;
                    }
                }
                Ok(Some((job, Completion::Observed(observation))))
            }
            Reply::Cancelled { job, disturbed } => {
                let disturbed: Vec<PathBuf> = disturbed.iter().map(|path| path.path()).collect();
                Ok(self.free(job, &disturbed).map(|_| (job, Completion::Cancelled)))
            }
            Reply::CannotStart { errno } => {
                let source = io::Error::from_raw_os_error(errno);
                let program = slot.spec.command.program.clone();
                Err(ExecutorError::CannotStart { program, source })
            }
            Reply::Scratch { action, errno } => Err(slot.scratch_error(action, errno)),
            Reply::Immortal => Err(ExecutorError::Immortal),
            Reply::Ready | Reply::CannotTrace { .. } => Ok(None),
        }
    }
}

impl Drop for Local {
    /// Closing the sockets ends the supervisors, which end their tests and clean up.
    fn drop(&mut self) {
        self.slots.iter_mut().for_each(Slot::end);
    }
}

fn is_out_of_space(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// What a test printed, with the private directory of the test written as `.`: outputs must not depend on the slot.
fn without_path(output: Vec<u8>, dir: &Path) -> Vec<u8> {
    let path = dir.as_os_str().as_bytes();
    if output.len() < path.len() {
        return output;
    }
    let mut result = Vec::with_capacity(output.len());
    let mut at = 0;
    while at < output.len() {
        if output[at] == path[0] && output[at..].starts_with(path) {
            result.push(b'.');
            at += path.len();
        } else {
            result.push(output[at]);
            at += 1;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_do_not_show_the_slot() {
        let dir = Path::new("/dev/shm/wynot-abc/003");
        let output = b"/dev/shm/wynot-abc/003/x.c:1: error in /dev/shm\n".to_vec();
        assert_eq!(without_path(output, dir), b"./x.c:1: error in /dev/shm\n");
    }
}
