//! Answering system calls in place of the system, so that all runs get the same random bytes and times.
//!
//! See [`determinism`](crate::process::determinism) for what is intercepted, and why.

use super::Inferior;
use crate::process::determinism::clock_starts::wall_clock_start;
use crate::process::determinism::intercepted_call::{InterceptedCall, TimeoutFormat};
use crate::process::determinism::sources::{AtExit, PendingCall};
use std::io;
use std::os::fd::AsRawFd;
use wynot_process::{ProcessMemory, Registers, ptrace};

/// The number of random bytes that are written at once for a program that asks for many.
const RANDOM_CHUNK_BYTES: usize = 4 << 10;

/// The paths of devices of random bytes, as they are in the memory of a program.
const RANDOM_DEVICES: [&[u8]; 2] = [b"/dev/urandom\0", b"/dev/random\0"];

/// The path of the terminal of a process.
const TERMINAL: &[u8] = b"/dev/tty\0";

/// What has to be done after a system call was answered or changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CallFollowUp {
    /// Nothing.
    #[default]
    Nothing,
    /// The tracee has to stop when the call returns.
    StopAtExit,
    /// The call may wait for another thread.
    LetWait,
    /// The thread gives up the processor.
    LetOthersGoFirst,
}

/// A system call that a tracee is about to make.
pub(super) struct CallEntry {
    pub(super) tid: i32,
    pub(super) registers: Registers,
    pub(super) arguments: [u64; 6],
    /// The memory of the tracee, if it is another process than the program itself.
    other_memory: Option<ProcessMemory>,
}

impl CallEntry {
    pub(super) fn memory<'m>(&'m self, program: &'m ProcessMemory) -> &'m ProcessMemory {
        self.other_memory.as_ref().unwrap_or(program)
    }

    /// The two numbers of this many bytes at an address.
    fn pair(&self, program: &ProcessMemory, address: u64, size: u64) -> io::Result<[u64; 2]> {
        let number = |address| {
            let mut bytes = [0; 8];
            self.memory(program).read(address, &mut bytes[..size as usize])?;
            Ok::<_, io::Error>(u64::from_le_bytes(bytes))
        };
        Ok([number(address)?, number(address + size)?])
    }

    /// Skips the call and gives it this result.
    pub(super) fn skip_with_result(mut self, result: u64) -> io::Result<()> {
        self.registers.cancel_syscall();
        self.registers.0.rax = result;
        ptrace::set_registers(self.tid, &self.registers.0)
    }
}

impl Inferior {
    /// Answers or changes the call that a tracee is about to make.
    pub(super) fn intercept_call(&mut self, tid: i32) -> io::Result<CallFollowUp> {
        let registers = Registers(ptrace::registers(tid)?);
        let number = registers.syscall_number();
        let Some(intercepted) = InterceptedCall::from_number(registers.machine(), number) else {
            return Ok(CallFollowUp::Nothing);
        };
        let is_thread = self.tracees.is_thread(tid);
        let takes_turns = is_thread && self.tracees.had_threads();
        let other_memory = match is_thread {
            true => None,
            false => Some(ProcessMemory::open(tid)?),
        };
        let arguments = registers.syscall_arguments();
        let call = CallEntry { tid, registers, arguments, other_memory };
        let at_exit = match intercepted {
            InterceptedCall::Random => self.give_random_bytes(call).map(|()| None)?,
            InterceptedCall::Time
            | InterceptedCall::TimeOfDay
            | InterceptedCall::Clock(_)
            | InterceptedCall::ProcessorTimes
            | InterceptedCall::Usage => self.give_time(call, intercepted).map(|()| None)?,
            InterceptedCall::Device => self.note_terminal(&call),
            InterceptedCall::Processors => self.give_processors(call).map(|()| None)?,
            InterceptedCall::Wait(at, format) => {
                self.timeout(&call, at, format).map(AtExit::AddTime)
            }
            InterceptedCall::WaitByClock(size) => {
                self.timeout_by_clock(&call, size).map(AtExit::AddTime)
            }
            InterceptedCall::Signal(count) => self.redirect_signal(call, count)?,
            InterceptedCall::Open(at) => self.redirect_file(call, at)?,
            InterceptedCall::Inspect(at) | InterceptedCall::Describe(Some(at), ..) => {
                self.substitute_path(call, at)?
            }
            InterceptedCall::Describe(None, ..) => None,
            InterceptedCall::Futex | InterceptedCall::Yield => None,
        };
        let described = match intercepted {
            InterceptedCall::Describe(_, at, format) => {
                Some(AtExit::ReplaceDevice(arguments[at], format))
            }
            _ => None,
        };
        let pending = at_exit.into_iter().chain(described);
        let pending: Vec<_> = pending.map(|at_exit| PendingCall { tid, at_exit }).collect();
        let stops_at_exit = !pending.is_empty();
        self.sources.pending_calls.extend(pending);
        Ok(match intercepted {
            InterceptedCall::Yield if takes_turns && self.turns.has_ready() => {
                CallFollowUp::LetOthersGoFirst
            }
            InterceptedCall::Wait(..)
            | InterceptedCall::WaitByClock(_)
            | InterceptedCall::Futex
                if takes_turns =>
            {
                CallFollowUp::LetWait
            }
            _ if stops_at_exit => CallFollowUp::StopAtExit,
            _ => CallFollowUp::Nothing,
        })
    }

    /// When a tracee has stopped: does what remains to be done for its last call.
    pub(super) fn finish_pending_call(&mut self, tid: i32) -> io::Result<()> {
        let pending = &mut self.sources.pending_calls;
        let finished: Vec<_> = pending.extract_if(.., |call| call.tid == tid).collect();
        finished.into_iter().try_for_each(|call| self.finish_call(call))
    }

    fn finish_call(&mut self, PendingCall { tid, at_exit }: PendingCall) -> io::Result<()> {
        let mut registers = Registers(ptrace::registers(tid)?);
        match at_exit {
            AtExit::AddTime(micros) if registers.0.rax == 0 => {
                let elapsed = &mut self.sources.elapsed_micros;
                *elapsed = elapsed.saturating_add(micros);
                Ok(())
            }
            AtExit::AddTime(_) => Ok(()),
            AtExit::ReplaceDevice(address, format) if registers.0.rax == 0 => {
                self.replace_device(tid, address, format)
            }
            AtExit::ReplaceDevice(..) => Ok(()),
            AtExit::RestoreArguments([first, second]) => {
                registers.set_syscall_argument(0, first);
                registers.set_syscall_argument(1, second);
                ptrace::set_registers(tid, &registers.0)
            }
        }
    }
}

/// Random bytes and waiting.
impl Inferior {
    fn give_random_bytes(&mut self, call: CallEntry) -> io::Result<()> {
        let [at, length, ..] = call.arguments;
        // The system gives no more at once either.
        let length = length.min(i32::MAX as u64);
        let mut bytes = Vec::new();
        let mut written = 0;
        while written < length {
            bytes.clear();
            let count = RANDOM_CHUNK_BYTES.min((length - written) as usize);
            bytes.extend((0..count).map(|_| self.sources.random_byte()));
            if call.memory(&self.memory).write(at + written, &bytes).is_err() {
                // There is no memory at this address, and the system will return the error.
                return Ok(());
            }
            written += count as u64;
        }
        call.skip_with_result(length)
    }

    /// The timeout in microseconds of a call that waits, if it has one.
    fn timeout(&self, call: &CallEntry, at: usize, format: TimeoutFormat) -> Option<u64> {
        let value = call.arguments[at];
        let pair = |size| call.pair(&self.memory, value, size).ok().filter(|_| value != 0);
        match format {
            TimeoutFormat::Milliseconds => {
                u64::try_from(value as i32).ok().map(|millis| millis * 1000)
            }
            TimeoutFormat::Microseconds(size) => {
                pair(size).map(|[seconds, micros]| to_micros(seconds, micros))
            }
            TimeoutFormat::Nanoseconds(size) => {
                pair(size).map(|[seconds, nanos]| to_micros(seconds, nanos / 1000))
            }
        }
    }

    /// The timeout in microseconds of a call that waits by a clock, for or until a time.
    fn timeout_by_clock(&self, call: &CallEntry, size: u64) -> Option<u64> {
        let [clock, flags, at, ..] = call.arguments;
        let [seconds, nanos] = call.pair(&self.memory, at, size).ok()?;
        let time = to_micros(seconds, nanos / 1000);
        if flags as i32 & libc::TIMER_ABSTIME == 0 {
            return Some(time);
        }
        time.checked_sub(wall_clock_start(clock)?)?.checked_sub(self.sources.elapsed_micros)
    }
}

/// Devices, processors and processes.
impl Inferior {
    /// Notes if the program asks whether its input or output is a terminal.
    fn note_terminal(&mut self, call: &CallEntry) -> Option<AtExit> {
        let [file, request, ..] = call.arguments;
        self.sources.asked_for_terminal |= file <= 2 && request == libc::TCGETS;
        None
    }

    /// Gives the processors that the program had before it was pinned to one.
    fn give_processors(&self, call: CallEntry) -> io::Result<()> {
        let Some(pinning) = &self.cpu_pinning else { return Ok(()) };
        let [_, length, at, ..] = call.arguments;
        let mut mask = pinning.processor_mask();
        mask.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        if call.memory(&self.memory).write(at, &mask).is_err() {
            return Ok(());
        }
        call.skip_with_result(mask.len() as u64)
    }

    /// In a fork, makes signals to the process that it is a fork of, or to the group of both, reach the fork.
    fn redirect_signal(&self, mut call: CallEntry, count: usize) -> io::Result<Option<AtExit>> {
        let before = [call.arguments[0], call.arguments[1]];
        let former = &self.sources.former_pids;
        let is_own = |number: i32| number == 0 || former.contains(&number);
        let mut is_changed = false;
        for (at, number) in before.into_iter().enumerate().take(count) {
            if !former.is_empty() && is_own(number as i32) {
                call.registers.set_syscall_argument(at, self.pid() as u64);
                is_changed = true;
            }
        }
        if !is_changed {
            return Ok(None);
        }
        ptrace::set_registers(call.tid, &call.registers.0)?;
        Ok(Some(AtExit::RestoreArguments(before)))
    }

    /// Opens a file with constant bytes in place of a device of random bytes, or a file with the contents of another one.
    fn redirect_file(&mut self, call: CallEntry, at: usize) -> io::Result<Option<AtExit>> {
        let memory = call.memory(&self.memory);
        let path = call.arguments[at];
        self.sources.asked_for_terminal |= is_path(memory, path, TERMINAL);
        if let Some(path) = self.system_file_for(&call, at)? {
            return self.give_path(call, at, path.as_bytes());
        }
        if RANDOM_DEVICES.iter().any(|device| is_path(memory, path, device)) {
            let device = self.sources.random_device()?;
            let path = format!("/proc/{}/fd/{}", std::process::id(), device.as_raw_fd());
            return self.give_path(call, at, path.as_bytes());
        }
        match call.arguments[at + 1] as i32 & libc::O_ACCMODE {
            libc::O_RDONLY => self.substitute_path(call, at),
            _ => {
                self.note_private_write(&call, at);
                Ok(None)
            }
        }
    }
}

/// Whether a path, with the zero at its end, is at an address.
fn is_path(memory: &ProcessMemory, address: u64, path: &[u8]) -> bool {
    let mut bytes = vec![0; path.len()];
    memory.read(address, &mut bytes).is_ok() && bytes == path
}

fn to_micros(seconds: u64, micros: u64) -> u64 {
    seconds.saturating_mul(1_000_000).saturating_add(micros)
}
