//! The best results so far, always complete.

use crate::checkout::write_folder;
use crate::room::remove;
use crate::{Side, Stop};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use wynot_subjects::{Folder, Variant};

/// Writes the sides of a search to their files or directories. Each write replaces what is there in one
/// step, so whoever looks, whenever, sees a complete variant.
#[derive(Debug)]
pub struct Keeper {
    /// Where the failing side goes; nothing is written if that is nowhere.
    pub failing: PathBuf,
    /// Where the passing side goes, if anyone wants it.
    pub passing: Option<PathBuf>,
    /// The permission bits of the files.
    pub mode: u32,
    /// Which places of a folder vary and are written: if it is one, what is below it.
    pub places: Vec<PathBuf>,
    /// Sets the files that are being written apart from those of other sessions.
    pub tag: String,
}

impl Keeper {
    fn path(&self, side: Side) -> Option<&PathBuf> {
        match side {
            Side::Failing => Some(&self.failing),
            Side::Passing => self.passing.as_ref(),
        }
        .filter(|path| !path.as_os_str().is_empty())
    }

    /// Writes a side.
    pub fn save(&self, side: Side, variant: &Variant) -> Result<(), Stop> {
        let Some(path) = self.path(side) else { return Ok(()) };
        let written = match variant {
            Variant::Bytes(bytes) => write_whole(path, bytes, self.mode, &self.tag),
            Variant::Folder(folder) => {
                write_whole_folder(path, &folder.select(&self.places), &self.tag)
            }
            Variant::Words(words) => write_whole(path, &ended(words, b'\n'), self.mode, &self.tag),
            Variant::Environment(variables) => {
                write_whole(path, &ended(variables, 0), self.mode, &self.tag)
            }
        };
        written.map_err(|source| Stop::Write { path: path.clone(), source })
    }

    /// Writes a failing side that is smaller, or a passing side that is larger, than what is there.
    pub fn save_if_better(&self, side: Side, variant: &Variant) -> Result<(), Stop> {
        let size = match variant {
            Variant::Folder(folder) => folder.select(&self.places).size(),
            other => other.size(),
        };
        let better = match (self.size(side), side) {
            (None, _) => true,
            (Some(there), Side::Failing) => size < there,
            (Some(there), Side::Passing) => size > there,
        };
        if better { self.save(side, variant) } else { Ok(()) }
    }

    /// The size of what has been written of a side.
    pub fn size(&self, side: Side) -> Option<u64> {
        let path = self.path(side)?;
        let metadata = fs::symlink_metadata(path).ok()?;
        Some(if metadata.is_dir() { size_of_tree(path) } else { metadata.len() })
    }
}

/// Words or variables, each with an end.
fn ended(list: &[Vec<u8>], end: u8) -> Vec<u8> {
    list.iter().flat_map(|word| word.iter().copied().chain([end])).collect()
}

/// How many bytes the files and links below a directory have.
pub(crate) fn size_of_tree(root: &Path) -> u64 {
    let mut size = 0;
    let mut pending = vec![root.to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => pending.push(entry.path()),
                Ok(metadata) => size += metadata.len(),
                Err(_) => {}
            }
        }
    }
    size
}

/// The name under which something is written before it takes its place.
fn part_of(path: &Path, tag: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{tag}.part"));
    path.with_file_name(name)
}

/// Puts a new directory in the place of an old one in one step.
pub fn write_whole_folder(path: &Path, folder: &Folder, tag: &str) -> io::Result<()> {
    let part = part_of(path, tag);
    remove(&part)?;
    let written = write_folder(&part, folder).and_then(|()| {
        if fs::symlink_metadata(path).is_err() {
            return fs::rename(&part, path);
        }
        match renameat_with(CWD, &part, CWD, path, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(()),
            // Few file systems cannot exchange; there is a moment without the old and the new one then.
            Err(Errno::INVAL | Errno::NOSYS) => {
                let old = part_of(path, &format!("{tag}.old"));
                remove(&old)?;
                fs::rename(path, &old)?;
                fs::rename(&part, path)?;
                remove(&old)
            }
            Err(error) => Err(error.into()),
        }
    });
    // The old directory, or what was written of the new one; the first error is the one to report.
    let removed = remove(&part);
    written.and(removed)
}

/// Puts a new file in the place of an old one in one step.
pub fn write_whole(path: &Path, bytes: &[u8], mode: u32, tag: &str) -> io::Result<()> {
    let part = part_of(path, tag);
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(mode)
        .open(&part)
        .and_then(|mut file| {
            // Whatever the mask: the mode is one of the things that tests can see.
            file.set_permissions(Permissions::from_mode(mode))?;
            file.write_all(bytes)
        })
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The first error is the one to report; the part may not even exist.
        let _ = fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use wynot_subjects::FolderEntry;

    #[test]
    fn results_are_replaced_and_leave_no_parts() {
        let dir = tempfile::tempdir().unwrap();
        let keeper = Keeper {
            failing: dir.path().join("x.min.c"),
            passing: None,
            mode: 0o644,
            places: Vec::new(),
            tag: "t".into(),
        };
        let save = |side, text: &[u8]| keeper.save(side, &Variant::Bytes(text.to_vec())).unwrap();
        save(Side::Failing, b"long");
        save(Side::Failing, b"s");
        save(Side::Passing, b"nobody asked");
        assert_eq!(fs::read(dir.path().join("x.min.c")).unwrap(), b"s");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_place_that_does_not_exist_is_named() {
        let keeper = Keeper {
            failing: "/nonexistent/x.min".into(),
            passing: None,
            mode: 0o644,
            places: Vec::new(),
            tag: "t".into(),
        };
        let error = keeper.save(Side::Failing, &Variant::Bytes(b"x".to_vec())).unwrap_err();
        assert_eq!(error.to_string(), "cannot write /nonexistent/x.min: no such file or directory");
    }

    #[test]
    fn directories_are_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let entry =
            |path: &str| (PathBuf::from(path), FolderEntry::file(path.as_bytes().to_vec(), 0o644));
        let keeper = Keeper {
            failing: dir.path().join("p.min"),
            passing: None,
            mode: 0o644,
            places: vec!["p".into()],
            tag: "t".into(),
        };
        for files in [["p/a", "p/b/c", "other"].as_slice(), &["p/b/c"]] {
            let folder: Folder = files.iter().map(|path| entry(path)).collect();
            keeper.save(Side::Failing, &Variant::Folder(folder)).unwrap();
        }
        assert_eq!(fs::read(dir.path().join("p.min/b/c")).unwrap(), b"p/b/c");
        assert!(!dir.path().join("p.min/a").exists() && !dir.path().join("p.min/other").exists());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no parts are left");
        assert_eq!(keeper.size(Side::Failing), Some(5));
    }
}
