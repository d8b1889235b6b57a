//! The private directory of a test: empty before each test, or a faithful copy of a project.

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Makes a directory exist and be empty, whatever a test has left in its place.
pub(crate) fn clear(dir: &Path) -> io::Result<()> {
    if !is_dir(dir) {
        remove(dir)?;
        return fs::create_dir_all(dir);
    }
    open_up(dir)?;
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        // Nearly always a file; what it is matters only if it cannot simply be unlinked.
        fs::remove_file(&path).or_else(|_| remove(&path))?;
    }
    Ok(())
}

/// Whether a path is a directory itself, not a link to one.
pub(crate) fn is_dir(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Lets its owner do everything in a directory, if a test has taken that away.
pub(crate) fn open_up(dir: &Path) -> io::Result<()> {
    match fs::symlink_metadata(dir)?.permissions().mode() & 0o700 {
        0o700 => Ok(()),
        _ => fs::set_permissions(dir, Permissions::from_mode(0o700)),
    }
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
        let mut pending = vec![path.to_owned()];
        while let Some(dir) = pending.pop() {
            if is_dir(&dir) {
                open_up(&dir)?;
                let entries = fs::read_dir(&dir)?.flatten();
                pending.extend(entries.map(|entry| entry.path()));
            }
        }
        attempt()
    })
}

/// A copy of a directory that is brought back to its first state after each test.
pub(crate) struct Copy {
    source: PathBuf,
    target: PathBuf,
    /// What each path of the copy looked like when it was made.
    made: BTreeMap<PathBuf, Mark>,
}

/// Enough to notice that a file was written to, replaced or changed in mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    mode: u32,
    size: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Mark {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        // The size and times of a directory change with its entries, which are looked at themselves.
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

    /// When anything about it was changed last; of a directory nothing is known.
    pub(crate) fn changed(&self) -> (i64, i64) {
        self.changed
    }
}

impl Copy {
    /// Copies `source` to `target`.
    pub(crate) fn new(source: &Path, target: &Path) -> io::Result<Self> {
        clear(target)?;
        let mut copy =
            Self { source: source.to_owned(), target: target.to_owned(), made: BTreeMap::new() };
        let paths = tree(source)?;
        for path in &paths {
            copy.make(path)?;
        }
        copy.close_directories(&paths)?;
        Ok(copy)
    }

    /// Undoes what a test has changed. Links that the test has made are never followed.
    pub(crate) fn restore(&mut self) -> io::Result<()> {
        if !is_dir(&self.target) {
            remove(&self.target)?;
            fs::create_dir_all(&self.target)?;
        }
        let mut pending = vec![PathBuf::new()];
        while let Some(dir) = pending.pop() {
            let here = self.target.join(&dir);
            open_up(&here)?;
            for entry in fs::read_dir(&here)? {
                let path = dir.join(entry?.file_name());
                if !self.made.contains_key(&path) {
                    remove(&self.target.join(&path))?;
                } else if is_dir(&self.target.join(&path)) {
                    pending.push(path);
                }
            }
        }
        // Parents come first, so what a path leads through has been put right before.
        let paths: Vec<PathBuf> = self.made.keys().cloned().collect();
        for path in &paths {
            let there = self.target.join(path);
            let now = fs::symlink_metadata(&there).ok();
            if now.as_ref().map(Mark::of) != self.made.get(path).copied() {
                let stays_dir =
                    now.is_some_and(|now| now.is_dir()) && is_dir(&self.source.join(path));
                if !stays_dir {
                    remove(&there)?;
                }
                self.make(path)?;
            }
        }
        self.close_directories(&paths)
    }

    /// Copies one path, whose parent exists.
    fn make(&mut self, path: &Path) -> io::Result<()> {
        let (from, to) = (self.source.join(path), self.target.join(path));
        let metadata = fs::symlink_metadata(&from)?;
        if metadata.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else if metadata.is_dir() {
            if !is_dir(&to) {
                fs::create_dir(&to)?;
            }
        } else if metadata.is_file() {
            fs::copy(&from, &to)?;
            // Older than any variant: tools such as make compare times.
            let times = FileTimes::new().set_modified(metadata.modified()?);
            File::open(&to)?.set_times(times)?;
        } else {
            return Ok(()); // Sockets, pipes and devices are not part of a project.
        }
        self.made.insert(path.to_owned(), Mark::of(&fs::symlink_metadata(&to)?));
        Ok(())
    }

    /// Gives directories their modes, when all that belongs into them is there.
    fn close_directories(&mut self, paths: &[PathBuf]) -> io::Result<()> {
        for path in paths.iter().rev() {
            let (from, to) = (self.source.join(path), self.target.join(path));
            let metadata = fs::symlink_metadata(&from)?;
            if metadata.is_dir() {
                let now = fs::symlink_metadata(&to)?;
                if now.mode() != metadata.mode() {
                    fs::set_permissions(&to, metadata.permissions())?;
                }
                self.made.insert(path.clone(), Mark::of(&metadata));
            }
        }
        Ok(())
    }
}

/// All paths below a directory, relative to it, parents before children.
fn tree(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![PathBuf::new()];
    while let Some(dir) = pending.pop() {
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
        let long_ago =
            std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        File::open(source.join("run.sh")).unwrap().set_modified(long_ago).unwrap();
        fs::create_dir(source.join("closed")).unwrap();
        fs::set_permissions(source.join("closed"), Permissions::from_mode(0o555)).unwrap();
        let mut copy = Copy::new(&source, &target).unwrap();
        let age = |path: PathBuf| fs::metadata(path).unwrap().modified().unwrap();
        assert_eq!(age(target.join("run.sh")), long_ago);
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(target.join("closed")), 0o555);

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

        // A link in the place of a directory leads out of the copy and must not be followed.
        fs::remove_dir_all(target.join("src")).unwrap();
        symlink(source.join("src"), target.join("src")).unwrap();
        copy.restore().unwrap();
        assert!(is_dir(&target.join("src")));
        assert_eq!(fs::read_to_string(source.join("src/main.c")).unwrap(), "int main;");
        assert_eq!(fs::read_to_string(target.join("src/main.c")).unwrap(), "int main;");
    }
}
