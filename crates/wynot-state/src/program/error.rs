//! Why a program cannot be read.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why nothing can be known about a program. Each says what to do about it, if anything can be done.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// There is no such file.
    #[error("there is no program {}", .0.display())]
    Missing(PathBuf),
    /// The file cannot be read.
    #[error("cannot read the program {}: {}", .0.display(), .1)]
    Unreadable(PathBuf, io::Error),
    /// It is a script, for some interpreter.
    #[error(
        "{} is a script for {}, and only compiled programs can be looked at; to look at the interpreter, \
         name it instead, with the script as its first argument",
        .0.display(), .1
    )]
    Script(PathBuf, String),
    /// It is something else than an ELF file.
    #[error("{} is not a program (an ELF file is needed)", .0.display())]
    NotElf(PathBuf),
    /// It is an ELF file of another kind.
    #[error("{} is {}, not a program that can be run", .0.display(), .1)]
    NotExecutable(PathBuf, &'static str),
    /// It is for another processor.
    #[error(
        "{} is a program for {}; only those for x86-64 and for x86 of 32 bits (i386) are known",
        .0.display(), .1
    )]
    Architecture(PathBuf, String),
    /// The compiler has not written any, or it was removed.
    #[error(
        "{} has no debug information; compile it with -g (best with -O0) and do not strip it, or install \
         the package with its debug symbols",
        .0.display()
    )]
    NoDebugInformation(PathBuf),
    /// The compiler has written it into files of its own.
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
    /// The file contradicts itself, as somebody who has read it says.
    pub(super) fn damaged(path: &Path, what: impl ToString) -> Self {
        Self::Damaged(path.to_owned(), what.to_string())
    }
}
