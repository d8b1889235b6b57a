//! The first message to a guard, which describes the tests of the slot and what they may reach.

use crate::crash_detection::CrashDetection;
use crate::limits::Limits;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A path, argument or variable, which need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    /// The text.
    pub fn os(&self) -> OsString {
        OsString::from_vec(self.0.clone())
    }

    /// The path.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(self.os())
    }

    /// The text with another path in place of one that it contains.
    pub fn replaced(&self, path: &str, by: &Path) -> Self {
        let (path, mut rest) = (path.as_bytes(), self.0.as_slice());
        let mut result = Vec::with_capacity(rest.len());
        while let Some(at) = rest.windows(path.len()).position(|window| window == path) {
            result.extend_from_slice(&rest[..at]);
            result.extend_from_slice(by.as_os_str().as_bytes());
            rest = &rest[at + path.len()..];
        }
        result.extend_from_slice(rest);
        Self(result)
    }

    /// Splits `NAME=value` into its two parts.
    pub fn pair(&self) -> (OsString, OsString) {
        let at = self.0.iter().position(|&byte| byte == b'=').unwrap_or(self.0.len());
        let value = self.0.get(at + 1..).unwrap_or_default();
        (OsString::from_vec(self.0[..at].to_vec()), OsString::from_vec(value.to_vec()))
    }
}

impl From<&Path> for Bytes {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl From<&Vec<u8>> for Bytes {
    fn from(bytes: &Vec<u8>) -> Self {
        Self(bytes.clone())
    }
}

impl From<OsString> for Bytes {
    fn from(text: OsString) -> Self {
        Self(text.into_vec())
    }
}

/// The first message to a supervisor, which describes all its tests.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// The private directories. If there are two, the next variant is written while a test runs.
    pub test_dirs: Vec<TestDirSetup>,
    /// The TMPDIR of the tests, which is emptied after each test.
    pub temp: Bytes,
    /// The project directory, of which each private directory is a copy.
    pub project: Option<Bytes>,
    /// The project directory from which the private directories were copied, by the supervisor or before.
    pub original: Option<Bytes>,
    /// The shell command that builds before each test.
    pub build: Option<Bytes>,
    /// Whether the executor cleans the private directories, instead of the supervisor.
    pub executor_cleans: bool,
    /// The number of the slot among all that run at the same time, from which the first process id of its tests follows.
    pub slot: u32,
    /// An empty directory, for the supervisor alone.
    pub root: Bytes,
    /// What the tests may reach.
    pub containment: Containment,
    /// The resource limits of a test.
    pub limits: Limits,
    /// How crashes are detected, if they are.
    pub crashes: Option<CrashDetection>,
}

/// A private directory and the command that runs in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestDirSetup {
    /// The directory.
    pub path: Bytes,
    /// The program.
    pub program: Bytes,
    /// The program to run if `program` does not exist.
    pub fallback: Option<Bytes>,
    /// Whether `program` differs from one variant to the next, so that it may be missing in some.
    pub program_varies: bool,
    /// The arguments.
    pub args: Vec<Bytes>,
    /// The working directory of the test.
    pub cwd: Bytes,
    /// The file that is standard input; empty input if absent.
    pub stdin: Option<Bytes>,
}

/// What the tests of a slot may reach.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Containment {
    /// Whether tests have a process namespace.
    pub own_processes: bool,
    /// The sandbox of the tests, if there is one.
    pub sandbox: Option<SandboxSetup>,
}

/// The files that tests in a sandbox can read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SandboxSetup {
    /// Whether parts that the system cannot provide are left out.
    pub partial: bool,
    /// The directories that are empty in the sandbox, apart from what is shown of them.
    pub hidden: Vec<Bytes>,
    /// The directories with programs and libraries that a test needs, as far as they are hidden.
    pub programs: Vec<Bytes>,
    /// The other files and directories that a test needs, as far as they are hidden. Their sockets and pipes stay hidden.
    pub needed: Vec<Bytes>,
    /// The files and directories that the user wants to be shown, with everything in them.
    pub shown: Vec<Bytes>,
}

/// The directories of a sandbox, which are all in one directory.
#[derive(Clone, Debug)]
pub(crate) struct SandboxPlaces {
    /// An empty directory, in which the view of the files is built.
    pub root: PathBuf,
    /// The directories that can be written.
    pub private: Vec<PathBuf>,
    /// The number of processes inside.
    pub max_processes: Option<u64>,
}

impl From<&Setup> for SandboxPlaces {
    fn from(setup: &Setup) -> Self {
        let test_dirs = setup.test_dirs.iter().map(|dir| dir.path.path());
        Self {
            root: setup.root.path(),
            private: test_dirs.chain([setup.temp.path()]).collect(),
            max_processes: setup.limits.processes,
        }
    }
}

/// A part of the sandbox that the system cannot provide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingPart {
    /// The name of the part.
    pub part: String,
    /// The error number that the system reports.
    pub errno: i32,
}

impl MissingPart {
    /// A part, and the error that its use causes.
    pub fn new(part: &str, error: &io::Error) -> Self {
        Self { part: part.to_owned(), errno: error.raw_os_error().unwrap_or_default() }
    }
}
