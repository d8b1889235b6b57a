//! A set of deltas.
//!
//! Deltas are numbered from 0. The sets that delta debugging makes are a few contiguous stretches of
//! a large universe, so a configuration is a sorted list of *ranges*: the full set of ten million deltas
//! is one range, and the cost of set operations grows with the number of ranges, not of deltas.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::slice;

/// Consecutive deltas, `start..end`, that all belong to a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeltaRange {
    /// The first delta of the range.
    pub start: u32,
    /// One past the last delta of the range.
    pub end: u32,
}

impl DeltaRange {
    fn len(self) -> usize {
        (self.end - self.start) as usize
    }
}

/// A set of deltas: sorted ranges that neither touch nor overlap.
///
/// ```
/// use wynot_core::Configuration;
///
/// let all = Configuration::full(8);
/// let some = all.difference(&Configuration::from([1, 2, 5]));
/// assert_eq!(some.to_string(), "{0, 3-4, 6-7}");
/// assert_eq!(some.len(), 5);
///
/// let even: Configuration = some.iter().filter(|delta| delta % 2 == 0).collect();
/// assert_eq!(even.to_string(), "{0, 4, 6}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Configuration {
    ranges: Vec<DeltaRange>,
    len: usize,
}

impl Configuration {
    /// The configuration without deltas: the passing side.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The deltas `0..deltas`: the failing side.
    pub fn full(deltas: u32) -> Self {
        let mut all = Self::empty();
        all.push(0..deltas);
        all
    }

    /// The given deltas, in any order. The largest number that a delta can have is `u32::MAX - 1`.
    pub fn from_deltas(deltas: impl IntoIterator<Item = u32>) -> Self {
        deltas.into_iter().collect()
    }

    /// Appends a range of deltas.
    ///
    /// # Panics
    /// If the range starts before the end of the last range.
    pub fn push(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        self.len += range.len();
        match self.ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            Some(last) if last.end > range.start => {
                panic!("deltas {range:?} pushed after {}", last.end)
            }
            _ => self.ranges.push(DeltaRange { start: range.start, end: range.end }),
        }
    }

    /// The number of deltas.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no deltas.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The sorted ranges.
    pub fn ranges(&self) -> &[DeltaRange] {
        &self.ranges
    }

    /// The deltas in ascending order.
    pub fn iter(&self) -> DeltaIter<'_> {
        DeltaIter { current: 0..0, rest: self.ranges.iter(), left: self.len }
    }

    /// Whether the delta is in the set.
    pub fn contains(&self, delta: u32) -> bool {
        let next = self.ranges.partition_point(|range| range.start <= delta);
        next > 0 && delta < self.ranges[next - 1].end
    }

    /// Whether every delta of `self` is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        let mut others = other.ranges.iter().peekable();
        self.ranges.iter().all(|range| {
            while others.next_if(|other| other.end < range.end).is_some() {}
            others.peek().is_some_and(|other| other.start <= range.start && range.end <= other.end)
        })
    }

    /// The deltas in either set.
    pub fn union(&self, other: &Self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + other.ranges.len());
        ranges.extend_from_slice(&self.ranges);
        ranges.extend_from_slice(&other.ranges);
        ranges.sort_unstable_by_key(|range| range.start);
        let mut union = Self::empty();
        let mut covered = 0;
        for range in ranges {
            union.push(range.start.max(covered)..range.end);
            covered = covered.max(range.end);
        }
        union
    }

    /// The deltas of `self` that are not in `other`.
    pub fn difference(&self, other: &Self) -> Self {
        let mut rest = Self::empty();
        let mut holes = other.ranges.iter().peekable();
        for range in &self.ranges {
            let mut from = range.start;
            while let Some(hole) = holes.peek().filter(|hole| hole.start < range.end) {
                if from < hole.start {
                    rest.push(from..hole.start);
                }
                from = from.max(hole.end);
                if hole.end > range.end {
                    break;
                }
                holes.next();
            }
            if from < range.end {
                rest.push(from..range.end);
            }
        }
        rest
    }

    /// The deltas of `self` that are in `other`.
    pub fn intersection(&self, other: &Self) -> Self {
        self.difference(&self.difference(other))
    }

    /// The deltas whose rank in ascending order, counted from 0, is in `ranks`.
    pub(crate) fn slice(&self, ranks: Range<usize>) -> Self {
        let mut part = Self::empty();
        let mut rank = 0;
        for range in &self.ranges {
            if rank >= ranks.end {
                break;
            }
            let from = ranks.start.saturating_sub(rank).min(range.len()) as u32;
            let to = (ranks.end - rank).min(range.len()) as u32;
            part.push(range.start + from..range.start + to.max(from));
            rank += range.len();
        }
        part
    }
}

impl FromIterator<u32> for Configuration {
    fn from_iter<I: IntoIterator<Item = u32>>(deltas: I) -> Self {
        let mut sorted: Vec<u32> = deltas.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut set = Self::empty();
        for delta in sorted {
            set.push(delta..delta + 1);
        }
        set
    }
}

impl<const N: usize> From<[u32; N]> for Configuration {
    fn from(deltas: [u32; N]) -> Self {
        deltas.into_iter().collect()
    }
}

impl Extend<u32> for Configuration {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, deltas: I) {
        *self = self.union(&deltas.into_iter().collect());
    }
}

impl<'a> IntoIterator for &'a Configuration {
    type Item = u32;
    type IntoIter = DeltaIter<'a>;

    fn into_iter(self) -> DeltaIter<'a> {
        self.iter()
    }
}

/// The deltas of a [`Configuration`] in ascending order.
#[derive(Clone, Debug)]
pub struct DeltaIter<'a> {
    current: Range<u32>,
    rest: slice::Iter<'a, DeltaRange>,
    left: usize,
}

impl Iterator for DeltaIter<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.current.is_empty() {
            let range = self.rest.next()?;
            self.current = range.start..range.end;
        }
        self.left -= 1;
        self.current.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for DeltaIter<'_> {}
impl FusedIterator for DeltaIter<'_> {}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, range) in self.ranges.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            match range.len() {
                1 => write!(f, "{comma}{}", range.start)?,
                _ => write!(f, "{comma}{}-{}", range.start, range.end - 1)?,
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
        deltas.iter().copied().collect()
    }

    proptest! {
        #[test]
        fn set_operations_agree_with_sets_of_numbers(a in set(), b in set(), delta in 0u32..40) {
            let (x, y) = (of(&a), of(&b));
            prop_assert_eq!(x.union(&y), of(&(&a | &b)));
            prop_assert_eq!(x.difference(&y), of(&(&a - &b)));
            prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
            prop_assert_eq!(x.contains(delta), a.contains(&delta));
            prop_assert_eq!(x.len(), a.len());
            prop_assert_eq!(x.iter().len(), a.len());
            prop_assert_eq!(x.iter().collect::<BTreeSet<_>>(), a.clone());
            let mut extended = x;
            extended.extend(&y);
            prop_assert_eq!(extended, of(&(&a | &b)));
        }

        #[test]
        fn a_slice_takes_deltas_by_rank(a in set(), from in 0usize..30, count in 0usize..30) {
            let (from, to) = (from.min(a.len()), (from + count).min(a.len()));
            let expected: BTreeSet<u32> = a.iter().copied().skip(from).take(to - from).collect();
            prop_assert_eq!(of(&a).slice(from..to), of(&expected));
        }
    }

    #[test]
    #[should_panic(expected = "pushed after")]
    fn deltas_are_pushed_in_order() {
        let mut set = Configuration::full(4);
        set.push(2..5);
    }
}
