//! Sparse files in the format of GNU tar for POSIX archives (version 1.0): the contents of the entry begin with the list
//! of the parts that follow. The older format of GNU archives is known to the crate `tar`.

use super::unpacked_tree::{refused, shown};
use super::{ArchiveError, BLOCK_BYTES};
use std::collections::VecDeque;
use std::io::{self, Read};

/// The prefix of the keys that describe sparse files in extended headers.
const SPARSE_KEYS: &str = "GNU.sparse.";

/// The largest number of digits in the list of parts.
const MAX_DIGITS: usize = 20;

/// The name and size of a sparse file.
pub(super) struct SparseFile {
    /// The name of the file, which is not that of the entry.
    pub(super) name: Vec<u8>,
    /// The size of the file with its holes.
    pub(super) size: u64,
}

impl SparseFile {
    /// The sparse file of an entry, if it is one.
    pub(super) fn of(
        entry: &mut tar::Entry<'_, impl Read>,
        entry_name: &[u8],
    ) -> Result<Option<Self>, ArchiveError> {
        let damaged = |error: io::Error| ArchiveError::Damaged(error.to_string());
        let Some(extensions) = entry.pax_extensions().map_err(damaged)? else { return Ok(None) };
        let (mut major, mut minor, mut name, mut size) = (None, None, None, None);
        let mut is_sparse = false;
        for extension in extensions {
            let extension = extension.map_err(damaged)?;
            let Some(key) = extension.key().ok().and_then(|key| key.strip_prefix(SPARSE_KEYS))
            else {
                continue;
            };
            is_sparse = true;
            let number = || extension.value().ok().and_then(|value| value.parse::<u64>().ok());
            match key {
                "major" => major = number(),
                "minor" => minor = number(),
                "realsize" => size = number(),
                "name" => name = Some(extension.value_bytes().to_vec()),
                _ => {}
            }
        }
        match (is_sparse, major, minor, name, size) {
            (false, ..) => Ok(None),
            (true, Some(1), Some(0), Some(name), Some(size)) => Ok(Some(Self { name, size })),
            _ => Err(refused(entry_name, "is a sparse file in a format that is not supported")),
        }
    }
}

/// The contents of a sparse file, with zeros in its holes.
pub(super) struct SparseContents<'e, R> {
    entry: &'e mut R,
    /// The pieces that are left: whether it is a hole, and the number of bytes.
    pieces: VecDeque<(bool, u64)>,
}

impl<'e, R: Read> SparseContents<'e, R> {
    /// Reads the list of parts of a file of `size` bytes.
    pub(super) fn new(entry: &'e mut R, name: &[u8], size: u64) -> Result<Self, ArchiveError> {
        let pieces = read_pieces(entry, size);
        let pieces =
            pieces.ok_or_else(|| ArchiveError::Damaged(format!("the parts of {}", shown(name))))?;
        Ok(Self { entry, pieces })
    }
}

impl<R: Read> Read for SparseContents<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some((is_hole, left)) = self.pieces.front_mut() {
            if *left == 0 {
                self.pieces.pop_front();
                continue;
            }
            let wanted = usize::try_from(*left).map_or(buffer.len(), |left| left.min(buffer.len()));
            let buffer = &mut buffer[..wanted];
            let count = match is_hole {
                true => {
                    buffer.fill(0);
                    wanted
                }
                false => self.entry.read(buffer)?,
            };
            *left -= count as u64;
            return Ok(count);
        }
        Ok(0)
    }
}

/// Reads the list of parts, up to the block in which the first of them begins.
fn read_pieces(entry: &mut impl Read, size: u64) -> Option<VecDeque<(bool, u64)>> {
    let mut list_bytes = 0;
    let mut number = || -> Option<u64> {
        let mut digits = String::new();
        loop {
            let mut byte = [0];
            entry.read_exact(&mut byte).ok()?;
            list_bytes += 1;
            match byte[0] {
                b'\n' => return digits.parse().ok(),
                _ if digits.len() == MAX_DIGITS => return None,
                digit => digits.push(char::from(digit)),
            }
        }
    };
    let mut pieces = VecDeque::new();
    let mut at: u64 = 0;
    for _ in 0..number()? {
        let (offset, length) = (number()?, number()?);
        pieces.extend([(true, offset.checked_sub(at)?), (false, length)]);
        at = offset.checked_add(length)?;
    }
    pieces.push_back((true, size.checked_sub(at)?));
    let padding = u64::next_multiple_of(list_bytes, BLOCK_BYTES as u64) - list_bytes;
    let skipped = io::copy(&mut entry.take(padding), &mut io::sink()).ok()?;
    (skipped == padding).then_some(pieces)
}
