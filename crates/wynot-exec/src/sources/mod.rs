//! Where versions of a program come from: git repositories with their submodules, archives, and rows of commits as a subject.
//! Directories are read by `wynot_session::files`. Nothing here changes a repository.

mod archive;
mod commits;
mod git;
mod patch;
mod submodules;

pub use archive::{BadArchive, unpack};
pub use commits::CommitRow;
pub use git::{Commit, GitError, Repository};
pub use patch::patch;
pub use submodules::OmittedSubmodule;
