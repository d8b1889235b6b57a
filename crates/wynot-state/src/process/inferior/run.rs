//! Running a program to a breakpoint, by one instruction, or to its end.

use super::Inferior;
use super::sampling::Sampling;
use super::stops::{ResumeKind, ThreadStop};
use crate::process::error::ProcessError;
use crate::process::run_end::{ExitStatus, Pause, RunEnd};
use crate::process::tracing::run_time::RunTime;
use std::time::Duration;
use wynot_process::ptrace;
use wynot_process::signal::is_crash;

/// Breakpoints.
impl Inferior {
    /// Sets breakpoints at these addresses and nowhere else.
    pub fn set_breakpoints(&mut self, addresses: &[u64]) -> Result<(), ProcessError> {
        if self.has_ended {
            return Err(ProcessError::Ended);
        }
        self.remove_breakpoints()?;
        self.breakpoints.insert(&self.memory, addresses)
    }

    /// Removes the breakpoint at an address, if there is one.
    pub fn remove_breakpoint(&mut self, address: u64) -> Result<(), ProcessError> {
        Ok(self.breakpoints.remove(&self.memory, address)?)
    }

    /// Removes all breakpoints.
    pub fn remove_breakpoints(&mut self) -> Result<(), ProcessError> {
        self.suspended_breakpoints.clear();
        Ok(self.breakpoints.clear(&self.memory)?)
    }
}

/// Running.
impl Inferior {
    /// Runs until one of these addresses is about to be executed, or to the end. The address at which the
    /// program is stopped does not count.
    ///
    /// The breakpoints stay. With many of them it is faster to [set](Self::set_breakpoints) them once, and to
    /// [resume](Self::resume) then.
    pub fn run_to(&mut self, addresses: &[u64]) -> Result<Pause, ProcessError> {
        if !self.breakpoints.are_at(addresses) {
            self.set_breakpoints(addresses)?;
        }
        self.resume()
    }

    /// Runs to the next breakpoint or to the end. A breakpoint at the current address does not count.
    pub fn resume(&mut self) -> Result<Pause, ProcessError> {
        self.discard_shared_files()?;
        if let Some(status) = self.pass_breakpoint()? {
            return Ok(Pause::Ended(self.run_end(status)?));
        }
        let mut signal = 0;
        loop {
            match self.resume_thread(ResumeKind::Continue, signal)? {
                ThreadStop::Signal(libc::SIGTRAP) if self.rewind_to_breakpoint() => {
                    return Ok(Pause::At(self.registers.ip()));
                }
                ThreadStop::Signal(libc::SIGSTOP) => {
                    self.sampling = Sampling::Off;
                    return Ok(Pause::At(self.registers.ip()));
                }
                ThreadStop::Signal(next) => {
                    self.record_crash(next);
                    signal = next;
                }
                ThreadStop::Ended(status) => return Ok(Pause::Ended(self.run_end(status)?)),
            }
        }
    }

    /// Executes one instruction. If a signal arrives first, its handler is entered.
    pub fn step(&mut self) -> Result<Pause, ProcessError> {
        self.discard_shared_files()?;
        match self.step_with_signals(0)? {
            Some(status) => Ok(Pause::Ended(self.run_end(status)?)),
            None => Ok(Pause::At(self.registers.ip())),
        }
    }

    /// Lets the program use all its time again, from now on.
    pub fn restart_time(&mut self) {
        self.time = RunTime::new(self.limits.time, self.pid());
    }

    /// Ends a program that would not end by itself.
    pub fn give_up(&mut self) -> Result<RunEnd, ProcessError> {
        self.kill(true);
        self.run_end(ExitStatus::TimedOut)
    }

    /// Runs to the end, without breakpoints and for at most this time.
    pub fn finish(&mut self, time: Duration) -> Result<RunEnd, ProcessError> {
        self.remove_breakpoints()?;
        self.time = RunTime::new(time, self.pid());
        loop {
            if let Pause::Ended(end) = self.resume()? {
                return Ok(end);
            }
        }
    }
}

/// Passing breakpoints.
impl Inferior {
    /// Whether a trap was raised by a breakpoint. If so, the instruction pointer is set back to it.
    fn rewind_to_breakpoint(&mut self) -> bool {
        let before = self.registers.ip().wrapping_sub(1);
        if !self.breakpoints.contains(before) {
            return false;
        }
        self.registers.0.rip = before;
        self.registers_changed = true;
        true
    }

    /// Executes the current instruction, if a breakpoint hides it. Returns the status if the program has ended.
    fn pass_breakpoint(&mut self) -> Result<Option<ExitStatus>, ProcessError> {
        if !self.breakpoints.contains(self.registers.ip()) || self.emulate_instruction() {
            return Ok(None);
        }
        match self.step_alone()? {
            ThreadStop::Ended(status) => Ok(Some(status)),
            ThreadStop::Signal(libc::SIGTRAP) => Ok(None),
            ThreadStop::Signal(signal) => {
                self.record_crash(signal);
                self.step_with_signals(signal)
            }
        }
    }

    /// Delivers a signal, and all that follow from it, until one instruction has been executed. Returns the
    /// status if the program has ended.
    fn step_with_signals(&mut self, mut signal: i32) -> Result<Option<ExitStatus>, ProcessError> {
        loop {
            match self.step_over_breakpoint(signal)? {
                ThreadStop::Ended(status) => return Ok(Some(status)),
                ThreadStop::Signal(libc::SIGTRAP) => return Ok(None),
                ThreadStop::Signal(next) => {
                    self.record_crash(next);
                    signal = next;
                }
            }
        }
    }

    /// Computes the effect of the instruction here, if it is simple. Returns whether that was possible.
    fn emulate_instruction(&mut self) -> bool {
        let Some(instruction) = self.breakpoints.simple_instruction(self.registers.ip()) else {
            return false;
        };
        let mut registers = self.registers;
        let write = instruction.execute(&mut registers);
        if let Some(write) = write
            && self.memory.write(write.address, &self.machine().word_bytes(write.value)).is_err()
        {
            // The stack has to grow, or cannot. The system decides that when the program executes it.
            return false;
        }
        self.set_registers(registers);
        true
    }

    /// Executes one instruction and nothing else: signals that it has not caused are postponed.
    pub(super) fn step_alone(&mut self) -> Result<ThreadStop, ProcessError> {
        let mut postponed = Vec::new();
        let stop = loop {
            match self.step_over_breakpoint(0)? {
                ThreadStop::Signal(signal) if !is_crash(signal) => postponed.push(signal),
                stop => break stop,
            }
        };
        for signal in postponed {
            ptrace::send_signal(self.pid(), self.thread, signal)?;
        }
        Ok(stop)
    }

    /// Executes one instruction, also one that a breakpoint hides.
    fn step_over_breakpoint(&mut self, signal: i32) -> Result<ThreadStop, ProcessError> {
        let address = self.registers.ip();
        if !self.breakpoints.contains(address) {
            return self.resume_thread(ResumeKind::Step, signal);
        }
        self.breakpoints.disable(&self.memory, address)?;
        let stop = self.resume_thread(ResumeKind::Step, signal);
        // If the process has ended, there is no memory to write to.
        let _ = self.breakpoints.enable(&self.memory, address);
        stop
    }

    /// Runs to the next signal, ignoring breakpoints, for functions that are called in the program.
    pub(super) fn run_to_signal(&mut self, signal: i32) -> Result<ThreadStop, ProcessError> {
        if let Some(status) = self.pass_breakpoint()? {
            return Ok(ThreadStop::Ended(status));
        }
        let stop = self.resume_thread(ResumeKind::Continue, signal)?;
        if stop == ThreadStop::Signal(libc::SIGTRAP) && self.rewind_to_breakpoint() {
            return self.run_to_signal(0);
        }
        Ok(stop)
    }
}
