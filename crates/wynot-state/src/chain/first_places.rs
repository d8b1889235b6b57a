//! The places that are examined first: spread over the run, the last calls of the functions that fail, and a few
//! that come nearer and nearer to the end.

use super::common_places::CommonPlaces;
use super::place_examiner::ChainOptions;
use crate::experiment::run_pair::RunPair;
use std::collections::BTreeSet;

/// The number of functions of the failing run's stack whose last calls are examined.
const MAX_ACTIVE_FUNCTIONS: usize = 8;

/// The factor between the distances to the end of the places before it.
const DISTANCE_FACTOR: usize = 4;

/// The share of all places that are examined which may be chosen as the first ones.
const MAX_SHARE_OF_PLACES: usize = 4;

/// The indices of the calls that are examined first, in the order of execution.
pub(crate) fn first_places(
    runs: &RunPair<'_>,
    common: &CommonPlaces,
    options: &ChainOptions<'_>,
) -> Vec<usize> {
    let length = common.places.len();
    let chosen = spread(length, options.first_places);
    let mut chosen: BTreeSet<usize> = chosen.collect();
    let limit = (options.max_places / MAX_SHARE_OF_PLACES).max(chosen.len());
    let near_end = last_calls(runs, common).into_iter().chain(nearing_end(length));
    for index in near_end {
        if chosen.len() < limit {
            chosen.insert(index);
        }
    }
    chosen.into_iter().collect()
}

/// The last calls of the functions in which the failing run ends, innermost first; if it does not end, of those
/// that it does not leave, and of those that it called last.
fn last_calls(runs: &RunPair<'_>, common: &CommonPlaces) -> Vec<usize> {
    let program = runs.program;
    let frames = common.failing.crash.iter().flat_map(|crash| &crash.frames);
    let frames = frames.chain(&runs.endless_functions);
    let mut active: Vec<&String> = Vec::new();
    for frame in frames {
        if !active.contains(&frame) {
            active.push(frame);
        }
    }
    let last_call = |name: &&String| {
        let bodies: Vec<u64> =
            program.functions_named(name).iter().map(|id| program[*id].body).collect();
        common.places.iter().rposition(|place| bodies.contains(&place.address))
    };
    let of_active = active.iter().filter_map(last_call);
    let called_last =
        common.last_addresses.iter().filter(|_| runs.hangs).filter_map(|address| {
            common.places.iter().rposition(|place| place.address == *address)
        });
    of_active.chain(called_last).take(MAX_ACTIVE_FUNCTIONS).collect()
}

/// Indices below `length` at distances from its end that grow by a factor.
fn nearing_end(length: usize) -> impl Iterator<Item = usize> {
    let distances = std::iter::successors(Some(2), |distance| Some(distance * DISTANCE_FACTOR));
    distances.map_while(move |distance| length.checked_sub(distance))
}

/// Up to `count` indices below `length` at equal distances, with the first and the last one.
pub(crate) fn spread(length: usize, count: usize) -> impl Iterator<Item = usize> {
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

    #[test]
    fn distances_to_the_end_grow_by_a_factor() {
        assert_eq!(nearing_end(100).collect::<Vec<_>>(), [98, 92, 68]);
        assert_eq!(nearing_end(1).count(), 0);
    }
}
