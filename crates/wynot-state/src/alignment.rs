//! Which stops of two runs are the same one.
//!
//! Runs on different inputs come through the same places in different orders and numbers. Stops are the same
//! if they are in the same place of the program, and in the same place of a longest common row of stops. Of
//! equal stops in a row the first ones are taken, as recursions that do not end go on from there.

use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};
use std::collections::HashMap;

/// A place that both runs come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// An address of the program's file.
    pub address: u64,
    /// The how manieth time, in the passing run and in the failing one; counted from 1.
    pub hits: (u32, u32),
}

/// The stops that two runs have in common, in order.
pub fn common(passing: &[u64], failing: &[u64]) -> Vec<Site> {
    let input = InternedInput::new(Stops(passing), Stops(failing));
    let diff = Diff::compute(Algorithm::Myers, &input);
    let removed = |index: &usize| diff.is_removed(*index as u32);
    let row: Vec<u64> =
        (0..passing.len()).filter(|index| !removed(index)).map(|index| passing[index]).collect();
    let (mut here, mut there) = (Counter::new(passing), Counter::new(failing));
    let both = |address: u64| {
        let hits = (here.next(address)?, there.next(address)?);
        Some(Site { address, hits })
    };
    row.into_iter().map_while(both).collect()
}

/// Goes along a row of stops and counts those at each address.
struct Counter<'a> {
    stops: std::slice::Iter<'a, u64>,
    counts: HashMap<u64, u32>,
}

impl<'a> Counter<'a> {
    fn new(stops: &'a [u64]) -> Self {
        Self { stops: stops.iter(), counts: HashMap::new() }
    }

    /// Goes to the next stop at an address: which one of those it is.
    fn next(&mut self, address: u64) -> Option<u32> {
        loop {
            let stop = *self.stops.next()?;
            let count = self.counts.entry(stop).or_default();
            *count += 1;
            if stop == address {
                return Some(*count);
            }
        }
    }
}

struct Stops<'a>(&'a [u64]);

impl<'a> TokenSource for Stops<'a> {
    type Token = u64;
    type Tokenizer = std::iter::Copied<std::slice::Iter<'a, u64>>;

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

    fn met(passing: &[u64], failing: &[u64]) -> Vec<(u64, u32, u32)> {
        let all = common(passing, failing);
        all.into_iter().map(|Site { address, hits }| (address, hits.0, hits.1)).collect()
    }

    #[test]
    fn stops_that_one_run_makes_in_addition_are_skipped() {
        // The failing run comes to 5 once more before it comes to 2 for the last time.
        assert_eq!(
            met(&[1, 2, 5, 2, 9], &[1, 2, 5, 5, 2]),
            [(1, 1, 1), (2, 1, 1), (5, 1, 1), (2, 2, 2)]
        );
        assert_eq!(met(&[1, 7], &[1, 8, 8, 7]), [(1, 1, 1), (7, 1, 1)]);
        assert_eq!(met(&[], &[1]), []);
        assert_eq!(met(&[3, 3, 4], &[3, 4]).last(), Some(&(4, 1, 1)));
    }

    #[test]
    fn of_equal_stops_the_first_are_the_same() {
        assert_eq!(met(&[2, 3, 3], &[2, 3, 3, 3, 3])[1..], [(3, 1, 1), (3, 2, 2)]);
        assert_eq!(met(&[2, 3, 3], &[2, 5, 5, 3, 3, 3, 3])[1..], [(3, 1, 1), (3, 2, 2)]);
    }
}
