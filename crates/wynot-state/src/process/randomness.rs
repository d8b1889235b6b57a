//! Making chance and time the same for all.
//!
//! Programs get random bytes to guard stacks and pointers, and ask for more, or for the time, to spread the
//! keys of hash tables and to mark what was freed. Nothing of that is meant to be compared, and orders of
//! keys decide what a program does. So all get the same bytes in the same order here, and for all the same
//! time passes from one question to the next.

use super::Inferior;
use super::memory::Memory;
use libc::{c_ulong, sock_filter, sock_fprog};
use std::io;
use wynot_crash::tracee;

/// The bytes that each program has from the start.
const CONSTANT: &[u8; 16] = b"wynot's constant";

/// How many bytes are written at once for a program that asks for many.
const AT_ONCE: usize = 4 << 10;

/// What programs are given when they ask: as good as random, and always the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    state: u64,
    /// In microseconds since 1970.
    time: u64,
}

impl Default for Chance {
    fn default() -> Self {
        Self { state: 0x9e37_79b9_7f4a_7c15, time: 1_700_000_000_000_000 }
    }
}

/// How many microseconds pass from one question for the time to the next: loops that wait for it get on.
const TICK: u64 = 100;

/// The system calls that are answered here.
const ANSWERED: [i64; 4] =
    [libc::SYS_getrandom, libc::SYS_time, libc::SYS_gettimeofday, libc::SYS_clock_gettime];

impl Chance {
    /// The generator `xorshift64*`.
    fn byte(&mut self) -> u8 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8
    }

    /// Seconds, and microseconds of the next one.
    fn time(&mut self) -> (u64, u64) {
        self.time += TICK;
        (self.time / 1_000_000, self.time % 1_000_000)
    }
}

/// Makes the program that this process becomes stop before it asks the system for random bytes or the time.
/// To be called between fork and exec. On systems that cannot do that, chance stays what it is.
pub(super) fn show_requests() {
    let step = |code: u32, k: u32, skip: u8| sock_filter { code: code as u16, jt: skip, jf: 0, k };
    let is = |call: i64, skip: usize| {
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, call as u32, skip as u8)
    };
    let answer = |answer: u32| step(libc::BPF_RET | libc::BPF_K, answer, 0);
    let [random, time, of_day, clock] = ANSWERED;
    let mut steps = [
        // The number of the system call comes first of what filters see.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        is(random, 4),
        is(time, 3),
        is(of_day, 2),
        is(clock, 1),
        answer(libc::SECCOMP_RET_ALLOW),
        answer(libc::SECCOMP_RET_TRACE),
    ];
    let filter = sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
    let one: c_ulong = 1;
    let mode = libc::SECCOMP_MODE_FILTER as c_ulong;
    #[expect(
        unsafe_code,
        reason = "system calls only, and the filter is there until they are made"
    )]
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, one, 0, 0, 0);
        libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter);
    }
}

/// What the system tells a program in the beginning, and how it is numbered.
const IGNORED: u64 = 1;

impl Inferior {
    /// Before the first instruction: fixes the random bytes that the program was given, and hides the
    /// functions that the system lends, as one of them makes random bytes without asking the system. The
    /// others tell the time, which can be asked for as well.
    pub(super) fn fix_chance(&self) -> io::Result<()> {
        let mut at = self.registers().sp() + 8;
        // Behind the number of arguments there are these, and the variables.
        for _ in 0..2 {
            while self.word(at)? != 0 {
                at += 8;
            }
            at += 8;
        }
        loop {
            match self.word(at)? {
                libc::AT_NULL => return Ok(()),
                libc::AT_RANDOM => self.memory.write(self.word(at + 8)?, CONSTANT)?,
                libc::AT_SYSINFO_EHDR => self.memory.write(at, &IGNORED.to_ne_bytes())?,
                _ => {}
            }
            at += 16;
        }
    }

    fn word(&self, address: u64) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.memory.read(address, &mut bytes)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    /// Answers a request for random bytes or the time in place of the system.
    pub(super) fn answer(&mut self, member: i32) -> io::Result<()> {
        match tracee::registers(member)?.orig_rax as i64 {
            libc::SYS_getrandom => self.give_bytes(member),
            _ => self.tell_time(member),
        }
    }

    fn tell_time(&mut self, member: i32) -> io::Result<()> {
        let mut registers = tracee::registers(member)?;
        let (seconds, micros) = self.chance.time();
        let pair = |fraction: u64| [seconds.to_ne_bytes(), fraction.to_ne_bytes()].concat();
        let (at, bytes, result) = match registers.orig_rax as i64 {
            libc::SYS_time => (registers.rdi, seconds.to_ne_bytes().to_vec(), seconds),
            libc::SYS_gettimeofday => (registers.rdi, pair(micros), 0),
            _ => (registers.rsi, pair(micros * 1000), 0),
        };
        let other = match self.family.is_thread(member) {
            true => None,
            false => Some(Memory::of(member)?),
        };
        let memory = other.as_ref().unwrap_or(&self.memory);
        if at != 0 && memory.write(at, &bytes).is_err() {
            // There is no such memory, and the system will say so.
            return Ok(());
        }
        registers.orig_rax = u64::MAX;
        registers.rax = result;
        tracee::set_registers(member, &registers)
    }

    fn give_bytes(&mut self, member: i32) -> io::Result<()> {
        let mut registers = tracee::registers(member)?;
        let other = match self.family.is_thread(member) {
            true => None,
            false => Some(Memory::of(member)?),
        };
        let memory = other.as_ref().unwrap_or(&self.memory);
        // The system gives no more at once either.
        let length = registers.rsi.min(i32::MAX as u64);
        let mut bytes = Vec::new();
        let mut written = 0;
        while written < length {
            bytes.clear();
            let most = AT_ONCE.min((length - written) as usize);
            bytes.extend((0..most).map(|_| self.chance.byte()));
            if memory.write(registers.rdi + written, &bytes).is_err() {
                // There is no such memory, and the system will say so.
                return Ok(());
            }
            written += most as u64;
        }
        // No system call has this number, so none is made.
        registers.orig_rax = u64::MAX;
        registers.rax = length;
        tracee::set_registers(member, &registers)
    }
}
