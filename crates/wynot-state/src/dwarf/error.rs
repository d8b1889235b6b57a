//! Why the debug information of a program cannot be read.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;
use wynot_process::ElfError;

/// Why the debug information of a program cannot be read. The message says what to do about it, if anything can
/// be done.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// The file does not exist.
    #[error("there is no program {}", .0.display())]
    Missing(PathBuf),
    /// The file cannot be read.
    #[error("cannot read the program {}: {}", .0.display(), .1)]
    Unreadable(PathBuf, io::Error),
    /// The file is a script for this interpreter.
    #[error(
        "{} is a script for {}, and only compiled programs can be examined; to examine the interpreter, \
         name it instead, with the script as its first argument",
        .0.display(), .1
    )]
    Script(PathBuf, String),
    /// The file is no ELF file.
    #[error("{} is not a program (an ELF file is needed)", .0.display())]
    NotElf(PathBuf),
    /// The file is an ELF file of this other kind.
    #[error("{} is {}, not a program that can be run", .0.display(), .1)]
    NotExecutable(PathBuf, &'static str),
    /// The program is compiled for this other processor.
    #[error(
        "{} is a program for {}; only programs for x86-64 and 32-bit x86 (i386) can be examined",
        .0.display(), .1
    )]
    Architecture(PathBuf, String),
    /// The compiler has not written debug information, or it was removed.
    #[error(
        "{} has no debug information; compile it with -g (best with -O0) and do not strip it, or install \
         the package with its debug symbols",
        .0.display()
    )]
    NoDebugInformation(PathBuf),
    /// The compiler has written the debug information into separate files.
    #[error(
        "the debug information of {} lies in other files; compile it with -gno-split-dwarf",
        .0.display()
    )]
    Split(PathBuf),
    /// The file contradicts itself.
    #[error("{} is damaged: {}", .0.display(), .1)]
    Damaged(PathBuf, String),
}

impl ProgramError {
    /// The error about a file that is not readable as an ELF file.
    pub(super) fn from_elf(path: &Path, error: ElfError) -> Self {
        let path = path.to_owned();
        match error {
            ElfError::Unreadable(error) if error.kind() == io::ErrorKind::NotFound => {
                Self::Missing(path)
            }
            ElfError::Unreadable(error) => Self::Unreadable(path, error),
            ElfError::Script(interpreter) => Self::Script(path, interpreter),
            ElfError::NotElf => Self::NotElf(path),
            ElfError::Damaged(message) => Self::Damaged(path, message),
        }
    }

    /// The error about a file that contradicts itself.
    pub(super) fn damaged(path: &Path, what: impl ToString) -> Self {
        Self::Damaged(path.to_owned(), what.to_string())
    }
}
