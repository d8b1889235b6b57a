//! Why a program cannot be controlled.

use std::io;
use std::path::PathBuf;
use wynot_process::signal;

/// Why a program cannot be run under control, or cannot be controlled any further.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The program does not exist or cannot be read.
    #[error("cannot read the program {}", path.display())]
    Program {
        /// The path of the program.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The program must not be executed.
    #[error("{} is not executable; allow it with chmod +x", .0.display())]
    NotExecutable(PathBuf),
    /// The file is a script, or no program at all.
    #[error(
        "{} is not a compiled program (an ELF file); for a script, name its interpreter instead, with the \
         script as the first argument",
        .0.display()
    )]
    NotBinary(PathBuf),
    /// The program is compiled for another processor.
    #[error(
        "{} is a program for {machine}; only programs for x86-64 and 32-bit x86 can be controlled",
        path.display()
    )]
    OtherMachine {
        /// The path of the program.
        path: PathBuf,
        /// The processor that it is compiled for.
        machine: String,
    },
    /// The program runs as another user, so the system does not let it be traced.
    #[error(
        "{} runs with the rights of another user (setuid or setgid), and such programs cannot be \
         controlled; name a copy of it, which has no such rights",
        .0.display()
    )]
    Privileged(PathBuf),
    /// The file for the standard input cannot be opened, or can be read only once.
    #[error("cannot open the input {}", path.display())]
    Input {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The directory to run in does not exist.
    #[error("{} is no directory to run a program in", .0.display())]
    Directory(PathBuf),
    /// The program seems fine but cannot be started.
    #[error("cannot start {}", path.display())]
    Start {
        /// The path of the program.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The system randomizes addresses, so they would differ from run to run.
    #[error(
        "the system does not let programs be loaded at fixed addresses; inside of a container, allow the \
         system call personality"
    )]
    Randomized,
    /// The program has executed another program.
    #[error(
        "the program becomes another one, {0}; name that one instead, with the arguments it is given"
    )]
    Becomes(String),
    /// The program has ended.
    #[error("the program has ended")]
    Ended,
    /// The program has used up its time.
    #[error("the program takes too long")]
    TimedOut,
    /// A function that was called in the program has not returned.
    #[error("a function called in the program got signal {}", signal::name(*.0))]
    Call(i32),
    /// The program contains no instruction for system calls.
    #[error("no place in the program to make system calls from")]
    NoSystemCall,
    /// The program uses more memory than the limit for copies.
    #[error("the program uses {0} bytes of memory, too much to be copied")]
    TooLarge(u64),
    /// A breakpoint was to be set at an address without memory.
    #[error("there is no code at {0:#x}")]
    NoCode(u64),
    /// The system refuses something that is needed.
    #[error("cannot control the program: {0}")]
    Control(#[from] io::Error),
}

impl From<rustix::io::Errno> for ProcessError {
    fn from(errno: rustix::io::Errno) -> Self {
        Self::Control(errno.into())
    }
}
