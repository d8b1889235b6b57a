//! A crash: its cause, and the functions that were being called.

use crate::library_functions::is_library_function;
use serde::{Deserialize, Serialize};
use std::fmt;
use wynot_process::signal;

/// What has happened, without the place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// This signal was about to be delivered.
    Signal(i32),
    /// The stack was used up. It is accidental which function of a recursion needs the last byte.
    StackOverflow,
    /// The program reported the crash itself, in these words.
    Report(String),
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal(number) => write!(f, "signal {}", signal::name(*number)),
            Self::StackOverflow => f.write_str("stack overflow"),
            Self::Report(words) => f.write_str(words),
        }
    }
}

/// A crash of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    /// What has happened.
    pub cause: Cause,
    /// The names of the functions that were being called, innermost first: `FILE+OFFSET` for a function
    /// without a name, `?` for code that belongs to no file.
    pub frames: Vec<String>,
    /// Whether the list of frames is complete. If not, the frames beyond the last one are unknown.
    pub complete: bool,
    /// The innermost function that belongs neither to a library that many programs share nor to the input, and its
    /// caller, as `inner ← caller`; `None` if it is unknown, or if the innermost function belongs to the input.
    #[serde(default)]
    pub culprit: Option<String>,
    /// The line of the program's source that the report names, unless that is a line of the input.
    #[serde(default)]
    pub location: Option<String>,
    /// The message of the report, as it was printed.
    #[serde(default)]
    pub message: Option<String>,
}

impl Crash {
    /// A crash with some frames.
    pub fn new(cause: Cause, frames: Vec<String>, complete: bool) -> Self {
        Self { cause, frames, complete, culprit: None, location: None, message: None }
    }

    /// A crash of which only the cause is known.
    pub fn without_frames(cause: Cause) -> Self {
        Self::new(cause, Vec::new(), false)
    }

    /// A crash that the program has reported.
    pub fn reported(kind: impl Into<String>, frames: Vec<String>) -> Self {
        Self::new(Cause::Report(kind.into()), frames, true)
    }

    /// Whether no function of the program is known: there are no frames, or only those of shared libraries.
    pub fn names_no_function(&self) -> bool {
        self.culprit.is_none() && self.frames.iter().all(|name| is_library_function(name))
    }

    /// The same with the frames of an observed crash, if the report itself names no function of the program.
    #[must_use]
    pub fn with_backtrace_of(mut self, observed: Option<Self>) -> Self {
        if let Some(observed) = observed.filter(|_| self.names_no_function()) {
            self.culprit = observed.culprit;
            self.frames = observed.frames;
            self.complete = observed.complete;
            // Where the stack was used up, the report of a signal says less.
            if observed.cause == Cause::StackOverflow {
                self.cause = observed.cause;
            }
        }
        self
    }
}
