//! Which differences between the two states at a place decide whether the run passes or fails.
//!
//! The passing run must pass as it is and fail with all differences; dd then isolates the ones that decide.
//! At the end the cause is tried alone, and confirmed by runs from the beginning of the program.

use super::common_place::CommonPlace;
use super::place_oracle::{Experiment, ExperimentOracles, PlaceDifferences, PlaceOracle};
use super::place_result::{IncompleteState, PlaceCause, PlaceResult};
use super::program_state::ProgramState;
use super::run_pair::RunPair;
use super::stop_point::run_to;
use super::stopped_run::StoppedRun;
use crate::compare::alteration::Alteration;
use crate::compare::state_differences::StateDifferences;
use crate::describe::described_delta::DescribedDelta;
use crate::describe::gdb_commands::gdb_commands;
use crate::dwarf::Libraries;
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::process::{Inferior, ProcessError};
use std::iter;
use wynot_core::{Configuration, Isolated, Oracle, Outcome, Stopped, dd_by_levels};

/// Finds out which differences decide at a place. An error of a run is handed to the oracles, which give the
/// reason to stop for it.
pub fn examine_place<O: ExperimentOracles>(
    runs: &RunPair<'_>,
    place: CommonPlace,
    oracles: &O,
) -> Result<PlaceResult, O::Stop> {
    let stop_after = |error: ProcessError| oracles.stop_after(error.into());
    let Some(captured) = CapturedPlace::of(runs, place).map_err(stop_after)? else {
        return Ok(PlaceResult::Unreached);
    };
    let CapturedPlace { mut stopped, passing, failing, failing_run } = captured;
    let types = runs.program.types();
    let here = MemoryGraph::extract(types, &passing, &passing.roots, &passing.hints);
    let there = MemoryGraph::extract(types, &failing, &failing.roots, &failing.hints);
    drop(failing_run);
    let mut differences = StateDifferences::of(&here, &there);
    differences.sort_by_variable();
    let search = PlaceSearch { place, differences: &differences, state: &passing };
    search.run(&mut stopped, oracles)
}

/// The two runs at a place.
struct CapturedPlace<'r> {
    /// The passing run, stopped at the place.
    stopped: StoppedRun<'r>,
    passing: ProgramState,
    failing: ProgramState,
    /// The failing run, which must live until its graph is extracted: a state reads read-only memory from the
    /// process when it is needed.
    failing_run: Inferior,
}

impl<'r> CapturedPlace<'r> {
    /// Stops both runs and captures their states; `None` if one of them does not come to the place.
    fn of(runs: &'r RunPair<'r>, place: CommonPlace) -> Result<Option<Self>, ProcessError> {
        let RunPair { program, failing, limits, rules, .. } = runs;
        let mut libraries = Libraries::default();
        let Some(failing_run) = run_to(program, failing, limits, place.in_failing())? else {
            return Ok(None);
        };
        let failing = ProgramState::of(program, rules, &mut libraries, &failing_run)?;
        let Some(stopped) = StoppedRun::new(runs, place.in_passing(), &mut libraries)? else {
            return Ok(None);
        };
        let passing = ProgramState::of(program, rules, &mut libraries, stopped.template())?;
        Ok(Some(Self { stopped, passing, failing, failing_run }))
    }
}

/// A search among the differences of two states.
struct PlaceSearch<'s, 'a, 'b, M> {
    place: CommonPlace,
    differences: &'s StateDifferences<'a, 'b, M>,
    /// The state of the passing run.
    state: &'s ProgramState,
}

impl<M: MemoryCopy> PlaceSearch<'_, '_, '_, M> {
    fn run<O: ExperimentOracles>(
        &self,
        stopped: &mut StoppedRun<'_>,
        oracles: &O,
    ) -> Result<PlaceResult, O::Stop> {
        let count = self.differences.deltas.len() as u32;
        let levels = self.differences.levels();
        let identity = self.differences.identity();
        let obstacle = stopped.obstacle.as_ref().map(ToString::to_string);
        let about = PlaceDifferences { place: self.place, count, levels: levels.clone(), identity };
        let run = Box::new(|experiment: &Experiment| {
            stopped.experiment(&self.alteration(&experiment.configuration), experiment.origin)
        });
        let mut oracle = oracles.at_place(about, run);
        let (none, all) = (Configuration::empty(), Configuration::full(count));
        let outcomes = oracle.each([none.clone(), all.clone()].into_iter())?;
        if outcomes != [Outcome::Pass, Outcome::Fail] {
            return Ok(PlaceResult::Incomplete(IncompleteState {
                without_differences: outcomes[0],
                with_all_differences: outcomes[1],
                ending: oracle.ending_in_words(&all),
                deltas: self.describe(&all),
                tests: oracle.tests(),
            }));
        }
        let start = Isolated { passing: none, failing: all };
        let sides =
            dd_by_levels(&levels, start, &mut oracle).map_err(|Stopped { cause, .. }| cause)?;
        let cause = self.conclude(&mut oracle, sides, obstacle)?;
        Ok(PlaceResult::Cause(Box::new(cause)))
    }

    /// Tries the cause without its context, and confirms the result by runs from the beginning.
    fn conclude<O: PlaceOracle>(
        &self,
        oracle: &mut O,
        mut sides: Isolated,
        obstacle: Option<String>,
    ) -> Result<PlaceCause, O::Stop> {
        let difference = sides.difference();
        if !sides.passing.is_empty()
            && oracle.each(iter::once(difference.clone()))? == [Outcome::Fail]
        {
            sides = Isolated { passing: Configuration::empty(), failing: difference.clone() };
        }
        let verified = oracle.outcome_from_start(&sides.passing)? == Outcome::Pass
            && oracle.outcome_from_start(&sides.failing)? == Outcome::Fail;
        let (passing, failing) = (self.differences.passing, self.differences.failing);
        Ok(PlaceCause {
            place: self.place,
            backtrace: self.state.backtrace.clone(),
            deciding: self.describe(&difference),
            context: sides.passing.len(),
            deltas: self.differences.deltas.len(),
            vertices: (passing.vertices, failing.vertices),
            tests: oracle.tests(),
            verified,
            missing: self.state.missing.clone(),
            obstacle,
            gdb_commands: gdb_commands(
                passing,
                &self.alteration(&sides.failing),
                self.state.addresses,
            ),
        })
    }

    fn alteration(&self, configuration: &Configuration) -> Alteration {
        let deltas = configuration.iter().map(|index| &self.differences.deltas[index as usize]);
        Alteration::of(self.differences, deltas)
    }

    fn describe(&self, configuration: &Configuration) -> Vec<DescribedDelta> {
        let deltas = configuration.iter().map(|index| &self.differences.deltas[index as usize]);
        deltas.map(|delta| DescribedDelta::of(self.differences, delta)).collect()
    }
}
