//! The threads and processes of a program that are traced.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::thread::gettid;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::thread::sleep;
use std::time::Duration;
use wynot_process::ptrace::{self, TraceEvent};

/// The first pause between two rounds of polling; it doubles with every round.
const MIN_POLL_INTERVAL: Duration = Duration::from_micros(10);

/// The longest pause between two rounds of polling.
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(1);

thread_local! {
    /// The threads and processes that are traced from this thread and belong to some [`Tracees`].
    static KNOWN: RefCell<HashSet<i32>> = RefCell::default();
}

/// Uses the set of known threads and processes, unless this thread is about to end.
fn with_known<T: Default>(work: impl FnOnce(&mut HashSet<i32>) -> T) -> T {
    KNOWN.try_with(|known| work(&mut known.borrow_mut())).unwrap_or_default()
}

/// The process that was started (the leader), its other threads, and the processes that it has started.
pub(crate) struct Tracees {
    pub(crate) leader: i32,
    /// All except for the leader, in the order in which they were started.
    others: Vec<i32>,
    /// Whether there have ever been others.
    had_others: bool,
    /// The threads of the leader's process that were ever started, the leader first.
    threads: Vec<i32>,
    /// Whether the leader has ended and was waited for.
    has_ended: bool,
    /// Stops that `wait` has reported before they were wanted, with their status.
    early_stops: Vec<(i32, i32)>,
}

impl Tracees {
    /// The tracees of a process that was just started.
    pub(crate) fn new(leader: i32) -> Self {
        with_known(|known| known.insert(leader));
        Self {
            leader,
            others: Vec::new(),
            had_others: false,
            threads: vec![leader],
            has_ended: false,
            early_stops: Vec::new(),
        }
    }

    /// Takes a fork of the leader out of these tracees. It becomes the leader of its own.
    pub(crate) fn split_off(&mut self, fork: i32) -> Self {
        self.remove(fork);
        let mut own = Self::new(fork);
        own.early_stops = self.early_stops.extract_if(.., |(tid, _)| *tid == fork).collect();
        own
    }

    /// Adds a thread or a process that was just started.
    pub(crate) fn add(&mut self, tid: i32, is_thread: bool) {
        self.had_others = true;
        self.threads.extend(is_thread.then_some(tid));
        self.others.push(tid);
        with_known(|known| known.insert(tid));
    }

    /// Removes a thread or process that has ended or is no longer traced here.
    pub(crate) fn remove(&mut self, tid: i32) {
        self.others.retain(|other| *other != tid);
        with_known(|known| known.remove(&tid));
    }

    pub(crate) fn last_added(&self) -> Option<i32> {
        self.others.last().copied()
    }

    /// Whether other processes are traced.
    pub(crate) fn has_processes(&self) -> bool {
        self.others.iter().any(|tid| !self.threads.contains(tid))
    }

    /// Whether the leader's process has ever had other threads.
    pub(crate) fn had_threads(&self) -> bool {
        self.threads.len() > 1
    }

    /// The number of a thread of the leader's process, in the order in which they were started; the leader has 1.
    pub(crate) fn thread_number(&self, tid: i32) -> usize {
        self.threads.iter().rposition(|thread| *thread == tid).map_or(1, |index| index + 1)
    }

    /// The threads of the leader's process that have not ended, the leader first.
    pub(crate) fn threads(&self) -> impl Iterator<Item = i32> {
        let is_alive = |tid: &&i32| **tid == self.leader || self.others.contains(tid);
        self.threads.iter().filter(is_alive).copied()
    }

    /// The threads of the leader's process that were ever started, the leader first.
    pub(crate) fn thread_ids(&self) -> &[i32] {
        &self.threads
    }

    /// Whether a tracee is a thread of the leader's process.
    pub(crate) fn is_thread(&self, tid: i32) -> bool {
        tid == self.leader
            || fs::exists(format!("/proc/{}/task/{tid}", self.leader)).unwrap_or(false)
    }

    /// Waits until any tracee stops or ends; or, with `only`, until that one stops or any ends. Returns its
    /// number and its status.
    ///
    /// Other children of this process are left alone. The system cannot wait for some children only, so
    /// several tracees are polled in turn. A single thread among several is never waited for, because a process
    /// does not end before the ends of all its threads have been waited for.
    pub(crate) fn wait(&mut self, only: Option<i32>) -> io::Result<(i32, i32)> {
        loop {
            if let Some(report) = self.wait_for(only, Duration::MAX)? {
                return Ok(report);
            }
        }
    }

    /// [Waits](Self::wait), if there are several tracees for at most about this time.
    pub(crate) fn wait_for(
        &mut self,
        only: Option<i32>,
        time: Duration,
    ) -> io::Result<Option<(i32, i32)>> {
        let is_wanted = |tid| only.is_none_or(|only| only == tid);
        let early = self.early_stops.iter().position(|(tid, _)| is_wanted(*tid));
        if let Some(stop) = early.map(|index| self.early_stops.remove(index)) {
            return Ok(Some(stop));
        }
        let (mut interval, mut slept) = (MIN_POLL_INTERVAL, Duration::ZERO);
        while slept < time {
            let single = if self.others.is_empty() { Some(self.leader) } else { only };
            if let Some(tid) = single.filter(|_| self.others.is_empty() || !self.had_threads()) {
                let status = wait_status(tid, WaitOptions::empty())?;
                return Ok(Some((tid, status.unwrap_or_default())));
            }
            while let Some((tid, status)) = self.poll_all()? {
                if is_wanted(tid) || !libc::WIFSTOPPED(status) {
                    return Ok(Some((tid, status)));
                }
                self.early_stops.push((tid, status));
            }
            sleep(interval);
            slept += interval;
            interval = (2 * interval).min(MAX_POLL_INTERVAL);
        }
        Ok(None)
    }

    /// Whether a tracee has stopped or ended. If so, the next [`wait`](Self::wait) reports it.
    pub(crate) fn poll(&mut self, tid: i32) -> io::Result<bool> {
        if !self.early_stops.iter().any(|(stopped, _)| *stopped == tid) {
            match wait_status(tid, WaitOptions::NOHANG) {
                Ok(Some(status)) => self.early_stops.push((tid, status)),
                Ok(None) => return Ok(false),
                Err(_) if tid != self.leader => self.remove(tid),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Takes the status of a tracee that was [found](Self::poll) to have stopped; `None` if it has ended.
    pub(crate) fn take_polled(&mut self, tid: i32) -> Option<i32> {
        let is_stop = |(other, status): &(i32, i32)| *other == tid && libc::WIFSTOPPED(*status);
        let index = self.early_stops.iter().position(is_stop)?;
        Some(self.early_stops.remove(index).1)
    }

    /// Takes the status of a tracee that was [found](Self::poll) to have stopped, if it is one of some. Returns whether it
    /// was.
    pub(crate) fn take_polled_if(&mut self, tid: i32, is_wanted: impl Fn(i32) -> bool) -> bool {
        let before = self.early_stops.len();
        self.early_stops.retain(|(other, status)| *other != tid || !is_wanted(*status));
        self.early_stops.len() < before
    }

    /// The number and status of a tracee that has stopped or ended, if there is one.
    fn poll_all(&mut self) -> io::Result<Option<(i32, i32)>> {
        let all: Vec<i32> = self.others.iter().copied().chain([self.leader]).collect();
        for tid in all {
            match wait_status(tid, WaitOptions::NOHANG) {
                Ok(Some(status)) => return Ok(Some((tid, status))),
                Ok(None) => {}
                // A thread vanishes without a report when another one executes a different program.
                Err(_) if tid != self.leader => self.remove(tid),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Records that the leader has ended and was waited for.
    pub(crate) fn set_leader_ended(&mut self) {
        self.has_ended = true;
        with_known(|known| known.remove(&self.leader));
    }

    /// Kills all tracees and waits until they are dead. Processes that were started in the last moment are
    /// searched for if there have been several tracees, or if `may_have_strays` is set.
    pub(crate) fn kill_all(&mut self, may_have_strays: bool) {
        for tid in self.others.iter().chain((!self.has_ended).then_some(&self.leader)) {
            kill(*tid);
        }
        // The end of a process is reported after those of its threads.
        while let Some(other) = self.others.pop() {
            self.reap(other);
            with_known(|known| known.remove(&other));
        }
        if !self.has_ended {
            self.reap(self.leader);
            self.set_leader_ended();
        }
        if may_have_strays || self.had_others {
            self.kill_strays();
        }
    }

    /// Waits until a tracee that was killed is dead. It may report a last child before.
    fn reap(&mut self, tid: i32) {
        let mut interval = MIN_POLL_INTERVAL;
        while let Ok(report) = wait_status(tid, WaitOptions::NOHANG) {
            let Some(status) = report else {
                reap_threads(tid);
                sleep(interval);
                interval = (2 * interval).min(MAX_POLL_INTERVAL);
                continue;
            };
            if !libc::WIFSTOPPED(status) {
                return;
            }
            if TraceEvent::from_wait_status(status).is_some_and(|event| event != TraceEvent::Exec)
                && let Ok(child) = ptrace::started_child(tid)
            {
                self.others.push(child);
                kill(child);
            }
            kill(tid);
        }
    }

    /// Kills all processes that are traced from here and belong to no tracees: a process that is killed while
    /// it starts another one does not report it.
    fn kill_strays(&mut self) {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let strays: Vec<i32> = numbers
            .filter(|number| !with_known(|known| known.contains(number)))
            .filter(|number| is_traced_from_here(*number))
            .collect();
        for stray in strays {
            kill(stray);
            self.reap(stray);
        }
    }
}

/// The status of a thread that has stopped or ended; `None` if it runs and `NOHANG` is set.
fn wait_status(tid: i32, options: WaitOptions) -> io::Result<Option<i32>> {
    let pid = Pid::from_raw(tid).ok_or(Errno::SRCH)?;
    let options = options | WaitOptions::from_bits_retain(ptrace::WAIT_ALL_THREADS);
    loop {
        match waitpid(Some(pid), options) {
            Ok(report) => return Ok(report.map(|(_, status)| status.as_raw())),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn kill(tid: i32) {
    if let Some(pid) = Pid::from_raw(tid) {
        // It may be dead already.
        let _ = kill_process(pid, Signal::KILL);
    }
}

fn is_traced_from_here(pid: i32) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { return false };
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.and_then(|text| text.trim().parse().ok()) == Some(gettid().as_raw_nonzero().get())
}

/// Waits for the ends of all dead threads of a process but its first. A process that is killed while it starts a thread
/// does not report that thread, and does not end before.
pub(super) fn reap_threads(leader: i32) {
    let threads = fs::read_dir(format!("/proc/{leader}/task")).into_iter().flatten().flatten();
    let numbers = threads.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let options = WaitOptions::NOHANG | WaitOptions::from_bits_retain(ptrace::WAIT_ALL_THREADS);
    for thread in numbers.filter(|number| *number != leader) {
        // One that is gone, or not dead yet, needs nothing.
        let _ = waitpid(Pid::from_raw(thread), options);
    }
}
