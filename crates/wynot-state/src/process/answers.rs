//! Making chance and time the same for all.
//!
//! Programs get random bytes to guard stacks and pointers, and ask for more, or for the time, to spread the
//! keys of hash tables and to mark what was freed. Nothing of that is meant to be compared, and orders of
//! keys decide what a program does. So all get the same bytes in the same order here, and for all the same
//! time passes from one question to the next, and while they wait. Time that is spent, as by
//! `CLOCK_PROCESS_CPUTIME_ID`, stays what it is: it is meant to differ.
//!
//! Three things stay chance: the numbers of processes, as programs look for themselves in `/proc` and send
//! signals by them; instructions that make random numbers or count cycles; and what other programs and the
//! network say.

use super::chance::{BEGIN, End, Pending, START};
use super::memory::Memory;
use super::requests::{Request, Span};
use super::{Inferior, Registers};
use crate::Machine;
use std::io;
use std::os::fd::AsRawFd;
use wynot_crash::tracee;

/// The bytes that each program has from the start.
const CONSTANT: &[u8; 16] = b"wynot's constant";

/// How many bytes are written at once for a program that asks for many.
const AT_ONCE: usize = 4 << 10;

/// The devices for random bytes.
const DEVICES: [&[u8]; 2] = [b"/dev/urandom\0", b"/dev/random\0"];

/// The terminal of whoever opens it.
const TERMINAL: &[u8] = b"/dev/tty\0";

/// Behind what belongs to the function that runs, so far below the end of the stack a name can be put.
const BELOW: u64 = 512;

/// When a clock began; nothing for those that tell what was spent.
fn beginning(clock: u64) -> Option<u64> {
    match clock as i32 {
        libc::CLOCK_REALTIME
        | libc::CLOCK_REALTIME_COARSE
        | libc::CLOCK_REALTIME_ALARM
        | libc::CLOCK_TAI => Some(START),
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_BOOTTIME
        | libc::CLOCK_BOOTTIME_ALARM => Some(BEGIN),
        _ => None,
    }
}

/// What the system tells a program in the beginning, and how it is numbered.
const IGNORED: u64 = 1;

/// The beginning.
impl Inferior {
    /// Before the first instruction: fixes the random bytes that the program was given, and hides the
    /// functions that the system lends, as one of them makes random bytes without asking the system. The
    /// others tell the time, which can be asked for as well.
    pub(super) fn fix_chance(&self) -> io::Result<()> {
        let machine = self.machine();
        let word = machine.word();
        let mut at = self.registers().sp() + word;
        // Behind the number of arguments there are these, and the variables.
        for _ in 0..2 {
            while self.word(at)? != 0 {
                at += word;
            }
            at += word;
        }
        loop {
            match self.word(at)? {
                libc::AT_NULL => return Ok(()),
                libc::AT_RANDOM => self.memory.write(self.word(at + word)?, CONSTANT)?,
                libc::AT_SYSINFO_EHDR => self.memory.write(at, &machine.bytes(IGNORED))?,
                _ => {}
            }
            at += 2 * word;
        }
    }

    fn word(&self, address: u64) -> io::Result<u64> {
        number(&self.memory, address, self.machine().word())
    }
}

/// A number of four or eight bytes.
fn number(memory: &Memory, address: u64, size: u64) -> io::Result<u64> {
    let mut bytes = [0; 8];
    memory.read(address, &mut bytes[..size as usize])?;
    Ok(u64::from_le_bytes(bytes))
}

/// A system call that is about to be made.
struct Asked {
    member: i32,
    registers: Registers,
    arguments: [u64; 6],
    /// The memory of another process that the program has started.
    other: Option<Memory>,
}

impl Asked {
    fn machine(&self) -> Machine {
        self.registers.machine()
    }

    fn memory<'m>(&'m self, own: &'m Memory) -> &'m Memory {
        self.other.as_ref().unwrap_or(own)
    }

    /// Two numbers of so many bytes.
    fn pair(&self, own: &Memory, address: u64, size: u64) -> io::Result<[u64; 2]> {
        let memory = self.memory(own);
        Ok([number(memory, address, size)?, number(memory, address + size, size)?])
    }

    /// Gives a result in place of the system.
    fn done(mut self, result: u64) -> io::Result<()> {
        self.registers.leave_system_call();
        self.registers.0.rax = result;
        tracee::set_registers(self.member, &self.registers.0)
    }
}

/// Requests.
impl Inferior {
    /// Answers a request in place of the system, or changes it. Whether its end has to be seen.
    pub(super) fn answer(&mut self, member: i32) -> io::Result<bool> {
        let registers = Registers(tracee::registers(member)?);
        let Some(request) = Request::of(registers.machine(), registers.system_call()) else {
            return Ok(false);
        };
        let other = match self.family.is_thread(member) {
            true => None,
            false => Some(Memory::of(member)?),
        };
        let arguments = registers.system_arguments();
        let asked = Asked { member, registers, arguments, other };
        let end = match request {
            Request::Random => self.give_bytes(asked).map(|()| None)?,
            Request::Time | Request::TimeOfDay | Request::Clock(_) => {
                self.tell_time(asked, request).map(|()| None)?
            }
            Request::Device => self.note_terminal(&asked),
            Request::Processors => self.tell_processors(asked).map(|()| None)?,
            Request::Wait(at, span) => self.span(&asked, at, span).map(End::Wait),
            Request::WaitByClock(size) => self.span_by_clock(&asked, size).map(End::Wait),
            Request::Signal(numbers) => self.meant(asked, numbers)?,
            Request::Open(at) => self.open(asked, at)?,
        };
        self.chance.pending.extend(end.map(|end| Pending { member, end }));
        Ok(end.is_some())
    }

    /// When a thread has stopped again: what its last system call has left to do.
    pub(super) fn conclude(&mut self, member: i32) -> io::Result<()> {
        let pending = &mut self.chance.pending;
        let Some(index) = pending.iter().position(|pending| pending.member == member) else {
            return Ok(());
        };
        let mut registers = Registers(tracee::registers(member)?);
        match pending.swap_remove(index).end {
            End::Wait(time) if registers.0.rax == 0 => {
                self.chance.time = self.chance.time.saturating_add(time);
                Ok(())
            }
            End::Wait(_) => Ok(()),
            End::Restore([first, second]) => {
                registers.set_system_argument(0, first);
                registers.set_system_argument(1, second);
                tracee::set_registers(member, &registers.0)
            }
        }
    }

    fn tell_time(&mut self, asked: Asked, request: Request) -> io::Result<()> {
        let word = asked.machine().word();
        let [first, second, ..] = asked.arguments;
        let begin =
            if matches!(request, Request::Clock(_)) { beginning(first) } else { Some(START) };
        let Some(begin) = begin else { return Ok(()) };
        let [seconds, micros] = self.chance.time(begin);
        let (at, size, numbers, result) = match request {
            Request::Time => (first, word, vec![seconds], seconds),
            Request::Clock(size) => (second, size, vec![seconds, micros * 1000], 0),
            _ => (first, word, vec![seconds, micros], 0),
        };
        let bytes: Vec<u8> = numbers
            .iter()
            .flat_map(|number| number.to_le_bytes().into_iter().take(size as usize))
            .collect();
        if at != 0 && asked.memory(&self.memory).write(at, &bytes).is_err() {
            // There is no such memory, and the system will say so.
            return Ok(());
        }
        asked.done(result)
    }

    /// Takes note of whoever asks if it is a terminal that it reads from or prints to.
    fn note_terminal(&mut self, asked: &Asked) -> Option<End> {
        let [file, what, ..] = asked.arguments;
        self.chance.terminal |= file <= 2 && what == libc::TCGETS;
        None
    }

    /// Tells which processors there were before the program was kept close.
    fn tell_processors(&self, asked: Asked) -> io::Result<()> {
        let Some(closeness) = &self.closeness else { return Ok(()) };
        let [_, length, at, ..] = asked.arguments;
        let mut bytes = closeness.processors();
        bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        if asked.memory(&self.memory).write(at, &bytes).is_err() {
            return Ok(());
        }
        asked.done(bytes.len() as u64)
    }

    /// How many microseconds somebody is about to wait at most, if there is an end to it.
    fn span(&self, asked: &Asked, at: usize, span: Span) -> Option<u64> {
        let value = asked.arguments[at];
        let pair = |size| asked.pair(&self.memory, value, size).ok().filter(|_| value != 0);
        match span {
            Span::Milliseconds => u64::try_from(value as i32).ok().map(|millis| millis * 1000),
            Span::Micro(size) => pair(size).map(|[seconds, micros]| micros_of(seconds, micros)),
            Span::Nano(size) => pair(size).map(|[seconds, nanos]| micros_of(seconds, nanos / 1000)),
        }
    }

    /// The same by a clock, also until some time.
    fn span_by_clock(&self, asked: &Asked, size: u64) -> Option<u64> {
        let [clock, flags, at, ..] = asked.arguments;
        let [seconds, nanos] = asked.pair(&self.memory, at, size).ok()?;
        let time = micros_of(seconds, nanos / 1000);
        if flags as i32 & libc::TIMER_ABSTIME == 0 {
            return Some(time);
        }
        time.checked_sub(beginning(clock)?)?.checked_sub(self.chance.time)
    }

    /// In a copy, the number of the process that it is a copy of means itself; and the group of processes,
    /// to which both belong, does too.
    fn meant(&self, mut asked: Asked, numbers: usize) -> io::Result<Option<End>> {
        let before = [asked.arguments[0], asked.arguments[1]];
        let is_meant = |number: i32| number == 0 || self.chance.former.contains(&number);
        let mut changed = false;
        for (at, number) in before.into_iter().enumerate().take(numbers) {
            if !self.chance.former.is_empty() && is_meant(number as i32) {
                asked.registers.set_system_argument(at, self.pid() as u64);
                changed = true;
            }
        }
        if !changed {
            return Ok(None);
        }
        tracee::set_registers(asked.member, &asked.registers.0)?;
        Ok(Some(End::Restore(before)))
    }

    /// Opens another file in place of a device for random bytes.
    fn open(&mut self, mut asked: Asked, at: usize) -> io::Result<Option<End>> {
        let before = [asked.arguments[0], asked.arguments[1]];
        let own = asked.memory(&self.memory);
        self.chance.terminal |= is_named(own, before[at], TERMINAL);
        let is_device = DEVICES.iter().any(|device| is_named(own, before[at], device));
        if !is_device {
            return Ok(None);
        }
        let device = self.chance.device()?;
        let name = format!("/proc/{}/fd/{}\0", std::process::id(), device.as_raw_fd());
        let place = asked.registers.sp().saturating_sub(BELOW);
        if asked.memory(&self.memory).write(place, name.as_bytes()).is_err() {
            return Ok(None);
        }
        asked.registers.set_system_argument(at, place);
        tracee::set_registers(asked.member, &asked.registers.0)?;
        Ok(Some(End::Restore(before)))
    }

    fn give_bytes(&mut self, asked: Asked) -> io::Result<()> {
        let [at, length, ..] = asked.arguments;
        // The system gives no more at once either.
        let length = length.min(i32::MAX as u64);
        let mut bytes = Vec::new();
        let mut written = 0;
        while written < length {
            bytes.clear();
            let most = AT_ONCE.min((length - written) as usize);
            bytes.extend((0..most).map(|_| self.chance.byte()));
            if asked.memory(&self.memory).write(at + written, &bytes).is_err() {
                // There is no such memory, and the system will say so.
                return Ok(());
            }
            written += most as u64;
        }
        asked.done(length)
    }
}

/// Whether this, which ends with a zero, lies at an address.
fn is_named(memory: &Memory, address: u64, name: &[u8]) -> bool {
    let mut bytes = vec![0; name.len()];
    memory.read(address, &mut bytes).is_ok() && bytes == name
}

fn micros_of(seconds: u64, micros: u64) -> u64 {
    seconds.saturating_mul(1_000_000).saturating_add(micros)
}
