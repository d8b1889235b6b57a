//! The deltas between a passing and a failing text.
//!
//! A diff at the coarsest unit gives hunks; within a hunk the i-th old piece is paired with the i-th
//! new one, and what is left over on either side is deleted or inserted. Where finer units follow, each
//! such change is compared again inside. So every coarse change is made up of consecutive finer ones,
//! and applying all of those applies the coarse one.

use crate::{Cut, Delta, Unit};
use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};
use std::ops::Range;

/// The changes at each unit, coarsest first.
pub(crate) fn changes(old: &[u8], new: &[u8], units: &[Unit]) -> Vec<Vec<Delta>> {
    let mut levels = Vec::with_capacity(units.len());
    let mut coarse = vec![Delta { old: whole(old), new: whole(new) }];
    for &unit in units {
        let fine: Vec<Delta> =
            coarse.iter().flat_map(|change| refine(old, new, change, unit)).collect();
        levels.push(fine.clone());
        coarse = fine;
    }
    levels
}

fn whole(text: &[u8]) -> Range<u32> {
    0..u32::try_from(text.len()).expect("inputs are checked to be below 4 GiB")
}

/// Compares the two sides of one change at a unit.
fn refine(old: &[u8], new: &[u8], change: &Delta, unit: Unit) -> Vec<Delta> {
    let before = Side::new(old, &change.old, unit);
    let after = Side::new(new, &change.new, unit);
    let input = InternedInput::new(&before, &after);
    let mut diff = Diff::compute(algorithm(unit), &input);
    if unit == Unit::Line {
        diff.postprocess_no_heuristic(&input);
    }
    let bytes = |(old, new): (Range<u32>, Range<u32>)| Delta {
        old: before.bytes(old),
        new: after.bytes(new),
    };
    paired(&diff).into_iter().map(bytes).collect()
}

/// The changes from one list to another, each of at most one old and one new element.
pub(crate) fn of_lists<T: AsRef<[u8]>>(old: &[T], new: &[T]) -> Vec<(Range<u32>, Range<u32>)> {
    let mut input = InternedInput::default();
    input.update_before(old.iter().map(AsRef::as_ref));
    input.update_after(new.iter().map(AsRef::as_ref));
    paired(&Diff::compute(Algorithm::Histogram, &input))
}

/// Within each hunk, the i-th old piece with the i-th new one.
fn paired(diff: &Diff) -> Vec<(Range<u32>, Range<u32>)> {
    let mut pairs = Vec::new();
    for hunk in diff.hunks() {
        for pair in 0..hunk.before.len().max(hunk.after.len()) as u32 {
            let nth = |range: &Range<u32>| {
                let start = (range.start + pair).min(range.end);
                start..(start + 1).min(range.end)
            };
            pairs.push((nth(&hunk.before), nth(&hunk.after)));
        }
    }
    pairs
}

fn algorithm(unit: Unit) -> Algorithm {
    match unit {
        Unit::Line | Unit::Json => Algorithm::Histogram,
        Unit::Token | Unit::Char | Unit::Byte => Algorithm::Myers,
    }
}

/// A stretch of a text, cut into pieces.
struct Side<'a> {
    text: &'a [u8],
    offset: u32,
    cut: Cut,
}

impl<'a> Side<'a> {
    fn new(text: &'a [u8], range: &Range<u32>, unit: Unit) -> Self {
        let text = &text[range.start as usize..range.end as usize];
        Self { text, offset: range.start, cut: Cut::new(text, unit) }
    }

    /// Where pieces lie in the whole text.
    fn bytes(&self, pieces: Range<u32>) -> Range<u32> {
        let bytes = self.cut.bytes(pieces);
        self.offset + bytes.start as u32..self.offset + bytes.end as u32
    }
}

impl<'a> TokenSource for &Side<'a> {
    type Token = &'a [u8];
    type Tokenizer = Box<dyn Iterator<Item = &'a [u8]> + 'a>;

    fn tokenize(&self) -> Self::Tokenizer {
        let (text, cut) = (self.text, self.cut.clone());
        Box::new((0..cut.len()).map(move |piece| &text[cut.bytes(piece..piece + 1)]))
    }

    fn estimate_tokens(&self) -> u32 {
        self.cut.len()
    }
}
