//! Which differences between the two states at a place decide whether the run passes or fails.
//!
//! The passing run must pass as it is and fail with all differences; dd then isolates the ones that decide.
//! At the end the cause is tried alone, and confirmed by runs from the beginning of the program.

use super::cause_isolation::isolate;
use super::common_place::CommonPlace;
use super::place_oracle::{Experiment, ExperimentOracles, PlaceDifferences, PlaceOracle};
use super::place_result::{CauseVariable, IncompleteState, PlaceCause, PlaceResult};
use super::program_state::ProgramState;
use super::run_pair::RunPair;
use super::stop_point::run_to;
use super::stopped_run::{StateChanges, StoppedRun};
use crate::compare::alteration::Alteration;
use crate::compare::outside_delta::{OutsideDelta, outside_deltas};
use crate::compare::state_delta::StateDelta;
use crate::compare::state_differences::StateDifferences;
use crate::describe::described_delta::DescribedDelta;
use crate::describe::equal_values::equal_values;
use crate::describe::gdb_commands::{gdb_commands, outside_commands};
use crate::dwarf::Libraries;
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::process::{Inferior, ProcessError};
use wynot_core::{Configuration, Isolated, Oracle, Outcome};

/// Finds out which differences decide at a place. The variables of `expected` causes are tried first. An error
/// of a run is handed to the oracles, which give the reason to stop for it.
pub fn examine_place<O: ExperimentOracles>(
    runs: &RunPair<'_>,
    place: CommonPlace,
    expected: &[Vec<CauseVariable>],
    oracles: &O,
) -> Result<PlaceResult, O::Stop> {
    let stop_after = |error: ProcessError| oracles.stop_after(error.into());
    let Some(captured) = CapturedPlace::of(runs, place).map_err(stop_after)? else {
        return Ok(PlaceResult::Unreached);
    };
    let CapturedPlace { mut stopped, mut passing, mut failing, failing_run } = captured;
    let result = search_states(runs, place, expected, oracles, (&passing, &failing, &mut stopped))?;
    if !matches!(result, PlaceResult::Incomplete(_)) {
        return Ok(result);
    }
    // What is missing may be in registers that hold no variable.
    passing.add_registers(runs.program);
    failing.add_registers(runs.program);
    let again = search_states(runs, place, expected, oracles, (&passing, &failing, &mut stopped))?;
    drop(failing_run);
    Ok(if matches!(again, PlaceResult::Cause(_)) { again } else { result })
}

/// Finds out which differences between two captured states decide.
fn search_states<O: ExperimentOracles>(
    runs: &RunPair<'_>,
    place: CommonPlace,
    expected: &[Vec<CauseVariable>],
    oracles: &O,
    (passing, failing, stopped): (&ProgramState, &ProgramState, &mut StoppedRun<'_>),
) -> Result<PlaceResult, O::Stop> {
    let types = runs.program.types();
    let here = MemoryGraph::extract(types, passing, &passing.roots, &passing.hints);
    let there = MemoryGraph::extract(types, failing, &failing.roots, &failing.hints);
    let mut differences = StateDifferences::of(&here, &there);
    differences.sort_by_variable();
    differences.outside =
        outside_deltas((&passing.files, &failing.files), (&runs.passing, &runs.failing));
    let same_calls = passing.backtrace == failing.backtrace;
    let search =
        PlaceSearch { place, expected, same_calls, differences: &differences, state: passing };
    search.run(stopped, oracles)
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
    expected: &'s [Vec<CauseVariable>],
    differences: &'s StateDifferences<'a, 'b, M>,
    /// Whether the same calls lead to the place in both runs.
    same_calls: bool,
    /// The state of the passing run.
    state: &'s ProgramState,
}

impl<M: MemoryCopy> PlaceSearch<'_, '_, '_, M> {
    fn run<O: ExperimentOracles>(
        &self,
        stopped: &mut StoppedRun<'_>,
        oracles: &O,
    ) -> Result<PlaceResult, O::Stop> {
        let count = self.differences.count();
        let levels = self.differences.levels();
        let identity = self.differences.identity();
        let obstacle = stopped.obstacle.as_ref().map(ToString::to_string);
        let about = PlaceDifferences { place: self.place, count, levels: levels.clone(), identity };
        let run = Box::new(|experiment: &Experiment| {
            let changes = self.changes(&experiment.configuration);
            stopped.experiment(&changes, experiment.origin)
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
        let expected: Vec<Configuration> =
            self.expected.iter().map(|variables| self.deltas_of(variables)).collect();
        let sides = isolate(&levels, count, &expected, &mut oracle)?;
        let cause = self.conclude(&mut oracle, sides, obstacle)?;
        Ok(PlaceResult::Cause(Box::new(cause)))
    }

    /// The deltas of some variables.
    fn deltas_of(&self, variables: &[CauseVariable]) -> Configuration {
        let passing = self.differences.passing;
        let is_wanted = |delta: &StateDelta| variables.contains(&CauseVariable::of(passing, delta));
        let deltas = (0..).zip(&self.differences.deltas);
        let deltas = deltas.filter(|(_, delta)| is_wanted(delta)).map(|(index, _)| index);
        let first = self.differences.deltas.len() as u32;
        let is_wanted =
            |delta: &OutsideDelta| variables.contains(&CauseVariable::of_outside(delta));
        let outside = (first..).zip(&self.differences.outside);
        let outside = outside.filter(|(_, delta)| is_wanted(delta)).map(|(index, _)| index);
        deltas.chain(outside).collect()
    }

    /// Confirms a cause by runs from the beginning.
    fn conclude<O: PlaceOracle>(
        &self,
        oracle: &mut O,
        sides: Isolated,
        obstacle: Option<String>,
    ) -> Result<PlaceCause, O::Stop> {
        let difference = sides.difference();
        let verified = oracle.outcome_from_start(&sides.passing)? == Outcome::Pass
            && oracle.outcome_from_start(&sides.failing)? == Outcome::Fail;
        let (passing, failing) = (self.differences.passing, self.differences.failing);
        Ok(PlaceCause {
            place: self.place,
            backtrace: self.state.backtrace.clone(),
            same_calls: self.same_calls,
            deciding: self.describe(&difference),
            context: sides.passing.len(),
            deltas: self.differences.count() as usize,
            vertices: (passing.vertices, failing.vertices),
            tests: oracle.tests(),
            verified,
            missing: self.state.missing.clone(),
            obstacle,
            equal: equal_values(self.differences),
            gdb_commands: self.gdb_commands(&sides.failing),
        })
    }

    fn gdb_commands(&self, configuration: &Configuration) -> Vec<String> {
        let StateChanges { alteration, outside } = self.changes(configuration);
        let passing = self.differences.passing;
        let mut commands = gdb_commands(passing, &alteration, &self.state.addresses);
        commands.extend(outside.into_iter().flat_map(outside_commands));
        commands
    }

    fn changes(&self, configuration: &Configuration) -> StateChanges<'_> {
        let (deltas, outside) = self.select(configuration);
        StateChanges { alteration: Alteration::of(self.differences, deltas), outside }
    }

    fn describe(&self, configuration: &Configuration) -> Vec<DescribedDelta> {
        let (deltas, outside) = self.select(configuration);
        let deltas = deltas.into_iter().map(|delta| DescribedDelta::of(self.differences, delta));
        deltas.chain(outside.into_iter().map(DescribedDelta::of_outside)).collect()
    }

    /// The deltas of a configuration, in memory and outside.
    fn select(&self, configuration: &Configuration) -> (Vec<&StateDelta>, Vec<&OutsideDelta>) {
        let StateDifferences { deltas, outside, .. } = self.differences;
        let (mut changed, mut changed_outside) = (Vec::new(), Vec::new());
        for index in configuration.iter() {
            let index = index as usize;
            match deltas.get(index) {
                Some(delta) => changed.push(delta),
                None => changed_outside.push(&outside[index - deltas.len()]),
            }
        }
        (changed, changed_outside)
    }
}
