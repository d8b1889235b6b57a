//! Errors as a user sees them: what was attempted, what was observed, and what to do.

use std::fmt;
use std::io;
use std::path::Path;
use wynot_session::{ExecutorError, Stop, plain};

/// The kinds of errors. Each has an exit code of its own on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Something that should work does not: a file that cannot be written, a test that cannot be started.
    Unexpected,
    /// The request is wrong or contradicts itself.
    Usage,
    /// The failure does not reproduce, or the passing side fails too.
    NoFailure,
    /// The tests contradict themselves, or nothing can be concluded.
    Indeterminate,
    /// The caller requested a stop before there was a result.
    Interrupted,
}

/// The reason why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// What was attempted, and why it failed.
    pub message: String,
    /// What was observed, line by line.
    pub details: Vec<String>,
    /// What the user can do.
    pub hints: Vec<String>,
    /// A command to run next, if one is known.
    pub next_command: Option<String>,
}

impl Error {
    /// An error of a kind, without details and hints.
    pub fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        let (details, hints, next_command) = (Vec::new(), Vec::new(), None);
        Self { kind, message: message.to_string(), details, hints, next_command }
    }

    /// A wrong request.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// An error of the system or of another crate.
    pub fn unexpected(error: &dyn std::error::Error) -> Self {
        Self::new(ErrorKind::Unexpected, error)
    }

    /// A file that cannot be written.
    pub fn cannot_write(path: &Path, error: &io::Error) -> Self {
        let message = format!("cannot write {}: {}", path.display(), plain(error));
        Self::new(ErrorKind::Unexpected, message)
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hints.push(hint.to_string());
        self
    }

    /// The same with a command to run next.
    #[must_use]
    pub fn next(mut self, command: impl fmt::Display) -> Self {
        self.next_command = Some(command.to_string());
        self
    }

    /// The same with a line of details.
    #[must_use]
    pub fn detail(mut self, line: impl fmt::Display) -> Self {
        self.details.push(line.to_string());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<&Stop> for Error {
    /// The error of a session that stopped, with hints at what the user can do about it.
    fn from(stop: &Stop) -> Self {
        let kind = match stop {
            Stop::Interrupted => ErrorKind::Interrupted,
            _ => ErrorKind::Unexpected,
        };
        let error = Self::new(kind, stop);
        match stop {
            Stop::Executor(ExecutorError::CannotStart { source, .. }) => match source.kind() {
                io::ErrorKind::PermissionDenied => error.hint("is the program executable?"),
                io::ErrorKind::NotFound => {
                    error.hint("does the interpreter named in its first line exist?")
                }
                _ => error,
            },
            Stop::Executor(ExecutorError::CannotTrace(_)) => error.hint(
                "--same-crash needs ptrace: in a container, allow it (--cap-add SYS_PTRACE, or a newer \
                 seccomp profile); it does not work inside of a debugger or strace",
            ),
            Stop::Executor(ExecutorError::Sandbox(_)) => error.hint(
                "--sandbox-partial goes on without; what a missing part would have kept in, a test can then reach",
            ),
            Stop::Executor(ExecutorError::HiddenDirectory(_)) => {
                error.hint("--sandbox-read . shows it, or start wynot in a directory below it")
            }
            Stop::Executor(ExecutorError::Scratch { source, .. })
                if source.kind() == io::ErrorKind::StorageFull =>
            {
                error.hint("use --scratch DIR with a directory that has room")
            }
            Stop::Executor(ExecutorError::Service { reason, .. })
                if reason.starts_with("it does not answer") =>
            {
                error.hint(
                    "are the address and the port right? grpcs:// is encrypted, grpc:// is not; --remote-timeout waits longer",
                )
            }
            Stop::Write { .. } => error.hint(
                "-o and --session choose other places; nothing is lost, the same command resumes",
            ),
            _ => error,
        }
    }
}
