//! What a build has made, told from what a test leaves beside it.
//!
//! Builds are slow, so what they make stays for the next one. What a test leaves must not: with it, an outcome
//! would depend on the tests before it. So the directory is looked at between the build and the test.

use rustix::time::{ClockId, clock_gettime};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wynot_session::files::{Mark, remove};

/// A moment on the clock that files are stamped by.
pub(crate) type Moment = (i64, i64);

/// Now, by that clock.
pub(crate) fn now() -> Moment {
    let now = clock_gettime(ClockId::RealtimeCoarse);
    (now.tv_sec, now.tv_nsec)
}

/// All that is in a directory when its build has ended.
#[derive(Debug)]
pub(crate) struct BuildProducts(HashMap<OsString, Mark>);

impl BuildProducts {
    /// Looks at a directory.
    pub(crate) fn of(root: &Path) -> io::Result<Self> {
        let mut found = HashMap::new();
        let mut newest = (0, 0);
        walk(root, |path, mark| {
            newest = newest.max(mark.changed());
            found.insert(path.into_os_string(), mark);
            Ok(true)
        })?;
        // What is written to within one tick of the clock cannot be told from what it was.
        while newest >= now() && newest.0 <= now().0 + 1 {
            std::thread::sleep(Duration::from_micros(500));
        }
        Ok(Self(found))
    }

    /// Removes what has come since; which of the rest was changed or is gone.
    pub(crate) fn settle(mut self, root: &Path) -> io::Result<Vec<PathBuf>> {
        let mut disturbed = Vec::new();
        walk(root, |path, mark| match self.0.remove(path.as_os_str()) {
            Some(known) => {
                if known != mark {
                    disturbed.push(path);
                }
                Ok(true)
            }
            None => remove(&root.join(path)).map(|()| false),
        })?;
        disturbed.extend(self.0.into_keys().map(PathBuf::from));
        Ok(disturbed)
    }
}

/// Removes the files that were written since a moment: a build that was ended early leaves halves of them.
pub(crate) fn take_back(root: &Path, since: Moment) -> io::Result<()> {
    walk(root, |path, mark| match mark.changed() >= since {
        true => remove(&root.join(path)).map(|()| false),
        false => Ok(true),
    })
}

/// Visits everything below a directory; not what is in directories that `visit` says no to, and not what is
/// in those that cannot be read.
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
    fn what_a_test_leaves_goes_and_what_it_changes_is_told() {
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
        let mut disturbed = products.settle(root).unwrap();
        disturbed.sort();
        assert_eq!(disturbed, [Path::new("c.c"), Path::new("out/a.o")]);
        assert!(!root.join("cache").exists() && !root.join("out/log").exists());
        assert!(root.join("out/b.o").exists());
    }

    #[test]
    fn a_build_that_was_ended_early_is_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir(root.join("out")).unwrap();
        fs::write(root.join("out/old.o"), "whole").unwrap();
        BuildProducts::of(root).unwrap();
        let since = now();
        fs::write(root.join("out/new.o"), "ha").unwrap();
        take_back(root, since).unwrap();
        assert!(root.join("out/old.o").exists() && !root.join("out/new.o").exists());
    }
}
