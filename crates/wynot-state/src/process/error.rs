//! What can go wrong with a program under control.

use std::io;
use std::path::PathBuf;

/// Why a program cannot be run under control, or not any further.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// There is no such program, or it cannot be read.
    #[error("cannot read the program {}", path.display())]
    Program {
        /// The program.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It may not be executed.
    #[error("{} is not executable; allow it with chmod +x", .0.display())]
    NotExecutable(PathBuf),
    /// It is a script, or no program at all.
    #[error(
        "{} is not a compiled program (an ELF file); for a script, name its interpreter instead, with the \
         script as the first argument",
        .0.display()
    )]
    NotBinary(PathBuf),
    /// It is for other processors.
    #[error(
        "{} is a program for {machine}; only those for x86-64 and for x86 of 32 bits can be controlled here",
        path.display()
    )]
    OtherMachine {
        /// The program.
        path: PathBuf,
        /// What it is for.
        machine: String,
    },
    /// It runs as another user, and nobody may look into it.
    #[error(
        "{} runs with the rights of another user (setuid or setgid), and such programs cannot be \
         controlled; name a copy of it, which has no such rights",
        .0.display()
    )]
    Privileged(PathBuf),
    /// The file to be read as standard input cannot be opened, or not as often as it takes.
    #[error("cannot open the input {}", path.display())]
    Input {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is no such directory to run in.
    #[error("{} is no directory to run a program in", .0.display())]
    Directory(PathBuf),
    /// The program is fine, but could not be started.
    #[error("cannot start {}", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Addresses would differ from run to run.
    #[error(
        "the system does not let programs be loaded at fixed addresses; inside of a container, allow the \
         system call personality"
    )]
    Randomized,
    /// The program has replaced itself.
    #[error(
        "the program becomes another one, {0}; name that one instead, with the arguments it is given"
    )]
    Becomes(String),
    /// It has ended, and cannot be controlled any more.
    #[error("the program has ended")]
    Ended,
    /// It took longer than it may.
    #[error("the program takes too long")]
    TimedOut,
    /// A function that was called in the program did not return.
    #[error("a function called in the program got signal {}", wynot_crash::signal::name(*.0))]
    Call(i32),
    /// There is no instruction in the program by which it could ask the system for something.
    #[error("no place in the program to make system calls from")]
    NoSystemCall,
    /// It uses more memory than is looked at.
    #[error("the program uses {0} bytes of memory, too much to be looked at")]
    TooLarge(u64),
    /// A breakpoint was asked for where there is no memory.
    #[error("there is no code at {0:#x}")]
    NoCode(u64),
    /// The system does not allow something that is needed.
    #[error("cannot control the program")]
    Control(#[from] io::Error),
}

impl From<rustix::io::Errno> for ProcessError {
    fn from(errno: rustix::io::Errno) -> Self {
        Self::Control(errno.into())
    }
}
