//! Folders to test: one that is known, and what is changed in it.

use crate::Variant;
use crate::mentions::Mentions;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use wynot_core::Configuration;
use wynot_subjects::{Entry, Folder};

/// A folder to test: one that is known, and what is changed in it.
#[derive(Clone, Debug)]
pub struct FolderVariant {
    pub(crate) base: Rc<Folder>,
    pub(crate) change: Change,
}

#[derive(Clone, Debug)]
pub(crate) enum Change {
    Nothing,
    /// These go, and what names them elsewhere.
    Without(Rc<[Rc<Path>]>, Range<usize>),
    /// These lose their contents.
    Emptied(Rc<[Rc<Path>]>, Range<usize>),
    /// Only these leaves stay.
    Leaves(Configuration),
    /// Only these of the leaves keep their contents.
    Contents(Configuration),
    /// One file has another text.
    Text(Rc<Path>, Variant),
}

impl FolderVariant {
    /// A folder as it is.
    pub fn of(folder: Folder) -> Self {
        Self { base: Rc::new(folder), change: Change::Nothing }
    }

    /// The folder that it stands for.
    pub fn folder(&self) -> Folder {
        match &self.change {
            Change::Nothing => self.base.as_ref().clone(),
            Change::Without(paths, range) => without(&self.base, &paths[range.clone()]),
            Change::Emptied(paths, range) => {
                let emptied = |folder: Folder, path: &Rc<Path>| match folder.get(path) {
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
fn without(folder: &Folder, gone: &[Rc<Path>]) -> Folder {
    let gone: BTreeSet<&Rc<Path>> = gone.iter().collect();
    let stays: Vec<bool> = folder.leaves().map(|(path, _)| !gone.contains(path)).collect();
    let mut rest = folder.with_leaves(|leaf| stays[leaf]);
    let mentions = Mentions::of(gone.iter().map(|path| path.as_ref()));
    let kept: Vec<Rc<Path>> = rest.leaves().map(|(path, _)| Rc::clone(path)).collect();
    for path in kept {
        let text = rest.get(&path).and_then(Entry::text);
        if let Some(changed) = text.and_then(|text| mentions.removed_from(text)) {
            rest = rest.with_contents(&path, changed);
        }
    }
    rest
}

/// Whether an entry is a file that is not empty.
pub(crate) fn is_filled(entry: &Entry) -> bool {
    matches!(entry, Entry::File { contents, .. } if !contents.bytes().is_empty())
}
