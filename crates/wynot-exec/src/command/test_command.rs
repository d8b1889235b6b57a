//! A test command that does not depend on the directory in which it runs.

use super::placeholder::{OPTIONS_PLACEHOLDER, VARIANT_PLACEHOLDER, find_placeholder, substitute};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The working directory of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkDir {
    /// The private directory that contains the variant.
    Private,
    /// The directory in which wynot was started.
    Here,
}

/// The standard input of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardInput {
    /// The variant.
    Variant,
    /// Empty input.
    Nothing,
}

/// A test command that does not depend on the directory in which it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCommand {
    /// The program, as an absolute path or as a relative path in the varying folder.
    pub program: PathBuf,
    /// The program to run if `program` does not exist in a variant, not even after its build.
    pub fallback: Option<PathBuf>,
    /// The arguments; `{}` stands for the path of the variant.
    pub args: Vec<OsString>,
    /// The shell command that builds a variant before its test.
    pub build: Option<OsString>,
    /// The working directory.
    pub work_dir: WorkDir,
    /// The standard input.
    pub stdin: StandardInput,
    /// Environment variables to set unless they are already set.
    pub env: Vec<(&'static str, &'static str)>,
    /// The directory in which wynot was started.
    pub here: PathBuf,
}

impl TestCommand {
    /// The arguments for a variant at a path.
    pub(crate) fn args_for(&self, variant: &Path) -> Vec<OsString> {
        self.args
            .iter()
            .map(|arg| substitute(arg, VARIANT_PLACEHOLDER, variant.as_os_str()))
            .collect()
    }

    /// Whether an argument contains the placeholder of the variant.
    pub(crate) fn mentions_variant(&self) -> bool {
        self.args.iter().any(|arg| find_placeholder(VARIANT_PLACEHOLDER, arg.as_bytes()).is_some())
    }

    /// Whether an argument contains the placeholder of the options that vary.
    pub fn mentions_options(&self) -> bool {
        self.args.iter().any(|arg| find_placeholder(OPTIONS_PLACEHOLDER, arg.as_bytes()).is_some())
    }
}
