//! Narrowing down the transitions between causes to consecutive calls.

use super::place_choice::{PlaceOrder, spread};
use super::place_examiner::PlaceExaminer;
use crate::experiment::common_place::CommonPlace;
use crate::experiment::place_oracle::ExperimentOracles;

/// Examines a few places, and then places between those whose causes differ, until none lies between.
pub(crate) fn narrow_to_calls<O: ExperimentOracles>(
    examiner: &mut PlaceExaminer<'_, O>,
    places: &[CommonPlace],
) {
    let call = |index: usize| (PlaceOrder::of_call(index), places[index]);
    let first_places = examiner.options.first_places;
    examiner.examine(spread(places.len(), first_places).map(call));
    loop {
        let examined = &examiner.examined;
        let gaps = examined.transitions().into_iter();
        let gaps = gaps.chain(examined.ends()).chain(examined.gaps_without_cause());
        let wanted: Vec<_> = gaps.filter_map(|gap| examined.next_call(gap)).map(call).collect();
        let exceeds_limit = examined.len() + wanted.len() > examiner.options.max_places;
        if wanted.is_empty() || exceeds_limit || examiner.stopped.is_some() {
            return;
        }
        examiner.examine(wanted.into_iter());
    }
}
