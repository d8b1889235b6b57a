//! Emptying and removing trees of files, and detecting changes in them, whatever permissions a test has set.

use super::remove_tree::remove_tree;
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Makes a directory exist and be empty, whatever a test has left at its path.
pub fn clear(dir: &Path) -> io::Result<()> {
    if !is_dir(dir) {
        remove(dir)?;
        return fs::create_dir_all(dir);
    }
    open_up(dir)?;
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        // Most entries are files; `remove` handles the others.
        fs::remove_file(&path).or_else(|_| remove(&path))?;
    }
    Ok(())
}

/// Whether a path is a directory itself, not a link to one.
pub fn is_dir(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Gives the owner of a directory all permissions on it, if a test has withdrawn some.
pub fn open_up(dir: &Path) -> io::Result<()> {
    match fs::symlink_metadata(dir)?.permissions().mode() & 0o700 {
        0o700 => Ok(()),
        _ => fs::set_permissions(dir, Permissions::from_mode(0o700)),
    }
}

/// Removes a file or tree, even below directories without write permission, and however deep it is.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => remove_tree(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// The metadata that reveals whether a file was written, replaced or changed in mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    mode: u32,
    size: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Mark {
    /// The mark of a file or directory.
    pub fn of(metadata: &Metadata) -> Self {
        // The size and times of a directory change with its entries, which have marks of their own.
        if metadata.is_dir() {
            let never = (0, 0);
            let mode = metadata.mode();
            return Self { mode, size: 0, inode: 0, modified: never, changed: never };
        }
        Self {
            mode: metadata.mode(),
            size: metadata.size(),
            inode: metadata.ino(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// The status change time as seconds and nanoseconds; zero for a directory.
    pub fn changed(&self) -> (i64, i64) {
        self.changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearing_removes_unreadable_directories_and_replaces_files() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("tree");
        fs::create_dir_all(dir.join("a/b")).unwrap();
        fs::write(dir.join("a/b/c"), "x").unwrap();
        fs::set_permissions(dir.join("a"), Permissions::from_mode(0o000)).unwrap();
        clear(&dir).unwrap();
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
        fs::remove_dir(&dir).unwrap();
        fs::write(&dir, "a file in its place").unwrap();
        clear(&dir).unwrap();
        assert!(dir.is_dir());
    }

    #[test]
    fn trees_that_no_path_reaches_are_removed() {
        use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
        const LEVELS: usize = 3000;
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("tree");
        fs::create_dir(&dir).unwrap();
        let flags = OFlags::DIRECTORY | OFlags::RDONLY;
        let mut at = openat(CWD, &dir, flags, Mode::empty()).unwrap();
        let mut opened = Vec::new();
        for _ in 0..LEVELS {
            mkdirat(&at, "level", Mode::RWXU).unwrap();
            mkdirat(&at, "empty", Mode::empty()).unwrap();
            std::os::unix::fs::symlink("level", scratch.path().join("link")).unwrap();
            rustix::fs::renameat(CWD, scratch.path().join("link"), &at, "link").unwrap();
            let below = openat(&at, "level", flags, Mode::empty()).unwrap();
            // Not at once: a directory without permissions could not be entered by an ordinary user.
            opened.push(at);
            at = below;
            if opened.len() == 100 {
                for directory in opened.drain(..) {
                    rustix::fs::fchmod(&directory, Mode::empty()).unwrap();
                }
            }
        }
        drop(at);
        remove(&dir).unwrap();
        assert!(!dir.exists());
        remove(&dir).unwrap();
    }
}
