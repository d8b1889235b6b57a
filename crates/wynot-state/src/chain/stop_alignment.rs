//! Aligning the stops of two runs: which of them correspond.
//!
//! Runs with different inputs come to the same addresses in different orders and numbers. Stops correspond if
//! they have the same address and the same path of calls, and are aligned in a longest common subsequence of
//! the stops. Of equal consecutive stops the first ones are taken, as an endless recursion goes on from there.
//! Between stops that are aligned, those are aligned whose paths differ only in the depth of recursion. After the
//! last of them, the paths are ignored: shortly before a failure there may be no others. In an endless recursion,
//! where depths do not correspond to each other, only equal paths count.

use super::call_path::CallPath;
use crate::experiment::common_place::CommonPlace;
use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};
use std::collections::HashMap;
use std::ops::Range;

/// A stop of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedStop {
    /// The address in the program's file.
    pub address: u64,
    /// The path of calls that leads there.
    pub(crate) path: CallPath,
}

/// Ranges of the stops of the passing and the failing run.
pub type StopRanges = (Range<usize>, Range<usize>);

/// Which stops may correspond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// Those with the same path of calls.
    SamePaths,
    /// Also those on another depth of recursion, and at the end those with other paths.
    OtherDepths,
}

/// What must be equal for two stops to correspond.
type StopKey = (u64, u64);

/// The places that two runs have in common in ranges of their stops, in the order of execution.
pub fn align_stops(
    passing: &[TracedStop],
    failing: &[TracedStop],
    ranges: &StopRanges,
    exactness: Exactness,
) -> Vec<CommonPlace> {
    let mut pairs = align(passing, failing, ranges, |stop| (stop.address, stop.path.exact));
    if exactness == Exactness::OtherDepths {
        fill_gaps(&mut pairs, passing, failing, ranges);
    }
    let hits = (count_hits(passing), count_hits(failing));
    let place = |(here, there): (usize, usize)| CommonPlace {
        address: passing[here].address,
        hits: (hits.0[here], hits.1[there]),
    };
    pairs.into_iter().map(place).collect()
}

/// Aligns stops with less exact paths between and after those that are aligned.
fn fill_gaps(
    pairs: &mut Vec<(usize, usize)>,
    passing: &[TracedStop],
    failing: &[TracedStop],
    ranges: &StopRanges,
) {
    let mut filled = Vec::new();
    let mut start = (ranges.0.start, ranges.1.start);
    let end = (ranges.0.end, ranges.1.end);
    for end in pairs.iter().copied().chain([end]) {
        let gap = (start.0..end.0, start.1..end.1);
        filled.extend(align(passing, failing, &gap, |stop| (stop.address, stop.path.collapsed)));
        start = (end.0 + 1, end.1 + 1);
    }
    pairs.extend(filled);
    pairs.sort_unstable();
    let start = (ranges.0.start, ranges.1.start);
    let rest = pairs.last().map_or(start, |last| (last.0 + 1, last.1 + 1));
    let rest = (rest.0..end.0, rest.1..end.1);
    pairs.extend(align(passing, failing, &rest, |stop| (stop.address, 0)));
}

/// For each stop, which hit of its address it is.
fn count_hits(stops: &[TracedStop]) -> Vec<u32> {
    let mut hits: HashMap<u64, u32> = HashMap::new();
    let count = |stop: &TracedStop| {
        let hit = hits.entry(stop.address).or_default();
        *hit += 1;
        *hit
    };
    stops.iter().map(count).collect()
}

/// The indices of stops that correspond, within ranges of both runs.
fn align(
    passing: &[TracedStop],
    failing: &[TracedStop],
    (here, there): &StopRanges,
    key: impl Fn(&TracedStop) -> StopKey,
) -> Vec<(usize, usize)> {
    if here.is_empty() || there.is_empty() {
        return Vec::new();
    }
    let keys = |stops: &[TracedStop]| stops.iter().map(&key).collect::<Vec<_>>();
    let (own, other) = (keys(&passing[here.clone()]), keys(&failing[there.clone()]));
    let input = InternedInput::new(StopKeys(&own), StopKeys(&other));
    let diff = Diff::compute(Algorithm::Myers, &input);
    let common = (0..).zip(&own).filter(|(index, _)| !diff.is_removed(*index));
    let (mut in_own, mut in_other) = (own.iter().enumerate(), other.iter().enumerate());
    // The first stops of both runs with the same keys.
    let pair = |(_, wanted): (u32, &StopKey)| {
        let one = in_own.find(|(_, key)| *key == wanted)?.0;
        let two = in_other.find(|(_, key)| *key == wanted)?.0;
        Some((here.start + one, there.start + two))
    };
    common.map_while(pair).collect()
}

/// Keys of stops as the tokens of a diff.
struct StopKeys<'a>(&'a [StopKey]);

impl<'a> TokenSource for StopKeys<'a> {
    type Token = StopKey;
    type Tokenizer = std::iter::Copied<std::slice::Iter<'a, StopKey>>;

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
        let whole = (0..passing.len(), 0..failing.len());
        let places = align_stops(passing, failing, &whole, Exactness::OtherDepths);
        places.into_iter().map(|CommonPlace { address, hits }| (address, hits.0, hits.1)).collect()
    }

    fn aligned_addresses(passing: &[u64], failing: &[u64]) -> Vec<(u64, u32, u32)> {
        let stop = |address: &u64| stop_at(*address, 0, 0);
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

    fn stop_at(address: u64, exact: u64, collapsed: u64) -> TracedStop {
        TracedStop { address, path: CallPath { exact, collapsed } }
    }

    #[test]
    fn paths_count_up_to_the_last_common_stop_where_they_are_equal() {
        let stops = |all: &[(u64, u64)]| {
            all.iter().map(|(address, path)| stop_at(*address, *path, *path)).collect::<Vec<_>>()
        };
        let passing = stops(&[(1, 9), (2, 8), (3, 8), (4, 6)]);
        let failing = stops(&[(1, 9), (2, 7), (2, 6), (2, 8), (3, 8), (4, 5)]);
        let expected = [(1, 1, 1), (2, 1, 3), (3, 1, 1), (4, 1, 1)];
        assert_eq!(aligned(&passing, &failing), expected);
    }

    #[test]
    fn recursion_of_another_depth_is_aligned_where_nothing_else_is() {
        let passing = [stop_at(1, 1, 1), stop_at(2, 5, 3), stop_at(4, 1, 1)];
        let failing = [stop_at(1, 1, 1), stop_at(2, 6, 3), stop_at(2, 7, 3), stop_at(4, 1, 1)];
        assert_eq!(aligned(&passing, &failing), [(1, 1, 1), (2, 1, 1), (4, 1, 1)]);
    }
}
