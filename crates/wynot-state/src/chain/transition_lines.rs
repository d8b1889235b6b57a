//! The lines that turn one cause into the next.
//!
//! A transition is known by two stops: where the earlier cause was last seen to decide, and where the later one was first
//! seen. The line of the first stop need not have done it: a function may have returned since, or the failing run may have
//! taken a way that the passing run did not take, where there are no common places. So the failing run is followed once more
//! through the lines of the functions that are active at the steps. Lines of the later function that only the failing run
//! executes in between come first, then all of its lines in between; without any, it is the line that it was executing.

use super::common_places::{index_of, trace_both};
use super::line_search::line_addresses;
use super::stop_alignment::TracedStop;
use crate::dwarf::Program;
use crate::experiment::common_place::CommonPlace;
use crate::experiment::experiment_error::ExperimentError;
use crate::experiment::place_result::PlaceCause;
use crate::experiment::run_pair::RunPair;
use crate::experiment::stop_point::StopPoint;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

/// The number of lines above which they say too little: then none is named.
const MAX_LINES: usize = 5;

/// A transition: the last place of a cause, and the first one of the next cause.
pub(crate) type Transition<'c> = (&'c PlaceCause, &'c PlaceCause);

/// The addresses of the lines that have made the later cause of the earlier one, in the order of execution, for each
/// transition; none where that is not known.
pub(crate) fn transition_lines(
    runs: &RunPair<'_>,
    transitions: &[Transition<'_>],
) -> Result<Vec<Vec<u64>>, ExperimentError> {
    if transitions.is_empty() {
        return Ok(Vec::new());
    }
    let watched = watched_lines(runs.program, transitions);
    let (passing, failing) = trace_both(runs, &watched)?;
    let line = |address: u64| line_key(runs.program, address);
    let lines = transitions.iter().map(|(before, after)| {
        let ranges = [
            stops_between(&passing.stops, before.place, after.place, CommonPlace::in_passing),
            stops_between(&failing.stops, before.place, after.place, CommonPlace::in_failing),
        ];
        let [Some(in_passing), Some(in_failing)] = ranges else { return Vec::new() };
        let entry = runs.program.function_at(after.place.address).map(|id| &runs.program[id]);
        let is_entry = entry
            .is_some_and(|function| [function.entry, function.body].contains(&after.place.address));
        responsible_lines(&passing.stops[in_passing], &failing.stops, in_failing, is_entry, line)
    });
    Ok(lines.collect())
}

/// The lines of the functions that are active at the ends of transitions, and the ends themselves.
fn watched_lines(program: &Program, transitions: &[Transition<'_>]) -> Vec<u64> {
    let ends = || transitions.iter().flat_map(|(before, after)| [before, after]);
    let active: HashSet<&str> =
        ends().flat_map(|cause| &cause.backtrace).map(String::as_str).collect();
    let mut watched: Vec<u64> = program
        .functions_with_ids()
        .filter(|(_, function)| active.contains(function.name.as_str()))
        .flat_map(|(id, function)| line_addresses(program, id, function))
        .collect();
    watched.extend(ends().map(|cause| cause.place.address));
    watched.sort_unstable();
    watched.dedup();
    watched
}

/// The stops of a run from one place to another, without the latter.
fn stops_between(
    stops: &[TracedStop],
    from: CommonPlace,
    to: CommonPlace,
    point: fn(CommonPlace) -> StopPoint,
) -> Option<Range<usize>> {
    let (start, end) = (index_of(stops, point(from))?, index_of(stops, point(to))?);
    (start < end).then_some(start..end)
}

/// What two addresses of one line have in common.
pub(crate) fn line_key(program: &Program, address: u64) -> (String, u32) {
    let place = program.line_of(address);
    place.map_or_else(|| (String::new(), 0), |place| (place.file.to_string(), place.line))
}

/// The lines that are responsible for a transition: the failing run makes the stops of `range`, and then one at the place of
/// the later cause, which is the start of a function if `is_entry`.
fn responsible_lines<K: Ord>(
    in_passing: &[TracedStop],
    failing: &[TracedStop],
    range: Range<usize>,
    is_entry: bool,
    line: impl Fn(u64) -> K,
) -> Vec<u64> {
    let earlier = &failing[..range.end];
    // A function is entered from the line before; otherwise it goes on from the line that it was executing, which called the
    // functions in between.
    let path = match is_entry {
        true => earlier.last().map(|stop| stop.path),
        false => failing.get(range.end).map(|stop| stop.path),
    };
    let Some(path) = path else { return Vec::new() };
    let mut seen = BTreeSet::new();
    let executed: Vec<u64> = failing[range.clone()]
        .iter()
        .filter(|stop| stop.path == path && seen.insert(line(stop.address)))
        .map(|stop| stop.address)
        .collect();
    let known: BTreeSet<K> = in_passing.iter().map(|stop| line(stop.address)).collect();
    let is_new = |address: &u64| !known.contains(&line(*address));
    let only_failing: Vec<u64> = executed.iter().copied().filter(is_new).collect();
    let lines = match (only_failing.is_empty(), executed.is_empty()) {
        (false, _) => only_failing,
        (true, false) => executed,
        (true, true) => {
            let executing = earlier.iter().rev().find(|stop| stop.path == path);
            executing.map(|stop| stop.address).into_iter().collect()
        }
    };
    if lines.len() > MAX_LINES { Vec::new() } else { lines }
}

#[cfg(test)]
mod tests {
    use super::super::call_path::CallPath;
    use super::*;

    /// A stop at a line, in a function that is called on a path.
    fn stop(address: u64, path: u64) -> TracedStop {
        TracedStop { address, path: CallPath { exact: path, collapsed: path } }
    }

    fn lines(
        passing: &[TracedStop],
        failing: &[TracedStop],
        start: usize,
        is_entry: bool,
    ) -> Vec<u64> {
        responsible_lines(passing, failing, start..failing.len() - 1, is_entry, |address| address)
    }

    #[test]
    fn after_a_return_it_is_the_line_that_has_called() {
        // Line 10 of function 1 calls function 2, whose last line is 25.
        let failing = [stop(10, 1), stop(20, 2), stop(25, 2), stop(11, 1)];
        assert_eq!(lines(&failing[2..3], &failing, 2, false), [10]);
    }

    #[test]
    fn a_call_is_made_by_the_line_before() {
        let failing = [stop(10, 1), stop(12, 1), stop(20, 2)];
        assert_eq!(lines(&failing[1..2], &failing, 1, true), [12]);
    }

    #[test]
    fn each_of_several_lines_may_have_done_it() {
        let failing = [stop(20, 1), stop(24, 1), stop(20, 1)];
        assert_eq!(lines(&failing[..2], &failing, 0, false), [20, 24]);
    }

    #[test]
    fn a_line_that_only_the_failing_run_executes_comes_first() {
        let passing = [stop(9, 1), stop(10, 1)];
        let failing = [stop(9, 1), stop(12, 1), stop(9, 1), stop(10, 1)];
        assert_eq!(lines(&passing[..1], &failing, 0, false), [12]);
    }

    #[test]
    fn many_such_lines_say_too_little() {
        let failing: Vec<TracedStop> = (9..=16).map(|line| stop(line, 1)).collect();
        assert_eq!(lines(&failing[..1], &failing, 0, false), [0_u64; 0]);
    }
}
