//! Finds things by numbers, fast.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Which of many increasing numbers a number is.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    /// A bit for each number that is there.
    bits: Vec<u64>,
    /// How many are there before each 64 bits.
    before: Vec<u32>,
}

impl Ranks {
    /// The numbers must increase.
    pub(super) fn new(numbers: impl DoubleEndedIterator<Item = usize> + Clone) -> Self {
        let words = numbers.clone().next_back().map_or(0, |last| last / 64 + 1);
        let mut bits = vec![0_u64; words];
        numbers.for_each(|number| bits[number / 64] |= 1 << (number % 64));
        let before = bits.iter().scan(0, |count, word| {
            let before = *count;
            *count += word.count_ones();
            Some(before)
        });
        Self { before: before.collect(), bits }
    }

    /// How many smaller numbers there are, if this number is there.
    pub(super) fn of(&self, number: usize) -> Option<usize> {
        let word = *self.bits.get(number / 64)?;
        let bit = 1_u64 << (number % 64);
        let smaller = (word & (bit - 1)).count_ones();
        (word & bit != 0).then(|| (self.before[number / 64] + smaller) as usize)
    }
}

/// A map by numbers that look random already.
pub(super) type HashedMap<T> = HashMap<u64, T, BuildHasherDefault<Hashed>>;

/// Takes numbers as they are.
#[derive(Default)]
pub(super) struct Hashed(u64);

impl Hasher for Hashed {
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
