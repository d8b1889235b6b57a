//! The location of the private directories of tests.

use rustix::fs::{StatVfsMountFlags, statvfs};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use wynot_session::ExecutorError;

/// The file system in memory that every Linux has.
const MEMORY_DIR: &str = "/dev/shm";

/// Creates the directory around the private directories, in `chosen` or in the best location with `needed_bytes` free.
pub(crate) fn create(chosen: Option<&Path>, needed_bytes: u64) -> Result<TempDir, ExecutorError> {
    let parent = chosen.map_or_else(|| best_parent(needed_bytes), ToOwned::to_owned);
    // Tests print the canonical path, which is removed from their output.
    let parent = parent.canonicalize().unwrap_or(parent);
    tempfile::Builder::new().prefix("wynot-").tempdir_in(&parent).map_err(|source| {
        ExecutorError::Scratch { action: "make a directory in", path: parent, source }
    })
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
