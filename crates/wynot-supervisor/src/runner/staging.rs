//! Copies of the inputs of a test, which a worker may keep read-only or share with others.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Copies a directory to another one, which exists. Files are writable by their owner and keep their times.
pub(super) fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    let mut pending = vec![PathBuf::new()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(from.join(&dir))? {
            let entry = entry?;
            let path = dir.join(entry.file_name());
            let (source, target) = (from.join(&path), to.join(&path));
            let kind = entry.file_type()?;
            if kind.is_dir() {
                DirBuilder::new().mode(0o755).create(&target)?;
                pending.push(path);
            } else if kind.is_symlink() {
                symlink(fs::read_link(&source)?, &target)?;
            } else {
                copy_file(&source, &target, None)?;
            }
        }
    }
    Ok(())
}

/// Copies a file. Without permission bits, a program becomes executable and another file does not.
pub(super) fn copy_file(from: &Path, to: &Path, mode: Option<u32>) -> io::Result<()> {
    let mut source = File::open(from)?;
    let metadata = source.metadata()?;
    let is_program = metadata.permissions().mode() & 0o100 != 0;
    let mode = mode.unwrap_or(if is_program { 0o755 } else { 0o644 });
    let mut target = File::create_new(to)?;
    io::copy(&mut source, &mut target)?;
    target.set_permissions(Permissions::from_mode(mode))
}
