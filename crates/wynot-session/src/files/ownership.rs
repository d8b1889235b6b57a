//! Whether files and directories belong to this user alone.
//!
//! Commands that a journal records are run, so a journal that another user could have written is not used.

use rustix::process::geteuid;
use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// Why a file or directory is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPrivate {
    /// Another user owns it.
    #[error("it belongs to another user")]
    OtherOwner,
    /// Other users can write it.
    #[error("other users can write to it")]
    OtherWriters,
}

/// Checks that this user owns a file or directory and that no other one can write it.
pub fn check_private(metadata: &Metadata) -> Result<(), NotPrivate> {
    match (metadata.uid() == geteuid().as_raw(), metadata.mode() & 0o022) {
        (false, _) => Err(NotPrivate::OtherOwner),
        // The bits of a link mean nothing.
        (true, 0) => Ok(()),
        (true, _) if metadata.is_symlink() => Ok(()),
        (true, _) => Err(NotPrivate::OtherWriters),
    }
}

/// Whether a path is a directory of this user alone; a link to one must be the user's own, too.
pub fn is_private_dir(path: &Path) -> bool {
    let is_private = |metadata: io::Result<Metadata>| {
        metadata.is_ok_and(|metadata| check_private(&metadata).is_ok())
    };
    is_private(fs::symlink_metadata(path)) && is_private(fs::metadata(path)) && path.is_dir()
}

/// Creates a directory and its parents where they are missing, for this user alone.
pub fn create_private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
