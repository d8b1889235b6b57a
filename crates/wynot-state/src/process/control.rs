//! Letting a program run, and stopping it.

use super::breakpoints::Breakpoints;
use super::memory::Memory;
use super::{Ending, Inferior, Pause, ProcessError, Registers, Status};
use std::fs;
use std::io;
use std::time::{Duration, Instant};
use wynot_crash::is_crash;
use wynot_crash::tracee::{self, Event};

/// How far to let a thread go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// Until something happens.
    Far,
    /// One instruction.
    Step,
}

/// Why a thread has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// A signal is about to be delivered: the one of traps after a step and at a breakpoint.
    Signal(i32),
    /// All have ended.
    Ended(Status),
}

/// What to do with a thread that has stopped.
enum Reaction {
    /// It is the one to look at, for a signal that is about to be delivered.
    LookAt(i32),
    /// Deliver a signal, if it is not 0, and let it go on.
    GoOn(i32),
    /// Let it make a system call whose end has to be seen.
    Call,
}

/// Running.
impl Inferior {
    /// Lets it run until one of these addresses is about to be executed, or to the end. The address at which
    /// it stands does not count.
    ///
    /// The breakpoints stay; with many of them it is faster to [set](Self::set_breakpoints) them once and
    /// to [resume](Self::resume) then.
    pub fn run_to(&mut self, addresses: &[u64]) -> Result<Pause, ProcessError> {
        if !self.breakpoints.are(addresses) {
            self.set_breakpoints(addresses)?;
        }
        self.resume()
    }

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
        self.suspended.clear();
        Ok(self.breakpoints.clear(&self.memory)?)
    }

    /// Lets it run to the next breakpoint or to the end. The one at which it stands does not count.
    pub fn resume(&mut self) -> Result<Pause, ProcessError> {
        self.leave_snapshot()?;
        if let Some(status) = self.pass_breakpoint()? {
            return Ok(Pause::Ended(self.ending(status)?));
        }
        let mut signal = 0;
        loop {
            match self.proceed(Reach::Far, signal)? {
                Halt::Signal(libc::SIGTRAP) if self.is_at_breakpoint() => {
                    return Ok(Pause::At(self.registers.ip()));
                }
                Halt::Signal(next) => {
                    self.look_at(next);
                    signal = next;
                }
                Halt::Ended(status) => return Ok(Pause::Ended(self.ending(status)?)),
            }
        }
    }

    /// Lets it execute one instruction. Handlers of signals that come in between are entered.
    pub fn step(&mut self) -> Result<Pause, ProcessError> {
        self.leave_snapshot()?;
        let mut signal = 0;
        loop {
            match self.step_uncovered(signal)? {
                Halt::Signal(libc::SIGTRAP) => return Ok(Pause::At(self.registers.ip())),
                Halt::Signal(next) => {
                    self.look_at(next);
                    signal = next;
                }
                Halt::Ended(status) => return Ok(Pause::Ended(self.ending(status)?)),
            }
        }
    }

    /// Lets it run to its end, without breakpoints.
    pub fn finish(&mut self, time: Duration) -> Result<Ending, ProcessError> {
        self.remove_breakpoints()?;
        self.time_left = time;
        loop {
            if let Pause::Ended(ending) = self.resume()? {
                return Ok(ending);
            }
        }
    }

    /// After a trap: whether it was a breakpoint, and if so, goes back to where it is.
    fn is_at_breakpoint(&mut self) -> bool {
        let before = self.registers.ip().wrapping_sub(1);
        if !self.breakpoints.contains(before) {
            return false;
        }
        self.registers.0.rip = before;
        self.registers_changed = true;
        true
    }

    /// Executes the instruction at which it stands if there is a breakpoint.
    fn pass_breakpoint(&mut self) -> Result<Option<Status>, ProcessError> {
        if !self.breakpoints.contains(self.registers.ip()) || self.emulate() {
            return Ok(None);
        }
        match self.step_alone()? {
            Halt::Ended(status) => Ok(Some(status)),
            Halt::Signal(libc::SIGTRAP) => Ok(None),
            Halt::Signal(signal) => self.deliver(signal),
        }
    }

    /// Delivers a signal that the instruction at which it stands leads to, and stops behind.
    fn deliver(&mut self, mut signal: i32) -> Result<Option<Status>, ProcessError> {
        loop {
            self.look_at(signal);
            match self.step_uncovered(signal)? {
                Halt::Ended(status) => return Ok(Some(status)),
                Halt::Signal(libc::SIGTRAP) => return Ok(None),
                Halt::Signal(next) => signal = next,
            }
        }
    }

    /// Executes the instruction from here, if it is simple enough.
    fn emulate(&mut self) -> bool {
        let Some(instruction) = self.breakpoints.instruction(self.registers.ip()) else {
            return false;
        };
        let mut registers = self.registers;
        let push = instruction.execute(&mut registers);
        if let Some(push) = push
            && self.memory.write(push.address, &self.machine().bytes(push.value)).is_err()
        {
            // The stack has to grow, or cannot.
            return false;
        }
        self.set_registers(registers);
        true
    }

    /// Executes one instruction and nothing else: signals that have nothing to do with it come later.
    pub(super) fn step_alone(&mut self) -> Result<Halt, ProcessError> {
        let mut later = Vec::new();
        let halt = loop {
            match self.step_uncovered(0)? {
                Halt::Signal(signal) if !is_crash(signal) => later.push(signal),
                halt => break halt,
            }
        };
        for signal in later {
            tracee::send(self.pid(), self.thread, signal)?;
        }
        Ok(halt)
    }

    /// Executes one instruction, also one that a breakpoint hides.
    fn step_uncovered(&mut self, signal: i32) -> Result<Halt, ProcessError> {
        let address = self.registers.ip();
        if !self.breakpoints.contains(address) {
            return self.proceed(Reach::Step, signal);
        }
        self.breakpoints.uncover(&self.memory, address)?;
        let halt = self.proceed(Reach::Step, signal);
        // If the process has gone, there is nothing to put it back into.
        let _ = self.breakpoints.cover(&self.memory, address);
        halt
    }

    /// Lets it go on as far as the next breakpoint or signal, for functions that are called in it.
    pub(super) fn proceed_far(&mut self, signal: i32) -> Result<Halt, ProcessError> {
        if let Some(status) = self.pass_breakpoint()? {
            return Ok(Halt::Ended(status));
        }
        let halt = self.proceed(Reach::Far, signal)?;
        if halt == Halt::Signal(libc::SIGTRAP) && self.is_at_breakpoint() {
            return self.proceed_far(0);
        }
        Ok(halt)
    }
}

/// One stop.
impl Inferior {
    /// Lets the thread go on and waits until it, or another one, has to be looked at. Time counts.
    fn proceed(&mut self, reach: Reach, signal: i32) -> Result<Halt, ProcessError> {
        if self.has_ended {
            return Err(ProcessError::Ended);
        }
        let begun = Instant::now();
        self.watchdog.watch(&self.handle, begun + self.time_left);
        let result = self.proceed_unwatched(reach, signal);
        let is_late = self.watchdog.release();
        self.time_left = self.time_left.saturating_sub(begun.elapsed());
        if is_late {
            self.end(true);
            return Ok(Halt::Ended(Status::TimedOut));
        }
        if result.is_err() {
            self.end(true);
        }
        result
    }

    fn end(&mut self, is_suspicious: bool) {
        self.has_ended = true;
        // There is nothing left to take them out of.
        self.breakpoints = Breakpoints::none(self.machine());
        self.family.end(is_suspicious);
    }

    fn proceed_unwatched(&mut self, reach: Reach, signal: i32) -> Result<Halt, ProcessError> {
        if self.registers_changed {
            self.registers_changed = false;
            alive(tracee::set_registers(self.thread, &self.registers.0))?;
        }
        self.let_go(reach, signal)?;
        loop {
            let only = (reach == Reach::Step).then_some(self.thread);
            let (member, status) = self.family.wait(only)?;
            if !libc::WIFSTOPPED(status) {
                if let Some(status) = self.ended(member, status) {
                    return Ok(Halt::Ended(status));
                }
                continue;
            }
            match self.stopped(member, status)? {
                Reaction::LookAt(signal) => {
                    self.thread = member;
                    return Ok(Halt::Signal(signal));
                }
                Reaction::GoOn(signal) if member == self.thread => self.let_go(reach, signal)?,
                Reaction::GoOn(signal) => alive(tracee::go_on(member, signal))?,
                // A step ends with the call anyway.
                Reaction::Call if only == Some(member) => self.let_go(reach, 0)?,
                Reaction::Call => alive(tracee::go_on_to_end_of_call(member))?,
            }
        }
    }

    fn let_go(&self, reach: Reach, signal: i32) -> io::Result<()> {
        alive(match reach {
            Reach::Far => tracee::go_on(self.thread, signal),
            Reach::Step => tracee::step(self.thread, signal),
        })
    }

    /// Takes note that a member has ended; how all have, if it was the leader.
    fn ended(&mut self, member: i32, status: i32) -> Option<Status> {
        if member != self.pid() {
            self.family.remove(member);
            if member == self.thread {
                self.thread = self.pid();
            }
            return None;
        }
        self.family.leader_has_ended();
        self.end(false);
        Some(match libc::WIFSIGNALED(status) {
            true => Status::Signal(libc::WTERMSIG(status)),
            false => Status::Exit(libc::WEXITSTATUS(status)),
        })
    }

    /// Takes note of why a member has stopped.
    fn stopped(&mut self, member: i32, status: i32) -> Result<Reaction, ProcessError> {
        alive(self.conclude(member))?;
        match Event::from_status(status) {
            Some(Event::SystemCall) => {
                let is_pending = alive(self.answer(member))?;
                return Ok(if is_pending { Reaction::Call } else { Reaction::GoOn(0) });
            }
            Some(event) => {
                self.happened(member, event)?;
                return Ok(Reaction::GoOn(0));
            }
            None => {}
        }
        let signal = libc::WSTOPSIG(status);
        if signal == libc::SIGSTOP {
            // Newborns begin with it. Others would wait for somebody to continue them, in vain.
            return Ok(Reaction::GoOn(0));
        }
        if !self.family.is_thread(member) {
            return Ok(Reaction::GoOn(signal));
        }
        match tracee::registers(member) {
            Ok(registers) => self.registers = Registers(registers),
            // It was killed in this moment, which will be told.
            Err(error) => alive(Err(error))?,
        }
        Ok(Reaction::LookAt(signal))
    }

    fn happened(&mut self, member: i32, event: Event) -> Result<(), ProcessError> {
        match event {
            Event::Exec if member == self.pid() => {
                let name = fs::read_link(format!("/proc/{member}/exe")).unwrap_or_default();
                return Err(ProcessError::Becomes(name.display().to_string()));
            }
            Event::Exec | Event::SystemCall | Event::EndOfCall => {}
            Event::Fork => self.born(tracee::started(member)?)?,
            Event::Vfork => {
                self.family.add(tracee::started(member)?, false);
                self.suspended = self.breakpoints.addresses();
                self.breakpoints.clear(&self.memory)?;
            }
            Event::VforkDone => {
                let suspended = std::mem::take(&mut self.suspended);
                self.breakpoints.insert(&self.memory, &suspended)?;
            }
        }
        Ok(())
    }

    /// Takes in a thread or a process. Breakpoints are none of the business of another process.
    fn born(&mut self, newborn: i32) -> Result<(), ProcessError> {
        let is_thread = self.family.is_thread(newborn);
        self.family.add(newborn, is_thread);
        if !self.breakpoints.is_empty() && !is_thread {
            let memory = Memory::of(newborn)?;
            self.breakpoints.clone().clear(&memory)?;
        }
        Ok(())
    }
}

/// Whoever was killed in the meantime cannot be told anything; its end will be told.
fn alive<T: Default>(result: io::Result<T>) -> io::Result<T> {
    match result {
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(T::default()),
        result => result,
    }
}
