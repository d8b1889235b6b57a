//! Files and directories as a value, cheap to copy: contents are shared.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

/// The contents of a file. They are named by a digest that is computed once.
#[derive(Default)]
pub struct Contents {
    bytes: Vec<u8>,
    digest: OnceCell<[u8; 32]>,
}

impl Contents {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Identifies the bytes.
    pub fn digest(&self) -> &[u8; 32] {
        self.digest.get_or_init(|| *blake3::hash(&self.bytes).as_bytes())
    }
}

impl From<Vec<u8>> for Contents {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, digest: OnceCell::new() }
    }
}

impl PartialEq for Contents {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Contents {}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", OsStr::from_bytes(&self.bytes))
    }
}

/// What is at a path.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A file.
    File {
        /// What it holds.
        contents: Rc<Contents>,
        /// Its permission bits.
        mode: u32,
        /// When it was changed last; builds may look at that. Not part of its identity.
        modified: Option<SystemTime>,
    },
    /// A symbolic link to somewhere.
    Link(PathBuf),
    /// A directory.
    Directory {
        /// Its permission bits.
        mode: u32,
    },
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::File { contents: a, mode: first, .. },
                Self::File { contents: b, mode: second, .. },
            ) => first == second && (Rc::ptr_eq(a, b) || a == b),
            (Self::Link(a), Self::Link(b)) => a == b,
            (Self::Directory { mode: a }, Self::Directory { mode: b }) => a == b,
            _ => false,
        }
    }
}

impl Eq for Entry {}

impl Entry {
    /// A file that was made by wynot itself.
    pub fn file(bytes: Vec<u8>, mode: u32) -> Self {
        Self::File { contents: Rc::new(bytes.into()), mode, modified: None }
    }

    /// How many bytes it holds.
    pub fn size(&self) -> u64 {
        match self {
            Self::File { contents, .. } => contents.bytes.len() as u64,
            Self::Link(target) => target.as_os_str().len() as u64,
            Self::Directory { .. } => 0,
        }
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        matches!(self, Self::Directory { .. })
    }

    /// The bytes of a file that is text, as far as one can see.
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Self::File { contents, .. } => {
                let start = &contents.bytes[..contents.bytes.len().min(8192)];
                (!start.contains(&0)).then_some(&contents.bytes)
            }
            _ => None,
        }
    }
}

/// The order of paths in folders: a directory, what is in it, whatever comes next. It is the order of their
/// components, found without looking for these.
pub fn order(a: &Path, b: &Path) -> Ordering {
    let (a, b) = (a.as_os_str().as_bytes(), b.as_os_str().as_bytes());
    let low = |byte: &u8| if *byte == b'/' { 0 } else { *byte };
    match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((a, b)) => low(a).cmp(&low(b)),
        None => a.len().cmp(&b.len()),
    }
}

/// Whether a path lies directly in a directory.
fn is_in(path: &Path, dir: &Path) -> bool {
    let (path, dir) = (path.as_os_str().as_bytes(), dir.as_os_str().as_bytes());
    let name = path.strip_prefix(dir).and_then(|rest| rest.strip_prefix(b"/"));
    name.is_some_and(|name| !name.contains(&b'/'))
}

/// Files, links and directories below one place, by their paths relative to it. Each directory on the
/// way to an entry is an entry itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder(Vec<(Rc<Path>, Entry)>);

impl Folder {
    /// Adds an entry or replaces the one at its path. Directories on the way are made as needed; whatever
    /// lies below something that is no directory is left out.
    pub fn insert(&mut self, path: impl Into<Rc<Path>>, entry: Entry) {
        let path: Rc<Path> = path.into();
        // Most entries come in order, next to others of the same directory.
        let last = self.0.last().map(|(last, _)| last);
        let is_next = last.is_some_and(|last| order(last, &path).is_lt());
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(parent) = parent
            && !(is_next && last.is_some_and(|last| is_in(last, parent)))
        {
            match self.get(parent) {
                Some(Entry::Directory { .. }) => {}
                Some(_) => return,
                None => {
                    self.insert(parent, Entry::Directory { mode: 0o755 });
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
        self.0.binary_search_by(|(known, _)| order(known, path))
    }

    /// What is at a path.
    pub fn get(&self, path: &Path) -> Option<&Entry> {
        self.position(path).ok().map(|at| &self.0[at].1)
    }

    /// All entries in the order of their paths: a directory before what is in it, and what is in it
    /// without anything else in between.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (&Rc<Path>, &Entry)> {
        self.0.iter().map(|(path, entry)| (path, entry))
    }

    /// Whether a path is a directory with nothing in it.
    fn is_bare(&self, at: usize) -> bool {
        let (path, entry) = &self.0[at];
        entry.is_directory() && !self.0.get(at + 1).is_some_and(|(next, _)| next.starts_with(path))
    }

    /// The entries that do not only lead to others: files, links and empty directories.
    pub fn leaves(&self) -> impl Iterator<Item = (&Rc<Path>, &Entry)> {
        let leaf = |at: &usize| !self.0[*at].1.is_directory() || self.is_bare(*at);
        (0..self.0.len()).filter(leaf).map(|at| (&self.0[at].0, &self.0[at].1))
    }

    /// The folder with some of its leaves only, and the directories on the way to them. `keep` is asked
    /// about each leaf in order.
    pub fn with_leaves(&self, mut keep: impl FnMut(usize) -> bool) -> Self {
        let mut kept: Vec<(Rc<Path>, Entry)> = Vec::new();
        let mut on_the_way: Vec<usize> = Vec::new();
        let mut leaf = 0;
        for (at, (path, entry)) in self.0.iter().enumerate() {
            while on_the_way.last().is_some_and(|dir| !path.starts_with(&self.0[*dir].0)) {
                on_the_way.pop();
            }
            if entry.is_directory() && !self.is_bare(at) {
                on_the_way.push(at);
                continue;
            }
            if keep(leaf) {
                for dir in on_the_way.iter().map(|&dir| &self.0[dir]) {
                    let known = kept.binary_search_by(|(known, _)| order(known, &dir.0)).is_ok();
                    if !known {
                        kept.push(dir.clone());
                    }
                }
                kept.push((Rc::clone(path), entry.clone()));
            }
            leaf += 1;
        }
        Self(kept)
    }

    /// The folder with other contents in one of its files.
    pub fn with_contents(&self, path: &Path, bytes: Vec<u8>) -> Self {
        let mut changed = self.clone();
        if let Ok(at) = changed.position(path)
            && let Entry::File { contents, modified, .. } = &mut changed.0[at].1
        {
            (*contents, *modified) = (Rc::new(bytes.into()), None);
        }
        changed
    }

    /// This folder and another one. Where both have an entry, that of the other one counts.
    pub fn and(&self, other: &Self) -> Self {
        let mut all = self.clone();
        for (path, entry) in other.entries() {
            all.insert(Rc::clone(path), entry.clone());
        }
        all
    }

    /// What is at or below some places: relative to it if it is one directory, else where it is.
    pub fn among(&self, places: &[PathBuf]) -> Self {
        match places {
            [] => self.clone(),
            [place] if self.get(place).is_none_or(Entry::is_directory) => {
                let below = self.0.iter().filter_map(|(path, entry)| {
                    let path = path.strip_prefix(place).ok()?;
                    (!path.as_os_str().is_empty()).then(|| (Rc::from(path), entry.clone()))
                });
                Self(below.collect())
            }
            places => {
                let within = |path: &Path| places.iter().any(|place| path.starts_with(place));
                let leaves: Vec<bool> = self.leaves().map(|(path, _)| within(path)).collect();
                self.with_leaves(|leaf| leaves[leaf])
            }
        }
    }

    /// How many bytes all files hold.
    pub fn size(&self) -> u64 {
        self.0.iter().map(|(_, entry)| entry.size()).sum()
    }

    /// How many files and links there are.
    pub fn files(&self) -> u64 {
        self.0.iter().filter(|(_, entry)| !entry.is_directory()).count() as u64
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Shows the files one after the other, each below its name, up to about `limit` bytes.
    pub fn show(&self, limit: usize, shown: &mut Vec<u8>) {
        for (path, entry) in self.leaves() {
            if shown.len() >= limit {
                return;
            }
            shown.extend_from_slice(format!("── {}", path.display()).as_bytes());
            match (entry, entry.text()) {
                (_, Some(text)) => {
                    let left = limit.saturating_sub(shown.len());
                    shown.push(b'\n');
                    shown.extend_from_slice(&text[..text.len().min(left)]);
                    if text.last().is_some_and(|&last| last != b'\n') {
                        shown.push(b'\n');
                    }
                }
                (Entry::Link(target), None) => {
                    shown.extend_from_slice(format!(" → {}\n", target.display()).as_bytes());
                }
                (Entry::Directory { .. }, None) => shown.extend_from_slice(b"/\n"),
                (Entry::File { .. }, None) => {
                    shown.extend_from_slice(format!(" ({} bytes)\n", entry.size()).as_bytes());
                }
            }
        }
    }
}

impl<P: Into<Rc<Path>>> FromIterator<(P, Entry)> for Folder {
    fn from_iter<I: IntoIterator<Item = (P, Entry)>>(entries: I) -> Self {
        let mut list: Vec<(Rc<Path>, Entry)> =
            entries.into_iter().map(|(path, entry)| (path.into(), entry)).collect();
        list.sort_by(|(a, _), (b, _)| order(a, b));
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
            Some(dir) => (Path::new(dir).to_owned(), Entry::Directory { mode: 0o755 }),
            None => (Path::new(path).to_owned(), Entry::file(path.as_bytes().to_vec(), 0o644)),
        };
        paths.iter().map(entry).collect()
    }

    fn names(folder: &Folder) -> Vec<String> {
        folder.entries().map(|(path, _)| path.display().to_string()).collect()
    }

    #[test]
    fn directories_lead_to_what_is_in_them() {
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
        paths.sort_by(|a, b| order(Path::new(a), Path::new(b)));
        assert!(paths.is_sorted_by_key(Path::new), "{paths:?}");
    }

    #[test]
    fn what_lies_below_a_file_is_left_out() {
        let mut all = folder(&["a"]);
        all.insert(Path::new("a/b/c"), Entry::file(Vec::new(), 0o644));
        assert_eq!(names(&all), ["a"]);
    }

    #[test]
    fn contents_are_shared_and_changed_apart() {
        let all = folder(&["a", "b"]);
        let changed = all.with_contents(Path::new("a"), b"new".to_vec());
        assert_eq!(changed.get(Path::new("a")).unwrap().text(), Some(b"new".as_slice()));
        assert_eq!(all.get(Path::new("a")).unwrap().text(), Some(b"a".as_slice()));
        let contents = |folder: &Folder| match folder.get(Path::new("b")) {
            Some(Entry::File { contents, .. }) => Rc::clone(contents),
            _ => panic!("b is a file"),
        };
        assert!(Rc::ptr_eq(&contents(&all), &contents(&changed)));
        assert_eq!(all.and(&changed), changed);
    }
}
