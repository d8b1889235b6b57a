//! A set of deltas.
//!
//! Deltas are numbered from 0. The sets that delta debugging makes are a few contiguous stretches of
//! a large universe, so a configuration is a sorted list of *runs*: the full set of ten million deltas
//! is one run, and set operations cost as much as there are runs, not deltas.
//!
//! ```
//! use wynot_core::Configuration;
//!
//! let all = Configuration::full(8);
//! let some = all.minus(&Configuration::from_deltas([1, 2, 5]));
//! assert_eq!(some.to_string(), "{0, 3-4, 6-7}");
//! assert_eq!(some.len(), 5);
//! ```

use std::fmt;
use std::ops::Range;

/// Consecutive deltas, `start..end`, that all belong to a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Run {
    /// The first delta of the run.
    pub start: u32,
    /// One past its last delta.
    pub end: u32,
}

impl Run {
    fn len(self) -> usize {
        (self.end - self.start) as usize
    }
}

/// A set of deltas: sorted runs that neither touch nor overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Configuration {
    runs: Vec<Run>,
    len: usize,
}

impl Configuration {
    /// No deltas: the passing side.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The deltas `0..deltas`: the failing side.
    pub fn full(deltas: u32) -> Self {
        let mut all = Self::empty();
        all.push(0..deltas);
        all
    }

    /// The given deltas, in any order. The largest number a delta can have is `u32::MAX - 1`.
    pub fn from_deltas(deltas: impl IntoIterator<Item = u32>) -> Self {
        let mut sorted: Vec<u32> = deltas.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut set = Self::empty();
        for delta in sorted {
            set.push(delta..delta + 1);
        }
        set
    }

    /// Adds deltas that lie behind all that are there.
    ///
    /// # Panics
    /// If the range starts before the end of the last run.
    pub fn push(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        self.len += range.len();
        match self.runs.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            Some(last) if last.end > range.start => {
                panic!("deltas {range:?} pushed behind {}", last.end)
            }
            _ => self.runs.push(Run { start: range.start, end: range.end }),
        }
    }

    /// How many deltas.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The sorted runs.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The deltas in ascending order.
    pub fn deltas(&self) -> impl Iterator<Item = u32> + '_ {
        self.runs.iter().flat_map(|run| run.start..run.end)
    }

    /// Whether the delta is in the set.
    pub fn contains(&self, delta: u32) -> bool {
        let behind = self.runs.partition_point(|run| run.start <= delta);
        behind > 0 && delta < self.runs[behind - 1].end
    }

    /// Whether every delta of `self` is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        let mut candidates = other.runs.iter().peekable();
        self.runs.iter().all(|run| {
            while candidates.next_if(|c| c.end < run.end).is_some() {}
            candidates.peek().is_some_and(|c| c.start <= run.start && run.end <= c.end)
        })
    }

    /// The deltas in either set.
    pub fn union(&self, other: &Self) -> Self {
        let mut runs = Vec::with_capacity(self.runs.len() + other.runs.len());
        runs.extend_from_slice(&self.runs);
        runs.extend_from_slice(&other.runs);
        runs.sort_unstable_by_key(|run| run.start);
        let mut union = Self::empty();
        let mut covered = 0;
        for run in runs {
            union.push(run.start.max(covered)..run.end);
            covered = covered.max(run.end);
        }
        union
    }

    /// The deltas of `self` that are not in `other`.
    pub fn minus(&self, other: &Self) -> Self {
        let mut rest = Self::empty();
        let mut holes = other.runs.iter().peekable();
        for run in &self.runs {
            let mut from = run.start;
            while let Some(hole) = holes.peek().filter(|hole| hole.start < run.end) {
                if from < hole.start {
                    rest.push(from..hole.start);
                }
                from = from.max(hole.end);
                if hole.end > run.end {
                    break;
                }
                holes.next();
            }
            if from < run.end {
                rest.push(from..run.end);
            }
        }
        rest
    }

    /// The deltas by rank: the `ranks.start`-th to the one before the `ranks.end`-th in ascending order.
    pub(crate) fn slice(&self, ranks: Range<usize>) -> Self {
        let mut part = Self::empty();
        let mut rank = 0;
        for run in &self.runs {
            if rank >= ranks.end {
                break;
            }
            let from = ranks.start.saturating_sub(rank).min(run.len()) as u32;
            let to = (ranks.end - rank).min(run.len()) as u32;
            part.push(run.start + from..run.start + to.max(from));
            rank += run.len();
        }
        part
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, run) in self.runs.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            match run.len() {
                1 => write!(f, "{comma}{}", run.start)?,
                _ => write!(f, "{comma}{}-{}", run.start, run.end - 1)?,
            }
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set() -> impl Strategy<Value = BTreeSet<u32>> {
        proptest::collection::btree_set(0u32..40, 0..30)
    }

    fn of(deltas: &BTreeSet<u32>) -> Configuration {
        Configuration::from_deltas(deltas.iter().copied())
    }

    proptest! {
        #[test]
        fn set_operations_agree_with_sets_of_numbers(a in set(), b in set(), delta in 0u32..40) {
            let (x, y) = (of(&a), of(&b));
            prop_assert_eq!(x.union(&y), of(&(&a | &b)));
            prop_assert_eq!(x.minus(&y), of(&(&a - &b)));
            prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
            prop_assert_eq!(x.contains(delta), a.contains(&delta));
            prop_assert_eq!(x.len(), a.len());
            prop_assert_eq!(x.deltas().collect::<BTreeSet<_>>(), a);
        }

        #[test]
        fn a_slice_takes_deltas_by_rank(a in set(), from in 0usize..30, count in 0usize..30) {
            let (from, to) = (from.min(a.len()), (from + count).min(a.len()));
            let expected: BTreeSet<u32> = a.iter().copied().skip(from).take(to - from).collect();
            prop_assert_eq!(of(&a).slice(from..to), of(&expected));
        }
    }

    #[test]
    #[should_panic(expected = "pushed behind")]
    fn deltas_are_pushed_in_order() {
        let mut set = Configuration::full(4);
        set.push(2..5);
    }
}
