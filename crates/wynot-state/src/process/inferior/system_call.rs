//! System calls that can be injected into a program.

use wynot_process::Machine;

/// A system call that a program can be made to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemCall {
    /// `close`: closes a descriptor.
    Close,
    /// `dup2`: makes a descriptor lead to the file of another one.
    Duplicate,
    /// `lseek`: sets the position in a file.
    Seek,
    /// `open`: opens a file.
    Open,
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
            Self::Close => (libc::SYS_close, 6),
            Self::Duplicate => (libc::SYS_dup2, 63),
            Self::Seek => (libc::SYS_lseek, 19),
            Self::Open => (libc::SYS_open, 5),
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
