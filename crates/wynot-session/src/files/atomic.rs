//! Writing files and directories in one step: a reader sees the old contents or the new ones, never a part.

use super::checkout::write_folder;
use super::file_tree::remove;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use wynot_subjects::Folder;

/// How many bytes the files and links below a directory have.
pub fn size_of_tree(root: &Path) -> u64 {
    let mut size = 0;
    let mut pending = vec![root.to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => pending.push(entry.path()),
                Ok(metadata) => size += metadata.len(),
                Err(_) => {}
            }
        }
    }
    size
}

/// The name under which something is written before it takes its place.
fn part_of(path: &Path, tag: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{tag}.part"));
    path.with_file_name(name)
}

/// Puts a new directory in the place of an old one in one step.
pub fn write_folder_atomically(path: &Path, folder: &Folder, tag: &str) -> io::Result<()> {
    let part = part_of(path, tag);
    remove(&part)?;
    let written = write_folder(&part, folder).and_then(|()| {
        if fs::symlink_metadata(path).is_err() {
            return fs::rename(&part, path);
        }
        match renameat_with(CWD, &part, CWD, path, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(()),
            // Few file systems cannot exchange; there is a moment without the old and the new one then.
            Err(Errno::INVAL | Errno::NOSYS) => {
                let old = part_of(path, &format!("{tag}.old"));
                remove(&old)?;
                fs::rename(path, &old)?;
                fs::rename(&part, path)?;
                remove(&old)
            }
            Err(error) => Err(error.into()),
        }
    });
    // The old directory, or what was written of the new one; the first error is the one to report.
    let removed = remove(&part);
    written.and(removed)
}

/// Puts a new file in the place of an old one in one step.
pub fn write_file_atomically(path: &Path, bytes: &[u8], mode: u32, tag: &str) -> io::Result<()> {
    let part = part_of(path, tag);
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(mode)
        .open(&part)
        .and_then(|mut file| {
            // Whatever the mask: the mode is one of the things that tests can see.
            file.set_permissions(Permissions::from_mode(mode))?;
            file.write_all(bytes)
        })
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The first error is the one to report; the part may not even exist.
        let _ = fs::remove_file(&part);
    }
    written
}
