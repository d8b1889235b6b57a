//! System calls that can be injected into a program.

use wynot_process::Machine;

/// A system call that a program can be made to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemCall {
    /// `clone`: makes a copy of the process.
    Clone,
    /// `getitimer`: says when a timer will send a signal.
    GetTimer,
    /// `getpid`: gives the process number.
    GetPid,
    /// `mmap`, or `mmap2` on 32-bit x86: allocates memory. The last argument has to be 0, because some machines
    /// count it in pages.
    Map,
}

impl SystemCall {
    /// The number of the system call.
    pub(super) fn number(self, machine: Machine) -> u64 {
        let (x86_64, i386) = match self {
            Self::Clone => (libc::SYS_clone, 120),
            Self::GetTimer => (libc::SYS_getitimer, 105),
            Self::GetPid => (libc::SYS_getpid, 20),
            Self::Map => (libc::SYS_mmap, 192),
        };
        match machine {
            Machine::X86_64 => x86_64 as u64,
            Machine::I386 => i386,
        }
    }
}
