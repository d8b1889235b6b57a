//! A hunk: what one change does.

use crate::folder::entry::{FileContents, FolderEntry};
use crate::hunks::line_table::count_lines;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A change to one place of one file, or to a file as a whole. Copies are cheap: they share the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    path: Arc<Path>,
    change: Arc<HunkChange>,
}

/// What a hunk does at its path.
#[derive(Debug, PartialEq, Eq)]
pub enum HunkChange {
    /// Consecutive lines of a text are replaced.
    Lines {
        /// The file that the hunk was made for. All hunks of a file share it.
        base: Arc<FileContents>,
        /// The lines that are removed, by their numbers from 0; empty for an insertion.
        old: Range<usize>,
        /// The text that is inserted instead of them.
        new: Vec<u8>,
    },
    /// An entry is added, removed or replaced.
    Whole {
        /// The entry before the change.
        old: Option<FolderEntry>,
        /// The entry after the change.
        new: Option<FolderEntry>,
    },
    /// The permission bits of a file or directory change.
    Mode {
        /// The permission bits before the change.
        old: u32,
        /// The permission bits after the change.
        new: u32,
    },
    /// A file moves to another path, with the contents that it has in the target.
    Rename {
        /// The new path.
        to: Arc<Path>,
    },
}

impl Hunk {
    pub(super) fn new(path: Arc<Path>, change: HunkChange) -> Self {
        Self { path, change: Arc::new(change) }
    }

    /// The path of the changed file in the version that the hunk was made for.
    pub fn path(&self) -> &Arc<Path> {
        &self.path
    }

    /// What the hunk does.
    pub fn change(&self) -> &HunkChange {
        &self.change
    }

    /// The number of added and removed lines. What is not text and a new mode count as one line, a new path as none.
    pub fn lines(&self) -> usize {
        self.removed_and_added().iter().sum()
    }

    /// The number of changed lines, where an exchanged line is one. What is not text and a new mode count as one line, a new
    /// path as none.
    pub fn changed_lines(&self) -> usize {
        let [removed, added] = self.removed_and_added();
        removed.max(added)
    }

    /// The numbers of removed and of added lines.
    fn removed_and_added(&self) -> [usize; 2] {
        let of_entry = |entry: &Option<FolderEntry>| match entry {
            Some(entry) => entry.text().map_or(1, |text| count_lines(text).max(1)),
            None => 0,
        };
        match self.change() {
            HunkChange::Lines { old, new, .. } => [old.len(), count_lines(new)],
            HunkChange::Whole { old, new } => [of_entry(old), of_entry(new)],
            HunkChange::Mode { .. } => [0, 1],
            HunkChange::Rename { .. } => [0, 0],
        }
    }

    /// Whether the hunk changes a file as a whole, rather than lines of it.
    pub fn is_whole_file(&self) -> bool {
        !matches!(self.change(), HunkChange::Lines { .. })
    }
}

/// What became of a hunk in a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkFate {
    /// The hunk was applied, at a place found by this rule.
    Applied(HunkPlace),
    /// The target has the change already, or the hunk has nothing to do there.
    Present,
    /// The target has no place for the hunk, or several ones.
    Conflict,
}

/// How the place of a hunk was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkPlace {
    /// By the path and by whole lines, which are the same in the target.
    Exact,
    /// By tokens, since lines in the target differ from those of the base.
    Tokens,
    /// At another place of the file or in another file, to which the lines have moved.
    Moved,
}
