//! Changes of a folder's entries as a whole: added, removed, renamed, with another mode.

use crate::folder::Folder;
use crate::folder::entry::FolderEntry;
use crate::hunks::hunk::{HunkFate, HunkPlace};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A folder that changes. Directories that lose their last entry are removed at the end.
pub(super) struct WholeFiles {
    folder: Folder,
    renamed: BTreeMap<Arc<Path>, Arc<Path>>,
    /// Directories from which something has been removed.
    reduced: BTreeSet<Arc<Path>>,
    /// Directories that stay although they are empty.
    kept: BTreeSet<Arc<Path>>,
}

const APPLIED: HunkFate = HunkFate::Applied(HunkPlace::Exact);

impl WholeFiles {
    /// A folder without changes.
    pub(super) fn new(target: &Folder) -> Self {
        Self {
            folder: target.clone(),
            renamed: BTreeMap::new(),
            reduced: BTreeSet::new(),
            kept: BTreeSet::new(),
        }
    }

    /// The folder as it is now.
    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The new paths of renamed files.
    pub(super) fn renamed(&self) -> &BTreeMap<Arc<Path>, Arc<Path>> {
        &self.renamed
    }

    /// Moves a file to a free path.
    pub(super) fn rename(&mut self, from: &Arc<Path>, to: &Arc<Path>) -> HunkFate {
        let is_file = |entry: Option<&FolderEntry>| matches!(entry, Some(FolderEntry::File { .. }));
        match (self.folder.get(from), self.folder.get(to)) {
            (None, moved) if is_file(moved) => {
                self.renamed.insert(Arc::clone(from), Arc::clone(to));
                HunkFate::Present
            }
            (Some(entry @ FolderEntry::File { .. }), None) => {
                let entry = entry.clone();
                if self.insert(to, entry) == HunkFate::Conflict {
                    return HunkFate::Conflict;
                }
                self.remove(from);
                self.renamed.insert(Arc::clone(from), Arc::clone(to));
                APPLIED
            }
            _ => HunkFate::Conflict,
        }
    }

    /// Gives a file new contents.
    pub(super) fn replace_contents(&mut self, path: &Arc<Path>, bytes: Vec<u8>) {
        if let Some(FolderEntry::File { mode, .. }) = self.folder.get(path) {
            let entry = FolderEntry::file(bytes, *mode);
            self.folder.insert(Arc::clone(path), entry);
        }
    }

    /// Adds, removes or replaces an entry.
    pub(super) fn change(
        &mut self,
        path: &Arc<Path>,
        old: Option<&FolderEntry>,
        new: Option<&FolderEntry>,
    ) -> HunkFate {
        let path = &self.current_path(path);
        match (old, new) {
            (Some(old), None) => self.remove_entry(path, old),
            (None, Some(FolderEntry::Directory { mode })) => self.add_directory(path, *mode),
            (None, Some(new)) => self.add_entry(path, new),
            (Some(old), Some(new)) => self.replace_entry(path, old, new),
            (None, None) => HunkFate::Present,
        }
    }

    /// Changes the permission bits of a file or directory.
    pub(super) fn change_mode(&mut self, path: &Arc<Path>, old: u32, new: u32) -> HunkFate {
        let path = self.current_path(path);
        let mut entry = self.folder.get(&path).cloned();
        match &mut entry {
            Some(FolderEntry::File { mode, .. } | FolderEntry::Directory { mode }) => {
                if *mode == new {
                    return HunkFate::Present;
                }
                if *mode != old {
                    return HunkFate::Conflict;
                }
                *mode = new;
            }
            _ => return HunkFate::Conflict,
        }
        entry.map_or(HunkFate::Conflict, |entry| self.insert(&path, entry))
    }

    /// The folder with all changes.
    pub(super) fn finish(mut self) -> Folder {
        self.remove_emptied(Path::new(""));
        self.folder
    }

    fn current_path(&self, path: &Arc<Path>) -> Arc<Path> {
        let renamed = self.renamed.get(path).filter(|_| self.folder.get(path).is_none());
        Arc::clone(renamed.unwrap_or(path))
    }

    fn remove_entry(&mut self, path: &Path, old: &FolderEntry) -> HunkFate {
        match self.folder.get(path) {
            None => HunkFate::Present,
            Some(FolderEntry::Directory { .. }) if !old.is_directory() => HunkFate::Present,
            Some(FolderEntry::Directory { .. }) if !self.folder.has_empty_directory(path) => {
                HunkFate::Conflict
            }
            Some(_) => {
                self.remove(path);
                APPLIED
            }
        }
    }

    fn add_directory(&mut self, path: &Arc<Path>, mode: u32) -> HunkFate {
        self.kept.insert(Arc::clone(path));
        let directory = FolderEntry::Directory { mode };
        match self.folder.get(path) {
            Some(is) if *is == directory && !self.reduced.contains(path) => HunkFate::Present,
            Some(is) if !is.is_directory() => HunkFate::Conflict,
            _ => self.insert(path, directory),
        }
    }

    fn add_entry(&mut self, path: &Arc<Path>, new: &FolderEntry) -> HunkFate {
        if self.folder.get(path).is_some_and(FolderEntry::is_directory) {
            self.remove_emptied(path);
        }
        match self.folder.get(path) {
            Some(is) if is == new => HunkFate::Present,
            None => self.insert(path, new.clone()),
            Some(_) => HunkFate::Conflict,
        }
    }

    fn replace_entry(
        &mut self,
        path: &Arc<Path>,
        old: &FolderEntry,
        new: &FolderEntry,
    ) -> HunkFate {
        let is_full = !self.folder.has_empty_directory(path);
        match self.folder.get(path) {
            Some(is) if is == new => HunkFate::Present,
            Some(is) if is != old || (is.is_directory() && is_full) => HunkFate::Conflict,
            Some(_) => self.insert(path, new.clone()),
            None => HunkFate::Conflict,
        }
    }

    /// Inserts an entry, unless it would be below something that is not a directory.
    fn insert(&mut self, path: &Arc<Path>, entry: FolderEntry) -> HunkFate {
        self.folder.insert(Arc::clone(path), entry);
        match self.folder.get(path) {
            Some(_) => APPLIED,
            None => HunkFate::Conflict,
        }
    }

    fn remove(&mut self, path: &Path) {
        self.folder.remove(path);
        let parents = path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty());
        self.reduced.extend(parents.map(Arc::from));
    }

    /// Removes the directories at and below a path that have lost all their entries.
    fn remove_emptied(&mut self, path: &Path) {
        let below: Vec<Arc<Path>> =
            self.reduced.iter().filter(|dir| dir.starts_with(path)).cloned().collect();
        for dir in below.into_iter().rev() {
            if self.folder.has_empty_directory(&dir) && !self.kept.contains(&dir) {
                self.folder.remove(&dir);
            }
        }
    }
}
