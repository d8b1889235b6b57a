//! A temporary directory of a sandbox, which is emptied after each test.

use crate::remove;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;

/// A directory for temporary files of tests, which may also contain the directory around the private ones.
pub(crate) struct TemporaryDirectory {
    path: PathBuf,
    /// The names of the entries that do not belong to tests.
    kept: Vec<OsString>,
}

impl TemporaryDirectory {
    /// A directory before the first test; its present entries are kept.
    pub(crate) fn new(path: PathBuf) -> Self {
        let entries = fs::read_dir(&path).into_iter().flatten().flatten();
        let kept = entries.map(|entry| entry.file_name()).collect();
        Self { path, kept }
    }

    /// Removes what tests have left.
    pub(crate) fn clear(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if !self.kept.contains(&entry.file_name()) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }
}
