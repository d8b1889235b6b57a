//! Archives as versions of a program, read into memory without running any program and without writing any file.
//!
//! The format is recognised by the contents, whatever the name: tar archives, plain or compressed by gzip, bzip2, xz,
//! zstd, lzip or lzma (`compressed`, `zstd_frames`, `tarball`, `sparse_file`), and zip archives (`zipped`). All of them add their
//! entries to one [`UnpackedTree`](unpacked_tree::UnpackedTree), which decides what is acceptable: every entry stays
//! within the archive, is a file, a directory or a link, and all together stay within limits. An archive with anything
//! else is refused as a whole, because a version without one of its files is another version.

mod compressed;
mod sparse_file;
mod tarball;
mod unpacked_tree;
mod zipped;
mod zstd_frames;

#[cfg(test)]
mod archive_tests;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use unpacked_tree::UnpackedTree;
use wynot_session::plain;
use wynot_subjects::Folder;

/// The limits of what is read: far above the largest sources, and far below what endangers the machine.
const LIMITS: ArchiveLimits = ArchiveLimits { bytes: 4 << 30, entries: 1_000_000 };

/// The size of the blocks of which tar archives consist.
const BLOCK_BYTES: usize = 512;

/// The start of a zip archive: of its first entry, of the end of an empty one, or of one in several parts.
const ZIP_STARTS: [&[u8]; 3] = [b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"];

/// An archive that cannot be unpacked.
#[derive(Debug, thiserror::Error)]
#[error("cannot unpack {}: {reason}", path.display())]
pub struct BadArchive {
    /// The path of the archive.
    pub path: PathBuf,
    /// Why it cannot be unpacked.
    pub reason: ArchiveError,
}

/// Why an archive cannot be unpacked.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file cannot be opened or read.
    #[error("{}", plain(.0))]
    Unreadable(io::Error),
    /// The contents are those of no known format.
    #[error(
        "it is neither a tar archive (plain, or compressed by gzip, bzip2, xz, zstd, lzip or lzma) nor a zip archive"
    )]
    UnknownFormat,
    /// The contents contradict themselves or end too early.
    #[error("it is damaged or incomplete: {0}")]
    Damaged(String),
    /// The entries have too many bytes.
    #[error("it unpacks to more than {0} bytes")]
    TooManyBytes(u64),
    /// There are too many entries.
    #[error("it has more than {0} entries")]
    TooManyEntries(usize),
    /// An entry is not acceptable.
    #[error("{} {problem}", name.display())]
    Entry {
        /// The name of the entry as the archive has it.
        name: PathBuf,
        /// What is wrong with it, after the name.
        problem: String,
    },
}

/// The limits of what an archive may unpack to.
#[derive(Clone, Copy, Debug)]
struct ArchiveLimits {
    /// The bytes of all entries together.
    bytes: u64,
    /// The number of entries.
    entries: usize,
}

/// Reads the files of an archive. If the archive contains a single top-level directory, that directory is stripped.
///
/// Modes are those that a user with the usual umask (022) gets, whatever the umask is.
pub fn unpack(archive: &Path) -> Result<Folder, BadArchive> {
    unpack_within(archive, LIMITS).map_err(|reason| BadArchive { path: archive.to_owned(), reason })
}

fn unpack_within(archive: &Path, limits: ArchiveLimits) -> Result<Folder, ArchiveError> {
    let mut file = File::open(archive).map_err(ArchiveError::Unreadable)?;
    let mut start = Vec::new();
    file.by_ref().take(8).read_to_end(&mut start).map_err(ArchiveError::Unreadable)?;
    file.rewind().map_err(ArchiveError::Unreadable)?;
    let mut tree = UnpackedTree::new(limits);
    let file = BufReader::new(file);
    match ZIP_STARTS.iter().any(|magic| start.starts_with(magic)) {
        true => zipped::read(file, &mut tree)?,
        false => tarball::read(compressed::open(file, &start)?, limits.bytes, &mut tree)?,
    }
    tree.into_folder()
}
