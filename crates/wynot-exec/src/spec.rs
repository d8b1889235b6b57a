//! What a test is, for this executor: the command and everything around it that does not vary.

use crate::command::TestCommand;
use crate::limits::Limits;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A test. Jobs with the same specification differ in their variants only.
#[derive(Clone, Debug)]
pub struct TestSpec {
    /// The command.
    pub command: TestCommand,
    /// What variants are.
    pub form: VariantForm,
    /// The path of the variant, relative to the private directory of the test.
    pub name: PathBuf,
    /// The permission bits of the variant.
    pub mode: u32,
    /// A project directory; tests run in a copy of it.
    pub project: Option<PathBuf>,
    /// Whether the products of builds stay from one test to the next, where folders vary.
    pub keeps_products: bool,
    /// What a test may use.
    pub limits: Limits,
    /// Whether tests run without network, and with everything outside of their directories read-only.
    pub sandbox: bool,
    /// How crashes are detected; `None` if they are not.
    pub crashes: Option<CrashDetection>,
    /// About how large a variant is, in bytes.
    pub variant_size: u64,
}

/// What variants are, as far as private directories are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantForm {
    /// A file in a directory that is otherwise empty, or a copy of a project.
    File,
    /// All that is in the directory.
    Folder,
    /// A part of the call; the directory is empty, or a copy of a project.
    Call,
}

/// How crashes are detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashDetection {
    /// How many functions of the backtrace identify a crash.
    pub functions: u8,
    /// Whether gdb takes the backtraces.
    pub by_gdb: bool,
}
