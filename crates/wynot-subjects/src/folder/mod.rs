//! Folders as subjects: files and directories as a value, and the deltas between two of them.
//!
//! [`Folder`] is defined here; copies of it are cheap, since contents are shared. [`mod@entry`] holds what is
//! at one path, [`change`] what differs at one path, [`diff`] the subject, [`levels`] its levels, [`segments`]
//! which parts of two texts are compared. What changes need of each other follows from the lines that belong
//! together ([`statements`], by the [`outline`] of a text), from names ([`identifiers`], [`definition`]),
//! from lists of files ([`file_lists`]) and from their paths ([`moved_files`]).
//! [`related_hunks`] finds changes by words, [`replacements`] what belongs to a change for a reader. The deltas inside a file are those of [`text`](crate::text). Reading
//! and writing directories belongs to other crates.

pub(crate) mod change;
pub(crate) mod definition;
pub(crate) mod diff;
pub(crate) mod entry;
pub(crate) mod file_lists;
pub(crate) mod identifiers;
pub(crate) mod levels;
pub(crate) mod moved_files;
pub(crate) mod name_changes;
pub(crate) mod outline;
pub(crate) mod related_hunks;
pub(crate) mod replacements;
pub(crate) mod segments;
pub(crate) mod statements;

use entry::FolderEntry;
use std::cmp::Ordering;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Compares two paths as [`Folder`] orders them: a directory comes directly before its contents. This is the
/// order of their components, compared byte by byte without splitting the paths.
pub fn compare_paths(a: &Path, b: &Path) -> Ordering {
    let (a, b) = (a.as_os_str().as_bytes(), b.as_os_str().as_bytes());
    let rank = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
    match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((a, b)) => rank(a).cmp(&rank(b)),
        None => a.len().cmp(&b.len()),
    }
}

/// Whether a path lies directly in a directory.
fn is_in(path: &Path, dir: &Path) -> bool {
    let (path, dir) = (path.as_os_str().as_bytes(), dir.as_os_str().as_bytes());
    let name = path.strip_prefix(dir).and_then(|rest| rest.strip_prefix(b"/"));
    name.is_some_and(|name| !name.contains(&b'/'))
}

/// A folder of text files, for tests.
#[cfg(test)]
pub(crate) fn folder_of_texts(files: &[(&str, &str)]) -> Folder {
    let entry = |(path, text): &(&str, &str)| {
        (Path::new(path).to_owned(), FolderEntry::file(text.as_bytes().to_vec(), 0o644))
    };
    files.iter().map(entry).collect()
}

/// Files, links and directories by their relative paths. Each directory that contains an entry is an entry
/// itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder(Vec<(Arc<Path>, FolderEntry)>);

impl Folder {
    /// Adds an entry or replaces the one at its path. Missing parent directories are added. An entry below
    /// something that is not a directory is ignored.
    pub fn insert(&mut self, path: impl Into<Arc<Path>>, entry: FolderEntry) {
        let path: Arc<Path> = path.into();
        // Most entries are inserted in order, after another one of the same directory.
        let last = self.0.last().map(|(last, _)| last);
        let is_next = last.is_some_and(|last| compare_paths(last, &path).is_lt());
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(parent) = parent
            && !(is_next && last.is_some_and(|last| is_in(last, parent)))
        {
            match self.get(parent) {
                Some(FolderEntry::Directory { .. }) => {}
                Some(_) => return,
                None => {
                    self.insert(parent, FolderEntry::Directory { mode: 0o755 });
                    if self.get(parent).is_none() {
                        return;
                    }
                }
            }
        }
        if is_next {
            self.0.push((path, entry));
            return;
        }
        match self.position(&path) {
            Ok(at) => self.0[at].1 = entry,
            Err(at) => self.0.insert(at, (path, entry)),
        }
    }

    fn position(&self, path: &Path) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| compare_paths(known, path))
    }

    /// The entry at a path.
    pub fn get(&self, path: &Path) -> Option<&FolderEntry> {
        self.position(path).ok().map(|at| &self.0[at].1)
    }

    /// Removes the entry at a path, but not what is below it.
    pub(crate) fn remove(&mut self, path: &Path) -> Option<FolderEntry> {
        self.position(path).ok().map(|at| self.0.remove(at).1)
    }

    /// Whether there is an empty directory at a path.
    pub(crate) fn has_empty_directory(&self, path: &Path) -> bool {
        self.position(path).is_ok_and(|at| self.is_empty_directory(at))
    }

    /// All entries in the order of [`compare_paths`]: each directory directly before its contents.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (&Arc<Path>, &FolderEntry)> {
        self.0.iter().map(|(path, entry)| (path, entry))
    }

    /// Whether an entry, given by its position, is an empty directory.
    fn is_empty_directory(&self, at: usize) -> bool {
        let (path, entry) = &self.0[at];
        entry.is_directory() && !self.0.get(at + 1).is_some_and(|(next, _)| next.starts_with(path))
    }

    /// The entries that contain no others: files, links and empty directories.
    pub fn leaves(&self) -> impl Iterator<Item = (&Arc<Path>, &FolderEntry)> {
        let leaf = |at: &usize| !self.0[*at].1.is_directory() || self.is_empty_directory(*at);
        (0..self.0.len()).filter(leaf).map(|at| (&self.0[at].0, &self.0[at].1))
    }

    /// The folder with only those leaves whose index `keep` accepts, and with the directories that contain
    /// them. `keep` is called for each leaf in order.
    pub fn with_leaves(&self, mut keep: impl FnMut(usize) -> bool) -> Self {
        let mut kept: Vec<(Arc<Path>, FolderEntry)> = Vec::new();
        let mut parents: Vec<usize> = Vec::new();
        let mut leaf = 0;
        for (at, (path, entry)) in self.0.iter().enumerate() {
            while parents.last().is_some_and(|dir| !path.starts_with(&self.0[*dir].0)) {
                parents.pop();
            }
            if entry.is_directory() && !self.is_empty_directory(at) {
                parents.push(at);
                continue;
            }
            if keep(leaf) {
                for dir in parents.iter().map(|&dir| &self.0[dir]) {
                    let known =
                        kept.binary_search_by(|(known, _)| compare_paths(known, &dir.0)).is_ok();
                    if !known {
                        kept.push(dir.clone());
                    }
                }
                kept.push((Arc::clone(path), entry.clone()));
            }
            leaf += 1;
        }
        Self(kept)
    }

    /// The folder with new contents in one of its files.
    pub fn with_contents(&self, path: &Path, bytes: Vec<u8>) -> Self {
        let mut changed = self.clone();
        if let Ok(at) = changed.position(path)
            && let FolderEntry::File { contents, modified, .. } = &mut changed.0[at].1
        {
            (*contents, *modified) = (Arc::new(bytes.into()), None);
        }
        changed
    }

    /// The folder with the entries of another one added. Where both have an entry, that of the other one
    /// replaces the one in this folder.
    pub fn overlay(&self, other: &Self) -> Self {
        let mut all = self.clone();
        for (path, entry) in other.entries() {
            all.insert(Arc::clone(path), entry.clone());
        }
        all
    }

    /// The entries at or below some paths. If there is one path and it is not that of a file or link, the
    /// paths of the result are relative to it. Without any path, the whole folder.
    pub fn select(&self, paths: &[PathBuf]) -> Self {
        match paths {
            [] => self.clone(),
            [root] if self.get(root).is_none_or(FolderEntry::is_directory) => {
                let below = self.0.iter().filter_map(|(path, entry)| {
                    let path = path.strip_prefix(root).ok()?;
                    (!path.as_os_str().is_empty()).then(|| (Arc::from(path), entry.clone()))
                });
                Self(below.collect())
            }
            paths => {
                let within = |path: &Path| paths.iter().any(|root| path.starts_with(root));
                let leaves: Vec<bool> = self.leaves().map(|(path, _)| within(path)).collect();
                self.with_leaves(|leaf| leaves[leaf])
            }
        }
    }

    /// The number of bytes in all entries.
    pub fn size(&self) -> u64 {
        self.0.iter().map(|(_, entry)| entry.size()).sum()
    }

    /// The number of files and links.
    pub fn file_count(&self) -> u64 {
        self.0.iter().filter(|(_, entry)| !entry.is_directory()).count() as u64
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends the files one after the other, each below its path, to `excerpt`, for display: at most about
    /// `limit` bytes.
    pub fn write_excerpt(&self, limit: usize, excerpt: &mut Vec<u8>) {
        for (path, entry) in self.leaves() {
            if excerpt.len() >= limit {
                return;
            }
            excerpt.extend_from_slice(format!("── {}", path.display()).as_bytes());
            match (entry, entry.text()) {
                (_, Some(text)) => {
                    let left = limit.saturating_sub(excerpt.len());
                    excerpt.push(b'\n');
                    excerpt.extend_from_slice(&text[..text.len().min(left)]);
                    if text.last().is_some_and(|&last| last != b'\n') {
                        excerpt.push(b'\n');
                    }
                }
                (FolderEntry::Link(target), None) => {
                    excerpt.extend_from_slice(format!(" → {}\n", target.display()).as_bytes());
                }
                (FolderEntry::Directory { .. }, None) => excerpt.extend_from_slice(b"/\n"),
                (FolderEntry::File { .. }, None) => {
                    excerpt.extend_from_slice(format!(" ({} bytes)\n", entry.size()).as_bytes());
                }
            }
        }
    }
}

impl<P: Into<Arc<Path>>> FromIterator<(P, FolderEntry)> for Folder {
    fn from_iter<I: IntoIterator<Item = (P, FolderEntry)>>(entries: I) -> Self {
        let mut list: Vec<(Arc<Path>, FolderEntry)> =
            entries.into_iter().map(|(path, entry)| (path.into(), entry)).collect();
        list.sort_by(|(a, _), (b, _)| compare_paths(a, b));
        let mut folder = Self::default();
        for (path, entry) in list {
            folder.insert(path, entry);
        }
        folder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(paths: &[&str]) -> Folder {
        let entry = |path: &&str| match path.strip_suffix('/') {
            Some(dir) => (Path::new(dir).to_owned(), FolderEntry::Directory { mode: 0o755 }),
            None => {
                (Path::new(path).to_owned(), FolderEntry::file(path.as_bytes().to_vec(), 0o644))
            }
        };
        paths.iter().map(entry).collect()
    }

    fn names(folder: &Folder) -> Vec<String> {
        folder.entries().map(|(path, _)| path.display().to_string()).collect()
    }

    #[test]
    fn directories_come_directly_before_their_contents() {
        let all = folder(&["src/b.c", "src/a.c", "empty/", "src-old/x", "z"]);
        assert_eq!(
            names(&all),
            ["empty", "src", "src/a.c", "src/b.c", "src-old", "src-old/x", "z"]
        );
        let leaves: Vec<String> =
            all.leaves().map(|(path, _)| path.display().to_string()).collect();
        assert_eq!(leaves, ["empty", "src/a.c", "src/b.c", "src-old/x", "z"]);
        let some = all.with_leaves(|leaf| leaf == 2 || leaf == 3);
        assert_eq!(names(&some), ["src", "src/b.c", "src-old", "src-old/x"]);
        assert_eq!(all.with_leaves(|_| true), all);
        assert!(all.with_leaves(|_| false).is_empty());
    }

    #[test]
    fn paths_have_the_order_of_their_components() {
        let mut paths =
            ["a", "a/b", "a-b", "a/b/c", "a/b-c", "a0", "b", "a.c/x", "ab/c", "\u{1}", "é"];
        paths.sort_by(|a, b| compare_paths(Path::new(a), Path::new(b)));
        assert!(paths.is_sorted_by_key(Path::new), "{paths:?}");
    }

    #[test]
    fn entries_below_a_file_are_ignored() {
        let mut all = folder(&["a"]);
        all.insert(Path::new("a/b/c"), FolderEntry::file(Vec::new(), 0o644));
        assert_eq!(names(&all), ["a"]);
    }

    #[test]
    fn copies_share_contents_until_they_change() {
        let all = folder(&["a", "b"]);
        let changed = all.with_contents(Path::new("a"), b"new".to_vec());
        assert_eq!(changed.get(Path::new("a")).unwrap().text(), Some(b"new".as_slice()));
        assert_eq!(all.get(Path::new("a")).unwrap().text(), Some(b"a".as_slice()));
        let contents = |folder: &Folder| match folder.get(Path::new("b")) {
            Some(FolderEntry::File { contents, .. }) => Arc::clone(contents),
            _ => panic!("b is a file"),
        };
        assert!(Arc::ptr_eq(&contents(&all), &contents(&changed)));
        assert_eq!(all.overlay(&changed), changed);
    }
}
