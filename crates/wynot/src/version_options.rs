//! Requests for searches among versions of a program: which versions, and how they are built.

use std::path::PathBuf;

/// The versions that are compared, and how they are built.
#[derive(Clone, Debug)]
pub struct VersionOptions {
    /// A version that passes the test: a directory, an archive, a git revision or a lock file.
    pub good: String,
    /// A version that fails the test.
    pub bad: String,
    /// A shell command that builds a version before each test.
    pub build: Option<String>,
    /// The coarsest changes that are searched.
    pub group: Option<ChangeScope>,
    /// How many tests of lines may decide nothing.
    pub effort: SearchEffort,
    /// Files and directories that are added to every version that does not have them.
    pub with: Vec<PathBuf>,
}

/// The history that is walked back through.
#[derive(Clone, Debug, Default)]
pub struct HistoryOptions {
    /// The revision that fails; `None` for the one that is checked out.
    pub from: Option<String>,
    /// The oldest revision to test; `None` for the first one.
    pub until: Option<String>,
    /// A shell command that builds a version before each test.
    pub build: Option<String>,
    /// How many tests of lines may decide nothing.
    pub effort: SearchEffort,
    /// Files and directories that are added to every version that does not have them.
    pub with: Vec<PathBuf>,
    /// Files and directories that every version gets from the failing one.
    pub carry: Vec<PathBuf>,
    /// Whether one version is tested after the other.
    pub linear: bool,
    /// Whether patches are simplified line by line, without directories, files, functions and hunks.
    pub flat: bool,
    /// Whether patches are simplified once more at the end.
    pub fix_point: bool,
    /// The name of a branch that gets the fix as a commit.
    pub branch: Option<String>,
}

/// How long a search among lines goes on although its tests decide nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchEffort {
    /// A quarter of what is usual.
    Low,
    /// About a minute of tests, or four times what the search for the commit took.
    #[default]
    Normal,
    /// Ten times as long.
    High,
    /// Until everything is tested.
    Max,
}

/// A row of versions whose names are listed in a file. The test, or the build before it, gets the name of a version in
/// place of `{version}`.
#[derive(Clone, Debug)]
pub struct VersionListOptions {
    /// The file: one version per line, the oldest first.
    pub file: PathBuf,
    /// The version of the list that passes the test; `None` for the first one.
    pub good: Option<String>,
    /// The version of the list that fails the test; `None` for the last one.
    pub bad: Option<String>,
    /// A shell command that runs before each test.
    pub build: Option<String>,
}

/// The coarsest changes that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeScope {
    /// Commits, then directories, files, functions, hunks and lines.
    Commit,
    /// Directories, then files, functions, hunks and lines.
    Directory,
    /// Files, then functions, hunks and lines.
    File,
    /// Functions, then hunks and lines.
    Function,
    /// Lines.
    None,
}
