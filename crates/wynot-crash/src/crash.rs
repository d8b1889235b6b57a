//! A crash: its cause, and the functions that were being called.

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
}

impl Crash {
    /// A crash of which only the cause is known.
    pub fn without_frames(cause: Cause) -> Self {
        Self { cause, frames: Vec::new(), complete: false }
    }

    /// A crash that the program has reported.
    pub fn reported(kind: impl Into<String>, frames: Vec<String>) -> Self {
        Self { cause: Cause::Report(kind.into()), frames, complete: true }
    }
}
