//! The values of options that have a fixed set of them.

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use wynot::request::{Algorithm, ChangeScope, ExitCodes, SearchEffort};
use wynot_exec::command::Convention;
use wynot_subjects::LANGUAGES;

/// The values of `--algorithm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AlgorithmName {
    /// The best for the task
    Auto,
    /// Edits that the syntax of the input proposes
    Smart,
    /// Simplify until no single delta can be removed
    Ddmin,
    /// The same, but after a success go on with the next part instead of starting over: fewer tests if little is
    /// needed
    DdminNext,
    /// Simplify by isolating the deltas that are needed, one after the other
    Gather,
    /// Narrow the difference from both sides
    Dd,
    /// Grow the passing side only
    Ddmax,
}

/// The values of `--exit-code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExitCodeKind {
    /// 0: the failure is present, 125: unresolved, other: it is absent
    Reduce,
    /// 0: good, 125: skip, 1-127: bad, other: abort
    Bisect,
}

/// The values of `--crash-with`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CrashTool {
    /// Start gdb at each crash, if it may attach to processes: slow, but it supports more programs
    Gdb,
}

/// The values of `--group`.
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

/// The values of `--effort`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchEffortName {
    /// A quarter of what is usual
    Low,
    /// About a minute of tests, or four times what the search for the commit took
    Normal,
    /// Ten times as long
    High,
    /// Until everything is tested
    Max,
}

impl AlgorithmName {
    /// The algorithm; `None` for the best one for the task.
    pub fn algorithm(self) -> Option<Algorithm> {
        match self {
            Self::Auto => None,
            Self::Smart => Some(Algorithm::Smart),
            Self::Ddmin => Some(Algorithm::Ddmin),
            Self::DdminNext => Some(Algorithm::DdminNext),
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

impl From<SearchEffortName> for SearchEffort {
    fn from(name: SearchEffortName) -> Self {
        match name {
            SearchEffortName::Low => Self::Low,
            SearchEffortName::Normal => Self::Normal,
            SearchEffortName::High => Self::High,
            SearchEffortName::Max => Self::Max,
        }
    }
}

/// The values of `--as`: the tools whose convention for calling tests can be used.
pub fn conventions() -> PossibleValuesParser {
    PossibleValuesParser::new(Convention::ALL.map(Convention::name))
}

/// The values of `--language`: the languages that the default reducer knows.
pub fn languages() -> PossibleValuesParser {
    PossibleValuesParser::new(LANGUAGES.iter().map(|language| language.name))
}
