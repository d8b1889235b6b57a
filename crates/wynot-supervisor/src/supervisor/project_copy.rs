//! A copy of a project directory that is restored after each test.

use crate::{Mark, clear, is_dir, open_up, remove};
use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

/// A copy of a directory that is restored to its original state after each test.
pub(crate) struct ProjectCopy {
    source: PathBuf,
    target: PathBuf,
    /// The mark of each path at the time when it was copied.
    marks: BTreeMap<PathBuf, Mark>,
}

impl ProjectCopy {
    /// Copies `source` to `target`.
    pub(crate) fn new(source: &Path, target: &Path) -> io::Result<Self> {
        clear(target)?;
        let mut copy =
            Self { source: source.to_owned(), target: target.to_owned(), marks: BTreeMap::new() };
        let paths = list_tree(source)?;
        for path in &paths {
            copy.copy_path(path)?;
        }
        copy.set_directory_modes(&paths)?;
        Ok(copy)
    }

    /// Undoes the changes of a test. Links that the test has created are never followed.
    pub(crate) fn restore(&mut self) -> io::Result<()> {
        if !is_dir(&self.target) {
            remove(&self.target)?;
            fs::create_dir_all(&self.target)?;
        }
        let mut pending = vec![PathBuf::new()];
        while let Some(dir) = pending.pop() {
            let directory = self.target.join(&dir);
            open_up(&directory)?;
            for entry in fs::read_dir(&directory)? {
                let path = dir.join(entry?.file_name());
                if !self.marks.contains_key(&path) {
                    remove(&self.target.join(&path))?;
                } else if is_dir(&self.target.join(&path)) {
                    pending.push(path);
                }
            }
        }
        // Parents come first, so the directories on the way to a path are already correct.
        let paths: Vec<PathBuf> = self.marks.keys().cloned().collect();
        for path in &paths {
            let target = self.target.join(path);
            let now = fs::symlink_metadata(&target).ok();
            if now.as_ref().map(Mark::of) != self.marks.get(path).copied() {
                let stays_directory =
                    now.is_some_and(|now| now.is_dir()) && is_dir(&self.source.join(path));
                if !stays_directory {
                    remove(&target)?;
                }
                self.copy_path(path)?;
            }
        }
        self.set_directory_modes(&paths)
    }

    /// Copies one path, whose parent exists.
    fn copy_path(&mut self, path: &Path) -> io::Result<()> {
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
            // The copy keeps its time and is older than any variant, because tools such as make compare times.
            let times = FileTimes::new().set_modified(metadata.modified()?);
            File::open(&to)?.set_times(times)?;
        } else {
            return Ok(()); // Sockets, pipes and devices are not part of a project.
        }
        self.marks.insert(path.to_owned(), Mark::of(&fs::symlink_metadata(&to)?));
        Ok(())
    }

    /// Gives directories their modes, after all their entries have been written.
    fn set_directory_modes(&mut self, paths: &[PathBuf]) -> io::Result<()> {
        for path in paths.iter().rev() {
            let (from, to) = (self.source.join(path), self.target.join(path));
            let metadata = fs::symlink_metadata(&from)?;
            if metadata.is_dir() {
                let now = fs::symlink_metadata(&to)?;
                if now.mode() != metadata.mode() {
                    fs::set_permissions(&to, metadata.permissions())?;
                }
                self.marks.insert(path.clone(), Mark::of(&metadata));
            }
        }
        Ok(())
    }
}

/// Lists all paths below a directory, relative to it, parents before children.
fn list_tree(root: &Path) -> io::Result<Vec<PathBuf>> {
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
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_changed_copy_is_restored() {
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
        let mut copy = ProjectCopy::new(&source, &target).unwrap();
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
