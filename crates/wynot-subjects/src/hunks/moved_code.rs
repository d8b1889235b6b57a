//! The place of a hunk whose surroundings have moved, within a file or to another one.

use crate::hunks::line_index::LineIndex;
use crate::hunks::line_merge::{FileMerge, TargetEdit, TargetEdits};
use crate::hunks::line_table::{LineTable, is_distinct, loose_hash};
use crate::hunks::token_merge::place_tokens;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The number of lines before and after a hunk that identify its place.
const CONTEXT_LINES: usize = 8;

/// Fewer different lines than this identify no place.
const MIN_FOUND_LINES: usize = 3;

/// The lines that identify the place of a hunk, by their hashes.
struct Context {
    /// The lines that the hunk removes.
    removed: BTreeSet<u64>,
    /// The lines directly beside the hunk.
    beside: BTreeSet<u64>,
    /// All these lines and others around them.
    all: BTreeSet<u64>,
    /// The number of lines in which they are.
    span: u32,
}

impl Context {
    fn new(base: &LineTable<'_>, old: &Range<usize>, window: &Range<usize>) -> Self {
        let hash =
            |line: usize| Some(base.line(line)).filter(|line| is_distinct(line)).map(loose_hash);
        let is_blank = |line: &usize| base.line(*line).trim_ascii().is_empty();
        let before = (window.start..old.start).rev().find(|line| !is_blank(line)).and_then(hash);
        let after = (old.end..window.end).find(|line| !is_blank(line)).and_then(hash);
        Self {
            removed: old.clone().filter_map(hash).collect(),
            beside: before.into_iter().chain(after).collect(),
            all: window.clone().filter_map(hash).collect(),
            span: (window.len() + CONTEXT_LINES) as u32,
        }
    }

    /// Whether lines that were found identify the place: those that the hunk removes, or else one beside it,
    /// and half of all.
    fn is_identified_by(&self, found: &BTreeSet<u64>) -> bool {
        found.len() >= self.all.len().div_ceil(2).max(MIN_FOUND_LINES)
            && self.removed.is_subset(found)
            && (!self.removed.is_empty() || !self.beside.is_disjoint(found))
    }

    /// The places of the context in some files.
    fn places(&self, index: &LineIndex<'_>) -> Vec<(u32, Range<usize>)> {
        let mut found: Vec<(u32, u32, u64)> = Vec::new();
        for &hash in &self.all {
            let lines = index.occurrences(hash).iter();
            found.extend(lines.map(|&(hash, file, line)| (file, line, hash)));
        }
        found.sort_unstable();
        places(&found, self.span, |found| self.is_identified_by(found))
    }
}

/// The lines of a hunk and the file that they belong to.
pub(super) struct MovedHunk<'a> {
    /// The path of the file in the version that the hunk was made for.
    pub(super) path: &'a Path,
    /// The file.
    pub(super) base: &'a LineTable<'a>,
    /// The lines that are removed.
    pub(super) old: &'a Range<usize>,
    /// The text instead of them.
    pub(super) new: &'a [u8],
}

/// The edits of a hunk in the only place of a folder that has the lines which it removes and half of the lines
/// around them, with the path of the file. `None` if there is no such place, or several, or if the version that
/// the hunk was made for (`origin`, if it is known) has it as well, beside the hunk's own place.
pub(super) fn place_moved<'a, 'o>(
    hunk: &MovedHunk<'_>,
    target: &LineIndex<'a>,
    origin: impl FnOnce() -> Option<&'o LineIndex<'o>>,
) -> Option<(&'a Arc<Path>, TargetEdits)> {
    let MovedHunk { base, old, new, .. } = hunk;
    let window = old.start.saturating_sub(CONTEXT_LINES)..(old.end + CONTEXT_LINES).min(base.len());
    let context = Context::new(base, old, &window);
    let mut places = context.places(target);
    let (file, lines) = places.pop().filter(|_| places.is_empty())?;
    let (path, contents) = target.file(file);
    if let Some(origin) = origin() {
        let known = context.places(origin).into_iter();
        let there = known.filter(|(file, _)| origin.file(*file).0 == path).count();
        if there > usize::from(**path == *hunk.path) {
            return None;
        }
    }
    let table = LineTable::new(contents.bytes());
    let slice = table.bytes(lines.start.saturating_sub(CONTEXT_LINES)..lines.end + CONTEXT_LINES);
    let window_text = &base.text()[base.bytes(window.clone())];
    let merge = FileMerge::of_parts(window_text, &contents.bytes()[slice.clone()]);
    let old = old.start - window.start..old.end - window.start;
    let edits = merge.place_lines(&old, new).or_else(|| place_tokens(&merge, &old, new))?;
    let shifted = edits.into_iter().map(|edit| TargetEdit {
        range: slice.start + edit.range.start..slice.start + edit.range.end,
        text: edit.text,
    });
    Some((path, shifted.collect()))
}

/// The places, as lines of files, at which enough different lines are found within a number of lines. Places
/// that overlap are one.
fn places(
    found: &[(u32, u32, u64)],
    span: u32,
    is_enough: impl Fn(&BTreeSet<u64>) -> bool,
) -> Vec<(u32, Range<usize>)> {
    let mut places: Vec<(u32, Range<usize>)> = Vec::new();
    for (start, &(file, first, _)) in found.iter().enumerate() {
        let within = found[start..]
            .iter()
            .take_while(|(other, line, _)| *other == file && *line < first + span);
        let (mut hashes, mut last) = (BTreeSet::new(), first);
        for &(_, line, hash) in within {
            hashes.insert(hash);
            last = line;
        }
        if !is_enough(&hashes) {
            continue;
        }
        let lines = first as usize..last as usize + 1;
        match places.last_mut() {
            Some((known, known_lines)) if *known == file && lines.start < known_lines.end => {
                known_lines.end = known_lines.end.max(lines.end);
            }
            _ => places.push((file, lines)),
        }
    }
    places
}
