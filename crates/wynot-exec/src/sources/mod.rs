//! Sources of the versions of a program: git repositories with their submodules, and archives.
//!
//! Code that reads versions from archives or by calling git belongs here, together with the sequence of commits as a
//! subject and the output of patches. Reading plain directories does not (see `wynot_session::files`). Nothing here
//! changes a repository of the user.

mod archive;
mod commits;
mod git;
mod patch;
mod submodules;

pub use archive::{ArchiveError, BadArchive, unpack};
pub use commits::CommitRow;
pub use git::{Commit, GitError, Repository};
pub use patch::{apply, patch};
pub use submodules::OmittedSubmodule;
