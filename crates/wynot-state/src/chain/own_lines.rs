//! Where each run goes its own way between two steps.
//!
//! A step says what decides, not where a wrong decision was made: while a cause stays the same, a condition may have sent the
//! failing run to other lines than the passing one, in a function that returns before the next step. So both runs are followed
//! once more. In each stretch between steps, the first execution of every line of the program's own functions is recorded, and
//! the lines that only one of the runs executes there are its own.

use super::cause_chain::OwnLines;
use super::common_calls::FunctionSource;
use super::common_places::HANGING_RUN_FACTOR;
use super::line_search::line_addresses;
use super::transition_lines::line_key;
use crate::dwarf::{Program, name_frames};
use crate::experiment::common_place::CommonPlace;
use crate::experiment::experiment_error::ExperimentError;
use crate::experiment::run_pair::RunPair;
use crate::experiment::stop_point::StopPoint;
use crate::process::{Inferior, InferiorLimits, Invocation, Pause, ProcessError};
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;

/// From the last place of a cause to the first place of the next one, or to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub from: CommonPlace,
    pub to: Option<CommonPlace>,
}

/// The lines that only one of the runs executes in each stretch. The stretches are in the order of execution.
pub(crate) fn own_lines(
    runs: &RunPair<'_>,
    stretches: &[Stretch],
) -> Result<Vec<OwnLines>, ExperimentError> {
    if stretches.is_empty() {
        return Ok(Vec::new());
    }
    let lines = own_functions_lines(runs.program);
    let ends = |point: fn(CommonPlace) -> StopPoint| -> Vec<(StopPoint, Option<StopPoint>)> {
        stretches.iter().map(|stretch| (point(stretch.from), stretch.to.map(point))).collect()
    };
    let executed = |invocation, limits, ends: &[_]| {
        if runs.stop.load(Ordering::Relaxed) {
            return Err(ExperimentError::Interrupted);
        }
        Ok(LineTrace::of(runs.program, invocation, limits, &lines, ends)?)
    };
    let passing = executed(&runs.passing, &runs.limits, &ends(CommonPlace::in_passing))?;
    let time =
        if runs.hangs { HANGING_RUN_FACTOR * runs.experiment_timeout } else { runs.limits.time };
    let limits = InferiorLimits { time: time.min(runs.limits.time), ..runs.limits };
    let failing = executed(&runs.failing, &limits, &ends(CommonPlace::in_failing))?;
    let line = |address: &u64| line_key(runs.program, *address);
    let pairs = passing.into_iter().zip(failing);
    Ok(pairs.map(|(passing, failing)| difference(&passing, &failing, line)).collect())
}

/// The addresses that are in one of two sequences only, by their lines; each line once.
fn difference<K: Ord>(passing: &[u64], failing: &[u64], line: impl Fn(&u64) -> K) -> OwnLines {
    let only = |these: &[u64], others: &[u64]| -> Vec<u64> {
        let mut known: BTreeSet<K> = others.iter().map(&line).collect();
        these.iter().copied().filter(|address| known.insert(line(address))).collect()
    };
    OwnLines { failing: only(failing, passing), passing: only(passing, failing) }
}

/// The addresses of the lines of the program's own functions.
fn own_functions_lines(program: &Program) -> Vec<u64> {
    let own = program
        .functions_with_ids()
        .filter(|(_, function)| FunctionSource::of(function) == FunctionSource::Own);
    let lines = own.flat_map(|(id, function)| line_addresses(program, id, function));
    // Functions of libraries may be inlined into them.
    let is_own = |address: &u64| {
        program
            .line_of(*address)
            .is_some_and(|place| FunctionSource::of_file(&place.file) == FunctionSource::Own)
    };
    let mut lines: Vec<u64> = lines.filter(is_own).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// A run that is followed through some stretches.
struct LineTrace<'s> {
    inferior: Inferior,
    bias: u64,
    /// The addresses of all lines, as they are loaded.
    lines: Vec<u64>,
    /// The ends of the stretches.
    ends: &'s [(StopPoint, Option<StopPoint>)],
    /// The addresses of the ends, as they are loaded, with the number of times that they were come to.
    hits: HashMap<u64, u32>,
    /// The lines that were executed in each stretch, in the order of their first execution.
    executed: Vec<Vec<u64>>,
    /// The stretch that the run is in.
    inside: Option<usize>,
}

impl<'s> LineTrace<'s> {
    /// The addresses of the lines that are executed for the first time in each stretch, in their order.
    fn of(
        program: &Program,
        invocation: &Invocation,
        limits: &InferiorLimits,
        lines: &[u64],
        ends: &'s [(StopPoint, Option<StopPoint>)],
    ) -> Result<Vec<Vec<u64>>, ProcessError> {
        let mut inferior = Inferior::start(invocation, limits, name_frames)?;
        // Without it, the run is only slower.
        let _ = inferior.pin_cpu();
        let bias = program.bias(inferior.entry()?);
        let points = ends.iter().flat_map(|(from, to)| [Some(*from), *to]).flatten();
        let hits: HashMap<u64, u32> = points.map(|point| (point.address + bias, 0)).collect();
        let lines = lines.iter().map(|address| address + bias).collect();
        let executed = vec![Vec::new(); ends.len()];
        let mut trace = Self { inferior, bias, lines, ends, hits, executed, inside: None };
        trace.watch()?;
        while let Pause::At(address) = trace.inferior.resume()? {
            trace.arrive(address)?;
        }
        Ok(trace.executed)
    }

    /// Watches the ends of stretches, and inside of one all lines.
    fn watch(&mut self) -> Result<(), ProcessError> {
        let mut watched: Vec<u64> = self.hits.keys().copied().collect();
        if self.inside.is_some() {
            watched.extend(&self.lines);
        }
        self.inferior.set_breakpoints(&watched)
    }

    fn arrive(&mut self, address: u64) -> Result<(), ProcessError> {
        let bias = self.bias;
        let is_end = match self.hits.get_mut(&address) {
            Some(count) => {
                *count += 1;
                let here = StopPoint { address: address - bias, hit: *count };
                let around = self.inside.filter(|number| self.ends[*number].1 != Some(here));
                let begun = self.ends.iter().position(|(from, _)| *from == here);
                let inside = begun.or(around);
                if inside != self.inside {
                    self.inside = inside;
                    self.watch()?;
                }
                true
            }
            None => false,
        };
        if let Some(number) = self.inside {
            let executed = &mut self.executed[number];
            let address_in_file = address - bias;
            // The ends stay watched, so that they may come again.
            let is_line = self.lines.binary_search(&address).is_ok();
            if !is_end || (is_line && !executed.contains(&address_in_file)) {
                executed.push(address_in_file);
            }
        }
        // Only the first execution of a line counts.
        if is_end { Ok(()) } else { self.inferior.remove_breakpoint(address) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_one_run_are_its_own_and_named_once() {
        // Two addresses belong to one line if they have the same tens.
        let own = difference(&[10, 20, 30, 31], &[10, 41, 20, 42, 50], |address| address / 10);
        assert_eq!(own, OwnLines { failing: vec![41, 50], passing: vec![30] });
    }
}
