//! The hunks between two folders.

use crate::folder::Folder;
use crate::folder::entry::FolderEntry;
use crate::hunks::alignment::line_changes;
use crate::hunks::hunk::{Hunk, HunkChange};
use crate::hunks::line_table::{LineTable, comparable_text};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The mode of directories that come into being with their contents.
const USUAL_DIRECTORY_MODE: u32 = 0o755;

/// The changes from one folder to another, in the order of paths and lines. In texts, each maximal run of
/// changed lines is a hunk. Everything else changes as a whole: files that exist on one side only or are not
/// text, links, empty directories, modes. A renamed file is one that is removed and one that is added.
pub fn hunks_between(old: &Folder, new: &Folder) -> Vec<Hunk> {
    let mut sides: BTreeMap<&Arc<Path>, [Option<&FolderEntry>; 2]> = BTreeMap::new();
    for (side, folder) in [old, new].into_iter().enumerate() {
        for (path, entry) in folder.entries() {
            sides.entry(path).or_default()[side] = Some(entry);
        }
    }
    let mut hunks = Vec::new();
    for (path, entries) in sides {
        let is_empty = [old, new].map(|folder| folder.has_empty_directory(path));
        compare_entries(path, entries, is_empty, &mut hunks);
    }
    hunks
}

/// Adds the changes at one path. `is_empty` says on which sides there is an empty directory.
fn compare_entries(
    path: &Arc<Path>,
    [old, new]: [Option<&FolderEntry>; 2],
    is_empty: [bool; 2],
    hunks: &mut Vec<Hunk>,
) {
    let mut push = |change| hunks.push(Hunk::new(Arc::clone(path), change));
    match (old, new) {
        (
            Some(FolderEntry::Directory { mode: before }),
            Some(after @ FolderEntry::Directory { mode }),
        ) => {
            if is_empty == [false, true] {
                push(HunkChange::Whole { old: None, new: Some(after.clone()) });
            } else if before != mode {
                push(HunkChange::Mode { old: *before, new: *mode });
            }
            return;
        }
        (Some(FolderEntry::File { mode: before, .. }), Some(FolderEntry::File { mode, .. }))
            if push_lines(path, old, new, hunks) =>
        {
            if before != mode {
                let change = HunkChange::Mode { old: *before, new: *mode };
                hunks.push(Hunk::new(Arc::clone(path), change));
            }
            return;
        }
        _ => {}
    }
    // A directory with entries comes and goes with them, unless its mode is unusual.
    let old = old.filter(|entry| !entry.is_directory() || is_empty[0]);
    let new = new.filter(|entry| match entry {
        FolderEntry::Directory { mode } => is_empty[1] || *mode != USUAL_DIRECTORY_MODE,
        _ => true,
    });
    if old != new {
        let change = HunkChange::Whole { old: old.cloned(), new: new.cloned() };
        hunks.push(Hunk::new(Arc::clone(path), change));
    }
}

/// Adds the changes inside a file. Whether that is possible: contents that are not text change as a whole.
fn push_lines(
    path: &Arc<Path>,
    old: Option<&FolderEntry>,
    new: Option<&FolderEntry>,
    hunks: &mut Vec<Hunk>,
) -> bool {
    let (Some(old @ FolderEntry::File { contents: base, .. }), Some(new)) = (old, new) else {
        return false;
    };
    if let FolderEntry::File { contents, .. } = new
        && (Arc::ptr_eq(base, contents) || base == contents)
    {
        return true;
    }
    let (Some(before), Some(after)) = (comparable_text(old), comparable_text(new)) else {
        return false;
    };
    let (before, after) = (LineTable::new(before), LineTable::new(after));
    for (removed, inserted) in line_changes(&before, &after) {
        let new = after.text()[after.bytes(inserted)].to_vec();
        let change = HunkChange::Lines { base: Arc::clone(base), old: removed, new };
        hunks.push(Hunk::new(Arc::clone(path), change));
    }
    true
}
