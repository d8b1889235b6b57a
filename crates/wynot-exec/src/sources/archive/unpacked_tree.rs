//! The entries of an archive as they come, each checked.

use super::{ArchiveError, ArchiveLimits};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use wynot_subjects::{Folder, FolderEntry};

/// The permission bits that entries keep: the others are taken away, as by the usual umask.
const KEPT_MODE: u32 = 0o755;

/// The longest name of a file that Linux allows.
const MAX_NAME_BYTES: usize = 255;

/// The longest path that is accepted. Linux allows 4,096 bytes, and the directory of a test is part of them.
const MAX_PATH_BYTES: usize = 3072;

/// The number of links on the way to a file after which Linux gives up.
const MAX_LINKS: usize = 40;

/// The entries of an archive so far.
#[derive(Debug)]
pub(super) struct UnpackedTree {
    limits: ArchiveLimits,
    /// The bytes of all entries so far.
    bytes: u64,
    /// The number of entries so far, including those that later ones have replaced.
    count: usize,
    entries: BTreeMap<PathBuf, FolderEntry>,
}

impl UnpackedTree {
    pub(super) fn new(limits: ArchiveLimits) -> Self {
        Self { limits, bytes: 0, count: 0, entries: BTreeMap::new() }
    }

    /// Adds a directory.
    pub(super) fn add_directory(&mut self, name: &[u8], mode: u32) -> Result<(), ArchiveError> {
        let path = self.path_of(name)?;
        if path.as_os_str().is_empty() {
            return Ok(());
        }
        self.insert(name, path, FolderEntry::Directory { mode: mode & KEPT_MODE | 0o700 })
    }

    /// Adds a file of `size` bytes, as the archive says.
    pub(super) fn add_file(
        &mut self,
        name: &[u8],
        contents: &mut dyn Read,
        size: u64,
        mode: u32,
        modified: Option<SystemTime>,
    ) -> Result<(), ArchiveError> {
        let path = self.path_of(name)?;
        self.count_bytes(size)?;
        let mut bytes = Vec::new();
        // One byte more reveals contents that are longer than announced.
        let read = contents.take(size.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| ArchiveError::Damaged(format!("{}: {error}", shown(name))))?;
        if bytes.len() as u64 != size {
            let lengths = format!("{} has {} of {size} bytes", shown(name), bytes.len());
            return Err(ArchiveError::Damaged(lengths));
        }
        let (contents, mode) = (Arc::new(bytes.into()), mode & KEPT_MODE);
        self.insert(name, path, FolderEntry::File { contents, mode, modified })
    }

    /// Adds a symbolic link.
    pub(super) fn add_link(&mut self, name: &[u8], target: &[u8]) -> Result<(), ArchiveError> {
        let path = self.path_of(name)?;
        self.count_bytes(target.len() as u64)?;
        if target.is_empty() || target.contains(&0) || target.len() > MAX_PATH_BYTES {
            return Err(refused(name, "is a link to nothing that can exist"));
        }
        let target = PathBuf::from(OsStr::from_bytes(target));
        self.insert(name, path, FolderEntry::Link(target))
    }

    /// Adds another name of an earlier entry.
    pub(super) fn add_hard_link(&mut self, name: &[u8], target: &[u8]) -> Result<(), ArchiveError> {
        let path = self.path_of(name)?;
        let entry = self.path_of(target).ok().and_then(|target| self.entries.get(&target));
        match entry.filter(|entry| !entry.is_directory()).cloned() {
            Some(entry) => {
                self.count_bytes(entry.size())?;
                self.insert(name, path, entry)
            }
            None => {
                let target = shown(target);
                let problem = format!("is another name of {target}, which is no file before it");
                Err(refused(name, problem))
            }
        }
    }

    /// Counts bytes that an entry adds.
    fn count_bytes(&mut self, more: u64) -> Result<(), ArchiveError> {
        self.bytes = self.bytes.saturating_add(more);
        match self.bytes > self.limits.bytes {
            true => Err(ArchiveError::TooManyBytes(self.limits.bytes)),
            false => Ok(()),
        }
    }

    /// The path of an entry within the archive; empty for the archive itself.
    fn path_of(&self, name: &[u8]) -> Result<PathBuf, ArchiveError> {
        let mut path = PathBuf::new();
        for component in Path::new(OsStr::from_bytes(name)).components() {
            match component {
                Component::Normal(part) if part.len() <= MAX_NAME_BYTES => path.push(part),
                Component::Normal(_) => return Err(refused(name, "has too long a name")),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) | Component::ParentDir => {
                    return Err(refused(name, "lies outside of the archive"));
                }
            }
        }
        match path.as_os_str().as_bytes() {
            path if path.contains(&0) => Err(refused(name, "has a name that cannot exist")),
            path if path.len() > MAX_PATH_BYTES => Err(refused(name, "has too long a name")),
            _ => Ok(path),
        }
    }

    /// Inserts an entry. It replaces an earlier one with the same name, as in archives to which files were appended.
    fn insert(
        &mut self,
        name: &[u8],
        path: PathBuf,
        entry: FolderEntry,
    ) -> Result<(), ArchiveError> {
        if path.as_os_str().is_empty() {
            return Err(refused(name, "is no name of a file"));
        }
        self.count += 1;
        for dir in path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty()) {
            match self.entries.get(dir) {
                Some(FolderEntry::Directory { .. }) => break,
                Some(_) => {
                    let problem = format!("lies below {}, which is no directory", dir.display());
                    return Err(refused(name, problem));
                }
                None => {
                    self.count += 1;
                    let entry = FolderEntry::Directory { mode: KEPT_MODE };
                    self.entries.insert(dir.to_owned(), entry);
                }
            }
        }
        if self.count > self.limits.entries {
            return Err(ArchiveError::TooManyEntries(self.limits.entries));
        }
        match self.entries.entry(path) {
            Entry::Occupied(known) if known.get().is_directory() != entry.is_directory() => {
                return Err(refused(name, "is a directory and something else"));
            }
            Entry::Occupied(mut known) => _ = known.insert(entry),
            Entry::Vacant(place) => _ = place.insert(entry),
        }
        Ok(())
    }

    /// The folder of all entries, without a single top-level directory. Its links must stay within it.
    pub(super) fn into_folder(self) -> Result<Folder, ArchiveError> {
        let mut top_level = self.entries.iter().filter(|(path, _)| path.components().count() == 1);
        let root = match (top_level.next(), top_level.next()) {
            (Some((root, FolderEntry::Directory { .. })), None) => root.clone(),
            _ => PathBuf::new(),
        };
        let below = self.entries.into_iter().filter_map(|(path, entry)| {
            let path = path.strip_prefix(&root).ok()?.to_owned();
            (!path.as_os_str().is_empty()).then_some((path, entry))
        });
        let folder: Folder = below.collect();
        for (path, entry) in folder.entries() {
            if let FolderEntry::Link(target) = entry
                && leads_outside(&folder, path, target)
            {
                let problem = format!("is a link to {}, outside of the archive", target.display());
                return Err(ArchiveError::Entry { name: root.join(path), problem });
            }
        }
        Ok(folder)
    }
}

/// Whether a link leads out of a folder, perhaps by way of other links.
fn leads_outside(folder: &Folder, link: &Path, target: &Path) -> bool {
    let mut at = link.parent().map(Path::to_owned).unwrap_or_default();
    let mut rest: Vec<Component> = target.components().rev().collect();
    let mut links = 0;
    while let Some(component) = rest.pop() {
        match component {
            Component::RootDir | Component::Prefix(_) => return true,
            Component::CurDir => {}
            Component::ParentDir if at.pop() => {}
            Component::ParentDir => return true,
            Component::Normal(name) => at.push(name),
        }
        if let Some(FolderEntry::Link(target)) = folder.get(&at) {
            links += 1;
            if links > MAX_LINKS {
                return false;
            }
            at.pop();
            rest.extend(target.components().rev());
        }
    }
    false
}

/// The error of an entry.
pub(super) fn refused(name: &[u8], problem: impl Into<String>) -> ArchiveError {
    let name = PathBuf::from(std::ffi::OsString::from_vec(name.to_vec()));
    ArchiveError::Entry { name, problem: problem.into() }
}

/// The name of an entry for a message.
pub(super) fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}
