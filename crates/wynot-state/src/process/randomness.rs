//! Making chance the same for all.
//!
//! Programs get random bytes to guard stacks and pointers, and ask for more to spread the keys of hash
//! tables and to mark what was freed. Nothing of that is meant to be compared, and orders of keys decide what
//! a program does. So all get the same bytes in the same order here.

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
pub(super) struct Chance(u64);

impl Default for Chance {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Chance {
    /// The generator `xorshift64*`.
    fn byte(&mut self) -> u8 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8
    }
}

/// Makes the program that this process becomes stop before it asks the system for random bytes. To be called
/// between fork and exec. On systems that cannot do that, chance stays what it is.
pub(super) fn show_requests() {
    let step = |code: u32, k: u32, skip_unless: u8| sock_filter {
        code: code as u16,
        jt: 0,
        jf: skip_unless,
        k,
    };
    let mut steps = [
        // The number of the system call comes first of what filters see.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, libc::SYS_getrandom as u32, 1),
        step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_TRACE, 0),
        step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0),
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

    /// Answers a request for random bytes in place of the system.
    pub(super) fn answer(&mut self, member: i32) -> io::Result<()> {
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
