//! Judging how an experiment ended: like the passing run, like the failing one, or differently.

use crate::process::{ExitStatus, RunEnd};
use wynot_core::Outcome;
use wynot_crash::{Cause, Crash, Identity, reports};

/// The number of functions of a backtrace by which crashes are compared.
const COMPARED_FUNCTIONS: u8 = 3;

/// How the two runs end, which experiments are compared with.
#[derive(Clone, Debug)]
pub struct EndingComparison {
    passing: RunEnd,
    failing: RunEnd,
    /// Whether the output is compared as well.
    by_output: bool,
}

/// The two runs cannot be distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("both runs end in the same way and print the same")]
pub struct IndistinguishableRuns;

impl EndingComparison {
    /// Distinguishes two runs by how they end, and by their output if `by_output` is set or if they end in the
    /// same way.
    pub fn new(
        passing: RunEnd,
        failing: RunEnd,
        by_output: bool,
    ) -> Result<Self, IndistinguishableRuns> {
        let same_end = ends_alike(&passing, &failing);
        if same_end && (&passing.stdout, &passing.stderr) == (&failing.stdout, &failing.stderr) {
            return Err(IndistinguishableRuns);
        }
        Ok(Self { passing, failing, by_output: by_output || same_end })
    }

    /// The outcome of an experiment that ended in this way.
    pub fn outcome(&self, ending: &RunEnd) -> Outcome {
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

/// Whether two runs end with the same status, the same crash and the same complaint.
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

/// The complaint of a program that exits with an error: where it panicked, or else the last line on standard
/// error, without numbers and names, which may differ from run to run.
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

/// A line without digits and without text in quotation marks.
fn without_details(line: &str) -> String {
    let mut quoted = false;
    let is_plain = |c: &char| {
        let quotes = matches!(c, '\'' | '"' | '`');
        quoted ^= quotes;
        !quoted && !quotes && !c.is_ascii_digit()
    };
    line.chars().filter(is_plain).collect()
}

/// The crash that the program reports itself, or else the one that was observed.
fn crash(ending: &RunEnd) -> Option<Crash> {
    match ending.status {
        ExitStatus::Exit(0) => None,
        _ => reports::read(&ending.stderr).or_else(|| ending.crash.clone()),
    }
}

/// Whether a crash can be recognised: all crashes with a destroyed stack are alike.
fn is_known(crash: &Crash) -> bool {
    matches!(crash.cause, Cause::Report(_)) || Identity::culprit(crash).is_some()
}

/// The identity of a crash, by as many functions as its backtrace has.
fn identity(crash: &Crash) -> Option<Identity> {
    (1..=COMPARED_FUNCTIONS).rev().find_map(|functions| Identity::of(crash, functions).ok())
}
