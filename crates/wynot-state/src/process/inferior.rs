//! A program that runs under control.

use super::area::auxiliary;
use super::breakpoints::Breakpoints;
use super::chance::Chance;
use super::closeness::Closeness;
use super::family::Family;
use super::launch::{is_fixed, launch};
use super::memory::Memory;
use super::output::Output;
use super::snapshot::Snapshot;
use super::watchdog::Watchdog;
use super::{Areas, Image, Invocation, Limits, ProcessError, Registers};
use crate::Machine;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use wynot_crash::{Crash, tracee};

/// Where a program has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pause {
    /// At this address, whose instruction was not executed yet.
    At(u64),
    /// It has ended.
    Ended(Ending),
}

/// How a program has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// In which way.
    pub status: Status,
    /// Which crash it was, if it was one.
    pub crash: Option<Crash>,
    /// What it has printed to standard output since it was started, as far as it is kept.
    pub stdout: Vec<u8>,
    /// What it has printed to standard error since it was started, as far as it is kept.
    pub stderr: Vec<u8>,
    /// Whether it has asked for a terminal, which it does not have here: it may do something else with one.
    pub asked_for_terminal: bool,
}

/// In which way a program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// By itself, with this exit code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It was killed after the time that it may take.
    TimedOut,
}

/// A program that was started and is stopped. It ends when this is dropped, with all that it has started.
///
/// Only the thread that has started it can control it.
pub struct Inferior {
    pub(super) family: Family,
    /// The thread that has stopped last.
    pub(super) thread: i32,
    pub(super) handle: Arc<OwnedFd>,
    pub(super) memory: Memory,
    pub(super) breakpoints: Breakpoints,
    /// Breakpoints that are not in memory as long as another process uses it.
    pub(super) suspended: Vec<u64>,
    pub(super) registers: Registers,
    /// Whether the registers were changed here, but not in the process yet.
    pub(super) registers_changed: bool,
    pub(super) outputs: Rc<[Output; 2]>,
    pub(super) limits: Limits,
    /// How long it may still run.
    pub(super) time_left: Duration,
    pub(super) watchdog: Rc<Watchdog>,
    /// The signal of a crash that is about to be delivered or has been handled, and the crash.
    pub(super) crash: Option<(i32, Crash)>,
    /// Where there is an instruction that makes a system call.
    pub(super) gate: Option<u64>,
    /// What copies of this process change outside of their memory.
    pub(super) snapshot: Option<Snapshot>,
    /// The random bytes that it will be given.
    pub(super) chance: Chance,
    pub(super) closeness: Option<Closeness>,
    pub(super) has_ended: bool,
}

impl Inferior {
    /// Starts a program. It is stopped before its first instruction, which is one of the dynamic linker if
    /// it needs one.
    pub fn start(invocation: &Invocation, limits: &Limits) -> Result<Self, ProcessError> {
        let outputs = Rc::new([Output::new()?, Output::new()?]);
        let watchdog = Rc::new(Watchdog::new()?);
        let pid = launch(invocation, limits, &outputs)?.id() as i32;
        // From here on it is ended whatever happens.
        let mut family = Family::new(pid);
        match tracee::keep(pid) {
            Ok(()) => Self::first(family, outputs, watchdog, *limits),
            Err(error) => {
                family.end(true);
                Err(error.into())
            }
        }
    }

    fn first(
        mut family: Family,
        outputs: Rc<[Output; 2]>,
        watchdog: Rc<Watchdog>,
        limits: Limits,
    ) -> Result<Self, ProcessError> {
        let parts = Parts::of(family.leader);
        let (handle, memory, registers) = match parts {
            Ok(Parts { handle, memory, registers }) => (handle, memory, registers),
            Err(error) => {
                family.end(true);
                return Err(error.into());
            }
        };
        let inferior = Self {
            thread: family.leader,
            family,
            handle,
            memory,
            breakpoints: Breakpoints::none(registers.machine()),
            suspended: Vec::new(),
            registers,
            registers_changed: false,
            outputs,
            limits,
            time_left: limits.time,
            watchdog,
            crash: None,
            gate: None,
            snapshot: None,
            chance: Chance::default(),
            closeness: None,
            has_ended: false,
        };
        if !is_fixed(inferior.family.leader)? {
            return Err(ProcessError::Randomized);
        }
        inferior.fix_chance()?;
        Ok(inferior)
    }

    /// The number of the process.
    pub fn pid(&self) -> i32 {
        self.family.leader
    }

    /// What the program is made for.
    pub fn machine(&self) -> Machine {
        self.registers.machine()
    }

    /// Where the program begins, which tells how far it lies from where it wants to.
    pub fn entry(&self) -> io::Result<u64> {
        auxiliary(self.pid(), self.machine(), libc::AT_ENTRY)?.ok_or(Errno::NOENT.into())
    }

    /// What is in its memory.
    pub fn areas(&self) -> io::Result<Areas> {
        Areas::of(self.pid())
    }

    /// The registers of the thread that has stopped.
    pub fn registers(&self) -> Registers {
        self.registers
    }

    /// Sets the registers of the thread that has stopped.
    pub fn set_registers(&mut self, registers: Registers) {
        self.registers = registers;
        self.registers_changed = true;
    }

    /// Reads memory, without the breakpoints that are in it.
    pub fn read(&self, address: u64, into: &mut [u8]) -> io::Result<()> {
        self.memory.read(address, into)?;
        self.breakpoints.hide(address, into);
        Ok(())
    }

    /// Writes to memory, also to what the program itself may not write to. Where there is a breakpoint, the
    /// byte that it hides is written.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> io::Result<()> {
        if self.breakpoints.is_empty() {
            return self.memory.write(address, bytes);
        }
        let visible = self.breakpoints.replace(address, bytes);
        self.memory.write(address, &visible)
    }

    /// A copy of its memory.
    pub fn image(&self) -> Result<Image, ProcessError> {
        Image::of(&self.areas()?, &self.memory, &self.breakpoints, self.limits.image)
    }
}

impl Drop for Inferior {
    fn drop(&mut self) {
        self.family.end(false);
    }
}

/// What is needed to control a stopped process.
pub(super) struct Parts {
    pub handle: Arc<OwnedFd>,
    pub memory: Memory,
    pub registers: Registers,
}

impl Parts {
    pub(super) fn of(pid: i32) -> io::Result<Self> {
        let number = Pid::from_raw(pid).ok_or(Errno::SRCH)?;
        Ok(Self {
            handle: Arc::new(pidfd_open(number, PidfdFlags::empty())?),
            memory: Memory::of(pid)?,
            registers: Registers(tracee::registers(pid)?),
        })
    }
}
