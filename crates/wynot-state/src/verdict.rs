//! How an experiment has ended: as the passing run, as the failing one, or otherwise.

use crate::process::{ExitStatus, RunEnd};
use wynot_core::Outcome;
use wynot_crash::{Cause, Crash, Identity, reports};

/// How many functions of a backtrace make a crash the same.
const FUNCTIONS: u8 = 3;

/// Decides by what the two runs did by themselves.
#[derive(Clone, Debug)]
pub struct Verdict {
    passing: RunEnd,
    failing: RunEnd,
    /// Both end with the same status, or what they print has to be the same anyway.
    by_output: bool,
}

/// There is nothing to tell the two runs apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("both runs end in the same way and print the same")]
pub struct Same;

impl Verdict {
    /// Tells two runs apart by how they end, and if that is the same or output is asked for, by what they
    /// print.
    pub fn new(passing: RunEnd, failing: RunEnd, by_output: bool) -> Result<Self, Same> {
        let alike = ends_alike(&passing, &failing);
        if alike && (&passing.stdout, &passing.stderr) == (&failing.stdout, &failing.stderr) {
            return Err(Same);
        }
        Ok(Self { passing, failing, by_output: by_output || alike })
    }

    /// Which of the two runs this one is like.
    pub fn of(&self, ending: &RunEnd) -> Outcome {
        match (self.is_like(ending, &self.failing), self.is_like(ending, &self.passing)) {
            (true, false) => Outcome::Fail,
            (false, true) => Outcome::Pass,
            _ => Outcome::Unresolved,
        }
    }

    fn is_like(&self, ending: &RunEnd, original: &RunEnd) -> bool {
        ends_alike(ending, original)
            && (!self.by_output
                || (&ending.stdout, &ending.stderr) == (&original.stdout, &original.stderr))
    }
}

/// Whether two runs end with the same status, and if they crash, with the same crash.
fn ends_alike(one: &RunEnd, other: &RunEnd) -> bool {
    if one.status != other.status || one.status == ExitStatus::TimedOut {
        return false;
    }
    let crashed = match (crash(one), crash(other)) {
        (None, None) => true,
        (Some(one), Some(other)) => is_known(&one) && identity(&one) == identity(&other),
        _ => false,
    };
    crashed && complaint(one) == complaint(other)
}

/// What a program says that ends by itself with an error: where it panicked, or else its last words. Numbers
/// and names in them may differ from run to run.
fn complaint(ending: &RunEnd) -> Option<String> {
    if !matches!(ending.status, ExitStatus::Exit(1..)) {
        return None;
    }
    let text = String::from_utf8_lossy(&ending.stderr);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let panicked = |line: &&str| line.contains("panicked at ");
    match lines.clone().find(panicked).and_then(|line| line.split_once("panicked at ")) {
        Some((_, place)) => Some(place.to_owned()),
        None => lines.next_back().map(without_details),
    }
}

/// Words without numbers and without what stands in quotation marks.
fn without_details(line: &str) -> String {
    let mut quoted = false;
    let is_plain = |c: &char| {
        let quotes = matches!(c, '\'' | '"' | '`');
        quoted ^= quotes;
        !quoted && !quotes && !c.is_ascii_digit()
    };
    line.chars().filter(is_plain).collect()
}

/// What was crashed with: as the program tells itself, or else as was seen.
pub fn crash(ending: &RunEnd) -> Option<Crash> {
    match ending.status {
        ExitStatus::Exit(0) => None,
        _ => reports::read(&ending.stderr).or_else(|| ending.crash.clone()),
    }
}

/// Whether it is known which crash it was: where the stack is gone, all look the same.
fn is_known(crash: &Crash) -> bool {
    matches!(crash.cause, Cause::Report(_)) || Identity::culprit(crash).is_some()
}

/// By as many functions as there are.
fn identity(crash: &Crash) -> Option<Identity> {
    (1..=FUNCTIONS).rev().find_map(|functions| Identity::of(crash, functions).ok())
}
