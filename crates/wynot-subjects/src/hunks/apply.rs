//! Applying hunks to a folder.
//!
//! All hunks are placed in the same target: in its renamed files first, then everything that changes as a whole.

use crate::folder::Folder;
use crate::hunks::hunk::{Hunk, HunkChange, HunkFate};
use crate::hunks::merged_files::MergedFiles;
use crate::hunks::whole_files::WholeFiles;

/// A folder to which hunks were applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedHunks {
    /// The folder with the hunks that could be applied.
    pub folder: Folder,
    /// What became of each hunk, in the order of the hunks.
    pub fates: Vec<HunkFate>,
}

/// Applies hunks to a folder. The hunks of one file must have been made for one base and must not overlap; where
/// they overlap in the target, the later one conflicts. A hunk that conflicts changes nothing.
pub fn apply_hunks(hunks: &[Hunk], target: &Folder) -> AppliedHunks {
    apply(hunks, None, target)
}

/// Applies hunks as [`apply_hunks`] does, with the whole version that they were made for. A file or code of the
/// target that this version has as well, beside that of a hunk, is then not taken for a renamed file or for
/// code that has moved, although it is similar.
pub fn carry_hunks(hunks: &[Hunk], origin: &Folder, target: &Folder) -> AppliedHunks {
    apply(hunks, Some(origin), target)
}

fn apply(hunks: &[Hunk], origin: Option<&Folder>, target: &Folder) -> AppliedHunks {
    let mut fates = vec![HunkFate::Conflict; hunks.len()];
    let mut files = WholeFiles::new(target);
    for (hunk, fate) in hunks.iter().zip(&mut fates) {
        if let HunkChange::Rename { to } = hunk.change() {
            *fate = files.rename(hunk.path(), to);
        }
    }
    let renamed = files.folder().clone();
    let mut merged = MergedFiles::new(&renamed, files.renamed().clone(), origin);
    for (hunk, fate) in hunks.iter().zip(&mut fates) {
        if let HunkChange::Lines { base, old, new } = hunk.change() {
            *fate = merged.apply(hunk.path(), base, old, new);
        }
    }
    for (path, bytes) in merged.finish() {
        files.replace_contents(&path, bytes);
    }
    let removes = |hunk: &Hunk| matches!(hunk.change(), HunkChange::Whole { new: None, .. });
    for removing in [true, false] {
        for (hunk, fate) in hunks.iter().zip(&mut fates) {
            match hunk.change() {
                HunkChange::Whole { old, new } if removes(hunk) == removing => {
                    *fate = files.change(hunk.path(), old.as_ref(), new.as_ref());
                }
                HunkChange::Mode { old, new } if !removing => {
                    *fate = files.change_mode(hunk.path(), *old, *new);
                }
                _ => {}
            }
        }
    }
    AppliedHunks { folder: files.finish(), fates }
}
