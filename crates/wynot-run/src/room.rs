//! The private directory of a test: empty before each test, or a faithful copy of a project.

use std::collections::BTreeMap;
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Makes a directory exist and be empty, whatever a test has left in its place.
pub(crate) fn clear(dir: &Path) -> io::Result<()> {
    let is_dir = fs::symlink_metadata(dir).is_ok_and(|metadata| metadata.is_dir());
    let Some(entries) = is_dir.then(|| fs::read_dir(dir).ok()).flatten() else {
        remove(dir)?;
        return fs::create_dir_all(dir);
    };
    for entry in entries {
        let path = entry?.path();
        // Nearly always a file; what it is matters only if it cannot simply be unlinked.
        fs::remove_file(&path).or_else(|_| remove(&path))?;
    }
    Ok(())
}

/// Removes whatever is at a path, even below directories that forbid it.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let attempt = || match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    };
    attempt().or_else(|_| {
        permit(path);
        attempt()
    })
}

/// Opens up directories that a test has closed.
fn permit(path: &Path) {
    let mut pending = vec![path.to_owned()];
    while let Some(dir) = pending.pop() {
        let is_dir = fs::symlink_metadata(&dir).is_ok_and(|metadata| metadata.is_dir());
        if is_dir && fs::set_permissions(&dir, Permissions::from_mode(0o700)).is_ok() {
            let entries = fs::read_dir(&dir).into_iter().flatten().flatten();
            pending.extend(entries.map(|entry| entry.path()));
        }
    }
}

/// A copy of a directory that is brought back to its first state after each test.
pub(crate) struct Copy {
    source: PathBuf,
    target: PathBuf,
    /// What each path of the copy looked like when it was made.
    made: BTreeMap<PathBuf, Mark>,
}

/// Enough to notice that a file was written to, replaced or changed in mode.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    mode: u32,
    size: u64,
    inode: u64,
    changed: (i64, i64),
}

impl Mark {
    fn of(metadata: &Metadata) -> Self {
        // The size and times of a directory change with its entries, which are looked at themselves.
        if metadata.is_dir() {
            return Self { mode: metadata.mode(), size: 0, inode: 0, changed: (0, 0) };
        }
        Self {
            mode: metadata.mode(),
            size: metadata.size(),
            inode: metadata.ino(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

impl Copy {
    /// Copies `source` to `target`.
    pub(crate) fn new(source: &Path, target: &Path) -> io::Result<Self> {
        clear(target)?;
        let mut copy =
            Self { source: source.to_owned(), target: target.to_owned(), made: BTreeMap::new() };
        for path in tree(source)? {
            copy.make(&path)?;
        }
        Ok(copy)
    }

    /// Undoes what a test has changed.
    pub(crate) fn restore(&mut self) -> io::Result<()> {
        if !self.target.is_dir() || self.target.is_symlink() {
            remove(&self.target)?;
            fs::create_dir_all(&self.target)?;
        }
        permit_if_closed(&self.target)?;
        for path in tree(&self.target)? {
            if !self.made.contains_key(&path) {
                remove(&self.target.join(&path))?;
            }
        }
        let paths: Vec<PathBuf> = self.made.keys().cloned().collect();
        for path in paths {
            let now = fs::symlink_metadata(self.target.join(&path)).ok().map(|m| Mark::of(&m));
            if now != self.made.get(&path).copied() {
                let is_dir = self.source.join(&path).is_dir();
                if !(is_dir && self.target.join(&path).is_dir()) {
                    remove(&self.target.join(&path))?;
                }
                self.make(&path)?;
            }
        }
        Ok(())
    }

    /// Copies one path, whose parent exists.
    fn make(&mut self, path: &Path) -> io::Result<()> {
        let (from, to) = (self.source.join(path), self.target.join(path));
        let metadata = fs::symlink_metadata(&from)?;
        if metadata.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else if metadata.is_dir() {
            if !to.is_dir() {
                fs::create_dir(&to)?;
            }
            fs::set_permissions(&to, metadata.permissions())?;
        } else if metadata.is_file() {
            fs::copy(&from, &to)?;
        } else {
            return Ok(()); // Sockets, pipes and devices are not part of a project.
        }
        self.made.insert(path.to_owned(), Mark::of(&fs::symlink_metadata(&to)?));
        Ok(())
    }
}

fn permit_if_closed(dir: &Path) -> io::Result<()> {
    match fs::read_dir(dir) {
        Ok(_) => Ok(()),
        Err(_) => fs::set_permissions(dir, Permissions::from_mode(0o700)),
    }
}

/// All paths below a directory, relative to it, parents before children.
fn tree(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![PathBuf::new()];
    while let Some(dir) = pending.pop() {
        permit_if_closed(&root.join(&dir))?;
        for entry in fs::read_dir(root.join(&dir))? {
            let entry = entry?;
            let path = dir.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                pending.push(path.clone());
            }
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearing_removes_closed_directories_and_replaces_files() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("room");
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
    fn a_copy_is_brought_back_after_changes() {
        let scratch = tempfile::tempdir().unwrap();
        let (source, target) = (scratch.path().join("source"), scratch.path().join("target"));
        fs::create_dir_all(source.join("src/deep")).unwrap();
        fs::write(source.join("src/main.c"), "int main;").unwrap();
        fs::write(source.join("run.sh"), "#!/bin/sh").unwrap();
        fs::set_permissions(source.join("run.sh"), Permissions::from_mode(0o755)).unwrap();
        symlink("src/main.c", source.join("link")).unwrap();
        let mut copy = Copy::new(&source, &target).unwrap();

        fs::write(target.join("src/main.c"), "int MAIN;").unwrap();
        fs::remove_dir(target.join("src/deep")).unwrap();
        fs::write(target.join("new.o"), "object").unwrap();
        fs::remove_file(target.join("link")).unwrap();
        fs::create_dir(target.join("link")).unwrap();
        fs::set_permissions(target.join("run.sh"), Permissions::from_mode(0o600)).unwrap();
        copy.restore().unwrap();

        assert_eq!(fs::read_to_string(target.join("src/main.c")).unwrap(), "int main;");
        assert!(target.join("src/deep").is_dir());
        assert!(!target.join("new.o").exists());
        assert_eq!(fs::read_link(target.join("link")).unwrap(), Path::new("src/main.c"));
        let mode = fs::metadata(target.join("run.sh")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);

        fs::remove_dir_all(&target).unwrap();
        copy.restore().unwrap();
        assert!(target.join("src/deep").is_dir());
    }
}
