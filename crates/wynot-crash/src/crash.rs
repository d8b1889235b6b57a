//! A crash: what happened, and where.

use crate::signal;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What happened, without where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A signal was about to be delivered.
    Signal(i32),
    /// The stack was used up. Which function of a recursion needs the last byte is chance.
    StackOverflow,
    /// The program said so itself, in these words.
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

/// What happened, and the functions that were being called, innermost first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    /// What happened.
    pub cause: Cause,
    /// Names of functions; `MODULE+OFFSET` where there is no name, `?` where there is no module.
    pub frames: Vec<String>,
    /// Whether these are all frames. If not, there may be more that are not known.
    pub complete: bool,
}

impl Crash {
    /// A crash of which nothing is known but that it happened.
    pub fn unknown(cause: Cause) -> Self {
        Self { cause, frames: Vec::new(), complete: false }
    }

    /// A crash that the program has reported.
    pub fn reported(kind: impl Into<String>, frames: Vec<String>) -> Self {
        Self { cause: Cause::Report(kind.into()), frames, complete: true }
    }
}
