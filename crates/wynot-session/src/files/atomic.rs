//! Atomic writes of files and directories: a reader sees either the old or the new contents, never a part.

use super::checkout::write_folder;
use super::durability::Durability;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use wynot_subjects::Folder;
use wynot_supervisor::remove;

/// The total size in bytes of the files and links below a directory.
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

/// The temporary path at which a file is written before it replaces `path`.
fn temporary_path(path: &Path, tag: &str) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{tag}.part"));
    path.with_file_name(name)
}

/// Waits until a file, or a directory with everything below it, is on the disk.
pub fn sync_tree(root: &Path) -> io::Result<()> {
    let mut pending = vec![root.to_owned()];
    while let Some(path) = pending.pop() {
        let metadata = fs::symlink_metadata(&path)?;
        if metadata.is_dir() {
            for entry in fs::read_dir(&path)? {
                pending.push(entry?.path());
            }
        }
        if metadata.is_dir() || metadata.is_file() {
            sync_path(&path)?;
        }
    }
    Ok(())
}

/// Waits until a file or directory is on the disk.
fn sync_path(path: &Path) -> io::Result<()> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        opened => opened?,
    };
    match file.sync_all() {
        // Some file systems cannot flush, directories above all.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => synced,
    }
}

/// Waits until the name of a file is on the disk.
pub fn sync_name(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    sync_path(parent.unwrap_or(Path::new(".")))
}

/// Replaces a directory by a folder in one step. The `tag` distinguishes the temporary files of different writers.
pub fn write_folder_atomically(
    path: &Path,
    folder: &Folder,
    tag: &str,
    durability: Durability,
) -> io::Result<()> {
    let temporary = temporary_path(path, tag);
    remove(&temporary)?;
    let written = write_folder(&temporary, folder).and_then(|()| {
        if durability == Durability::Synced {
            sync_tree(&temporary)?;
        }
        if fs::symlink_metadata(path).is_err() {
            return fs::rename(&temporary, path);
        }
        match renameat_with(CWD, &temporary, CWD, path, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(()),
            // A few file systems cannot exchange two paths; there, `path` is missing for a moment.
            Err(Errno::INVAL | Errno::NOSYS) => {
                let old = temporary_path(path, &format!("{tag}.old"));
                remove(&old)?;
                fs::rename(path, &old)?;
                fs::rename(&temporary, path)?;
                remove(&old)
            }
            Err(error) => Err(error.into()),
        }
    });
    // After an exchange this is the old directory, after an error a part of the new one. The first error is reported.
    let removed = remove(&temporary);
    written.and(removed)?;
    if durability == Durability::Synced { sync_name(path) } else { Ok(()) }
}

/// Replaces a file in one step. The `tag` distinguishes the temporary files of different writers.
pub fn write_file_atomically(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    tag: &str,
    durability: Durability,
) -> io::Result<()> {
    let temporary = temporary_path(path, tag);
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(mode)
        .open(&temporary)
        .and_then(|mut file| {
            // Tests can see the mode, so the umask must not change it.
            file.set_permissions(Permissions::from_mode(mode))?;
            file.write_all(bytes)?;
            // Otherwise a power failure could leave an empty file under the name of the old one.
            if durability == Durability::Synced { file.sync_all() } else { Ok(()) }
        })
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is reported; the temporary file may not even exist.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    if durability == Durability::Synced { sync_name(path) } else { Ok(()) }
}
