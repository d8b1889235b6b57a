//! The deltas between a passing and a failing text.
//!
//! A diff at the coarsest unit gives hunks. Within a hunk, the i-th old piece is paired with the i-th new
//! one, and the rest of the longer side is deleted or inserted. In hunks with unequal numbers of lines,
//! lines are paired by similarity instead. Where finer units follow, the two sides of each change are
//! compared at the next unit. Every coarse change therefore consists of consecutive finer ones, and
//! applying all of those applies the coarse one.

use crate::text::cut::TextCut;
use crate::text::unit::Unit;
use crate::text_delta::TextDelta;
use imara_diff::{Algorithm, Diff, InternedInput, TokenSource};
use std::ops::Range;

/// The changes at each unit, coarsest first.
pub(crate) fn diff_texts(old: &[u8], new: &[u8], units: &[Unit]) -> Vec<Vec<TextDelta>> {
    diff_segments(old, new, vec![TextDelta { old: whole(old), new: whole(new) }], units)
}

/// The changes at each unit, coarsest first, where only the two sides of each segment are compared.
pub(crate) fn diff_segments(
    old: &[u8],
    new: &[u8],
    segments: Vec<TextDelta>,
    units: &[Unit],
) -> Vec<Vec<TextDelta>> {
    let mut levels = Vec::with_capacity(units.len());
    let mut coarse = segments;
    for &unit in units {
        let fine: Vec<TextDelta> =
            coarse.iter().flat_map(|change| refine(old, new, change, unit)).collect();
        levels.push(fine.clone());
        coarse = fine;
    }
    levels
}

fn whole(text: &[u8]) -> Range<u32> {
    0..u32::try_from(text.len()).expect("inputs are checked to be below 4 GiB")
}

/// The changes at a unit within one coarser change.
fn refine(old: &[u8], new: &[u8], change: &TextDelta, unit: Unit) -> Vec<TextDelta> {
    let before = Stretch::new(old, &change.old, unit);
    let after = Stretch::new(new, &change.new, unit);
    let input = InternedInput::new(&before, &after);
    let mut diff = Diff::compute(algorithm(unit), &input);
    if unit == Unit::Line {
        diff.postprocess_no_heuristic(&input);
    }
    let bytes = |(old, new): (Range<u32>, Range<u32>)| TextDelta {
        old: before.bytes(old),
        new: after.bytes(new),
    };
    let similarity = |old: u32, new: u32| match unit {
        Unit::Line => Some(line_similarity(before.piece(old), after.piece(new))),
        _ => None,
    };
    pair_hunks(&diff, similarity).into_iter().map(bytes).collect()
}

/// The changes from one list to another, each of at most one old and one new element.
pub(crate) fn diff_lists<T: AsRef<[u8]>>(old: &[T], new: &[T]) -> Vec<(Range<u32>, Range<u32>)> {
    let mut input = InternedInput::default();
    input.update_before(old.iter().map(AsRef::as_ref));
    input.update_after(new.iter().map(AsRef::as_ref));
    pair_hunks(&Diff::compute(Algorithm::Histogram, &input), |_, _| None)
}

/// A change: the pieces that are removed, and the pieces that are inserted instead.
type Pair = (Range<u32>, Range<u32>);

/// The lines of hunks with more possible pairs than this are paired by position.
const MAX_COMPARED_PAIRS: usize = 4096;

/// The pairs of each hunk: by similarity where it is defined and the two sides differ in length, else by
/// position.
fn pair_hunks(diff: &Diff, similarity: impl Fn(u32, u32) -> Option<u32>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for hunk in diff.hunks() {
        let (old, new) = (hunk.before, hunk.after);
        let comparable = old.len() != new.len() && old.len() * new.len() <= MAX_COMPARED_PAIRS;
        let known = (comparable && !old.is_empty() && !new.is_empty())
            .then(|| similarity(old.start, new.start))
            .flatten();
        match known {
            Some(_) => align(&old, &new, |o, n| similarity(o, n).unwrap_or(0), &mut pairs),
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

/// Pairs pieces in order so that the total similarity of the pairs is as high as possible. The other
/// pieces are removed or inserted on their own.
fn align(
    old: &Range<u32>,
    new: &Range<u32>,
    similarity: impl Fn(u32, u32) -> u32,
    pairs: &mut Vec<Pair>,
) {
    let (rows, columns) = (old.len(), new.len());
    // The highest total similarity of the pieces from each position on.
    let mut best = vec![vec![0u32; columns + 1]; rows + 1];
    let gain =
        |row: usize, column: usize| similarity(old.start + row as u32, new.start + column as u32);
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

/// The number of bytes in the common prefix and suffix of two lines without the blanks around them; 0 if it
/// is less than a third of the longer line.
pub(crate) fn line_similarity(old: &[u8], new: &[u8]) -> u32 {
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

/// A range of a text, cut into pieces.
struct Stretch<'a> {
    text: &'a [u8],
    offset: u32,
    cut: TextCut,
}

impl<'a> Stretch<'a> {
    fn new(text: &'a [u8], range: &Range<u32>, unit: Unit) -> Self {
        let text = &text[range.start as usize..range.end as usize];
        Self { text, offset: range.start, cut: TextCut::new(text, unit) }
    }

    /// The text of a piece.
    fn piece(&self, piece: u32) -> &[u8] {
        &self.text[self.cut.bytes(piece..piece + 1)]
    }

    /// The bytes of consecutive pieces in the whole text.
    fn bytes(&self, pieces: Range<u32>) -> Range<u32> {
        let bytes = self.cut.bytes(pieces);
        self.offset + bytes.start as u32..self.offset + bytes.end as u32
    }
}

impl<'a> TokenSource for &Stretch<'a> {
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
    fn lines_are_paired_by_similarity() {
        let old = b"int f(int x)\n{\n    return x + 4;\n}\n";
        let new = b"int f(int x)\n{\n    /* better */\n    return x * 4;\n}\n";
        let changes = diff_texts(old, new, &[Unit::Line]).pop().unwrap();
        let pairs: Vec<(&[u8], &[u8])> = changes
            .iter()
            .map(|TextDelta { old: removed, new: inserted }| {
                let slice = |text: &'static [u8], range: &Range<u32>| {
                    &text[range.start as usize..range.end as usize]
                };
                (slice(old, removed), slice(new, inserted))
            })
            .collect();
        let expected: [(&[u8], &[u8]); 2] =
            [(b"", b"    /* better */\n"), (b"    return x + 4;\n", b"    return x * 4;\n")];
        assert_eq!(pairs, expected);
        assert_eq!(line_similarity(b"  abc def", b"abc xyz  "), 4);
        assert_eq!(line_similarity(b"abc", b"xyz"), 0);
    }
}
