//! Options with a few values to choose from.

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use wynot::request::{Algorithm, ChangeScope, ExitCodes};
use wynot_exec::command::Convention;
use wynot_subjects::LANGUAGES;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AlgorithmName {
    /// The best for the task
    Auto,
    /// Edits proposed by the syntax of the input
    Smart,
    /// Simplify until no single delta can go
    Ddmin,
    /// The same by isolating what is needed, one delta after the other
    Gather,
    /// Narrow the difference from both sides
    Dd,
    /// Grow the passing side only
    Ddmax,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExitCodeKind {
    /// 0: the failure is there, 125: unresolved, other: gone
    Reduce,
    /// 0: good, 125: skip, 1-127: bad, other: abort
    Bisect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CrashTool {
    /// Start gdb at each crash, where it may attach to processes: slow, but it knows more programs
    Gdb,
}

/// The coarsest changes that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ChangeScopeName {
    /// Commits, then directories, files, functions, hunks and lines
    Commit,
    /// Directories, then files, functions, hunks and lines
    Directory,
    /// Files, then functions, hunks and lines
    File,
    /// Functions, then hunks and lines
    Function,
    /// Lines
    None,
}

impl AlgorithmName {
    /// The algorithm; `None` for the best one for the task.
    pub fn algorithm(self) -> Option<Algorithm> {
        match self {
            Self::Auto => None,
            Self::Smart => Some(Algorithm::Smart),
            Self::Ddmin => Some(Algorithm::Ddmin),
            Self::Gather => Some(Algorithm::Gather),
            Self::Dd => Some(Algorithm::Dd),
            Self::Ddmax => Some(Algorithm::Ddmax),
        }
    }
}

impl From<ExitCodeKind> for ExitCodes {
    fn from(kind: ExitCodeKind) -> Self {
        match kind {
            ExitCodeKind::Reduce => Self::Reduce,
            ExitCodeKind::Bisect => Self::Bisect,
        }
    }
}

impl From<ChangeScopeName> for ChangeScope {
    fn from(name: ChangeScopeName) -> Self {
        match name {
            ChangeScopeName::Commit => Self::Commit,
            ChangeScopeName::Directory => Self::Directory,
            ChangeScopeName::File => Self::File,
            ChangeScopeName::Function => Self::Function,
            ChangeScopeName::None => Self::None,
        }
    }
}

/// The tools whose way to call tests can be followed.
pub fn conventions() -> PossibleValuesParser {
    PossibleValuesParser::new(Convention::ALL.map(Convention::name))
}

/// The languages that the default reducer knows.
pub fn languages() -> PossibleValuesParser {
    PossibleValuesParser::new(LANGUAGES.iter().map(|language| language.name))
}
