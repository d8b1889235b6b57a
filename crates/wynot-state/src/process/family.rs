//! The threads and processes of a program that is controlled.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::thread::gettid;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::thread::sleep;
use std::time::Duration;
use wynot_crash::tracee::{self, Event};

/// How long to wait before asking again, at first and at last.
const PATIENCE: [Duration; 2] = [Duration::from_micros(10), Duration::from_millis(1)];

thread_local! {
    /// The threads and processes that are controlled from this thread, and that somebody looks after.
    static KNOWN: RefCell<HashSet<i32>> = RefCell::default();
}

/// Does something with what is known, unless the thread is about to end.
fn known<T: Default>(work: impl FnOnce(&mut HashSet<i32>) -> T) -> T {
    KNOWN.try_with(|known| work(&mut known.borrow_mut())).unwrap_or_default()
}

/// The process that was started, its other threads, and the processes that it has started. All are traced.
pub(super) struct Family {
    pub leader: i32,
    /// All but the leader.
    others: Vec<i32>,
    /// Whether there have ever been others.
    had_others: bool,
    /// Whether there have ever been other threads of the same process.
    had_threads: bool,
    /// Whether the leader has ended and was waited for.
    has_ended: bool,
    /// Stops that were not asked for yet.
    later: Vec<(i32, i32)>,
}

impl Family {
    /// The family of a process that was just started.
    pub(super) fn new(leader: i32) -> Self {
        known(|known| known.insert(leader));
        Self {
            leader,
            others: Vec::new(),
            had_others: false,
            had_threads: false,
            has_ended: false,
            later: Vec::new(),
        }
    }

    /// The family of a copy of a process of this family, which is no member of it any more.
    pub(super) fn branch(&mut self, copy: i32) -> Self {
        self.remove(copy);
        let mut branch = Self::new(copy);
        branch.later = self.later.extract_if(.., |(member, _)| *member == copy).collect();
        branch
    }

    /// Takes in a thread or a process that one of the family has started.
    pub(super) fn add(&mut self, newborn: i32, is_thread: bool) {
        self.had_others = true;
        self.had_threads |= is_thread;
        self.others.push(newborn);
        known(|known| known.insert(newborn));
    }

    /// Forgets a member that has ended, or is looked after by somebody else.
    pub(super) fn remove(&mut self, member: i32) {
        self.others.retain(|other| *other != member);
        known(|known| known.remove(&member));
    }

    pub(super) fn last_added(&self) -> Option<i32> {
        self.others.last().copied()
    }

    /// Whether a member is a thread of the process that was started.
    pub(super) fn is_thread(&self, member: i32) -> bool {
        member == self.leader
            || fs::exists(format!("/proc/{}/task/{member}", self.leader)).unwrap_or(false)
    }

    /// Waits until something happens to one of the family, or until a certain one stops or any ends.
    ///
    /// Only those are asked for: children of this process that have nothing to do with the program belong
    /// to somebody else. The system cannot wait for some, so if there are several they are asked in turn.
    /// A thread is never waited for alone, as a process does not end before the ends of all its threads
    /// are known.
    pub(super) fn wait(&mut self, only: Option<i32>) -> io::Result<(i32, i32)> {
        let is_asked_for = |member| only.is_none_or(|only| only == member);
        let known = self.later.iter().position(|(member, _)| is_asked_for(*member));
        if let Some(stop) = known.map(|index| self.later.remove(index)) {
            return Ok(stop);
        }
        let mut pause = PATIENCE[0];
        loop {
            let alone = if self.others.is_empty() { Some(self.leader) } else { only };
            if let Some(alone) = alone.filter(|_| self.others.is_empty() || !self.had_threads) {
                let status = status(alone, WaitOptions::empty())?;
                return Ok((alone, status.unwrap_or_default()));
            }
            while let Some((member, status)) = self.ask_all()? {
                if is_asked_for(member) || !libc::WIFSTOPPED(status) {
                    return Ok((member, status));
                }
                self.later.push((member, status));
            }
            sleep(pause);
            pause = (2 * pause).min(PATIENCE[1]);
        }
    }

    /// What has happened to one of the family, if anything has.
    fn ask_all(&mut self) -> io::Result<Option<(i32, i32)>> {
        let members: Vec<i32> = self.others.iter().copied().chain([self.leader]).collect();
        for member in members {
            match status(member, WaitOptions::NOHANG) {
                Ok(Some(status)) => return Ok(Some((member, status))),
                Ok(None) => {}
                // Threads vanish without a word when another one becomes a different program.
                Err(_) if member != self.leader => self.remove(member),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Takes note that the leader has ended and was waited for.
    pub(super) fn leader_has_ended(&mut self) {
        self.has_ended = true;
        known(|known| known.remove(&self.leader));
    }

    /// Kills all, and waits until they are dead. Those that were started in the last moment are looked for
    /// if there may be any.
    pub(super) fn end(&mut self, is_suspicious: bool) {
        for member in self.others.iter().chain((!self.has_ended).then_some(&self.leader)) {
            kill(*member);
        }
        // The end of a process is not told before those of its threads.
        while let Some(other) = self.others.pop() {
            self.bury(other);
            known(|known| known.remove(&other));
        }
        if !self.has_ended {
            self.bury(self.leader);
            self.leader_has_ended();
        }
        if is_suspicious || self.had_others {
            self.end_strays();
        }
    }

    /// Waits until one that was killed is dead. It may tell of a last child before.
    fn bury(&mut self, member: i32) {
        while let Ok(Some(status)) = status(member, WaitOptions::empty()) {
            if !libc::WIFSTOPPED(status) {
                return;
            }
            if Event::from_status(status).is_some_and(|event| event != Event::Exec)
                && let Ok(newborn) = tracee::started(member)
            {
                self.others.push(newborn);
                kill(newborn);
            }
            kill(member);
        }
    }

    /// Kills all that is traced from here and that nobody knows of: who is killed while it starts a process
    /// does not tell of it.
    fn end_strays(&mut self) {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let strays: Vec<i32> = numbers
            .filter(|number| !known(|known| known.contains(number)))
            .filter(|number| is_traced_from_here(*number))
            .collect();
        for stray in strays {
            kill(stray);
            self.bury(stray);
        }
    }
}

/// What has happened to a thread, if anything has.
fn status(tid: i32, options: WaitOptions) -> io::Result<Option<i32>> {
    let pid = Pid::from_raw(tid).ok_or(Errno::SRCH)?;
    let options = options | WaitOptions::from_bits_retain(tracee::WAIT_FOR_ALL);
    loop {
        match waitpid(Some(pid), options) {
            Ok(told) => return Ok(told.map(|(_, status)| status.as_raw())),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn kill(member: i32) {
    if let Some(pid) = Pid::from_raw(member) {
        // It may be dead already.
        let _ = kill_process(pid, Signal::KILL);
    }
}

fn is_traced_from_here(pid: i32) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { return false };
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.and_then(|text| text.trim().parse().ok()) == Some(gettid().as_raw_nonzero().get())
}
