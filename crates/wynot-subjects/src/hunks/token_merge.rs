//! The place of a hunk in a file, by tokens.
//!
//! Between the nearest lines that are the same but for white space, base and target are aligned by tokens. The
//! tokens that the hunk changes must be together in the target, beside tokens that are beside them in the base.
//! White space of the target stays, except where the hunk changes it.

use crate::hunks::alignment::{Alignment, PieceChange};
use crate::hunks::indentation::Indentation;
use crate::hunks::line_merge::{FileMerge, TargetEdit, TargetEdits};
use crate::hunks::line_table::is_distinct;
use crate::hunks::token_edits::{
    TokenChange, TokenText, breaks_line, changed_tokens, token_changes,
};
use std::ops::Range;

/// Regions with more bytes than this are not compared by tokens.
const MAX_REGION_BYTES: usize = 256 << 10;

/// The weight that the tokens around a change must have to identify its place: words of several characters
/// count two, other tokens one.
const MIN_CONTEXT_WEIGHT: usize = 6;

/// Lines farther from a hunk than this are not searched for one that is the same.
const MAX_LINES_SEARCHED: usize = 8192;

/// No more tokens than this are looked at to weigh a context.
const MAX_CONTEXT_TOKENS: usize = 12;

/// The edits of a hunk. `None` if there is no place for one of its changes.
pub(super) fn place_tokens(
    merge: &FileMerge<'_>,
    old: &Range<usize>,
    new: &[u8],
) -> Option<TargetEdits> {
    let (base_lines, target_lines) = region(merge, old);
    let base_bytes = merge.base.bytes(base_lines);
    let target_bytes = merge.target.bytes(target_lines);
    if base_bytes.len() + target_bytes.len() + new.len() > MAX_REGION_BYTES {
        return None;
    }
    let old_bytes = merge.base.bytes(old.clone());
    let changed = old_bytes.start - base_bytes.start..old_bytes.end - base_bytes.start;
    let base = &merge.base.text()[base_bytes];
    let changed_base = [&base[..changed.start], new, &base[changed.end..]].concat();
    let base = TokenText::new(base);
    let target = TokenText::new(&merge.target.text()[target_bytes.clone()]);
    let tokens = TokenMerge {
        alignment: Alignment::of_lists(&base.all(), &target.all()),
        base,
        new: TokenText::new(&changed_base),
        target,
        indentation: Indentation::near(merge, old),
    };
    let changed = changed_tokens(&tokens.base, &tokens.new, &changed);
    if tokens.is_all_present(&changed) {
        return Some(Vec::new());
    }
    let changes = token_changes(&tokens.base, &tokens.new, &changed);
    if !tokens.keeps_pairs(&changes) {
        return None;
    }
    let (mut edits, mut some_present) = (Vec::new(), false);
    for change in changes {
        let edit = match change {
            TokenChange::Tokens(old, new) => {
                let edit = tokens.place(&old, &new)?;
                some_present |= edit.is_none();
                edit
            }
            TokenChange::Gap(old, new) => tokens.place_gap(old, new)?,
        };
        edits.extend(edit.map(|edit| TargetEdit {
            range: target_bytes.start + edit.range.start..target_bytes.start + edit.range.end,
            text: edit.text,
        }));
    }
    // If the target has a part of the change, it is doubtful which of its tokens are the old ones.
    (edits.is_empty() || !some_present).then_some(edits)
}

/// The lines of the base and of the target in which a hunk is placed, with the lines around them that are the
/// same but for white space.
fn region(merge: &FileMerge<'_>, old: &Range<usize>) -> (Range<usize>, Range<usize>) {
    let corresponding = |line: usize| {
        merge
            .loose()
            .target(line)
            .filter(|_| is_distinct(merge.base.line(line)))
            .map(|at| (line, at))
    };
    let mut before = (0..old.start).rev().take(MAX_LINES_SEARCHED);
    let mut after = (old.end..merge.base.len()).take(MAX_LINES_SEARCHED);
    let before = before.find_map(corresponding).unwrap_or((0, 0));
    let after = after.find_map(corresponding);
    let after = after.map_or((merge.base.len(), merge.target.len()), |(a, b)| (a + 1, b + 1));
    (before.0..after.0, before.1..after.1)
}

/// How well some tokens identify a place.
fn context_weight(text: &TokenText<'_>, tokens: impl Iterator<Item = usize>) -> usize {
    let weight = |token| 1 + usize::from(text.token(token).len() > 1);
    tokens.take(MAX_CONTEXT_TOKENS).map(weight).sum()
}

/// How many parentheses and brackets more are opened than closed in some tokens, and which quotes are open.
fn open_pairs(text: &TokenText<'_>, tokens: &Range<usize>) -> ([i32; 2], [bool; 3]) {
    let (mut brackets, mut quotes) = ([0; 2], [false; 3]);
    for token in tokens.clone() {
        match text.token(token) {
            b"(" => brackets[0] += 1,
            b")" => brackets[0] -= 1,
            b"[" => brackets[1] += 1,
            b"]" => brackets[1] -= 1,
            b"\"" => quotes[0] ^= true,
            b"'" => quotes[1] ^= true,
            b"`" => quotes[2] ^= true,
            _ => {}
        }
    }
    (brackets, quotes)
}

/// A region of the base, the same with the hunk, and the region of the target.
struct TokenMerge<'a> {
    base: TokenText<'a>,
    new: TokenText<'a>,
    target: TokenText<'a>,
    alignment: Alignment,
    indentation: Indentation,
}

impl TokenMerge<'_> {
    /// The edit that replaces tokens of the base by new ones; an inner `None` if the target has them already.
    fn place(&self, old: &Range<usize>, new: &Range<usize>) -> Option<Option<TargetEdit>> {
        if self.is_present(old, new) {
            return Some(None);
        }
        if old.is_empty() {
            return self.insertion(old.start, new).map(Some);
        }
        let place = self.alignment.contiguous(old)?;
        let before = self.weight(self.alignment.run_before(old.start, place.start));
        let after = self.weight(self.alignment.run_after(old.end, place.end));
        let context = before + after;
        if context == 0 || context + self.weight(old.clone()) < MIN_CONTEXT_WEIGHT {
            return None;
        }
        Some(Some(match new.is_empty() {
            true => self.deletion(old, new.start, &place),
            false => self.replacement(old, new, &place, [before > 0, after > 0]),
        }))
    }

    /// Whether parentheses and quotes that are opened by one change and closed by another one stay together:
    /// what is between these changes must be the same in the target.
    fn keeps_pairs(&self, changes: &[TokenChange]) -> bool {
        let unpaired = changes.iter().filter_map(|change| match change {
            TokenChange::Tokens(old, new) => {
                let differs = open_pairs(&self.base, old) != open_pairs(&self.new, new);
                differs.then_some(old)
            }
            TokenChange::Gap(..) => None,
        });
        let unpaired: Vec<&Range<usize>> = unpaired.collect();
        match unpaired[..] {
            [first, .., last] => self.alignment.contiguous(&(first.start..last.end)).is_some(),
            _ => true,
        }
    }

    /// Whether the target has all that the hunk changes, with the tokens on both sides, as it is after the hunk
    /// and not as it is before.
    fn is_all_present(&self, (old, new): &PieceChange) -> bool {
        let widened = |tokens: &Range<usize>, len: usize| {
            tokens.start.saturating_sub(1)..(tokens.end + 1).min(len)
        };
        let old = widened(old, self.base.len());
        let new = widened(new, self.new.len());
        if self.alignment.contiguous(&old).is_some() {
            return false;
        }
        let alignment = Alignment::of_lists(&self.new.all(), &self.target.all());
        alignment.contiguous(&new).is_some_and(|place| {
            let before = alignment.run_before(new.start, place.start);
            let after = alignment.run_after(new.start, place.start);
            context_weight(&self.new, before) + context_weight(&self.new, after)
                >= MIN_CONTEXT_WEIGHT
        })
    }

    /// Whether the target has the new tokens between those that surround the old ones.
    fn is_present(&self, old: &Range<usize>, new: &Range<usize>) -> bool {
        let start = self.alignment.target_before(old.start).map(|token| token + 1);
        let end = self.alignment.target(old.end);
        let is_new = |tokens: Range<usize>| self.new.is_same(new, &self.target, &tokens);
        let is_replaced = old.clone().all(|token| self.alignment.target(token).is_none());
        let whole = matches!((start, end), (Some(start), Some(end)) if is_new(start..end));
        if !old.is_empty() {
            return is_replaced && whole;
        }
        let follows = start.is_some_and(|start| {
            start + new.len() <= end.unwrap_or(self.target.len())
                && is_new(start..start + new.len())
        });
        let precedes = end.is_some_and(|end| {
            end >= start.unwrap_or(0) + new.len() && is_new(end - new.len()..end)
        });
        whole || follows || precedes
    }

    /// The place of an insertion: the token of the target before which it is, and whether the tokens before and
    /// after it are those of the base. If other tokens are between these in the target, it is on the side that
    /// identifies the place better.
    fn insertion_place(&self, token: usize) -> Option<(usize, [bool; 2])> {
        let after = self.alignment.target_before(token).map(|before| before + 1);
        let before = self.alignment.target(token);
        let above = after.map_or(0, |at| self.weight(self.alignment.run_before(token, at)));
        let below = before.map_or(0, |at| self.weight(self.alignment.run_after(token, at)));
        let (at, weight, neighbours) = match (after, before) {
            (Some(after), Some(before)) if after == before => (after, above + below, [true, true]),
            (_, Some(before)) if below > above => (before, below, [false, true]),
            (Some(after), _) => (after, above, [true, false]),
            _ => return None,
        };
        (weight >= MIN_CONTEXT_WEIGHT).then_some((at, neighbours))
    }

    fn weight(&self, tokens: impl Iterator<Item = usize>) -> usize {
        context_weight(&self.base, tokens)
    }

    fn insertion(&self, token: usize, new: &Range<usize>) -> Option<TargetEdit> {
        let (at, neighbours) = self.insertion_place(token)?;
        let gap = self.base.gap(token);
        let gaps = [new.start, new.end].map(|token| self.new.gap(token));
        let target_gap = self.target.gap(at);
        // Lines are not inserted within a line of the target.
        let is_edge = at == 0 || at == self.target.len();
        if gaps.iter().all(|gap| breaks_line(gap)) && !breaks_line(target_gap) && !is_edge {
            return None;
        }
        // The white space beside a token that the base has there is that of the base, and the target's stays on
        // the other side.
        let [left, right] = match neighbours {
            [true, true] => gaps.map(|new_gap| match new_gap == gap {
                true => target_gap.to_vec(),
                false => self.indentation.adapt(new_gap),
            }),
            [true, false] => [self.indentation.adapt(gaps[0]), target_gap.to_vec()],
            _ => [target_gap.to_vec(), self.indentation.adapt(gaps[1])],
        };
        let text = [left, self.indentation.adapt(self.new.inner(new)), right].concat();
        Some(TargetEdit { range: self.target.gap_range(at), text })
    }

    fn deletion(&self, old: &Range<usize>, new: usize, place: &Range<usize>) -> TargetEdit {
        let gap = self.new.gap(new);
        let text = if gap == self.base.gap(old.start) {
            self.target.gap(place.start).to_vec()
        } else if gap == self.base.gap(old.end) {
            self.target.gap(place.end).to_vec()
        } else {
            self.indentation.adapt(gap)
        };
        let start = self.target.gap_range(place.start).start;
        TargetEdit { range: start..self.target.gap_range(place.end).end, text }
    }

    /// Replaces tokens. The gaps beside them change only if the hunk changes them and the token behind the gap
    /// is the same in the target.
    fn replacement(
        &self,
        old: &Range<usize>,
        new: &Range<usize>,
        place: &Range<usize>,
        has_neighbour: [bool; 2],
    ) -> TargetEdit {
        let gap = |old: usize, new: usize, at: usize, has_neighbour: bool| {
            let (before, after) = (self.base.gap(old), self.new.gap(new));
            match has_neighbour && before != after {
                true => self.indentation.adapt(after),
                false => self.target.gap(at).to_vec(),
            }
        };
        let text = [
            gap(old.start, new.start, place.start, has_neighbour[0]),
            self.indentation.adapt(self.new.inner(new)),
            gap(old.end, new.end, place.end, has_neighbour[1]),
        ];
        let start = self.target.gap_range(place.start).start;
        let end = self.target.gap_range(place.end).end;
        TargetEdit { range: start..end, text: text.concat() }
    }

    /// The edit of the white space between tokens; an inner `None` if the target has other white space that
    /// means the same.
    fn place_gap(&self, old: usize, new: usize) -> Option<Option<TargetEdit>> {
        let (before, after) = (self.base.gap(old), self.new.gap(new));
        let changes_lines = breaks_line(before) || breaks_line(after);
        let left = self.alignment.target_before(old).map(|token| token + 1);
        let right = self.alignment.target(old);
        let at = match (left, right) {
            (Some(left), Some(right)) if left == right => left,
            (None, Some(0)) if old == 0 => 0,
            (Some(left), None) if old == self.base.len() && left == self.target.len() => left,
            _ => return if changes_lines { None } else { Some(None) },
        };
        let is = self.target.gap(at);
        let text = match (is == before, changes_lines && breaks_line(is)) {
            (true, _) => after.to_vec(),
            (false, true) => self.indentation.adapt(after),
            (false, false) => return Some(None),
        };
        let range = self.target.gap_range(at);
        Some((text != is).then_some(TargetEdit { range, text }))
    }
}
