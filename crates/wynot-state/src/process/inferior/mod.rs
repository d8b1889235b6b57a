//! A program that runs under control.
//!
//! This file holds the program and the access to its memory and registers. Everything else that can be done
//! with it is in a file of its own: [`start`], [`run`] (and [`stops`], which waits for the program), [`sampling`], [`fork`] and
//! [`fork_obstacle`], [`inject`] and [`system_call`], [`intercept`] (the answers to system calls that would
//! make runs differ), [`substitute`] (files with the contents of others), [`open_files`], and [`crash_backtrace`].

mod clocks;
mod crash_backtrace;
mod fork;
pub(super) mod fork_obstacle;
mod initial_stack;
mod inject;
mod intercept;
pub(super) mod open_files;
mod run;
mod sampling;
mod start;
mod stops;
mod substitute;
pub(super) mod system_call;
mod turns;

use super::determinism::sources::DeterministicSources;
use super::error::ProcessError;
use super::frame_namer::FrameNamer;
use super::launch::captured_output::CapturedOutput;
use super::launch::invocation::InferiorLimits;
use super::launch::substituted_file::SubstitutedFile;
use super::memory_snapshot::MemorySnapshot;
use super::shared_files::SharedFiles;
use super::tracing::breakpoints::Breakpoints;
use super::tracing::cpu_pinning::CpuPinning;
use super::tracing::run_time::RunTime;
use super::tracing::thread_turns::ThreadTurns;
use super::tracing::tracees::Tracees;
use super::tracing::watchdog::Watchdog;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use sampling::Sampling;
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use wynot_crash::Crash;
use wynot_process::{Machine, MemoryMap, ProcessMemory, Registers, auxv, ptrace, touched_parts};

/// The size of unused memory between used memory that is copied nevertheless.
const MAX_GAP: u64 = 64 << 10;

/// A program that was started and is stopped. When the value is dropped, the program ends with all that it has
/// started.
///
/// Only the thread that has started the program can control it.
pub struct Inferior {
    tracees: Tracees,
    /// The thread that runs, or has stopped last.
    thread: i32,
    /// The other threads.
    turns: ThreadTurns,
    /// Whether no thread runs, since all wait.
    turn_is_free: bool,
    /// How often in a row the thread that runs was found sleeping.
    turn_checks: u32,
    /// The processor time that the thread had used when it was first looked at, since it has stopped last.
    turn_started: Option<Duration>,
    pidfd: Arc<OwnedFd>,
    memory: ProcessMemory,
    breakpoints: Breakpoints,
    /// Breakpoints that are not in memory while another process (after `vfork`) uses it.
    suspended_breakpoints: Vec<u64>,
    registers: Registers,
    /// Whether the registers were changed here, but not in the process yet.
    registers_changed: bool,
    /// Standard output and standard error.
    outputs: Rc<[CapturedOutput; 2]>,
    limits: InferiorLimits,
    /// The time that the program has used, and its limit.
    time: RunTime,
    watchdog: Rc<Watchdog>,
    name_frames: FrameNamer,
    /// The last crash, whose signal is about to be delivered or has been handled.
    crash: Option<Crash>,
    /// The address of an instruction that makes a system call.
    syscall_instruction: Option<u64>,
    /// The files that forks of this process share with it, if it has any forks.
    shared_files: Option<SharedFiles>,
    sources: DeterministicSources,
    /// The files that have the contents of others.
    substituted: Vec<SubstitutedFile>,
    /// The directory in which the program writes without changing it, if it has a private view of that.
    private_directory: Option<PathBuf>,
    /// A file there that the program has opened for writing.
    private_file_written: Option<PathBuf>,
    cpu_pinning: Option<CpuPinning>,
    sampling: Sampling,
    has_ended: bool,
}

impl Inferior {
    /// The process number.
    pub fn pid(&self) -> i32 {
        self.tracees.leader
    }

    /// The numbers of all threads that the program has ever started, in this order; its first one has the process number.
    pub fn thread_ids(&self) -> &[i32] {
        self.tracees.thread_ids()
    }

    /// The processor that the program is compiled for.
    pub fn machine(&self) -> Machine {
        self.registers.machine()
    }

    /// The address of the first instruction of the program itself, from which its load bias follows.
    pub fn entry(&self) -> io::Result<u64> {
        auxv::value(self.pid(), self.machine(), libc::AT_ENTRY)?.ok_or(Errno::NOENT.into())
    }

    /// The memory map of the process.
    pub fn memory_map(&self) -> io::Result<MemoryMap> {
        MemoryMap::read(self.pid())
    }

    /// The processor time that the program has used, without the time while it was stopped.
    pub fn used_time(&self) -> Duration {
        self.time.used()
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

    /// Writes to memory, also to memory that the program itself must not write to. Breakpoints stay, and hide
    /// what is written.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> io::Result<()> {
        if self.breakpoints.is_empty() {
            return self.memory.write(address, bytes);
        }
        let visible = self.breakpoints.replace_hidden(address, bytes);
        self.memory.write(address, &visible)
    }

    /// A copy of the memory.
    pub fn snapshot_memory(&self) -> Result<MemorySnapshot, ProcessError> {
        let (map, limit) = (self.memory_map()?, self.limits.memory_snapshot);
        let touched = |range: &Range<u64>| touched_parts(self.pid(), range, MAX_GAP).ok();
        MemorySnapshot::new(&map, &self.memory, &self.breakpoints, limit, touched)
    }

    /// Keeps the program and this thread on the processor that runs this thread, which makes stops faster,
    /// until [`unpin_cpu`](Self::unpin_cpu). A program that asks for its processors is given those that it
    /// had before. What this thread starts stays on the processor as well.
    pub fn pin_cpu(&mut self) -> io::Result<()> {
        if self.cpu_pinning.is_none() {
            let pinning = self.cpu_pinning.insert(CpuPinning::pin_this_thread()?);
            pinning.pin_process(self.tracees.leader)?;
        }
        Ok(())
    }

    /// Lets the program and this thread run on all their processors again.
    pub fn unpin_cpu(&mut self) -> io::Result<()> {
        match self.cpu_pinning.take() {
            Some(pinning) => pinning.release(self.pid()),
            None => Ok(()),
        }
    }
}

impl Drop for Inferior {
    fn drop(&mut self) {
        self.tracees.kill_all(false);
    }
}

/// The handles of a stopped process.
struct Handles {
    pidfd: Arc<OwnedFd>,
    memory: ProcessMemory,
    registers: Registers,
}

impl Handles {
    fn open(pid: i32) -> io::Result<Self> {
        let number = Pid::from_raw(pid).ok_or(Errno::SRCH)?;
        Ok(Self {
            pidfd: Arc::new(pidfd_open(number, PidfdFlags::empty())?),
            memory: ProcessMemory::open(pid)?,
            registers: Registers(ptrace::registers(pid)?),
        })
    }
}
