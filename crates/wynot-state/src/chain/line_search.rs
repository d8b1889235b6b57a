//! Narrowing down a transition between causes to lines.

use super::common_places::find_places_between;
use super::place_choice::{MAX_PLACES_IN_VAIN, PlaceOrder, middle_of_longest_gap};
use super::place_examiner::PlaceExaminer;
use crate::dwarf::{Function, FunctionId, Program, SourcePlace};
use crate::experiment::common_place::CommonPlace;
use crate::experiment::place_oracle::ExperimentOracles;
use std::collections::HashSet;

/// Narrows down the change of causes between two calls to lines of the functions that are active there;
/// without a second call, the last lines before the end.
pub(crate) fn narrow_to_lines<O: ExperimentOracles>(
    examiner: &mut PlaceExaminer<'_, O>,
    before: PlaceOrder,
    after: Option<PlaceOrder>,
) {
    if !examiner.may_go_on(before) {
        return;
    }
    let place_of = |order: PlaceOrder| Some(examiner.examined.get(order)?.place);
    let Some(from) = place_of(before) else { return };
    let to = after.and_then(place_of);
    let watched = watched_lines(examiner, before, after);
    let between = match find_places_between(examiner.runs, &watched, from, to) {
        Ok((places, others)) => {
            examiner.others.merge(others);
            places
        }
        Err(error) => return examiner.stopped = Some(examiner.oracles.stop_after(error)),
    };
    match after {
        Some(after) => halve_lines(examiner, before, &between, after),
        None => narrow_to_last_lines(examiner, before, &between),
    }
}

/// The addresses of the two places, and of the lines of all functions that are active there.
fn watched_lines<O: ExperimentOracles>(
    examiner: &PlaceExaminer<'_, O>,
    before: PlaceOrder,
    after: Option<PlaceOrder>,
) -> Vec<u64> {
    let ends = || [Some(before), after].into_iter().flatten();
    let causes = ends().filter_map(|end| examiner.examined.cause(end));
    let active: HashSet<&str> =
        causes.flat_map(|cause| &cause.backtrace).map(String::as_str).collect();
    let program = examiner.runs.program;
    let mut watched: Vec<u64> = program
        .functions_with_ids()
        .filter(|(_, function)| active.contains(function.name.as_str()))
        .flat_map(|(id, function)| line_addresses(program, id, function))
        .collect();
    let places = ends().filter_map(|end| examiner.examined.get(end));
    watched.extend(places.map(|examined| examined.place.address));
    watched.sort_unstable();
    watched.dedup();
    watched
}

/// The addresses at which the lines of a function start, from its body on. A line can have several.
pub(crate) fn line_addresses(program: &Program, id: FunctionId, function: &Function) -> Vec<u64> {
    let mut line = 0;
    let is_start = |(address, place): (u64, SourcePlace)| {
        let is_start = place.line != line;
        line = place.line;
        is_start.then_some(address)
    };
    let all = program.statements_of(id).into_iter().filter_map(is_start);
    // Before the body, arguments are not yet where the debug information says.
    all.filter(|address| !(function.entry..function.body).contains(address)).collect()
}

/// Finds the last line with a cause, and the lines at which that cause arose.
fn narrow_to_last_lines<O: ExperimentOracles>(
    examiner: &mut PlaceExaminer<'_, O>,
    before: PlaceOrder,
    between: &[CommonPlace],
) {
    for lines in (1..=between.len()).rev().take(MAX_PLACES_IN_VAIN) {
        let order = before.lines_later(lines);
        if !examiner.may_go_on(before) {
            return;
        }
        examiner.examine(std::iter::once((order, between[lines - 1])));
        if examiner.examined.cause(order).is_some() {
            return halve_lines(examiner, before, &between[..lines - 1], order);
        }
    }
}

/// Halves the lines after a place, until those with the cause of the place `after` directly follow the others.
fn halve_lines<O: ExperimentOracles>(
    examiner: &mut PlaceExaminer<'_, O>,
    before: PlaceOrder,
    between: &[CommonPlace],
    after: PlaceOrder,
) {
    let (mut low, mut high) = (0, between.len() + 1);
    loop {
        let is_known = |lines: &usize| {
            [low, high].contains(lines) || examiner.examined.contains(before.lines_later(*lines))
        };
        let known: Vec<usize> = (low..=high).filter(is_known).collect();
        let Some(lines) = middle_of_longest_gap(&known, MAX_PLACES_IN_VAIN) else { return };
        if !examiner.may_go_on(before) {
            return;
        }
        let order = before.lines_later(lines);
        examiner.examine(std::iter::once((order, between[lines - 1])));
        let causes = (examiner.examined.cause(order), examiner.examined.cause(after));
        match causes {
            (Some(cause), Some(last)) if last.is_same_cause(cause) => high = lines,
            // A third cause is a step of its own, and the search goes on with what follows from it.
            (Some(_), _) => low = lines,
            (None, _) => {}
        }
    }
}
