//! Removing a tree of any depth, whatever permissions its directories have.
//!
//! A test can leave directories that lie deeper than any path reaches, more of them than a process may open, and some
//! that nobody may read. So the tree is walked with one open directory and no recursion, each step is relative to that
//! directory, and each directory gets back the permissions that removing needs. Links are never followed.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, chmodat, fchmod, fstat, openat, statat, unlinkat,
};
use rustix::io::Errno;
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The permissions that removing needs.
const ALL: Mode = Mode::RWXU;

/// A directory on the way to the open one.
struct Level {
    /// The name of the directory in its parent.
    name: CString,
    /// The directories in it that are still to be removed.
    pending: Vec<CString>,
    /// Its device and inode: on the way back, `..` must lead to the directory from which the walk came.
    identity: (u64, u64),
}

/// Removes a directory and everything below it. It is no error if there is none.
pub(super) fn remove_tree(root: &Path) -> io::Result<()> {
    let root = CString::new(root.as_os_str().as_bytes())?;
    let Some(mut open) = open_directory(CWD, &root)? else { return Ok(()) };
    let mut levels = vec![enter(&open, root)?];
    while let Some(level) = levels.last_mut() {
        if let Some(name) = level.pending.pop() {
            if let Some(directory) = open_directory(open.as_fd(), &name)? {
                levels.push(enter(&directory, name)?);
                open = directory;
            }
            continue;
        }
        let Some(emptied) = levels.pop() else { break };
        let Some(above) = levels.last() else {
            unlink(CWD, &emptied.name, AtFlags::REMOVEDIR)?;
            break;
        };
        let parent = openat(
            &open,
            c"..",
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        if identity(&parent)? != above.identity {
            return Err(io::Error::other("a directory was moved while it was removed"));
        }
        unlink(parent.as_fd(), &emptied.name, AtFlags::REMOVEDIR)?;
        open = parent;
    }
    Ok(())
}

/// Opens a directory and lets its owner list and change it. Something else at its place is removed; `None` if there is
/// no directory.
fn open_directory(parent: BorrowedFd<'_>, name: &CString) -> io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || openat(parent, name, flags, Mode::empty());
    let opened = open().or_else(|error| match error {
        Errno::ACCESS => {
            let found = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
            if FileType::from_raw_mode(found.st_mode) == FileType::Directory {
                chmodat(parent, name, ALL, AtFlags::empty())?;
            }
            open()
        }
        error => Err(error),
    });
    match opened {
        Ok(directory) => {
            if Mode::from_raw_mode(fstat(&directory)?.st_mode) & ALL != ALL {
                fchmod(&directory, ALL)?;
            }
            Ok(Some(directory))
        }
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::NOTDIR | Errno::LOOP) => unlink(parent, name, AtFlags::empty()).map(|()| None),
        Err(error) => Err(error.into()),
    }
}

/// Removes everything but directories from an open directory.
fn enter(directory: &OwnedFd, name: CString) -> io::Result<Level> {
    let mut pending = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_owned();
        match entry.file_type() {
            _ if matches!(name.as_bytes(), b"." | b"..") => {}
            FileType::Directory => pending.push(name),
            // Of an entry of unknown type, removing shows whether it is a directory.
            _ => match unlinkat(directory, &name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(Errno::ISDIR) => pending.push(name),
                Err(error) => return Err(error.into()),
            },
        }
    }
    Ok(Level { name, pending, identity: identity(directory)? })
}

fn identity(directory: &OwnedFd) -> io::Result<(u64, u64)> {
    let found = fstat(directory)?;
    Ok((found.st_dev, found.st_ino))
}

/// Removes an entry. It is no error if there is none.
fn unlink(parent: BorrowedFd<'_>, name: &CString, flags: AtFlags) -> io::Result<()> {
    match unlinkat(parent, name, flags) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
