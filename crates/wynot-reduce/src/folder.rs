//! FolderSubject to test: one that is known, and what is changed in it.

use crate::Variant;
use crate::mentions::Mentions;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use wynot_core::Configuration;
use wynot_subjects::{Folder, FolderEntry};

/// A folder to test: one that is known, and what is changed in it.
#[derive(Clone, Debug)]
pub struct FolderVariant {
    pub(crate) base: Arc<Folder>,
    pub(crate) change: Change,
}

#[derive(Clone, Debug)]
pub(crate) enum Change {
    Nothing,
    /// These go, and what names them elsewhere.
    Without(Arc<[Arc<Path>]>, Range<usize>),
    /// These lose their contents.
    Emptied(Arc<[Arc<Path>]>, Range<usize>),
    /// Only these leaves stay.
    Leaves(Configuration),
    /// Only these of the leaves keep their contents.
    Contents(Configuration),
    /// One file has another text.
    Text(Arc<Path>, Variant),
}

impl FolderVariant {
    /// A folder as it is.
    pub fn of(folder: Folder) -> Self {
        Self { base: Arc::new(folder), change: Change::Nothing }
    }

    /// The folder that it stands for.
    pub fn folder(&self) -> Folder {
        match &self.change {
            Change::Nothing => self.base.as_ref().clone(),
            Change::Without(paths, range) => without(&self.base, &paths[range.clone()]),
            Change::Emptied(paths, range) => {
                let emptied = |folder: Folder, path: &Arc<Path>| match folder.get(path) {
                    Some(entry) if is_filled(entry) => folder.with_contents(path, Vec::new()),
                    _ => folder,
                };
                paths[range.clone()].iter().fold(self.base.as_ref().clone(), emptied)
            }
            Change::Leaves(kept) => self.base.with_leaves(|leaf| kept.contains(leaf as u32)),
            Change::Contents(kept) => {
                let mut folder = self.base.as_ref().clone();
                for (leaf, (path, entry)) in self.base.leaves().enumerate() {
                    if entry.size() > 0 && !kept.contains(leaf as u32) {
                        folder = folder.with_contents(path, Vec::new());
                    }
                }
                folder
            }
            Change::Text(path, variant) => self.base.with_contents(path, variant.text()),
        }
    }
}

/// A folder without some files and what names them.
fn without(folder: &Folder, gone: &[Arc<Path>]) -> Folder {
    let gone: BTreeSet<&Arc<Path>> = gone.iter().collect();
    let stays: Vec<bool> = folder.leaves().map(|(path, _)| !gone.contains(path)).collect();
    let mut rest = folder.with_leaves(|leaf| stays[leaf]);
    let mentions = Mentions::of(gone.iter().map(|path| path.as_ref()));
    let kept: Vec<Arc<Path>> = rest.leaves().map(|(path, _)| Arc::clone(path)).collect();
    for path in kept {
        let text = rest.get(&path).and_then(FolderEntry::text);
        if let Some(changed) = text.and_then(|text| mentions.removed_from(text)) {
            rest = rest.with_contents(&path, changed);
        }
    }
    rest
}

/// Whether an entry is a file that is not empty.
pub(crate) fn is_filled(entry: &FolderEntry) -> bool {
    matches!(entry, FolderEntry::File { contents, .. } if !contents.bytes().is_empty())
}
