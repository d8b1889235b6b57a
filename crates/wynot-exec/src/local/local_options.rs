//! How tests are run on this machine.

use std::ffi::OsString;
use std::path::PathBuf;

/// How tests are run on this machine, whatever they are.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// The command that serves [`supervise`](crate::supervise) on its standard input.
    pub supervisor: (PathBuf, Vec<OsString>),
    /// How many tests run at the same time.
    pub jobs: usize,
    /// The directory of the private directories; the best place there is if absent.
    pub scratch: Option<PathBuf>,
}
