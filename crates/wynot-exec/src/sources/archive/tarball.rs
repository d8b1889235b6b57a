//! Reading tar archives: those of old Unix systems, of POSIX and of GNU tar.

use super::sparse_file::{SparseContents, SparseFile};
use super::unpacked_tree::{UnpackedTree, refused};
use super::{ArchiveError, BLOCK_BYTES};
use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::time::{Duration, SystemTime};
use tar::{Archive, EntryType};

/// Reads the entries of a tar archive of at most `max_bytes` bytes.
pub(super) fn read(
    stream: impl Read,
    max_bytes: u64,
    tree: &mut UnpackedTree,
) -> Result<(), ArchiveError> {
    let progress = Progress::default();
    let mut stream = Watched { stream, left: max_bytes, progress: &progress };
    let damaged = |error: io::Error| match progress.is_too_long.get() {
        true => ArchiveError::TooManyBytes(max_bytes),
        false => ArchiveError::Damaged(error.to_string()),
    };
    let mut first = Vec::new();
    stream.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut first).map_err(damaged)?;
    if !is_tar(&first) {
        return Err(ArchiveError::UnknownFormat);
    }
    let mut archive = Archive::new(Cursor::new(first).chain(stream));
    for entry in archive.entries().map_err(damaged)? {
        add(&mut entry.map_err(damaged)?, tree).map_err(|error| match error {
            ArchiveError::Damaged(_) if progress.is_too_long.get() => {
                ArchiveError::TooManyBytes(max_bytes)
            }
            error => error,
        })?;
    }
    if progress.zeros.get() < BLOCK_BYTES {
        return Err(ArchiveError::Damaged("the block that ends it is missing".to_owned()));
    }
    // What follows holds the checksum of the compression.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(damaged)?;
    Ok(())
}

/// Adds an entry.
fn add(entry: &mut tar::Entry<'_, impl Read>, tree: &mut UnpackedTree) -> Result<(), ArchiveError> {
    let damaged = |error: io::Error| ArchiveError::Damaged(error.to_string());
    let name = entry.path_bytes().into_owned();
    let mode = entry.header().mode().map_err(damaged)?;
    let target = entry.link_name_bytes().unwrap_or_default().into_owned();
    let modified = entry
        .header()
        .mtime()
        .ok()
        .and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
    // GNU tar writes the contents of directories in incremental archives; older ones mark directories by a slash.
    const GNU_DIRECTORY: u8 = b'D';
    const GNU_LABEL: u8 = b'V';
    match entry.header().entry_type() {
        EntryType::Directory => tree.add_directory(&name, mode),
        EntryType::Regular if name.ends_with(b"/") => tree.add_directory(&name, mode),
        EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
            match SparseFile::of(entry, &name)? {
                Some(SparseFile { name, size }) => {
                    let mut contents = SparseContents::new(entry, &name, size)?;
                    tree.add_file(&name, &mut contents, size, mode, modified)
                }
                None => {
                    let size = entry.size();
                    tree.add_file(&name, entry, size, mode, modified)
                }
            }
        }
        EntryType::Symlink => tree.add_link(&name, &target),
        EntryType::Link => tree.add_hard_link(&name, &target),
        EntryType::Fifo => Err(refused(&name, "is a named pipe")),
        EntryType::Char | EntryType::Block => Err(refused(&name, "is a device")),
        EntryType::XGlobalHeader => Ok(()),
        other => match other.as_byte() {
            GNU_DIRECTORY => tree.add_directory(&name, mode),
            GNU_LABEL => Ok(()),
            byte => {
                let kind = char::from(byte).escape_default();
                Err(refused(&name, format!("is of the unknown kind '{kind}'")))
            }
        },
    }
}

/// Whether a block is the header of an entry, or the end of an archive without entries.
fn is_tar(block: &[u8]) -> bool {
    const CHECKSUM: std::ops::Range<usize> = 148..156;
    if block.len() != BLOCK_BYTES {
        return false;
    }
    let mut header = tar::Header::new_old();
    header.as_mut_bytes().copy_from_slice(block);
    // The checksum is computed as if it were blank itself.
    let sum = |range: std::ops::Range<usize>| -> u32 {
        block[range].iter().map(|&byte| u32::from(byte)).sum()
    };
    let blanks = u32::from(b' ') * CHECKSUM.len() as u32;
    let expected = sum(0..CHECKSUM.start) + blanks + sum(CHECKSUM.end..BLOCK_BYTES);
    block.iter().all(|&byte| byte == 0) || header.cksum().ok() == Some(expected)
}

/// What was read of a stream.
#[derive(Default)]
struct Progress {
    /// The number of zeros at the end of what was read.
    zeros: Cell<usize>,
    /// Whether the stream is longer than it may be.
    is_too_long: Cell<bool>,
}

/// A stream of limited length whose progress is known.
struct Watched<'p, R> {
    stream: R,
    /// The number of bytes that may still be read.
    left: u64,
    progress: &'p Progress,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        let Some(left) = self.left.checked_sub(count as u64) else {
            self.progress.is_too_long.set(true);
            return Err(io::Error::other("it is too long"));
        };
        self.left = left;
        let zeros = buffer[..count].iter().rev().take_while(|&&byte| byte == 0).count();
        let before = if zeros == count { self.progress.zeros.get() } else { 0 };
        self.progress.zeros.set(before.saturating_add(zeros));
        Ok(count)
    }
}
