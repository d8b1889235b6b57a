//! The registers from which unwinding starts.

use std::io;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use wynot_process::ptrace;
#[cfg(target_arch = "x86_64")]
use wynot_process::{Machine, Registers};

/// The registers of a stopped thread that unwinding needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnwindRegisters {
    /// The instruction pointer.
    pub(super) ip: u64,
    /// The stack pointer.
    pub(super) sp: u64,
    /// The frame pointer.
    pub(super) fp: u64,
    /// The address to return to, on processors that have a register for it.
    pub(super) link: Option<u64>,
    /// Whether the program is a 32-bit program on a 64-bit processor.
    pub(super) is_32_bit: bool,
}

impl UnwindRegisters {
    /// Reads the registers of a stopped thread.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn read(tid: i32) -> io::Result<Self> {
        let registers = Registers(ptrace::registers(tid)?);
        Ok(Self {
            ip: registers.ip(),
            sp: registers.sp(),
            fp: registers.0.rbp,
            link: None,
            is_32_bit: registers.machine() == Machine::I386,
        })
    }

    /// Reads the registers of a stopped thread.
    #[cfg(target_arch = "aarch64")]
    pub(super) fn read(tid: i32) -> io::Result<Self> {
        let registers = ptrace::registers(tid)?;
        Ok(Self {
            ip: registers.pc,
            sp: registers.sp,
            fp: registers.regs[29],
            link: Some(registers.regs[30]),
            is_32_bit: false,
        })
    }

    /// On other processors there are no backtraces, except with gdb.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(super) fn read(_: i32) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns to the caller of a function that has not executed any instruction, and gives the address to
    /// which it returns. `word` reads the stack.
    pub(super) fn return_at_entry(
        &mut self,
        mut word: impl FnMut(u64) -> Option<u64>,
    ) -> Option<u64> {
        match self.link {
            Some(link) => self.ip = link,
            None => {
                self.ip = word(self.sp)?;
                self.sp = self.sp.checked_add(8)?;
            }
        }
        Some(self.ip)
    }
}
