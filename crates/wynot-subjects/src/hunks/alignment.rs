//! Which lines or tokens of two texts correspond.

use crate::hunks::line_table::{LineTable, loose_hash};
use imara_diff::{Algorithm, Diff, InternedInput};
use std::hash::Hash;
use std::ops::Range;

/// Marks a piece that the other text lacks.
const UNMATCHED: u32 = u32::MAX;

/// For each piece of a base the corresponding piece of a target, in the same order on both sides.
pub(super) struct Alignment {
    target_of: Vec<u32>,
}

/// Pieces of a base and the pieces that replace them.
pub(super) type PieceChange = (Range<usize>, Range<usize>);

impl Alignment {
    /// Aligns lines that are the same, byte by byte.
    pub(super) fn of_lines(base: &LineTable<'_>, target: &LineTable<'_>) -> Self {
        if base.text() == target.text() {
            return Self { target_of: (0..base.len() as u32).collect() };
        }
        Self::of_changes(base.len(), &line_changes(base, target))
    }

    /// Aligns lines that are the same but for white space.
    pub(super) fn of_loose_lines(base: &LineTable<'_>, target: &LineTable<'_>) -> Self {
        let changes = list_changes(base.lines().map(loose_hash), target.lines().map(loose_hash));
        Self::of_changes(base.len(), &changes)
    }

    /// Aligns equal elements of two lists.
    pub(super) fn of_lists<T: Hash + Eq + Copy + Default>(base: &[T], target: &[T]) -> Self {
        let changes = list_changes(base.iter().copied(), target.iter().copied());
        Self::of_changes(base.len(), &changes)
    }

    fn of_changes(base_len: usize, changes: &[PieceChange]) -> Self {
        let mut target_of = Vec::with_capacity(base_len);
        let mut next = 0;
        for (old, new) in changes {
            while target_of.len() < old.start {
                target_of.push(next);
                next += 1;
            }
            target_of.resize(old.end, UNMATCHED);
            next = new.end as u32;
        }
        while target_of.len() < base_len {
            target_of.push(next);
            next += 1;
        }
        Self { target_of }
    }

    /// The piece of the target that corresponds to one of the base.
    pub(super) fn target(&self, piece: usize) -> Option<usize> {
        self.target_of.get(piece).filter(|&&at| at != UNMATCHED).map(|&at| at as usize)
    }

    /// The piece of the target that corresponds to the one before a piece of the base.
    pub(super) fn target_before(&self, piece: usize) -> Option<usize> {
        piece.checked_sub(1).and_then(|before| self.target(before))
    }

    /// The consecutive pieces of the target that correspond to consecutive pieces of the base, at least one.
    pub(super) fn contiguous(&self, pieces: &Range<usize>) -> Option<Range<usize>> {
        let start = self.target(pieces.start)?;
        let mut expected = pieces.clone().zip(start..);
        let all = expected.all(|(piece, at)| self.target(piece) == Some(at));
        all.then(|| start..start + pieces.len())
    }

    /// The pieces of the base directly before a position that correspond to those of the target directly
    /// before a position, nearest first.
    pub(super) fn run_before(
        &self,
        piece: usize,
        at: usize,
    ) -> impl Iterator<Item = usize> + use<'_> {
        let pairs = (0..piece).rev().zip((0..at).rev());
        pairs.take_while(|&(piece, at)| self.target(piece) == Some(at)).map(|(piece, _)| piece)
    }

    /// The pieces of the base from a position that correspond to those of the target from a position.
    pub(super) fn run_after(
        &self,
        piece: usize,
        at: usize,
    ) -> impl Iterator<Item = usize> + use<'_> {
        let pairs = (piece..self.target_of.len()).zip(at..);
        pairs.take_while(|&(piece, at)| self.target(piece) == Some(at)).map(|(piece, _)| piece)
    }
}

/// The maximal runs of lines that differ between two texts.
pub(super) fn line_changes(old: &LineTable<'_>, new: &LineTable<'_>) -> Vec<PieceChange> {
    let mut input = InternedInput::default();
    input.update_before(old.lines());
    input.update_after(new.lines());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    changes(&diff)
}

/// The maximal runs of elements that differ between two lists.
pub(super) fn list_changes<T: Hash + Eq + Default>(
    old: impl Iterator<Item = T>,
    new: impl Iterator<Item = T>,
) -> Vec<PieceChange> {
    let mut input = InternedInput::default();
    input.update_before(old);
    input.update_after(new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    changes(&diff)
}

fn changes(diff: &Diff) -> Vec<PieceChange> {
    let numbers = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| (numbers(hunk.before), numbers(hunk.after))).collect()
}
