//! Where the private directories of tests go.

use rustix::fs::{StatVfsMountFlags, statvfs};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use wynot_session::ExecutorError;

/// Memory-backed, on every Linux.
const MEMORY: &str = "/dev/shm";

/// Makes the directory that holds the private directories, in `chosen` or in the best place there is.
pub(crate) fn create(chosen: Option<&Path>, needed: u64) -> Result<TempDir, ExecutorError> {
    let place = chosen.map_or_else(|| best(needed), ToOwned::to_owned);
    // As tests will see it: their output must not depend on where it is.
    let place = place.canonicalize().unwrap_or(place);
    tempfile::Builder::new().prefix("wynot-").tempdir_in(&place).map_err(|source| {
        ExecutorError::Scratch { action: "make a directory in", path: place, source }
    })
}

/// A file system in memory if it lets programs run (tests compile some) and has room for the variants,
/// else the usual place for temporary files.
fn best(needed: u64) -> PathBuf {
    let usable = statvfs(MEMORY).is_ok_and(|fs| {
        let runs_programs = !fs.f_flag.contains(StatVfsMountFlags::NOEXEC);
        runs_programs && fs.f_bavail.saturating_mul(fs.f_frsize) >= needed
    });
    let writable = || tempfile::tempfile_in(MEMORY).is_ok();
    if usable && writable() { PathBuf::from(MEMORY) } else { std::env::temp_dir() }
}
