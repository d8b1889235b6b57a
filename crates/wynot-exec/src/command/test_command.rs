//! A test command, as data that does not depend on the directory it runs in.

use super::placeholder::{OPTIONS, VARIANT, find_placeholder, substitute};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where a test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkDir {
    /// In the private directory that holds the variant.
    Private,
    /// Where wynot was started.
    Here,
}

/// What a test reads from standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardInput {
    /// The variant.
    Variant,
    /// Nothing.
    Nothing,
}

/// A test command that does not depend on where it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCommand {
    /// The program, as an absolute path, or its place in the folder that varies.
    pub program: PathBuf,
    /// What is run where the folder has no such program, not even after a build.
    pub fallback: Option<PathBuf>,
    /// Its arguments; `{}` stands for the variant.
    pub args: Vec<OsString>,
    /// A shell command that builds before the test.
    pub build: Option<OsString>,
    /// Where it runs.
    pub work_dir: WorkDir,
    /// What it reads.
    pub stdin: StandardInput,
    /// Variables to set unless they are set already.
    pub env: Vec<(&'static str, &'static str)>,
    /// The directory wynot was started in.
    pub here: PathBuf,
}

impl TestCommand {
    /// The arguments for a variant at a path.
    pub(crate) fn args_for(&self, variant: &Path) -> Vec<OsString> {
        self.args.iter().map(|arg| substitute(arg, VARIANT, variant.as_os_str())).collect()
    }

    pub(crate) fn mentions_variant(&self) -> bool {
        self.args.iter().any(|arg| find_placeholder(VARIANT, arg.as_bytes()).is_some())
    }

    /// Whether the options that vary have a place in it.
    pub fn mentions_options(&self) -> bool {
        self.args.iter().any(|arg| find_placeholder(OPTIONS, arg.as_bytes()).is_some())
    }
}
