//! The exit codes of wynot. Scripts rely on them.

use std::process::ExitCode;
use wynot::ErrorKind;
use wynot::search::Status;
use wynot_session::Stop;
#[cfg(target_arch = "x86_64")]
use wynot_state::CauseEffectChain;

/// An exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A result was found.
    Found = 0,
    /// Something unexpected went wrong.
    Unexpected = 1,
    /// The usage or an input is wrong.
    Usage = 2,
    /// The failure does not reproduce, or the passing side fails too.
    NoFailure = 3,
    /// The test contradicted itself, or no chain was found.
    Indeterminate = 4,
    /// A limit ended the search, with a result.
    Limit = 5,
    /// The search was interrupted, with a result.
    Interrupted = 130,
}

#[cfg(target_arch = "x86_64")]
impl Code {
    /// The exit code of an explanation.
    pub fn of_chain(chain: &CauseEffectChain<Stop>) -> Self {
        match &chain.stopped {
            Some(Stop::Interrupted) => Self::Interrupted,
            Some(_) => Self::Limit,
            None if chain.steps().is_empty() => Self::Indeterminate,
            None if chain.unnarrowed > 0 => Self::Limit,
            None => Self::Found,
        }
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

impl From<ErrorKind> for Code {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Usage => Self::Usage,
            ErrorKind::NoFailure => Self::NoFailure,
            ErrorKind::Indeterminate => Self::Indeterminate,
            ErrorKind::Interrupted => Self::Interrupted,
            _ => Self::Unexpected,
        }
    }
}

impl From<&Status> for Code {
    fn from(status: &Status) -> Self {
        match status {
            Status::Minimal => Self::Found,
            Status::Indeterminate => Self::Indeterminate,
            Status::Stopped(stop) if stop.is_limit() => Self::Limit,
            Status::Stopped(Stop::Interrupted) => Self::Interrupted,
            Status::Stopped(_) => Self::Unexpected,
        }
    }
}
