//! Which stops of two runs are the same one.
//!
//! Runs on different inputs come through the same places in different orders and numbers. Stops are the same
//! if they are in the same place of the program, with a stack of the same height, and in the same place of a
//! longest common row of stops. Of equal stops in a row the first ones are taken, as recursions that do not
//! end go on from there. Behind the last stop with stacks of the same height, those of other heights count,
//! too: shortly before a failure there may be no others.

use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};
use std::collections::HashMap;

/// Where a run has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Halt {
    /// An address of the program's file.
    pub address: u64,
    /// Where the stack ended.
    pub stack: u64,
}

/// A place that both runs come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// An address of the program's file.
    pub address: u64,
    /// The how manieth time, in the passing run and in the failing one; counted from 1.
    pub hits: (u32, u32),
}

/// The stops that two runs have in common, in order.
pub fn common(passing: &[Halt], failing: &[Halt]) -> Vec<Site> {
    let (mut here, mut there) = (Counter::new(passing), Counter::new(failing));
    let mut sites = meet(row(passing, failing, |halt| halt), &mut here, &mut there, |halt| halt);
    let height = |halt: Halt| Halt { stack: 0, ..halt };
    let rest = row(here.rest, there.rest, height);
    sites.extend(meet(rest, &mut here, &mut there, height));
    sites
}

/// A longest common row, where stops are the same if they look the same.
fn row(passing: &[Halt], failing: &[Halt], look: impl Fn(Halt) -> Halt) -> Vec<Halt> {
    let seen = |halts: &[Halt]| halts.iter().map(|halt| look(*halt)).collect::<Vec<Halt>>();
    let (passing, failing) = (seen(passing), seen(failing));
    let input = InternedInput::new(Row(&passing), Row(&failing));
    let diff = Diff::compute(Algorithm::Myers, &input);
    (0..).zip(passing).filter(|(index, _)| !diff.is_removed(*index)).map(|(_, halt)| halt).collect()
}

/// The first stops of both runs that look as those of a row do.
fn meet(
    row: Vec<Halt>,
    here: &mut Counter<'_>,
    there: &mut Counter<'_>,
    look: impl Fn(Halt) -> Halt,
) -> Vec<Site> {
    let both = |halt: Halt| {
        let hits = (here.next(halt, &look)?, there.next(halt, &look)?);
        Some(Site { address: halt.address, hits })
    };
    row.into_iter().map_while(both).collect()
}

/// Goes along a row of stops and counts those at each address.
struct Counter<'a> {
    rest: &'a [Halt],
    counts: HashMap<u64, u32>,
}

impl<'a> Counter<'a> {
    fn new(rest: &'a [Halt]) -> Self {
        Self { rest, counts: HashMap::new() }
    }

    /// Goes to the next stop that looks like this: which one it is of those at its address.
    fn next(&mut self, wanted: Halt, look: impl Fn(Halt) -> Halt) -> Option<u32> {
        loop {
            let (halt, rest) = self.rest.split_first()?;
            self.rest = rest;
            let count = self.counts.entry(halt.address).or_default();
            *count += 1;
            if look(*halt) == wanted {
                return Some(*count);
            }
        }
    }
}

struct Row<'a>(&'a [Halt]);

impl<'a> TokenSource for Row<'a> {
    type Token = Halt;
    type Tokenizer = std::iter::Copied<std::slice::Iter<'a, Halt>>;

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
        let halts = |addresses: &[u64]| {
            addresses.iter().map(|address| Halt { address: *address, stack: 0 }).collect::<Vec<_>>()
        };
        let all = common(&halts(passing), &halts(failing));
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

    #[test]
    fn the_height_of_the_stack_counts_up_to_the_last_stop_where_it_is_the_same() {
        let halts = |all: &[(u64, u64)]| {
            all.iter().map(|(address, stack)| Halt { address: *address, stack: *stack }).collect()
        };
        let passing: Vec<Halt> = halts(&[(1, 9), (2, 8), (3, 8), (4, 6)]);
        let failing: Vec<Halt> = halts(&[(1, 9), (2, 7), (2, 6), (2, 8), (3, 8), (4, 5)]);
        let found: Vec<_> = common(&passing, &failing)
            .into_iter()
            .map(|Site { address, hits }| (address, hits.0, hits.1))
            .collect();
        assert_eq!(found, [(1, 1, 1), (2, 1, 3), (3, 1, 1), (4, 1, 1)]);
    }
}
