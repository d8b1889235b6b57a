//! Directories for temporary files: where they are, and how those of runs that were killed are removed.
//!
//! Each directory is locked while a process uses it. A run that is killed together with its guards leaves its directory
//! behind without a lock; the next run removes it.

use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::process::getuid;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use wynot_session::ExecutorError;
use wynot_supervisor::{lock, remove};

/// The file system in memory that every Linux has.
const MEMORY_DIR: &str = "/dev/shm";

/// The beginning of the names of the directories.
const PREFIX: &str = "wynot-scratch-";

/// The age from which directories without a lock are removed. A younger one may be about to be locked.
const MIN_STALE_AGE: Duration = Duration::from_secs(60);

/// A locked directory for temporary files, which is removed when it is dropped.
#[derive(Debug)]
pub struct ScratchDirectory {
    path: PathBuf,
    lock: Option<File>,
    /// Whether it was made by this value, so that it must be removed.
    is_made: bool,
}

impl ScratchDirectory {
    /// Chooses a directory for private directories of tests, in `chosen` or in the best location with `needed_bytes` free.
    /// It does not exist before it is [made](Self::make), so that a guard can be there first.
    pub fn for_tests(chosen: Option<&Path>, needed_bytes: u64) -> Result<Self, ExecutorError> {
        let parent = chosen.map_or_else(|| best_parent(needed_bytes), ToOwned::to_owned);
        // Tests print the canonical path, which is removed from their output.
        let parent = parent.canonicalize().unwrap_or(parent);
        remove_stale(&parent);
        // Two runs that start at the same moment may draw the same random name, and neither makes the directory at once.
        // All process numbers have the same length here, because tests may print the path.
        let prefix = format!("{PREFIX}{:07}-", std::process::id());
        let unused_name = tempfile::Builder::new()
            .prefix(&prefix)
            .make_in(&parent, |path| Ok(path.to_owned()))
            .and_then(|reserved| {
                let (path, name) = reserved.into_parts();
                // There is no file of this name to be removed.
                name.keep().map(|_| path).map_err(|error| error.error)
            });
        match unused_name {
            Ok(path) => Ok(Self { path, lock: None, is_made: false }),
            Err(source) => {
                Err(ExecutorError::Scratch { action: "make a directory in", path: parent, source })
            }
        }
    }

    /// Makes the directory, unless it exists: the last guard to end removes it.
    pub fn make(&mut self) -> Result<(), ExecutorError> {
        match DirBuilder::new().mode(0o700).create(&self.path) {
            Ok(()) => (self.lock, self.is_made) = (lock(&self.path), true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && self.lock.is_some() => {}
            Err(source) => {
                let path = self.path.parent().unwrap_or(&self.path).to_owned();
                return Err(ExecutorError::Scratch { action: "make a directory in", path, source });
            }
        }
        Ok(())
    }

    /// Unlocks the directory before the last guards end: they then remove it, also if this process is killed meanwhile.
    pub fn unlock(&mut self) {
        self.lock = None;
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchDirectory {
    fn drop(&mut self) {
        self.unlock();
        if self.is_made {
            // What cannot be removed is removed by a later run.
            let _ = remove(&self.path);
        }
    }
}

/// Removes the directories that earlier runs of this user have left in a directory.
fn remove_stale(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_stale(&entry.path()) {
            // What cannot be removed stays as it is.
            let _ = remove(&entry.path());
        }
    }
}

/// Whether a directory belongs to this user, is old enough, and is locked by no process.
fn is_stale(path: &Path) -> bool {
    let Ok(metadata) = fs::symlink_metadata(path) else { return false };
    let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(metadata.ctime().max(0) as u64);
    let age = SystemTime::now().duration_since(changed).unwrap_or_default();
    metadata.is_dir()
        && metadata.uid() == getuid().as_raw()
        && age >= MIN_STALE_AGE
        && File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// The file system in memory if it is large enough and allows programs to run, since tests may compile some; otherwise
/// the usual directory for temporary files.
fn best_parent(needed_bytes: u64) -> PathBuf {
    let is_usable = statvfs(MEMORY_DIR).is_ok_and(|fs| {
        let runs_programs = !fs.f_flag.contains(StatVfsMountFlags::NOEXEC);
        runs_programs && fs.f_bavail.saturating_mul(fs.f_frsize) >= needed_bytes
    });
    let is_writable = || tempfile::tempfile_in(MEMORY_DIR).is_ok();
    if is_usable && is_writable() { PathBuf::from(MEMORY_DIR) } else { std::env::temp_dir() }
}
