//! What the system is asked for in the name of a program.

use crate::Machine;

/// Something that the system does for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Makes a copy of the process.
    Clone,
    /// Says when a timer will send a signal.
    GetTimer,
    /// Says which number the process has.
    GetPid,
    /// Gives memory. The last argument is 0: it is counted in pages on some machines.
    Map,
}

impl Service {
    /// The number of the system call.
    pub(super) fn number(self, machine: Machine) -> u64 {
        let numbers = match self {
            Self::Clone => (libc::SYS_clone, 120),
            Self::GetTimer => (libc::SYS_getitimer, 105),
            Self::GetPid => (libc::SYS_getpid, 20),
            Self::Map => (libc::SYS_mmap, 192),
        };
        match machine {
            Machine::X86_64 => numbers.0 as u64,
            Machine::I386 => numbers.1,
        }
    }
}
