//! Resuming the program and waiting for its next stop.

use super::Inferior;
use super::intercept::CallFollowUp;
use crate::process::error::ProcessError;
use crate::process::run_end::ExitStatus;
use crate::process::tracing::breakpoints::Breakpoints;
use crate::process::tracing::thread_turns::TURN_CHECK_INTERVAL;
use std::fs;
use std::io;
use std::time::{Duration, Instant};
use wynot_process::ptrace::{self, TraceEvent};
use wynot_process::{ProcessMemory, Registers};

/// How far to let a thread run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResumeKind {
    /// To the next stop.
    Continue,
    /// By one instruction.
    Step,
}

/// Why a thread has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThreadStop {
    /// This signal is about to be delivered: `SIGTRAP` after a step and at a breakpoint.
    Signal(i32),
    /// The program has ended.
    Ended(ExitStatus),
}

/// What to do with a tracee that has stopped.
enum Reaction {
    /// Report the stop by this signal to the caller.
    Report(i32),
    /// Deliver this signal, if it is not 0, and resume.
    Resume(i32),
    /// Resume until the system call has been made.
    ResumeToSyscallExit,
    /// Resume until the system call has been made; meanwhile other threads may run.
    LetWait,
    /// Resume after all other threads that can go on.
    LetOthersGoFirst,
}

impl Inferior {
    /// Resumes the thread and waits until it, or another thread of the program, stops for a signal. Within
    /// the time limit.
    pub(super) fn resume_thread(
        &mut self,
        kind: ResumeKind,
        signal: i32,
    ) -> Result<ThreadStop, ProcessError> {
        if self.has_ended {
            return Err(ProcessError::Ended);
        }
        let started = Instant::now();
        self.watchdog.start(&self.pidfd, self.tracees.leader, self.time);
        let result = self.resume_and_wait(kind, signal);
        let is_killed = self.watchdog.stop();
        self.time.add(started.elapsed());
        if is_killed || self.time.check().is_none() {
            self.kill(true);
            return Ok(ThreadStop::Ended(ExitStatus::TimedOut));
        }
        if result.is_err() {
            self.kill(true);
        }
        result
    }

    pub(super) fn kill(&mut self, may_have_strays: bool) {
        self.has_ended = true;
        // There is no memory left to remove them from.
        self.breakpoints = Breakpoints::none(self.machine());
        self.tracees.kill_all(may_have_strays);
    }

    fn resume_and_wait(
        &mut self,
        kind: ResumeKind,
        signal: i32,
    ) -> Result<ThreadStop, ProcessError> {
        if self.registers_changed {
            self.registers_changed = false;
            unless_dead(ptrace::set_registers(self.thread, &self.registers.0))?;
        }
        self.resume_current(kind, signal)?;
        loop {
            let only = (kind == ResumeKind::Step).then_some(self.thread);
            let may_take_turns = only.is_none() && self.turns.has_ready();
            let time = if may_take_turns { TURN_CHECK_INTERVAL } else { Duration::MAX };
            let Some((tid, status)) = self.tracees.wait_for(only, time)? else {
                self.check_turn()?;
                continue;
            };
            (self.turn_checks, self.turn_started) = (0, None);
            if !libc::WIFSTOPPED(status) {
                let had_turn = tid == self.thread;
                if let Some(status) = self.record_end(tid, status) {
                    return Ok(ThreadStop::Ended(status));
                }
                if had_turn {
                    self.pass_turn()?;
                }
                continue;
            }
            match self.react(tid, status)? {
                Reaction::Report(signal) | Reaction::Resume(signal) if self.is_out_of_turn(tid) => {
                    self.make_ready(tid, signal)?;
                }
                Reaction::Report(signal) => {
                    self.thread = tid;
                    return Ok(ThreadStop::Signal(signal));
                }
                Reaction::Resume(signal) if tid == self.thread => {
                    self.resume_current(kind, signal)?;
                }
                Reaction::LetOthersGoFirst => {
                    self.turns.add_ready(tid, 0);
                    self.pass_turn()?;
                }
                Reaction::LetWait if only.is_none() => self.let_wait(tid)?,
                Reaction::Resume(signal) => unless_dead(ptrace::resume(tid, signal))?,
                // A step ends together with the call anyway.
                Reaction::ResumeToSyscallExit | Reaction::LetWait if only == Some(tid) => {
                    self.resume_current(kind, 0)?;
                }
                Reaction::ResumeToSyscallExit | Reaction::LetWait => {
                    unless_dead(ptrace::resume_to_syscall_exit(tid))?;
                }
            }
        }
    }

    /// Whether a tracee is a thread of the program that does not have the turn.
    fn is_out_of_turn(&self, tid: i32) -> bool {
        (tid != self.thread || self.turn_is_free)
            && self.tracees.had_threads()
            && self.tracees.is_thread(tid)
    }

    fn resume_current(&self, kind: ResumeKind, signal: i32) -> io::Result<()> {
        unless_dead(match kind {
            ResumeKind::Continue => ptrace::resume(self.thread, signal),
            ResumeKind::Step => ptrace::step(self.thread, signal),
        })
    }

    /// Records that a tracee has ended. Returns the status of the program if the tracee was its leader.
    fn record_end(&mut self, tid: i32, status: i32) -> Option<ExitStatus> {
        self.turns.remove(tid);
        if tid != self.pid() {
            self.tracees.remove(tid);
            if tid == self.thread {
                self.thread = self.pid();
            }
            return None;
        }
        self.tracees.set_leader_ended();
        self.kill(false);
        Some(match libc::WIFSIGNALED(status) {
            true => ExitStatus::Signal(libc::WTERMSIG(status)),
            false => ExitStatus::Exit(libc::WEXITSTATUS(status)),
        })
    }

    /// Handles the stop of a tracee, and decides what to do with it.
    fn react(&mut self, tid: i32, status: i32) -> Result<Reaction, ProcessError> {
        unless_dead(self.finish_pending_call(tid))?;
        match TraceEvent::from_wait_status(status) {
            Some(TraceEvent::SyscallEntry) => {
                return Ok(match unless_dead(self.intercept_call(tid))? {
                    CallFollowUp::Nothing => Reaction::Resume(0),
                    CallFollowUp::StopAtExit => Reaction::ResumeToSyscallExit,
                    CallFollowUp::LetWait => Reaction::LetWait,
                    CallFollowUp::LetOthersGoFirst => Reaction::LetOthersGoFirst,
                });
            }
            Some(TraceEvent::SyscallExit) if tid == self.thread && !self.turn_is_free => {
                // The call may have woken other threads.
                self.settle_waiting()?;
                return Ok(Reaction::Resume(0));
            }
            Some(event) => {
                self.handle_event(tid, event)?;
                return Ok(Reaction::Resume(0));
            }
            None => {}
        }
        let signal = libc::WSTOPSIG(status);
        if signal == libc::SIGSTOP && !self.is_sample(tid) {
            // New threads and processes begin with this signal. Any other one would stop the program forever,
            // because nothing continues it.
            return Ok(Reaction::Resume(0));
        }
        if !self.tracees.is_thread(tid) {
            return Ok(Reaction::Resume(signal));
        }
        match ptrace::registers(tid) {
            Ok(registers) => self.registers = Registers(registers),
            Err(error) => unless_dead(Err(error))?,
        }
        Ok(Reaction::Report(signal))
    }

    fn handle_event(&mut self, tid: i32, event: TraceEvent) -> Result<(), ProcessError> {
        match event {
            TraceEvent::Exec if tid == self.pid() => {
                let name = fs::read_link(format!("/proc/{tid}/exe")).unwrap_or_default();
                return Err(ProcessError::Becomes(name.display().to_string()));
            }
            TraceEvent::Exec | TraceEvent::SyscallEntry | TraceEvent::SyscallExit => {}
            // Other processes run other programs, or without breakpoints: those of this one are not concerned.
            TraceEvent::Fork | TraceEvent::Vfork if !self.tracees.is_thread(tid) => {
                if let Some(child) = unless_dead(ptrace::started_child(tid).map(Some))? {
                    self.tracees.add(child, false);
                }
            }
            TraceEvent::VforkDone if !self.tracees.is_thread(tid) => {}
            TraceEvent::Fork => {
                if let Some(child) = unless_dead(ptrace::started_child(tid).map(Some))? {
                    self.add_child(child)?;
                }
            }
            TraceEvent::Vfork => {
                if let Some(child) = unless_dead(ptrace::started_child(tid).map(Some))? {
                    self.tracees.add(child, false);
                }
                self.suspended_breakpoints = self.breakpoints.addresses();
                self.breakpoints.clear(&self.memory)?;
            }
            TraceEvent::VforkDone => {
                let suspended = std::mem::take(&mut self.suspended_breakpoints);
                self.breakpoints.insert(&self.memory, &suspended)?;
            }
        }
        Ok(())
    }

    /// Adds a new thread or process. Another process runs without breakpoints.
    fn add_child(&mut self, child: i32) -> Result<(), ProcessError> {
        let is_thread = self.tracees.is_thread(child);
        self.tracees.add(child, is_thread);
        if is_thread {
            return self.await_new_thread(child);
        }
        if !self.breakpoints.is_empty() {
            let memory = ProcessMemory::open(child)?;
            self.breakpoints.clone().clear(&memory)?;
        }
        Ok(())
    }
}

/// Ignores the error about a tracee that was killed in the meantime: `wait` will report its end.
pub(super) fn unless_dead<T: Default>(result: io::Result<T>) -> io::Result<T> {
    match result {
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(T::default()),
        result => result,
    }
}
