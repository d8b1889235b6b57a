//! The products of a build, as distinguished from the files that a test leaves.
//!
//! Builds are slow, so their products are kept for the next build. The files that a test leaves must be removed,
//! because outcomes must not depend on earlier tests. A snapshot between build and test separates the two.

use crate::{Mark, remove};
use rustix::time::{ClockId, clock_gettime};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A time of the clock that stamps files, as seconds and nanoseconds.
pub(crate) type FileTime = (i64, i64);

/// The current time of that clock.
pub(crate) fn now() -> FileTime {
    let now = clock_gettime(ClockId::RealtimeCoarse);
    (now.tv_sec, now.tv_nsec)
}

/// A snapshot of a directory at the end of its build.
#[derive(Debug)]
pub(crate) struct BuildProducts(HashMap<OsString, Mark>);

impl BuildProducts {
    /// Takes a snapshot of a directory.
    pub(crate) fn of(root: &Path) -> io::Result<Self> {
        let mut found = HashMap::new();
        let mut newest = (0, 0);
        walk(root, |path, mark| {
            newest = newest.max(mark.changed());
            found.insert(path.into_os_string(), mark);
            Ok(true)
        })?;
        // A write within the same tick of the clock would not change the mark, so wait for the next tick.
        while newest >= now() && newest.0 <= now().0 + 1 {
            std::thread::sleep(Duration::from_micros(500));
        }
        Ok(Self(found))
    }

    /// Removes the files that are newer than the snapshot. Returns the other paths that were changed or removed since.
    pub(crate) fn remove_new_files(mut self, root: &Path) -> io::Result<Vec<PathBuf>> {
        let mut changed = Vec::new();
        walk(root, |path, mark| match self.0.remove(path.as_os_str()) {
            Some(known) => {
                if known != mark {
                    changed.push(path);
                }
                Ok(true)
            }
            None => remove(&root.join(path)).map(|()| false),
        })?;
        changed.extend(self.0.into_keys().map(PathBuf::from));
        Ok(changed)
    }
}

/// Removes the files that were changed since a time, and returns their paths. A build that was killed leaves incomplete
/// ones.
pub(crate) fn remove_changed_since(root: &Path, since: FileTime) -> io::Result<Vec<PathBuf>> {
    let mut removed = Vec::new();
    walk(root, |path, mark| match mark.changed() >= since {
        true => {
            remove(&root.join(&path))?;
            removed.push(path);
            Ok(false)
        }
        false => Ok(true),
    })?;
    Ok(removed)
}

/// Visits everything below a directory, except the contents of unreadable directories and of directories for which
/// `visit` returns `false`.
fn walk(root: &Path, mut visit: impl FnMut(PathBuf, Mark) -> io::Result<bool>) -> io::Result<()> {
    let mut pending = vec![PathBuf::new()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(root.join(&dir)).into_iter().flatten().flatten() {
            let path = dir.join(entry.file_name());
            let metadata = entry.metadata()?;
            if visit(path.clone(), Mark::of(&metadata))? && metadata.is_dir() {
                pending.push(path);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_files_of_a_test_are_removed_and_changed_ones_reported() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir(root.join("out")).unwrap();
        for file in ["out/a.o", "out/b.o", "c.c"] {
            fs::write(root.join(file), "1").unwrap();
        }
        let products = BuildProducts::of(root).unwrap();
        fs::write(root.join("out/a.o"), "2").unwrap();
        fs::remove_file(root.join("c.c")).unwrap();
        fs::create_dir(root.join("cache")).unwrap();
        fs::write(root.join("cache/x"), "left").unwrap();
        fs::write(root.join("out/log"), "left").unwrap();
        let mut changed = products.remove_new_files(root).unwrap();
        changed.sort();
        assert_eq!(changed, [Path::new("c.c"), Path::new("out/a.o")]);
        assert!(!root.join("cache").exists() && !root.join("out/log").exists());
        assert!(root.join("out/b.o").exists());
    }

    #[test]
    fn the_files_of_a_killed_build_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir(root.join("out")).unwrap();
        fs::write(root.join("out/old.o"), "complete").unwrap();
        BuildProducts::of(root).unwrap();
        let since = now();
        fs::write(root.join("out/new.o"), "ha").unwrap();
        let removed = remove_changed_since(root, since).unwrap();
        assert!(removed.contains(&PathBuf::from("out/new.o")) || removed.contains(&"out".into()));
        assert!(root.join("out/old.o").exists() && !root.join("out/new.o").exists());
    }
}
