//! Splitting a configuration into parts of nearly equal size, in order.

use crate::configuration::Configuration;

/// A configuration c split into n parts Δ1..Δn, each of ⌊remaining deltas / remaining parts⌋ deltas.
///
/// ```
/// use wynot_core::{Configuration, Partition};
///
/// let all = Configuration::full(10);
/// let sizes: Vec<usize> = Partition::new(&all, 4).subsets().map(|part| part.len()).collect();
/// assert_eq!(sizes, [2, 2, 3, 3]);
/// ```
#[derive(Clone, Debug)]
pub struct Partition<'a> {
    whole: &'a Configuration,
    parts: usize,
}

impl<'a> Partition<'a> {
    /// Splits a configuration into `parts` parts.
    ///
    /// # Panics
    /// If there are no parts, or more parts than deltas.
    pub fn new(whole: &'a Configuration, parts: usize) -> Self {
        assert!(
            0 < parts && parts <= whole.len(),
            "cannot split {} deltas into {parts} parts",
            whole.len()
        );
        Self { whole, parts }
    }

    /// The `index`-th part, Δi, counted from 0.
    pub fn subset(&self, index: usize) -> Configuration {
        self.whole.slice(self.start(index)..self.start(index + 1))
    }

    /// All parts in order.
    pub fn subsets(&self) -> impl Iterator<Item = Configuration> + '_ {
        (0..self.parts).map(|index| self.subset(index))
    }

    /// The rank of the first delta of a part. The first parts have ⌊len / n⌋ deltas, each of the last
    /// `len mod n` parts has one more.
    fn start(&self, index: usize) -> usize {
        let (small, larger_parts) = (self.whole.len() / self.parts, self.whole.len() % self.parts);
        let small_parts = self.parts - larger_parts;
        index * small + index.saturating_sub(small_parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_the_floor_of_remaining_deltas_by_remaining_parts() {
        for len in 1..60u32 {
            let whole = Configuration::full(len);
            for parts in 1..=len as usize {
                let mut remaining = len as usize;
                for (index, part) in Partition::new(&whole, parts).subsets().enumerate() {
                    assert_eq!(part.len(), remaining / (parts - index), "{len} into {parts}");
                    remaining -= part.len();
                }
                assert_eq!(remaining, 0);
            }
        }
    }

    #[test]
    fn parts_are_in_order_and_make_up_the_whole() {
        let whole = Configuration::from([1, 2, 5, 6, 7, 9, 20]);
        let joined: Vec<u32> = Partition::new(&whole, 3)
            .subsets()
            .flat_map(|part| part.iter().collect::<Vec<_>>())
            .collect();
        assert_eq!(joined, [1, 2, 5, 6, 7, 9, 20]);
    }

    #[test]
    #[should_panic(expected = "cannot split 2 deltas into 3 parts")]
    fn more_parts_than_deltas_are_refused() {
        Partition::new(&Configuration::full(2), 3);
    }
}
