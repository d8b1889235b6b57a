//! Which calls of two runs are the same call.
//!
//! Runs on different inputs call functions in different orders and numbers. Calls are the same if they are
//! of the same function and stand in the same place of a longest common row of calls.

use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};
use std::collections::HashMap;

/// A call that both runs have made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Meeting {
    /// Of which function, by number.
    pub function: u32,
    /// The how manieth call of it, in the passing run and in the failing one; counted from 1.
    pub hits: (u32, u32),
}

/// The calls that two runs have in common, in order.
pub fn meetings(passing: &[u32], failing: &[u32]) -> Vec<Meeting> {
    let input = InternedInput::new(Calls(passing), Calls(failing));
    let diff = Diff::compute(Algorithm::Myers, &input);
    let (mut here, mut there) = (Counter::new(passing), Counter::new(failing));
    let mut found = Vec::new();
    let mut meet = |here: &mut Counter<'_>, there: &mut Counter<'_>, until: u32| {
        while here.position < until as usize {
            let (Some((function, mine)), Some((_, theirs))) = (here.next(), there.next()) else {
                return;
            };
            found.push(Meeting { function, hits: (mine, theirs) });
        }
    };
    for hunk in diff.hunks() {
        meet(&mut here, &mut there, hunk.before.start);
        here.skip_to(hunk.before.end);
        there.skip_to(hunk.after.end);
    }
    meet(&mut here, &mut there, passing.len() as u32);
    found
}

/// Goes along a row of calls and counts those of each function.
struct Counter<'a> {
    calls: &'a [u32],
    position: usize,
    counts: HashMap<u32, u32>,
}

impl<'a> Counter<'a> {
    fn new(calls: &'a [u32]) -> Self {
        Self { calls, position: 0, counts: HashMap::new() }
    }

    fn skip_to(&mut self, position: u32) {
        while self.position < position as usize {
            self.next();
        }
    }

    /// The next call, and which one of its function it is.
    fn next(&mut self) -> Option<(u32, u32)> {
        let function = *self.calls.get(self.position)?;
        self.position += 1;
        let count = self.counts.entry(function).or_default();
        *count += 1;
        Some((function, *count))
    }
}

struct Calls<'a>(&'a [u32]);

impl<'a> TokenSource for Calls<'a> {
    type Token = u32;
    type Tokenizer = std::iter::Copied<std::slice::Iter<'a, u32>>;

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

    fn met(passing: &[u32], failing: &[u32]) -> Vec<(u32, u32, u32)> {
        let all = meetings(passing, failing);
        all.into_iter().map(|Meeting { function, hits }| (function, hits.0, hits.1)).collect()
    }

    #[test]
    fn calls_that_one_run_makes_in_addition_are_skipped() {
        // The failing run calls 5 once more before the last call of 2.
        assert_eq!(
            met(&[1, 2, 5, 2, 9], &[1, 2, 5, 5, 2]),
            [(1, 1, 1), (2, 1, 1), (5, 1, 1), (2, 2, 2)]
        );
        assert_eq!(met(&[1, 7], &[1, 8, 8, 7]), [(1, 1, 1), (7, 1, 1)]);
        assert_eq!(met(&[], &[1]), []);
        assert_eq!(met(&[3, 3, 4], &[3, 4]).last(), Some(&(4, 1, 1)));
    }
}
