//! The processes of a test: the first process and all its descendants.

use super::crash_tracer::CrashTracer;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group, wait,
};
use std::fs;
use std::time::{Duration, Instant};

/// The time after which processes that still exist count as impossible to kill.
const MAX_KILL_TIME: Duration = Duration::from_secs(10);

/// The number of events that are handled before the time limit is checked, since new ones may arrive without end.
const MAX_EVENTS_PER_REAP: usize = 256;

/// The processes of a started test or build.
pub(crate) struct ProcessTree {
    /// The first process.
    leader: Pid,
    /// The exit status of the first process, once it has ended.
    pub status: Option<WaitStatus>,
}

impl ProcessTree {
    pub(crate) fn of(leader: Pid) -> Self {
        Self { leader, status: None }
    }

    /// Reaps dead children, and passes events of traced threads to the tracer. Returns whether children are left.
    pub(crate) fn reap(&mut self, mut tracer: Option<&mut CrashTracer>) -> bool {
        let options =
            if tracer.is_some() { CrashTracer::wait_options() } else { WaitOptions::empty() };
        for _ in 0..MAX_EVENTS_PER_REAP {
            match wait(WaitOptions::NOHANG | options) {
                Ok(Some((pid, status))) => {
                    if pid == self.leader && !status.stopped() {
                        self.status = Some(status);
                    }
                    if let Some(tracer) = &mut tracer {
                        tracer.handle_status(pid, status.as_raw());
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

    /// Kills all processes of the tree. With `grace`, its process group first gets SIGTERM and this much time to end.
    ///
    /// Returns the exit status of the first process; `None` if some process cannot be killed.
    pub(crate) fn kill(
        &mut self,
        grace: Option<Duration>,
        mut tracer: Option<&mut CrashTracer>,
    ) -> Option<WaitStatus> {
        let started = Instant::now();
        if let Some(grace) = grace {
            let _ = kill_process_group(self.leader, Signal::TERM);
            while self.status.is_none() && started.elapsed() < grace {
                if !self.reap(tracer.as_deref_mut()) {
                    return self.status;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        while self.reap(tracer.as_deref_mut()) {
            if started.elapsed() > MAX_KILL_TIME {
                return None;
            }
            if self.status.is_none() {
                let _ = kill_process_group(self.leader, Signal::KILL);
            }
            if let Some(tracer) = &mut tracer {
                tracer.kill_all();
            }
            for child in children() {
                let _ = kill_process(child, Signal::KILL);
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        self.status
    }
}

/// The children of this process, including the orphans of the test.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero().get();
    let listed = fs::read_to_string(format!("/proc/{own}/task/{own}/children"));
    let pids: Vec<i32> = match listed {
        Ok(list) => list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect(),
        Err(_) => {
            let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
            let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            numbers.filter(|pid| parent(*pid) == Some(own)).collect()
        }
    };
    pids.into_iter().filter_map(Pid::from_raw).collect()
}

/// The parent of a process, for systems that do not list children.
fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(1)?.parse().ok()
}
