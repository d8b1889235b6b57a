//! Why git could not read something.

use std::io;
use std::path::PathBuf;
use wynot_session::plain;

/// Why git could not read something.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The git program cannot be started.
    #[error("cannot run git: {}", plain(.0))]
    Missing(io::Error),
    /// A git command failed.
    #[error("git {command}: {message}")]
    Refused {
        /// The name of the git command.
        command: String,
        /// The error message of git.
        message: String,
    },
    /// A commit of a submodule is not available.
    #[error(
        "commit {} of the submodule {} is not available; git submodule update --init, or git fetch in it, may fetch it",
        &id[..id.len().min(12)],
        path.display()
    )]
    Submodule {
        /// The path of the submodule.
        path: PathBuf,
        /// The object name of the commit.
        id: String,
    },
    /// An object is not in the repository.
    #[error(
        "the object {} is missing: the clone is partial or damaged; git fetch --refetch may bring it",
        &.0[..(.0).len().min(12)]
    )]
    MissingObject(String),
    /// The communication with git failed, or its output is malformed.
    #[error("cannot read from git: {}", plain(.0))]
    Io(#[from] io::Error),
}
