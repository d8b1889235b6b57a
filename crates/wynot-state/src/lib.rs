//! Cause-effect chains: which variables carry a failure from the input to the crash.
//!
//! Two runs of one program, one that passes and one that fails, are stopped at the same place. Their states are
//! read as memory graphs and compared. The differences are applied to the passing run, a subset at a time, to
//! find those that make it fail. Done at several places, this gives the chain from the input to the failure
//! (Zeller, *Isolating Cause-Effect Chains from Computer Programs*, FSE 2002).
//!
//! Each room uses only the ones above it:
//!
//! - [`dwarf`] reads the debug information that compilers write: types, variables, functions and lines.
//! - [`process`] runs programs under control: to a place, from a copy made there, with other values.
//! - `hints` are facts about types that compilers do not write down.
//! - `graph` is the state of a stopped program as a memory graph.
//! - `compare` matches two graphs and finds the deltas between them.
//! - `describe` says in words what differs.
//! - `experiment` finds the differences that decide at one place. Outcomes come from an
//!   [`ExperimentOracles`] that the caller provides.
//! - `chain` decides which places are examined, and finds where causes change.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod chain;
mod compare;
mod decode;
mod describe;
pub mod dwarf;
mod experiment;
mod graph;
mod hints;
pub mod process;
#[cfg(test)]
mod tests;

pub use chain::cause_chain::{CauseEffectChain, CauseStep, ExaminedPlace, OwnLines};
pub use chain::chain_search::{find_chain, find_chain_at};
pub use chain::common_calls::find_common_calls;
pub use chain::common_places::{CommonPlaces, find_common_places};
pub use chain::place_examiner::ChainOptions;
pub use chain::step_groups::group_steps;
pub use compare::alteration::Alteration;
pub use compare::descriptor_delta::DescriptorDelta;
pub use compare::outside_delta::OutsideDelta;
pub use compare::state_delta::{NewValue, PartChange, StateDelta};
pub use compare::state_differences::StateDifferences;
pub use describe::described_delta::DescribedDelta;
pub use describe::gdb_commands::{RunAddresses, SUBSTITUTE_COMMAND};
pub use describe::state_dump::{DumpedObject, DumpedPointer, StateDiff, StateDump};
pub use dwarf::Libraries;
pub use experiment::common_place::CommonPlace;
pub use experiment::ending_comparison::{EndingComparison, IndistinguishableRuns};
pub use experiment::endless_functions::endless_functions;
pub use experiment::experiment_error::ExperimentError;
pub use experiment::other_stops::OtherStops;
pub use experiment::place_oracle::{
    Experiment, ExperimentEnd, ExperimentOracles, ExperimentOrigin, PlaceDifferences, PlaceOracle,
    RunExperiment,
};
pub use experiment::place_result::{CauseVariable, IncompleteState, PlaceCause, PlaceResult};
pub use experiment::place_search::examine_place;
pub use experiment::program_state::ProgramState;
pub use experiment::run_pair::RunPair;
pub use graph::memory_graph::MemoryGraph;
pub use graph::memory_object::{MemoryObject, ObjectId, RootVariable, VariableScope};
pub use hints::hint_file::{HintError, HintFile};
pub use hints::type_rules::TypeRules;
pub use wynot_process::Machine;
