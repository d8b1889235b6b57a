//! The deltas between a passing and a failing text.
//!
//! A diff at the coarsest unit gives hunks; within a hunk the i-th old piece is paired with the i-th
//! new one, and what is left over on either side is deleted or inserted. Lines are paired with those that are
//! most like them where their numbers differ. Where finer units follow, each such change is compared
//! again inside. So every coarse change is made up of consecutive finer ones,
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
    let alike = |old: u32, new: u32| match unit {
        Unit::Line => Some(likeness(before.piece(old), after.piece(new))),
        _ => None,
    };
    paired(&diff, alike).into_iter().map(bytes).collect()
}

/// The changes from one list to another, each of at most one old and one new element.
pub(crate) fn of_lists<T: AsRef<[u8]>>(old: &[T], new: &[T]) -> Vec<(Range<u32>, Range<u32>)> {
    let mut input = InternedInput::default();
    input.update_before(old.iter().map(AsRef::as_ref));
    input.update_after(new.iter().map(AsRef::as_ref));
    paired(&Diff::compute(Algorithm::Histogram, &input), |_, _| None)
}

/// A change: pieces that go, and pieces that come instead.
type Pair = (Range<u32>, Range<u32>);

/// Hunks with more pairs of lines than this are paired by number.
const COMPARED: usize = 4096;

/// The pairs of each hunk: by likeness if there is such a thing and the numbers differ, else by number.
fn paired(diff: &Diff, alike: impl Fn(u32, u32) -> Option<u32>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for hunk in diff.hunks() {
        let (old, new) = (hunk.before, hunk.after);
        let comparable = old.len() != new.len() && old.len() * new.len() <= COMPARED;
        let known = (comparable && !old.is_empty() && !new.is_empty())
            .then(|| alike(old.start, new.start))
            .flatten();
        match known {
            Some(_) => aligned(&old, &new, |o, n| alike(o, n).unwrap_or(0), &mut pairs),
            None => {
                for pair in 0..old.len().max(new.len()) as u32 {
                    let nth = |range: &Range<u32>| {
                        let start = (range.start + pair).min(range.end);
                        start..(start + 1).min(range.end)
                    };
                    pairs.push((nth(&old), nth(&new)));
                }
            }
        }
    }
    pairs
}

/// Pairs pieces in order so that those which are paired are as alike as can be; the others stay alone.
fn aligned(
    old: &Range<u32>,
    new: &Range<u32>,
    alike: impl Fn(u32, u32) -> u32,
    pairs: &mut Vec<Pair>,
) {
    let (rows, columns) = (old.len(), new.len());
    // The best that can be had from each place on.
    let mut best = vec![vec![0u32; columns + 1]; rows + 1];
    let gain = |row: usize, column: usize| alike(old.start + row as u32, new.start + column as u32);
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let both = match gain(row, column) {
                0 => 0,
                gain => gain + best[row + 1][column + 1],
            };
            best[row][column] = both.max(best[row + 1][column]).max(best[row][column + 1]);
        }
    }
    let (mut row, mut column) = (0, 0);
    while row < rows || column < columns {
        let (from_old, from_new) = (old.start + row as u32, new.start + column as u32);
        let here = best[row][column];
        if row < rows && column < columns {
            let gain = gain(row, column);
            if gain > 0 && here == gain + best[row + 1][column + 1] {
                pairs.push((from_old..from_old + 1, from_new..from_new + 1));
                (row, column) = (row + 1, column + 1);
                continue;
            }
        }
        if row < rows && (column == columns || here == best[row + 1][column]) {
            pairs.push((from_old..from_old + 1, from_new..from_new));
            row += 1;
        } else {
            pairs.push((from_old..from_old, from_new..from_new + 1));
            column += 1;
        }
    }
}

/// How many bytes two lines begin and end with alike, beyond blanks; 0 if that is less than a third of them.
fn likeness(old: &[u8], new: &[u8]) -> u32 {
    let (old, new) = (old.trim_ascii(), new.trim_ascii());
    let shorter = old.len().min(new.len());
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.iter().rev().zip(new.iter().rev()).take(shorter - start);
    let common = start + rest.take_while(|(a, b)| a == b).count();
    if common * 3 < old.len().max(new.len()) { 0 } else { common as u32 }
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

    /// The text of a piece.
    fn piece(&self, piece: u32) -> &[u8] {
        &self.text[self.cut.bytes(piece..piece + 1)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_paired_with_what_is_like_them() {
        let old = b"int f(int x)\n{\n    return x + 4;\n}\n";
        let new = b"int f(int x)\n{\n    /* better */\n    return x * 4;\n}\n";
        let changes = changes(old, new, &[Unit::Line]).pop().unwrap();
        let told: Vec<(&[u8], &[u8])> = changes
            .iter()
            .map(|Delta { old: gone, new: come }| {
                let slice = |text: &'static [u8], range: &Range<u32>| {
                    &text[range.start as usize..range.end as usize]
                };
                (slice(old, gone), slice(new, come))
            })
            .collect();
        let expected: [(&[u8], &[u8]); 2] =
            [(b"", b"    /* better */\n"), (b"    return x + 4;\n", b"    return x * 4;\n")];
        assert_eq!(told, expected);
        assert_eq!(likeness(b"  abc def", b"abc xyz  "), 4);
        assert_eq!(likeness(b"abc", b"xyz"), 0);
    }
}
