//! What the search at one place found.

use super::common_place::CommonPlace;
use crate::compare::outside_delta::OutsideDelta;
use crate::compare::state_delta::StateDelta;
use crate::describe::described_delta::{DescribedDelta, owner};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
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
    /// Whether the same calls lead to the place in both runs.
    pub same_calls: bool,
    /// The deltas that decide.
    pub deciding: Vec<DescribedDelta>,
    /// The number of other deltas that must be applied as well.
    pub context: usize,
    /// The number of all deltas at the place.
    pub deltas: usize,
    /// The number of deltas that are no cause, because other passing runs have their failing values as well.
    pub shared: usize,
    /// The number of other passing runs that come to the place.
    pub other_runs: usize,
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
    /// The variables of the innermost function that are equal in both runs, with their values.
    pub equal: Vec<(String, String)>,
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

    /// How much another cause has in common with this one, in percent: the same values under whatever names, or the
    /// same variables with whatever values.
    pub fn resemblance(&self, other: &Self) -> usize {
        let values = self.common_percent(other, |one, other| {
            (&one.passing, &one.failing) == (&other.passing, &other.failing)
        });
        let variables = self.common_percent(other, |one, other| {
            (one.address, &one.owner) == (other.address, &other.owner)
        });
        values.max(variables)
    }

    /// Whether another cause is the same value under another name, or the same variable with another value.
    pub fn is_passed_on(&self, other: &Self) -> bool {
        self.resemblance(other) == 100
    }

    /// The share of the differences of two causes that correspond.
    fn common_percent(
        &self,
        other: &Self,
        is_same: impl Fn(&DescribedDelta, &DescribedDelta) -> bool,
    ) -> usize {
        let is_here = |one: &&DescribedDelta| self.deciding.iter().any(|here| is_same(one, here));
        let common = other.deciding.iter().filter(is_here).count();
        100 * common / self.deciding.len().max(other.deciding.len()).max(1)
    }

    /// The variables that decide.
    pub fn variables(&self) -> Vec<CauseVariable> {
        let variable = |DescribedDelta { address, owner, .. }: &DescribedDelta| CauseVariable {
            address: *address,
            owner: owner.clone(),
        };
        self.deciding.iter().map(variable).collect()
    }
}

/// A variable that decides, as it can be found again at another place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseVariable {
    /// The address in the passing run.
    pub address: u64,
    /// The function and the variable, if it is a local one.
    pub owner: Option<(String, String)>,
}

impl CauseVariable {
    /// What differs outside of memory, which has an address of its own that no variable has.
    pub(crate) fn of_outside(delta: &OutsideDelta) -> Self {
        Self { address: delta.address(), owner: None }
    }

    /// The variable that a delta changes.
    pub(crate) fn of<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, delta: &StateDelta) -> Self {
        let at = delta.changes[0].at;
        Self { address: graph.address(at), owner: owner(graph, at.object) }
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
    /// Whether the run fails with all differences, but only because of values that other passing runs have as well.
    pub is_shared: bool,
    /// All deltas at the place.
    pub deltas: Vec<DescribedDelta>,
    /// The number of experiments.
    pub tests: u64,
}
