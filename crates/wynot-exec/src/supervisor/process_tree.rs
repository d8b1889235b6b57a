//! All processes of a test: the one that was started, and whoever it leaves behind.

use super::crash_tracer::CrashTracer;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group, wait,
};
use std::fs;
use std::time::{Duration, Instant};

/// How long to try to kill processes that keep coming back.
const PERSISTENCE: Duration = Duration::from_secs(10);

/// How many events are taken in before looking at the time again: they may come as fast as they go.
const AT_ONCE: usize = 256;

/// The processes of a test that was started.
pub(crate) struct ProcessTree {
    /// The first process.
    leader: Pid,
    /// How it has ended.
    pub status: Option<WaitStatus>,
}

impl ProcessTree {
    pub(crate) fn of(leader: Pid) -> Self {
        Self { leader, status: None }
    }

    /// Collects the children that have died, and lets those go on that have stopped to be looked at;
    /// whether any are left.
    pub(crate) fn reap(&mut self, mut tracer: Option<&mut CrashTracer>) -> bool {
        let all = if tracer.is_some() { CrashTracer::all() } else { WaitOptions::empty() };
        for _ in 0..AT_ONCE {
            match wait(WaitOptions::NOHANG | all) {
                Ok(Some((pid, status))) => {
                    if pid == self.leader && !status.stopped() {
                        self.status = Some(status);
                    }
                    if let Some(tracer) = &mut tracer {
                        tracer.note(pid, status.as_raw());
                    }
                }
                Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
        if let Some(tracer) = tracer {
            tracer.ring();
        }
        true
    }

    /// Kills all processes of the test, the leader and whoever it left behind, and returns how the leader
    /// ended; `None` if some cannot be killed.
    pub(crate) fn end(
        &mut self,
        politely: Option<Duration>,
        mut tracer: Option<&mut CrashTracer>,
    ) -> Option<WaitStatus> {
        let started = Instant::now();
        if let Some(grace) = politely {
            let _ = kill_process_group(self.leader, Signal::TERM);
            while self.status.is_none() && started.elapsed() < grace {
                if !self.reap(tracer.as_deref_mut()) {
                    return self.status;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        while self.reap(tracer.as_deref_mut()) {
            if started.elapsed() > PERSISTENCE {
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

/// The living children of this process, orphans of the test among them.
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

/// The parent of a process, on systems that do not list children.
fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, behind_name) = stat.rsplit_once(')')?;
    behind_name.split_whitespace().nth(1)?.parse().ok()
}
