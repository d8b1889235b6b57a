//! What one run of a test showed.

use crate::signal;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// It ended by itself with this code.
    Exit(i32),
    /// This signal killed it.
    Signal(i32),
    /// It ran out of time and was stopped.
    Timeout,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Signal(number) => write!(f, "signal {}", signal::name(*number)),
            Self::Timeout => f.write_str("timeout"),
        }
    }
}

/// What a test printed to one stream: all of it up to a cap, else its first and its last part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The bytes that were kept.
    pub kept: Vec<u8>,
    /// How many bytes were printed.
    pub total: u64,
}

impl Output {
    /// Identifies the output without holding it.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.total.to_le_bytes()).update(&self.kept);
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// The last few lines, for messages.
    pub fn last_lines(&self, count: usize) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.kept);
        let lines: Vec<&str> = text.lines().collect();
        let from = lines.len().saturating_sub(count);
        lines[from..].iter().map(|line| line.chars().take(300).collect()).collect()
    }
}

/// What one run of a test showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// How it ended.
    pub ending: Ending,
    /// What it printed to standard output.
    pub stdout: Output,
    /// What it printed to standard error.
    pub stderr: Output,
    /// How long it took.
    pub elapsed: Duration,
}
