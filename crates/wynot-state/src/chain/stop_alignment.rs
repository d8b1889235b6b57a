//! Aligning the stops of two runs: which of them correspond.
//!
//! Runs with different inputs come to the same addresses in different orders and numbers. Stops correspond if
//! they have the same address and the same stack pointer, and are aligned in a longest common subsequence of
//! the stops. Of equal consecutive stops the first ones are taken, as an endless recursion goes on from there.
//! After the last common stop with equal stack pointers, the stack pointer is ignored: shortly before a failure
//! there may be no others.

use crate::experiment::common_place::CommonPlace;
use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};
use std::collections::HashMap;

/// A stop of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TracedStop {
    /// The address in the program's file.
    pub address: u64,
    /// The value of the stack pointer.
    pub stack: u64,
}

/// The places that two runs have in common, in the order of execution.
pub fn align_stops(passing: &[TracedStop], failing: &[TracedStop]) -> Vec<CommonPlace> {
    let (mut here, mut there) = (HitCounter::new(passing), HitCounter::new(failing));
    let exact = |stop: TracedStop| stop;
    let common = common_subsequence(passing, failing, exact);
    let mut places = places_of(common, &mut here, &mut there, exact);
    let without_stack = |stop: TracedStop| TracedStop { stack: 0, ..stop };
    let rest = common_subsequence(here.rest, there.rest, without_stack);
    places.extend(places_of(rest, &mut here, &mut there, without_stack));
    places
}

/// A longest common subsequence of the stops, which are compared by their keys.
fn common_subsequence(
    passing: &[TracedStop],
    failing: &[TracedStop],
    key: impl Fn(TracedStop) -> TracedStop,
) -> Vec<TracedStop> {
    let keys = |stops: &[TracedStop]| stops.iter().map(|stop| key(*stop)).collect::<Vec<_>>();
    let (passing, failing) = (keys(passing), keys(failing));
    let input = InternedInput::new(StopTokens(&passing), StopTokens(&failing));
    let diff = Diff::compute(Algorithm::Myers, &input);
    (0..).zip(passing).filter(|(index, _)| !diff.is_removed(*index)).map(|(_, stop)| stop).collect()
}

/// The places of a common subsequence: the first stops of both runs with the same keys.
fn places_of(
    common: Vec<TracedStop>,
    here: &mut HitCounter<'_>,
    there: &mut HitCounter<'_>,
    key: impl Fn(TracedStop) -> TracedStop,
) -> Vec<CommonPlace> {
    let both = |stop: TracedStop| {
        let hits = (here.next(stop, &key)?, there.next(stop, &key)?);
        Some(CommonPlace { address: stop.address, hits })
    };
    common.into_iter().map_while(both).collect()
}

/// Goes through the stops of a run and counts the hits of each address.
struct HitCounter<'a> {
    rest: &'a [TracedStop],
    hits: HashMap<u64, u32>,
}

impl<'a> HitCounter<'a> {
    fn new(rest: &'a [TracedStop]) -> Self {
        Self { rest, hits: HashMap::new() }
    }

    /// Goes to the next stop with this key, and returns which hit of its address it is.
    fn next(&mut self, wanted: TracedStop, key: impl Fn(TracedStop) -> TracedStop) -> Option<u32> {
        loop {
            let (stop, rest) = self.rest.split_first()?;
            self.rest = rest;
            let hit = self.hits.entry(stop.address).or_default();
            *hit += 1;
            if key(*stop) == wanted {
                return Some(*hit);
            }
        }
    }
}

/// Stops as the tokens of a diff.
struct StopTokens<'a>(&'a [TracedStop]);

impl<'a> TokenSource for StopTokens<'a> {
    type Token = TracedStop;
    type Tokenizer = std::iter::Copied<std::slice::Iter<'a, TracedStop>>;

    fn tokenize(&self) -> Self::Tokenizer {
        self.0.iter().copied()
    }

    fn estimate_tokens(&self) -> u32 {
        self.0.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aligned(passing: &[TracedStop], failing: &[TracedStop]) -> Vec<(u64, u32, u32)> {
        let places = align_stops(passing, failing);
        places.into_iter().map(|CommonPlace { address, hits }| (address, hits.0, hits.1)).collect()
    }

    fn aligned_addresses(passing: &[u64], failing: &[u64]) -> Vec<(u64, u32, u32)> {
        let stop = |address: &u64| TracedStop { address: *address, stack: 0 };
        let stops = |addresses: &[u64]| addresses.iter().map(stop).collect::<Vec<_>>();
        aligned(&stops(passing), &stops(failing))
    }

    #[test]
    fn stops_that_one_run_makes_in_addition_are_skipped() {
        // The failing run comes to 5 once more before it comes to 2 for the last time.
        assert_eq!(
            aligned_addresses(&[1, 2, 5, 2, 9], &[1, 2, 5, 5, 2]),
            [(1, 1, 1), (2, 1, 1), (5, 1, 1), (2, 2, 2)]
        );
        assert_eq!(aligned_addresses(&[1, 7], &[1, 8, 8, 7]), [(1, 1, 1), (7, 1, 1)]);
        assert_eq!(aligned_addresses(&[], &[1]), []);
        assert_eq!(aligned_addresses(&[3, 3, 4], &[3, 4]).last(), Some(&(4, 1, 1)));
    }

    #[test]
    fn of_equal_stops_the_first_correspond() {
        assert_eq!(aligned_addresses(&[2, 3, 3], &[2, 3, 3, 3, 3])[1..], [(3, 1, 1), (3, 2, 2)]);
        assert_eq!(
            aligned_addresses(&[2, 3, 3], &[2, 5, 5, 3, 3, 3, 3])[1..],
            [(3, 1, 1), (3, 2, 2)]
        );
    }

    #[test]
    fn stack_pointers_count_up_to_the_last_common_stop_where_they_are_equal() {
        let stop = |(address, stack): &(u64, u64)| TracedStop { address: *address, stack: *stack };
        let stops = |all: &[(u64, u64)]| all.iter().map(stop).collect::<Vec<_>>();
        let passing = stops(&[(1, 9), (2, 8), (3, 8), (4, 6)]);
        let failing = stops(&[(1, 9), (2, 7), (2, 6), (2, 8), (3, 8), (4, 5)]);
        let expected = [(1, 1, 1), (2, 1, 3), (3, 1, 1), (4, 1, 1)];
        assert_eq!(aligned(&passing, &failing), expected);
    }
}
