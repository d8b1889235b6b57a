//! What the search at one place found.

use super::common_place::CommonPlace;
use crate::describe::described_delta::DescribedDelta;
use wynot_core::Outcome;

/// The result of examining a place.
#[derive(Debug)]
pub enum PlaceResult {
    /// The differences that decide there.
    Cause(Box<PlaceCause>),
    /// The captured state does not decide between passing and failing.
    Incomplete(IncompleteState),
    /// One of the runs did not come to the place this time.
    Unreached,
}

/// The differences that decide at a place whether the run passes or fails.
#[derive(Clone, Debug)]
pub struct PlaceCause {
    /// The place.
    pub place: CommonPlace,
    /// The active functions of the passing run, innermost first.
    pub backtrace: Vec<String>,
    /// The deltas that decide.
    pub deciding: Vec<DescribedDelta>,
    /// The number of other deltas that must be applied as well.
    pub context: usize,
    /// The number of all deltas at the place.
    pub deltas: usize,
    /// The number of vertices of the passing and the failing state.
    pub vertices: (u64, u64),
    /// The number of experiments.
    pub tests: u64,
    /// Whether runs from the beginning of the program have confirmed the cause.
    pub verified: bool,
    /// The names of variables that could not be captured.
    pub missing: Vec<String>,
    /// Why experiments had to start at the beginning of the program, if they had to.
    pub obstacle: Option<String>,
    /// GDB commands that make the passing run fail when it is stopped at the place.
    pub gdb_commands: Vec<String>,
}

impl PlaceCause {
    /// Whether the same deltas decide as at another place.
    pub fn is_same_cause(&self, other: &Self) -> bool {
        let key =
            |delta: &DescribedDelta| (delta.address, delta.owner.clone(), delta.value_key.clone());
        self.deciding.iter().map(key).eq(other.deciding.iter().map(key))
    }
}

/// A captured state that does not decide between passing and failing.
#[derive(Clone, Debug)]
pub struct IncompleteState {
    /// The outcome without any difference, which should be a pass.
    pub without_differences: Outcome,
    /// The outcome with all differences, which should be a failure.
    pub with_all_differences: Outcome,
    /// How the run with all differences ended, in words, if the oracle knows.
    pub ending: Option<String>,
    /// All deltas at the place.
    pub deltas: Vec<DescribedDelta>,
    /// The number of experiments.
    pub tests: u64,
}
