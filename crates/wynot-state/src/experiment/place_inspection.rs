//! The states of the runs at a place, shown without experiments.

use super::common_place::CommonPlace;
use super::experiment_error::ExperimentError;
use super::program_state::ProgramState;
use super::run_pair::RunPair;
use super::stop_point::{StopPoint, run_to};
use crate::compare::outside_delta::outside_deltas;
use crate::compare::state_differences::StateDifferences;
use crate::describe::state_dump::{StateDiff, StateDump};
use crate::dwarf::Libraries;
use crate::graph::memory_graph::MemoryGraph;
use crate::process::{Inferior, Invocation};

impl RunPair<'_> {
    /// The state of the passing run at a place; `None` if the run does not come there.
    pub fn dump(&self, place: CommonPlace) -> Result<Option<StateDump>, ExperimentError> {
        let Some((state, _run)) = self.state(&self.passing, place.in_passing())? else {
            return Ok(None);
        };
        let graph = MemoryGraph::extract(self.program.types(), &state, &state.roots, &state.hints);
        Ok(Some(StateDump::of(&graph, state.backtrace.clone())))
    }

    /// The difference between the states of the two runs at a place; `None` if one of them does not come there.
    pub fn diff(&self, place: CommonPlace) -> Result<Option<StateDiff>, ExperimentError> {
        let passing = self.state(&self.passing, place.in_passing())?;
        let failing = self.state(&self.failing, place.in_failing())?;
        let (Some((passing, _passing_run)), Some((mut failing, _failing_run))) = (passing, failing)
        else {
            return Ok(None);
        };
        failing.take_owners_of(&passing);
        let types = self.program.types();
        let here = MemoryGraph::extract(types, &passing, &passing.roots, &passing.hints);
        let there = MemoryGraph::extract(types, &failing, &failing.roots, &failing.hints);
        let mut differences = StateDifferences::of(&here, &there);
        differences.outside =
            outside_deltas((&passing.files, &failing.files), (&self.passing, &self.failing));
        Ok(Some(StateDiff::of(&differences)))
    }

    /// The state of a run, and the run itself, which must live as long as its state is read.
    fn state(
        &self,
        invocation: &Invocation,
        stop: StopPoint,
    ) -> Result<Option<(ProgramState, Inferior)>, ExperimentError> {
        let Some(run) = run_to(self.program, invocation, &self.limits, stop)? else {
            return Ok(None);
        };
        let mut libraries = Libraries::default();
        let state = ProgramState::of(self.program, &self.rules, &mut libraries, &run)?;
        Ok(Some((state, run)))
    }
}
