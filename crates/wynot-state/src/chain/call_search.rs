//! Narrowing down the transitions between causes to consecutive calls.
//!
//! Where places between two causes do not decide, the search first goes on elsewhere, and comes back as long as
//! places are left. Up to half of the places is kept for lines. If not all can be examined, the latest
//! transitions come first: they are the nearest to the failure.

use super::common_places::CommonPlaces;
use super::first_places::first_places;
use super::place_choice::{MAX_PLACES_IN_VAIN, PlaceGap, PlaceOrder};
use super::place_examiner::PlaceExaminer;
use crate::experiment::place_oracle::ExperimentOracles;
use std::cmp::Reverse;

/// The number of places that are kept for the lines of a transition.
const LINES_PER_TRANSITION: usize = 5;

/// Examines a few places, and then places between those whose causes differ, until none lies between.
pub(crate) fn narrow_to_calls<O: ExperimentOracles>(
    examiner: &mut PlaceExaminer<'_, O>,
    common: &CommonPlaces,
) {
    let places = &common.places;
    let call = |index: usize| (PlaceOrder::of_call(index), places[index]);
    let first = first_places(examiner.runs, common, examiner.options);
    examiner.examine_in_turn(first.into_iter().map(call));
    let mut max_in_vain = MAX_PLACES_IN_VAIN;
    while examiner.stopped.is_none() {
        let mut wanted = wanted_calls(examiner, max_in_vain);
        let left = places_for_calls(examiner).saturating_sub(examiner.examined.len());
        match (wanted.is_empty(), left) {
            (true, 0) => return,
            (true, _) if max_in_vain > places.len() => return,
            (true, _) => {
                max_in_vain *= 2;
                continue;
            }
            (false, 0) => {
                let starts = wanted.iter().map(|((before, _), _)| *before);
                return examiner.unnarrowed.extend(starts);
            }
            (false, _) => wanted.truncate(left),
        }
        examiner.examine(wanted.into_iter().map(|(_, index)| call(index)));
    }
}

/// The gaps in which the search goes on, each with the call that is examined next, the latest gap first.
fn wanted_calls<O: ExperimentOracles>(
    examiner: &PlaceExaminer<'_, O>,
    max_in_vain: usize,
) -> Vec<(PlaceGap, usize)> {
    let examined = &examiner.examined;
    let (before_first, after_last) = examined.ends();
    // Before the first cause, the failure depends on what is not captured: there is little to find. After the last one,
    // the places that follow it directly are the most promising.
    let few = before_first.into_iter().chain(examined.gaps_without_cause());
    let few = few.map(|gap| (gap, MAX_PLACES_IN_VAIN));
    let some = after_last.map(|gap| (gap, (max_in_vain / 2).max(MAX_PLACES_IN_VAIN)));
    let transitions = examined.transitions().into_iter();
    let many = transitions.chain(examined.gap_after_last_cause()).map(|gap| (gap, max_in_vain));
    let next = |(gap, max): (PlaceGap, usize)| Some((gap, examined.next_call(gap, max)?));
    let mut wanted: Vec<(PlaceGap, usize)> = many.chain(some).chain(few).filter_map(next).collect();
    wanted.sort_by_key(|((before, _), call)| (Reverse(*before), *call));
    wanted.dedup_by_key(|(_, call)| *call);
    wanted
}

/// The number of places that may be calls. The others are kept for the lines of transitions.
fn places_for_calls<O: ExperimentOracles>(examiner: &PlaceExaminer<'_, O>) -> usize {
    let max_places = examiner.options.max_places;
    let transitions = examiner.examined.transitions().len() + 1;
    max_places - (max_places / 2).min(LINES_PER_TRANSITION * transitions)
}
