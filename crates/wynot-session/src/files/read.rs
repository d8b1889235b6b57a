//! Reading files and directories from disk, into memory.
//!
//! Inputs are read again when a search is resumed or verified, and copied for each test. So what can be read only once,
//! or has no end, is refused, and so is what no memory holds.

use rustix::fs::{OFlags, major, minor};
use std::fs::{self, File, FileType, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wynot_subjects::{Folder, FolderEntry};
use wynot_supervisor::{plain, shown_path};

/// The largest single file that is read. The memory that a search needs is several times the size of its input.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// The largest total of the files in a tree that is read.
const MAX_TREE_BYTES: u64 = 4 << 30;

/// A file or directory that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {}", shown_path(path), plain(source))]
pub struct UnreadableFile {
    /// The path of the file or directory.
    pub path: PathBuf,
    /// The error.
    pub source: io::Error,
}

/// Why something that exists and may be read is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsuitableFile {
    /// It has no contents that stay.
    #[error("it is {0}, not a file")]
    Special(&'static str),
    /// It is too large.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
}

impl UnsuitableFile {
    /// The reason that an error holds, if it is one of these.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<UnsuitableFile> for io::Error {
    fn from(reason: UnsuitableFile) -> Self {
        Self::new(io::ErrorKind::InvalidInput, reason)
    }
}

/// The noun of what is neither a file nor a directory nor a link.
pub fn special_file(kind: FileType) -> Option<&'static str> {
    match kind {
        kind if kind.is_fifo() => Some("a pipe"),
        kind if kind.is_socket() => Some("a socket"),
        kind if kind.is_char_device() || kind.is_block_device() => Some("a device"),
        _ => None,
    }
}

/// Reads a file of at most 1 GiB; `/dev/null` is an empty one. Pipes, sockets and other devices are refused.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_file_within(path, MAX_FILE_BYTES)
}

fn read_file_within(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    // Sockets cannot be opened, and opening a device may have effects.
    if is_null_or_file(&fs::metadata(path)?)? {
        return Ok(Vec::new());
    }
    // A pipe that has taken the place of the file since must not block.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    is_null_or_file(&metadata)?;
    let mut bytes = Vec::new();
    if metadata.len() <= max_bytes {
        bytes.reserve_exact(metadata.len() as usize + 1);
        file.take(max_bytes + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 <= max_bytes {
            return Ok(bytes);
        }
    }
    Err(UnsuitableFile::TooLarge(max_bytes).into())
}

/// Whether it is the null device. An error if it is something else that is no file.
fn is_null_or_file(metadata: &Metadata) -> io::Result<bool> {
    let device = (major(metadata.rdev()), minor(metadata.rdev()));
    match special_file(metadata.file_type()) {
        Some("a device") if metadata.file_type().is_char_device() && device == (1, 3) => Ok(true),
        Some(noun) => Err(UnsuitableFile::Special(noun).into()),
        None => Ok(false),
    }
}

/// Reads a file, or a directory with everything below it, into a folder, where it gets the path `place`.
///
/// Links below `path` are not followed. Sockets, pipes and devices below `path`, and the paths in `except`, are left out.
pub fn read_tree(path: &Path, place: &Path, except: &[PathBuf]) -> Result<Folder, UnreadableFile> {
    read_tree_within(path, place, except, MAX_TREE_BYTES)
}

fn read_tree_within(
    path: &Path,
    place: &Path,
    except: &[PathBuf],
    max_bytes: u64,
) -> Result<Folder, UnreadableFile> {
    let mut entries: Vec<(PathBuf, FolderEntry)> = Vec::new();
    let mut pending = vec![(path.to_owned(), place.to_owned())];
    let mut left = max_bytes;
    while let Some((from, place)) = pending.pop() {
        let failed = |source| UnreadableFile { path: from.clone(), source };
        let is_root = from == *path;
        let metadata = match is_root {
            // The user may name a link, which is followed; a link below the path stays a link.
            true => fs::metadata(&from),
            false => fs::symlink_metadata(&from),
        };
        let metadata = metadata.map_err(failed)?;
        let mode = metadata.permissions().mode() & 0o7777;
        if metadata.is_dir() {
            for entry in fs::read_dir(&from).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                if !except.contains(&entry.path()) {
                    pending.push((entry.path(), place.join(entry.file_name())));
                }
            }
            if !place.as_os_str().is_empty() {
                entries.push((place, FolderEntry::Directory { mode }));
            }
        } else if metadata.is_symlink() {
            entries.push((place, FolderEntry::Link(fs::read_link(&from).map_err(failed)?)));
        } else if metadata.is_file() {
            let too_large = UnreadableFile {
                path: path.to_owned(),
                source: UnsuitableFile::TooLarge(max_bytes).into(),
            };
            left = match left.checked_sub(metadata.len()) {
                Some(left) => left,
                None => return Err(too_large),
            };
            let contents = read_file_within(&from, metadata.len() + left).map_err(failed)?;
            let modified = metadata.modified().ok();
            let contents = Arc::new(contents.into());
            entries.push((place, FolderEntry::File { contents, mode, modified }));
        } else if is_root {
            is_null_or_file(&metadata).map_err(failed)?;
        }
    }
    Ok(entries.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::write_folder;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_folder_that_is_written_and_read_is_the_same() {
        let scratch = tempfile::tempdir().unwrap();
        let (from, to) = (scratch.path().join("from"), scratch.path().join("to"));
        fs::create_dir_all(from.join("a/empty")).unwrap();
        fs::write(from.join("a/run"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(from.join("a/run"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(from.join("binary"), [0, 255, 10]).unwrap();
        fs::write(from.join("left out"), "x").unwrap();
        symlink("../outside", from.join("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(from.join("socket")).unwrap();
        let folder = read_tree(&from, Path::new(""), &[from.join("left out")]).unwrap();
        write_folder(&to, &folder).unwrap();
        assert_eq!(read_tree(&to, Path::new(""), &[]).unwrap(), folder);
        let paths: Vec<_> = folder.leaves().map(|(path, _)| path.display().to_string()).collect();
        assert_eq!(paths, ["a/empty", "a/run", "binary", "link"]);
        let age = |path: PathBuf| fs::metadata(path).unwrap().modified().unwrap();
        assert_eq!(age(from.join("a/run")), age(to.join("a/run")));
        let placed = read_tree(&from.join("a"), Path::new("x/y"), &[]).unwrap();
        assert!(placed.get(Path::new("x/y/run")).is_some());
        assert!(read_tree(&from.join("none"), Path::new(""), &[]).is_err());
    }

    #[test]
    fn what_has_no_end_or_cannot_be_read_twice_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let path = |name: &str| scratch.path().join(name);
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, path("fifo"), fifo, 0o600.into(), 0).unwrap();
        File::create(path("sparse")).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
        let reason = |path: &Path| plain(&read_file(path).unwrap_err());
        let special = |noun| format!("it is {noun}, not a file");
        assert_eq!(reason(&path("fifo")), special("a pipe"));
        assert_eq!(reason(&path("socket")), special("a socket"));
        assert_eq!(reason(Path::new("/dev/zero")), special("a device"));
        assert_eq!(reason(&path("sparse")), "it has more than 1073741824 bytes");
        assert_eq!(read_file(Path::new("/dev/null")).unwrap(), b"");
        assert!(read_tree(&path("fifo"), Path::new("x"), &[]).is_err(), "only below the path");
        fs::write(path("small"), "12345").unwrap();
        assert_eq!(read_file_within(&path("small"), 5).unwrap(), b"12345");
        assert!(read_file_within(&path("small"), 4).is_err());
        let others = read_tree(scratch.path(), Path::new(""), &[path("sparse")]);
        assert_eq!(others.unwrap().size(), 5);
        File::create(path("sparse")).unwrap().set_len(MAX_TREE_BYTES + 1).unwrap();
        let error = read_tree(scratch.path(), Path::new(""), &[]).unwrap_err();
        assert_eq!(plain(&error.source), "it has more than 4294967296 bytes");
        fs::write(path("sparse"), "67").unwrap();
        let within = |bytes| read_tree_within(scratch.path(), Path::new(""), &[], bytes);
        assert_eq!(within(7).unwrap().size(), 7);
        assert_eq!(within(6).unwrap_err().path, scratch.path());
    }
}
