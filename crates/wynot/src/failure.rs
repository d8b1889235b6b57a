//! Errors as people see them: what was attempted, what to do, and the exit code.

use std::error::Error;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use wynot_run::plain;

/// The exit codes that scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Found = 0,
    Unexpected = 1,
    Usage = 2,
    NoFailure = 3,
    Indeterminate = 4,
    Limit = 5,
    Interrupted = 130,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code as u8)
    }
}

/// Why there is no result.
#[derive(Debug)]
pub struct Failure {
    pub code: Code,
    pub message: String,
    /// What was seen, line by line.
    pub details: Vec<String>,
    /// What to do about it.
    pub hints: Vec<String>,
}

impl Failure {
    pub fn new(code: Code, message: impl Display) -> Self {
        Self { code, message: message.to_string(), details: Vec::new(), hints: Vec::new() }
    }

    pub fn usage(message: impl Display) -> Self {
        Self::new(Code::Usage, message)
    }

    pub fn unexpected(error: &dyn Error) -> Self {
        Self::new(Code::Unexpected, error)
    }

    pub fn cannot_write(path: &Path, error: &io::Error) -> Self {
        Self::new(Code::Unexpected, format!("cannot write {}: {}", path.display(), plain(error)))
    }

    pub fn hint(mut self, hint: impl Display) -> Self {
        self.hints.push(hint.to_string());
        self
    }

    pub fn detail(mut self, line: impl Display) -> Self {
        self.details.push(line.to_string());
        self
    }

    /// Tells the user.
    pub fn show(self) -> ExitCode {
        told!("wynot: {}", self.message);
        for line in self.details {
            told!("  {line}");
        }
        for hint in self.hints {
            told!("hint: {hint}");
        }
        self.code.into()
    }
}
