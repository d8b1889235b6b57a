//! Sources of the versions of a program: git repositories with their submodules, and archives.
//!
//! Code that reads versions from archives or by calling git belongs here, together with the sequence of commits as a
//! subject and the output of patches. Reading plain directories does not (see `wynot_session::files`). Nothing here
//! changes a repository of the user, except for a new branch if that is asked for (`branch`).

mod archive;
mod branch;
mod commits;
mod git;
mod git_error;
mod object_reader;
mod patch;
mod submodules;

pub use archive::{ArchiveError, BadArchive, unpack};
pub use commits::CommitRow;
pub use git::{Commit, Repository};
pub use git_error::GitError;
pub use patch::{apply, patch, patch_with_renames};
pub use submodules::OmittedSubmodule;
