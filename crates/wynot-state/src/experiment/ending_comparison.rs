//! Judging how an experiment ended: like the passing run, like the failing one, or differently.

use crate::process::{ExitStatus, RunEnd};
use wynot_core::Outcome;
use wynot_crash::{Cause, Crash, Identity, InputWords, Symptom, SymptomPattern, VariantFiles};

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

/// Whether two runs end with the same status and show the same failure.
fn ends_alike(one: &RunEnd, other: &RunEnd) -> bool {
    if one.status != other.status {
        return false;
    }
    // What a run that does not end has printed until it was killed depends on the time.
    if matches!(one.status, ExitStatus::Exit(0) | ExitStatus::TimedOut) {
        return true;
    }
    let (one, other) = (symptom(one), symptom(other));
    let input = InputWords::default();
    let shows = |one: &Symptom, other: &Symptom| {
        SymptomPattern::of(one, &input, true).matches(other, &input)
    };
    let has_same_functions = match (&one.crash, &other.crash) {
        (None, None) => true,
        (Some(one), Some(other)) => is_known(one) && identity(one) == identity(other),
        _ => false,
    };
    has_same_functions && shows(&one, &other) && shows(&other, &one)
}

/// By what a run shows its failure.
fn symptom(ending: &RunEnd) -> Symptom {
    let RunEnd { stdout, stderr, crash, .. } = ending;
    Symptom::of(stdout, stderr, crash.as_ref(), &VariantFiles::default())
}

/// Whether a crash can be recognised: all crashes with a destroyed stack are alike.
fn is_known(crash: &Crash) -> bool {
    matches!(crash.cause, Cause::Report(_)) || Identity::innermost_function(crash).is_some()
}

/// The identity of a crash, by as many functions as its backtrace has.
fn identity(crash: &Crash) -> Option<Identity> {
    (1..=COMPARED_FUNCTIONS).rev().find_map(|functions| Identity::of(crash, functions).ok())
}
