//! Narrowing down the transitions between causes to consecutive calls.

use super::examined_places::PlaceOrder;
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

/// Up to `count` indices below `length` at equal distances, with the first and the last one.
fn spread(length: usize, count: usize) -> impl Iterator<Item = usize> {
    let count = count.clamp(1, length.max(1));
    let last = length.saturating_sub(1);
    let mut indices: Vec<usize> = match count {
        1 => vec![0],
        _ => (0..count).map(|index| index * last / (count - 1)).collect(),
    };
    indices.dedup();
    indices.into_iter().take(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_places_are_spread_over_the_run() {
        let spread = |length, count| spread(length, count).collect::<Vec<_>>();
        assert_eq!(spread(101, 5), [0, 25, 50, 75, 100]);
        assert_eq!(spread(3, 5), [0, 1, 2]);
        assert_eq!(spread(9, 1), [0]);
        assert_eq!(spread(0, 5), [0; 0]);
    }
}
