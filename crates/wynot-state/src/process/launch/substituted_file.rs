//! A file that a program finds with the contents of another one.

use std::path::{Path, PathBuf};

/// A file that has the contents of another one for a program.
///
/// Two runs that read two files would differ in the names of these, which explains nothing. So both are given one name, and
/// the contents are what differs. What the program opens for writing is never substituted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubstitutedFile {
    /// The absolute path under which the program finds the file, without links.
    pub path: PathBuf,
    /// The absolute path of the file with the contents.
    pub contents: PathBuf,
}

impl SubstitutedFile {
    /// The file at a path with the contents of another one; `None` unless both are files.
    pub fn new(path: &Path, contents: &Path) -> Option<Self> {
        let [path, contents] = [path, contents].map(|file| file.canonicalize().ok());
        let (path, contents) = (path?, contents?);
        (path.is_file() && contents.is_file()).then_some(Self { path, contents })
    }
}
