//! Where each run goes its own way between two steps.
//!
//! A step says what decides, not where a wrong decision was made: while a cause stays the same, a condition may have sent the
//! failing run to other lines than the passing one, in a function that returns before the next step. So both runs are followed
//! once more. In each stretch between steps, the first execution of every line of the program's own functions is recorded, and
//! the lines that only one of the runs executes there are its own. Nothing is said about a stretch that one of the runs did not
//! follow from its start to its end while it was traced.

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
use crate::process::{ExitStatus, Inferior, InferiorLimits, Invocation, Pause, ProcessError};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// The number of stops of a run after which the time of the search is looked at again.
const STOPS_PER_CHECK: u32 = 100;

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
    let executed =
        |invocation, limits, ends: &[_]| LineTrace::of(runs, invocation, limits, &lines, ends);
    let (passing, used) = executed(&runs.passing, &runs.limits, &ends(CommonPlace::in_passing))?;
    // A run that does not end has this time for each part of its way, so that it comes to the last stretch.
    let time = match runs.hangs {
        true => HANGING_RUN_FACTOR * (used + runs.experiment_timeout),
        false => runs.limits.time,
    };
    let limits = InferiorLimits { time: time.min(runs.limits.time), ..runs.limits };
    let (failing, _) = executed(&runs.failing, &limits, &ends(CommonPlace::in_failing))?;
    let line = |address: &u64| line_key(runs.program, *address);
    let pairs = passing.iter().zip(&failing);
    Ok(pairs.map(|(passing, failing)| own_lines_of_stretch(passing, failing, line)).collect())
}

/// The lines of a stretch that only one of the runs executes; none if one of them was not followed through it.
fn own_lines_of_stretch<K: Ord>(
    passing: &StretchLines,
    failing: &StretchLines,
    line: impl Fn(&u64) -> K,
) -> OwnLines {
    let own = difference(&passing.executed, &failing.executed, line);
    match (passing.extent, failing.extent) {
        (StretchExtent::Whole, StretchExtent::Whole) => own,
        // What such a run has executed, it has executed; what it has not, it might have executed later.
        (StretchExtent::Whole, StretchExtent::Endless) => OwnLines { passing: Vec::new(), ..own },
        _ => OwnLines::default(),
    }
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

/// How far a run was followed through a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum StretchExtent {
    /// Not to its end.
    #[default]
    Part,
    /// From its start to its end.
    Whole,
    /// From its start until the time was over, in a stretch to the end of a run that does not end.
    Endless,
}

/// What a run has executed in a stretch.
#[derive(Clone, Debug, Default)]
struct StretchLines {
    /// The lines, in the order of their first execution.
    executed: Vec<u64>,
    extent: StretchExtent,
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
    /// What was executed in each stretch.
    stretches: Vec<StretchLines>,
    /// The stretch that the run is in.
    inside: Option<usize>,
    /// The time that it has used before its time was restarted.
    used: Duration,
}

impl<'s> LineTrace<'s> {
    /// What is executed in each stretch, and the time that the run has used.
    fn of(
        runs: &RunPair<'_>,
        invocation: &Invocation,
        limits: &InferiorLimits,
        lines: &[u64],
        ends: &'s [(StopPoint, Option<StopPoint>)],
    ) -> Result<(Vec<StretchLines>, Duration), ExperimentError> {
        runs.check_stop()?;
        let mut inferior = Inferior::start(invocation, &runs.until_deadline(limits), name_frames)?;
        // Without it, the run is only slower.
        let _ = inferior.pin_cpu();
        let bias = runs.program.bias(inferior.entry().map_err(ProcessError::from)?);
        let points = ends.iter().flat_map(|(from, to)| [Some(*from), *to]).flatten();
        let hits: HashMap<u64, u32> = points.map(|point| (point.address + bias, 0)).collect();
        let lines = lines.iter().map(|address| address + bias).collect();
        let (stretches, used) = (vec![StretchLines::default(); ends.len()], Duration::ZERO);
        let mut trace = Self { inferior, bias, lines, ends, hits, stretches, inside: None, used };
        trace.watch()?;
        let mut stops = 0;
        let end = loop {
            match trace.inferior.resume()? {
                Pause::At(address) => trace.arrive(address)?,
                Pause::Ended(end) => break end,
            }
            stops += 1;
            if stops % STOPS_PER_CHECK == 0 {
                runs.check_stop()?;
            }
        };
        runs.check_stop()?;
        if let Some(number) = trace.inside
            && ends[number].1.is_none()
        {
            trace.stretches[number].extent = match end.status {
                ExitStatus::TimedOut => StretchExtent::Endless,
                ExitStatus::Exit(_) | ExitStatus::Signal(_) => StretchExtent::Whole,
            };
        }
        Ok((trace.stretches, trace.used + trace.inferior.used_time()))
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
                if around != self.inside
                    && let Some(left) = self.inside
                {
                    self.stretches[left].extent = StretchExtent::Whole;
                }
                if inside != self.inside {
                    self.inside = inside;
                    self.used += self.inferior.used_time();
                    self.inferior.restart_time();
                    self.watch()?;
                }
                true
            }
            None => false,
        };
        if let Some(number) = self.inside {
            let executed = &mut self.stretches[number].executed;
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

    #[test]
    fn nothing_is_said_about_a_stretch_that_was_not_followed_to_its_end() {
        let lines = |executed: &[u64], extent| StretchLines { executed: executed.to_vec(), extent };
        let passing = lines(&[10, 20, 30], StretchExtent::Whole);
        let own =
            |failing: &StretchLines| own_lines_of_stretch(&passing, failing, |address| *address);
        assert_eq!(own(&lines(&[], StretchExtent::Part)), OwnLines::default());
        assert_eq!(own(&lines(&[10, 40], StretchExtent::Part)), OwnLines::default());
        let endless = own(&lines(&[10, 40], StretchExtent::Endless));
        assert_eq!(endless, OwnLines { failing: vec![40], passing: vec![] });
        let whole = own(&lines(&[10, 40], StretchExtent::Whole));
        assert_eq!(whole, OwnLines { failing: vec![40], passing: vec![20, 30] });
    }
}
