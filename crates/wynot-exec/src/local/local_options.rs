//! The options of the local executor.

use std::ffi::OsString;
use std::path::PathBuf;

/// The options of the local executor, independent of the test.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// The program and arguments that start a supervisor, which calls [`supervise`](crate::supervise).
    pub supervisor: (PathBuf, Vec<OsString>),
    /// The number of tests that run at the same time.
    pub jobs: usize,
    /// The directory for the private directories; chosen automatically if absent.
    pub scratch: Option<PathBuf>,
}
