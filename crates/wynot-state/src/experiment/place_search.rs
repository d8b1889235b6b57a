//! Which differences between the two states at a place decide whether the run passes or fails.
//!
//! The passing run must pass as it is and fail with all differences; dd then isolates the ones that decide.
//! At the end the cause is tried alone, and confirmed by runs from the beginning of the program.

use super::cause_isolation::isolate;
use super::common_place::CommonPlace;
use super::experiment_error::ExperimentError;
use super::place_oracle::{Experiment, ExperimentOracles, PlaceDifferences, PlaceOracle};
use super::place_result::{CauseVariable, IncompleteState, PlaceCause, PlaceResult};
use super::program_state::ProgramState;
use super::run_pair::RunPair;
use super::stop_point::{StopPoint, run_to};
use super::stopped_run::{StateChanges, StoppedRun};
use crate::compare::alteration::Alteration;
use crate::compare::outside_delta::{OutsideDelta, outside_deltas};
use crate::compare::shared_deltas::OtherState;
use crate::compare::state_delta::StateDelta;
use crate::compare::state_differences::StateDifferences;
use crate::describe::described_delta::DescribedDelta;
use crate::describe::equal_values::equal_values;
use crate::describe::gdb_commands::{gdb_commands, outside_commands};
use crate::dwarf::{Libraries, Program};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::process::Inferior;
use wynot_core::{Configuration, Isolated, Mapped, Oracle, Outcome};

/// Finds out which differences decide at a place. The variables of `expected` causes are tried first. Values that one of
/// the `others` has as well, which are passing runs by their numbers and the points at which they stop there, are no
/// causes. An error of a run is handed to the oracles, which give the reason to stop for it.
pub fn examine_place<O: ExperimentOracles>(
    runs: &RunPair<'_>,
    place: CommonPlace,
    others: &[(usize, StopPoint)],
    expected: &[Vec<CauseVariable>],
    oracles: &O,
) -> Result<PlaceResult, O::Stop> {
    let stop_after = |error: ExperimentError| oracles.stop_after(error);
    let Some(mut captured) = CapturedPlace::of(runs, place, others).map_err(stop_after)? else {
        return Ok(PlaceResult::Unreached);
    };
    let result = search_states(runs, place, expected, oracles, &mut captured)?;
    let is_missing = |result: &PlaceResult| match result {
        PlaceResult::Incomplete(state) => !state.is_shared,
        PlaceResult::Cause(_) | PlaceResult::Unreached => false,
    };
    if !is_missing(&result) {
        return Ok(result);
    }
    runs.check_stop().map_err(stop_after)?;
    // What is missing may be in registers that hold no variable.
    captured.add_registers(runs.program);
    let again = search_states(runs, place, expected, oracles, &mut captured)?;
    Ok(if matches!(again, PlaceResult::Cause(_)) { again } else { result })
}

/// Finds out which differences between captured states decide.
fn search_states<O: ExperimentOracles>(
    runs: &RunPair<'_>,
    place: CommonPlace,
    expected: &[Vec<CauseVariable>],
    oracles: &O,
    captured: &mut CapturedPlace<'_>,
) -> Result<PlaceResult, O::Stop> {
    let CapturedPlace { stopped, passing, failing, others, .. } = captured;
    let graph = |state| graph_of(runs.program, state);
    let (here, there) = (graph(passing), graph(failing));
    let mut differences = StateDifferences::of(&here, &there);
    differences.sort_by_variable();
    differences.outside =
        outside_deltas((&passing.files, &failing.files), (&runs.passing, &runs.failing));
    let mut shared = Configuration::empty();
    for OtherRun { number, state, .. } in &*others {
        let (graph, invocation) = (&graph(state), &runs.others[*number]);
        let other = OtherState { graph, files: &state.files, invocation };
        shared = shared.union(&differences.shared_with(&other));
    }
    let same_calls = passing.backtrace == failing.backtrace;
    let (differences, state, other_runs) = (&differences, &*passing, others.len());
    PlaceSearch { place, expected, same_calls, differences, shared, other_runs, state }
        .run(stopped, oracles)
}

fn graph_of<'s>(program: &'s Program, state: &'s ProgramState) -> MemoryGraph<'s, ProgramState> {
    MemoryGraph::extract(program.types(), state, &state.roots, &state.hints)
}

/// The runs at a place.
struct CapturedPlace<'r> {
    /// The passing run, stopped at the place.
    stopped: StoppedRun<'r>,
    passing: ProgramState,
    failing: ProgramState,
    /// The failing run, which must live until its graph is extracted: a state reads read-only memory from the
    /// process when it is needed.
    _failing_run: Inferior,
    /// The other passing runs that come to the place.
    others: Vec<OtherRun>,
}

/// Another passing run at a place.
struct OtherRun {
    /// The number of the run.
    number: usize,
    state: ProgramState,
    /// The run itself, which must live as long as its state is read.
    _run: Inferior,
}

impl<'r> CapturedPlace<'r> {
    /// Stops the runs and captures their states; `None` if one of the two that are compared does not come to the place.
    fn of(
        runs: &'r RunPair<'r>,
        place: CommonPlace,
        others: &[(usize, StopPoint)],
    ) -> Result<Option<Self>, ExperimentError> {
        runs.check_stop()?;
        let RunPair { program, failing, limits, rules, .. } = runs;
        let mut libraries = Libraries::default();
        let Some(failing_run) = run_to(program, failing, limits, place.in_failing())? else {
            return Ok(None);
        };
        let mut failing = ProgramState::of(program, rules, &mut libraries, &failing_run)?;
        let Some(stopped) = StoppedRun::new(runs, place.in_passing(), &mut libraries)? else {
            return Ok(None);
        };
        let passing = ProgramState::of(program, rules, &mut libraries, stopped.template())?;
        failing.take_owners_of(&passing);
        runs.check_stop()?;
        let mut captured =
            Self { stopped, passing, failing, _failing_run: failing_run, others: Vec::new() };
        for (number, stop) in others {
            if let Some(run) = run_to(program, &runs.others[*number], limits, *stop)? {
                let mut state = ProgramState::of(program, rules, &mut libraries, &run)?;
                state.take_owners_of(&captured.passing);
                captured.others.push(OtherRun { number: *number, state, _run: run });
            }
        }
        Ok(Some(captured))
    }

    /// Adds the registers that hold no variable to all states.
    fn add_registers(&mut self, program: &Program) {
        let others = self.others.iter_mut().map(|other| &mut other.state);
        for state in [&mut self.passing, &mut self.failing].into_iter().chain(others) {
            state.add_registers(program);
        }
    }
}

/// How differences that other passing runs have as well take part in a search. They are never a cause by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SharedUse {
    /// They are never applied: the run fails without them.
    LeftOut,
    /// They are always applied: the run passes with them alone.
    Applied,
    /// They may be a part of the cause: the run fails neither without them nor passes with them alone.
    Searched,
}

/// A search among the differences of two states.
struct PlaceSearch<'s, 'a, 'b, M> {
    place: CommonPlace,
    expected: &'s [Vec<CauseVariable>],
    differences: &'s StateDifferences<'a, 'b, M>,
    /// The differences whose failing values other passing runs have as well.
    shared: Configuration,
    /// The number of other passing runs that come to the place.
    other_runs: usize,
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
        let incomplete = |oracle: &O::Oracle<'_>, is_shared| {
            PlaceResult::Incomplete(IncompleteState {
                without_differences: outcomes[0],
                with_all_differences: outcomes[1],
                ending: oracle.ending_in_words(&all),
                is_shared,
                deltas: self.describe(&all),
                tests: oracle.tests(),
            })
        };
        if outcomes != [Outcome::Pass, Outcome::Fail] {
            return Ok(incomplete(&oracle, false));
        }
        let shared_use = self.shared_use(&all, &mut oracle)?;
        let expected: Vec<Configuration> =
            self.expected.iter().map(|variables| self.deltas_of(variables)).collect();
        let with_shared = |configuration: &Configuration| match shared_use {
            SharedUse::LeftOut => configuration.difference(&self.shared),
            SharedUse::Applied => configuration.union(&self.shared),
            SharedUse::Searched => configuration.clone(),
        };
        let sides = {
            let mut oracle = Mapped::new(&mut oracle, with_shared);
            isolate(&levels, count, &expected, &mut oracle)?
        };
        let Isolated { passing, failing } = sides;
        let sides = Isolated { passing: with_shared(&passing), failing: with_shared(&failing) };
        if sides.difference().is_subset(&self.shared) {
            return Ok(incomplete(&oracle, true));
        }
        let cause = self.conclude(&mut oracle, sides, obstacle)?;
        Ok(PlaceResult::Cause(Box::new(cause)))
    }

    /// How the differences that other passing runs have as well take part in the search.
    fn shared_use<O: PlaceOracle>(
        &self,
        all: &Configuration,
        oracle: &mut O,
    ) -> Result<SharedUse, O::Stop> {
        if self.shared.is_empty() {
            return Ok(SharedUse::Searched);
        }
        let alone = all.difference(&self.shared);
        let outcomes = oracle.each([alone, self.shared.clone()].into_iter())?;
        Ok(match outcomes[..] {
            [Outcome::Fail, _] => SharedUse::LeftOut,
            [_, Outcome::Pass] => SharedUse::Applied,
            _ => SharedUse::Searched,
        })
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
            shared: self.shared.len(),
            other_runs: self.other_runs,
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
