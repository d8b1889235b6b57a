//! The specification of a test: the command and everything else that is the same for all variants.

use crate::command::TestCommand;
use std::path::PathBuf;
use wynot_supervisor::{CrashDetection, Limits};

/// The specification of a test. Jobs with the same specification differ only in their variants.
#[derive(Clone, Debug)]
pub struct TestSpec {
    /// The command to run.
    pub command: TestCommand,
    /// The form of variants.
    pub form: VariantForm,
    /// The path of the variant, relative to the private directory of the test.
    pub name: PathBuf,
    /// The permission bits of the variant.
    pub mode: u32,
    /// The project directory, if there is one; tests run in a copy of it.
    pub project: Option<PathBuf>,
    /// Whether the products of builds are kept from one test to the next, if variants are folders.
    pub keeps_products: bool,
    /// Whether observations name the files that a test reads, if variants are folders.
    pub records_reads: bool,
    /// The resource limits of a test.
    pub limits: Limits,
    /// How tests are kept apart from the rest of the system.
    pub isolation: Isolation,
    /// How crashes are detected; `None` if they are not.
    pub crashes: Option<CrashDetection>,
    /// The approximate size of a variant in bytes.
    pub variant_size: u64,
}

/// How tests are kept apart from the rest of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Isolation {
    /// Whether tests see the processes of the whole system, instead of those of the test alone.
    pub shares_processes: bool,
    /// The sandbox of tests, if they have one. In a sandbox, tests see their own processes alone.
    pub sandbox: Option<SandboxSpec>,
}

/// A sandbox: no network, nothing outside of the private directories can be written, and much of it cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxSpec {
    /// Whether parts of the sandbox that the system cannot provide are left out.
    pub partial: bool,
    /// The files and directories that tests can read although they are hidden otherwise, as absolute paths.
    pub shown: Vec<PathBuf>,
    /// Further directories that are hidden, as absolute paths. Nothing in them is shown because a test names it.
    pub hidden: Vec<PathBuf>,
}

/// The form of variants, which determines how a private directory is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantForm {
    /// The variant is a file in a private directory that is otherwise empty or a copy of a project.
    File,
    /// The variant is the whole contents of the private directory.
    Folder,
    /// The variant is part of the call; the private directory is empty or a copy of a project.
    Call,
}
