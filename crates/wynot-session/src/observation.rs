//! What one run of a test showed.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;
use wynot_crash::Crash;
use wynot_process::signal;

/// What is said last where a build has failed.
pub const BUILD_FAILED: &[u8] = b"wynot: the build failed\n";

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
    /// It could not be brought to the point where it is observed: an experiment that does not reach its place.
    NotReached,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Signal(number) => write!(f, "signal {}", signal::name(*number)),
            Self::Timeout => f.write_str("timeout"),
            Self::NotReached => f.write_str("not reached"),
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

/// Words that stand in lines which say what went wrong.
const TELLING: [&str; 7] = ["error", "exception", "panic", "assert", "fatal", "fault", "abort"];

impl Observation {
    /// Whether a build before the test has failed.
    pub fn did_not_build(&self) -> bool {
        self.ending == Ending::Exit(125) && self.stderr.kept.ends_with(BUILD_FAILED)
    }

    /// Why it settles nothing, in a word or two.
    pub(crate) fn reason(&self) -> &'static str {
        match self.ending {
            Ending::Timeout => "timed out",
            Ending::NotReached => "not reached",
            Ending::Exit(_) if self.did_not_build() => "did not build",
            Ending::Exit(125) => "skipped",
            Ending::Exit(0) => "passed, but not as expected",
            Ending::Exit(_) => "failed otherwise",
            Ending::Signal(_) => "died otherwise",
        }
    }

    /// What went wrong, in the test's own words: the lines that say so, without what differs from input
    /// to input anyway: places, numbers and quoted names.
    pub fn gist(&self) -> Vec<String> {
        let output = if self.stderr.kept.is_empty() { &self.stdout } else { &self.stderr };
        let text = String::from_utf8_lossy(&output.kept);
        let telling = |line: &&str| {
            let line = line.to_ascii_lowercase();
            TELLING.iter().any(|word| line.contains(word))
        };
        text.lines().filter(telling).take(100).map(without_names).collect()
    }

    /// The lines that tell this failure from others, without names and numbers: those that say what went
    /// wrong, else the last one.
    pub(crate) fn key_lines(&self) -> Vec<String> {
        let lines = self.gist();
        if !lines.is_empty() {
            return lines;
        }
        let output = if self.stderr.kept.is_empty() { &self.stdout } else { &self.stderr };
        let text = String::from_utf8_lossy(&output.kept);
        let last = text.lines().rev().map(without_names).find(|line| !line.is_empty());
        last.into_iter().collect()
    }
}

fn without_names(line: &str) -> String {
    let mut kept = String::new();
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' | '"' | '`' | '‘' | '’' => quoted = !quoted,
            _ if quoted || c.is_ascii_digit() => {}
            c => kept.push(c),
        }
    }
    let words = kept.split_whitespace().filter(|word| !word.contains('/') && !word.contains('.'));
    words.collect::<Vec<_>>().join(" ").chars().take(200).collect()
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
    /// Which crash it was, if anybody has looked and there was one.
    pub crash: Option<Crash>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printing(text: &str) -> Vec<String> {
        let stderr = Output { kept: text.into(), total: text.len() as u64 };
        let stdout = Output::default();
        let (ending, elapsed) = (Ending::Exit(1), Duration::ZERO);
        Observation { ending, stdout, stderr, elapsed, crash: None }.gist()
    }

    #[test]
    fn the_gist_is_what_does_not_depend_on_the_input() {
        let one = printing("./x.c: In function 'f':\n./x.c:12:3: error: redefinition of 'value'\n");
        let other = printing("./x.c:1:1: error: redefinition of 'v'\n  1 | v\n");
        assert_eq!(one, ["error: redefinition of"]);
        assert_eq!(one, other);
        assert_ne!(one, printing("./x.c:1:1: error: expected expression"));
        assert!(printing("all is well").is_empty());
    }
}
