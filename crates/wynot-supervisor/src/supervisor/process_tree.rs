//! The processes of a test: the first process and all its descendants.

use super::crash_tracer::CrashTracer;
use super::descendants;
use super::process_namespace::kill_all_others;
use super::reaped_child::wait_for_child;
use super::test_time::TestClock;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// The time that a test may use between SIGTERM and SIGKILL if it has timed out or was cancelled.
const TERMINATION_GRACE: Duration = Duration::from_millis(200);

/// The time after which processes that still exist count as impossible to kill.
pub(crate) const MAX_KILL_TIME: Duration = Duration::from_secs(60);

/// The number of events that are handled before the time limit is checked, since new ones may arrive without end.
const MAX_EVENTS_PER_REAP: usize = 256;

/// The processes of a started test or build.
pub(crate) struct ProcessTree {
    /// The first process.
    leader: Pid,
    /// The exit status of the first process, once it has ended.
    pub status: Option<ExitStatus>,
    /// The peak of the resident memory of its largest process so far, in bytes.
    pub peak_memory: u64,
    /// Whether the supervisor is the first process of a process namespace, so that all others belong to the test.
    in_namespace: bool,
}

impl ProcessTree {
    pub(crate) fn new(leader: Pid, in_namespace: bool) -> Self {
        Self { leader, status: None, peak_memory: 0, in_namespace }
    }

    /// Reaps dead children, and passes events of traced threads to the tracer. Returns whether children are left.
    pub(crate) fn reap(&mut self, mut tracer: Option<&mut CrashTracer>) -> bool {
        let options =
            if tracer.is_some() { CrashTracer::wait_options() } else { WaitOptions::empty() };
        for _ in 0..MAX_EVENTS_PER_REAP {
            match wait_for_child(WaitOptions::NOHANG | options) {
                Ok(Some(child)) => {
                    if child.has_ended() {
                        self.peak_memory = self.peak_memory.max(child.peak_memory);
                    }
                    if child.pid == self.leader && child.has_ended() {
                        self.status = Some(child.status);
                    }
                    if let Some(tracer) = &mut tracer {
                        tracer.handle_status(child.pid, child.status.into_raw());
                    }
                }
                Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
        if let Some(tracer) = tracer {
            tracer.wake_up();
        }
        true
    }

    /// Kills all processes of the tree. With a clock, its process group first gets SIGTERM and some time to end.
    ///
    /// Returns the exit status of the first process; `None` if some process cannot be killed.
    pub(crate) fn kill(
        &mut self,
        grace: Option<&mut TestClock>,
        mut tracer: Option<&mut CrashTracer>,
    ) -> Option<ExitStatus> {
        if let Some(clock) = grace
            && !self.terminate(clock, tracer.as_deref_mut())
        {
            return self.status;
        }
        let started = Instant::now();
        while self.reap(tracer.as_deref_mut()) {
            if started.elapsed() > MAX_KILL_TIME {
                return None;
            }
            if let Some(tracer) = &mut tracer {
                tracer.kill_all();
            }
            match self.in_namespace {
                true => kill_all_others(),
                false => descendants::kill_all(),
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        self.status
    }

    /// Sends SIGTERM to the process group, and waits until its first process has ended or the grace time is used up.
    /// Returns whether children are left.
    fn terminate(&mut self, clock: &mut TestClock, mut tracer: Option<&mut CrashTracer>) -> bool {
        let _ = kill_process_group(self.leader, Signal::TERM);
        clock.start();
        let mut first_sample = None;
        while self.status.is_none() {
            if !self.reap(tracer.as_deref_mut()) {
                return false;
            }
            if clock.time_to_sample().is_zero() {
                clock.sample();
                let since = first_sample.get_or_insert_with(|| clock.used());
                if clock.used().exceeds(since, TERMINATION_GRACE) {
                    break;
                }
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }
}
