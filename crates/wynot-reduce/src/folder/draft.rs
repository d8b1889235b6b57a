//! The candidates of a reduction of a folder.

use crate::folder::file_references::FileReferences;
use crate::text::draft::TextDraft;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use wynot_core::Configuration;
use wynot_subjects::{Folder, FolderEntry};

/// A path as a folder holds it.
pub(crate) type SharedPath = Arc<Path>;

/// A folder to test, as a change of a folder that many drafts share.
#[derive(Clone, Debug)]
pub struct FolderDraft {
    base: Arc<Folder>,
    change: FolderChange,
}

/// The change that makes a draft of a folder.
#[derive(Clone, Debug)]
pub(crate) enum FolderChange {
    /// The folder stays as it is.
    None,
    /// The files of a range of paths go, with the references to them in other files.
    DeleteFiles(Arc<[SharedPath]>, Range<usize>),
    /// The files of a range of paths become empty.
    EmptyFiles(Arc<[SharedPath]>, Range<usize>),
    /// Only these leaves stay, by number.
    KeepLeaves(Configuration),
    /// Only these leaves keep their contents, by number; the other files become empty.
    KeepContents(Configuration),
    /// One file has another text.
    Text(SharedPath, TextDraft),
}

impl FolderDraft {
    /// A folder without a change.
    pub fn of(folder: Folder) -> Self {
        Self::new(&Arc::new(folder), FolderChange::None)
    }

    /// A folder with a change.
    pub(crate) fn new(base: &Arc<Folder>, change: FolderChange) -> Self {
        Self { base: Arc::clone(base), change }
    }

    /// The folder after the change.
    pub fn folder(&self) -> Folder {
        match &self.change {
            FolderChange::None => self.base.as_ref().clone(),
            FolderChange::DeleteFiles(paths, range) => {
                delete_files(&self.base, &paths[range.clone()])
            }
            FolderChange::EmptyFiles(paths, range) => {
                let empty = |folder: Folder, path: &SharedPath| match folder.get(path) {
                    Some(entry) if has_contents(entry) => folder.with_contents(path, Vec::new()),
                    _ => folder,
                };
                paths[range.clone()].iter().fold(self.base.as_ref().clone(), empty)
            }
            FolderChange::KeepLeaves(kept) => {
                self.base.with_leaves(|leaf| kept.contains(leaf as u32))
            }
            FolderChange::KeepContents(kept) => {
                let mut folder = self.base.as_ref().clone();
                for (leaf, (path, entry)) in self.base.leaves().enumerate() {
                    if entry.size() > 0 && !kept.contains(leaf as u32) {
                        folder = folder.with_contents(path, Vec::new());
                    }
                }
                folder
            }
            FolderChange::Text(path, draft) => self.base.with_contents(path, draft.text()),
        }
    }
}

/// A folder without some files and without the references to them.
fn delete_files(folder: &Folder, deleted: &[SharedPath]) -> Folder {
    let deleted: BTreeSet<&SharedPath> = deleted.iter().collect();
    let stays: Vec<bool> = folder.leaves().map(|(path, _)| !deleted.contains(path)).collect();
    let mut rest = folder.with_leaves(|leaf| stays[leaf]);
    let references = FileReferences::to(deleted.iter().map(|path| path.as_ref()));
    let kept: Vec<SharedPath> = rest.leaves().map(|(path, _)| path.clone()).collect();
    for path in kept {
        let text = rest.get(&path).and_then(FolderEntry::text);
        if let Some(changed) = text.and_then(|text| references.delete_from(text)) {
            rest = rest.with_contents(&path, changed);
        }
    }
    rest
}

/// Whether an entry is a file that is not empty.
pub(crate) fn has_contents(entry: &FolderEntry) -> bool {
    matches!(entry, FolderEntry::File { contents, .. } if !contents.bytes().is_empty())
}
