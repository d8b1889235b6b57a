//! Fast maps from numbers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The ranks of numbers in an ascending sequence, such as the entries of all types.
#[derive(Debug, Default)]
pub(super) struct RankIndex {
    /// A bit for each number, set if the sequence contains it.
    bits: Vec<u64>,
    /// The number of set bits before each 64 bits.
    set_before: Vec<u32>,
}

impl RankIndex {
    /// The numbers have to be ascending.
    pub(super) fn new(numbers: impl DoubleEndedIterator<Item = usize> + Clone) -> Self {
        let words = numbers.clone().next_back().map_or(0, |last| last / 64 + 1);
        let mut bits = vec![0_u64; words];
        numbers.for_each(|number| bits[number / 64] |= 1 << (number % 64));
        let set_before = bits.iter().scan(0, |count, word| {
            let before = *count;
            *count += word.count_ones();
            Some(before)
        });
        Self { set_before: set_before.collect(), bits }
    }

    /// The position of a number in the sequence, if it is there.
    pub(super) fn rank(&self, number: usize) -> Option<usize> {
        let word = *self.bits.get(number / 64)?;
        let bit = 1_u64 << (number % 64);
        let smaller = (word & (bit - 1)).count_ones();
        (word & bit != 0).then(|| (self.set_before[number / 64] + smaller) as usize)
    }
}

/// A map whose keys are hashes already.
pub(super) type PrehashedMap<T> = HashMap<u64, T, BuildHasherDefault<IdentityHasher>>;

/// Uses numbers as their own hashes.
#[derive(Default)]
pub(super) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}
