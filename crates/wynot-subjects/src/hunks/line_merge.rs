//! The place of a hunk in a file, by whole lines.

use crate::hunks::alignment::Alignment;
use crate::hunks::line_table::{LineTable, is_distinct, loose_hash};
use std::cell::OnceCell;
use std::ops::Range;

/// Bytes of a target that are replaced.
pub(super) struct TargetEdit {
    /// The bytes that are removed; empty for an insertion.
    pub(super) range: Range<usize>,
    /// The text instead of them.
    pub(super) text: Vec<u8>,
}

/// What a hunk does in a file of the target. An empty list means that the target has the change already.
pub(super) type TargetEdits = Vec<TargetEdit>;

/// A base and a target, with what corresponds in them.
pub(super) struct FileMerge<'a> {
    pub(super) base: LineTable<'a>,
    pub(super) target: LineTable<'a>,
    /// Whether both texts are whole files, so that their ends correspond.
    pub(super) is_whole: bool,
    exact: Alignment,
    loose: OnceCell<Alignment>,
}

impl<'a> FileMerge<'a> {
    /// A merge of two files.
    pub(super) fn of_files(base: &'a [u8], target: &'a [u8]) -> Self {
        Self::new(base, target, true)
    }

    /// A merge of parts of two files.
    pub(super) fn of_parts(base: &'a [u8], target: &'a [u8]) -> Self {
        Self::new(base, target, false)
    }

    fn new(base: &'a [u8], target: &'a [u8], is_whole: bool) -> Self {
        let (base, target) = (LineTable::new(base), LineTable::new(target));
        let exact = Alignment::of_lines(&base, &target);
        Self { base, target, is_whole, exact, loose: OnceCell::new() }
    }

    /// The lines that are the same but for white space.
    pub(super) fn loose(&self) -> &Alignment {
        self.loose.get_or_init(|| Alignment::of_loose_lines(&self.base, &self.target))
    }

    /// The edit of a hunk whose lines, with a line beside them, are the same in the target. `None` if there is
    /// no such place.
    pub(super) fn place_lines(&self, old: &Range<usize>, new: &[u8]) -> Option<TargetEdits> {
        if self.is_present(old, new) {
            return Some(Vec::new());
        }
        let place = match old.is_empty() {
            true => {
                let at = self.insertion_line(old.start)?;
                // Where the other line beside them is indented in another way, the new lines must be as well.
                if self.is_reindented(old.start, at) {
                    return None;
                }
                at..at
            }
            false => self.exact.contiguous(old).filter(|place| self.has_neighbour(old, place))?,
        };
        let range = self.target.bytes(place);
        let mut text = new.to_vec();
        let is_last = range.end == self.target.text().len();
        if !is_last && text.last().is_some_and(|&last| last != b'\n') {
            text.push(b'\n');
        }
        Some(vec![TargetEdit { range, text }])
    }

    /// Whether the target has the new lines where the hunk would put them.
    fn is_present(&self, old: &Range<usize>, new: &[u8]) -> bool {
        let start = match old.start {
            0 => self.is_whole.then_some(0),
            _ => self.exact.target_before(old.start).map(|line| line + 1),
        };
        let end = match old.end == self.base.len() {
            true => self.is_whole.then_some(self.target.len()),
            false => self.exact.target(old.end),
        };
        let is_known = !new.is_empty() && (old.is_empty() || is_distinct(new));
        let from = |start| &self.target.text()[self.target.bytes(start..usize::MAX).start..];
        let until = |end| &self.target.text()[..self.target.bytes(end..end).start];
        // Without lines of the hunk, the target could have the new lines and others beside them.
        match (start, end) {
            (Some(start), Some(end)) if start <= end => {
                let between = &self.target.text()[self.target.bytes(start..end)];
                let is_replaced = old.clone().all(|line| self.exact.target(line).is_none());
                let beside = || between.starts_with(new) || between.ends_with(new);
                is_replaced && (between == new || is_known && old.is_empty() && beside())
            }
            (Some(start), None) => is_known && old.is_empty() && from(start).starts_with(new),
            (None, Some(end)) => is_known && old.is_empty() && until(end).ends_with(new),
            _ => false,
        }
    }

    /// The line of the target before which lines are inserted: beside the line that was beside them. If these
    /// lines are apart in the target, it is the side on which more lines are the same.
    fn insertion_line(&self, line: usize) -> Option<usize> {
        let after = self.exact.target_before(line).map(|before| before + 1);
        let before = self.exact.target(line);
        match (after, before) {
            (Some(after), Some(before)) if after != before => {
                let distinct = |line: &usize| is_distinct(self.base.line(*line));
                let above = self.exact.run_before(line, after).take(8).filter(distinct).count();
                let below = self.exact.run_after(line, before).take(8).filter(distinct).count();
                Some(if below > above { before } else { after })
            }
            (None, None) => {
                (self.is_whole && self.base.len() == 0 && self.target.len() == 0).then_some(0)
            }
            (after, before) => after.or(before),
        }
    }

    /// Whether one of the lines beside an insertion differs from that of the base in white space only.
    fn is_reindented(&self, line: usize, at: usize) -> bool {
        let differs = |line: Option<usize>, at: Option<usize>| {
            line.zip(at).is_some_and(|(line, at)| {
                line < self.base.len()
                    && at < self.target.len()
                    && self.base.line(line) != self.target.line(at)
                    && loose_hash(self.base.line(line)) == loose_hash(self.target.line(at))
            })
        };
        differs(Some(line), Some(at)) || differs(line.checked_sub(1), at.checked_sub(1))
    }

    /// Whether a line beside the old lines is also beside their place. The ends of a file count.
    fn has_neighbour(&self, old: &Range<usize>, place: &Range<usize>) -> bool {
        let is_start = self.is_whole && old.start == 0 && place.start == 0;
        let is_end = self.is_whole && old.end == self.base.len() && place.end == self.target.len();
        is_start
            || is_end
            || self.exact.run_before(old.start, place.start).next().is_some()
            || self.exact.run_after(old.end, place.end).next().is_some()
    }
}
