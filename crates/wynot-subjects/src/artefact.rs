//! A variant made concrete: what a test is given.

use crate::Folder;

/// What a test is given, whatever it is that varies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Artefact {
    /// A file with these bytes.
    Bytes(Vec<u8>),
    /// Files and directories.
    Folder(Folder),
    /// Words of its command line.
    Words(Vec<Vec<u8>>),
    /// Its environment, each entry as `NAME=value`.
    Environment(Vec<Vec<u8>>),
}

impl Default for Artefact {
    fn default() -> Self {
        Self::Bytes(Vec::new())
    }
}

impl Artefact {
    /// Turns it into a file that can be written anew, reusing its memory.
    pub fn as_file(&mut self) -> &mut Vec<u8> {
        if !matches!(self, Self::Bytes(_)) {
            *self = Self::default();
        }
        match self {
            Self::Bytes(bytes) => bytes,
            _ => unreachable!("it has just been made a file"),
        }
    }

    /// How many bytes it has.
    pub fn size(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Folder(folder) => folder.size(),
            Self::Words(list) | Self::Environment(list) => {
                list.iter().map(|word| word.len() as u64 + 1).sum()
            }
        }
    }

    /// Whether nothing is there.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Folder(folder) => folder.is_empty(),
            Self::Words(list) | Self::Environment(list) => list.is_empty(),
        }
    }

    /// Its beginning, for people: at most about `limit` bytes.
    pub fn beginning(&self, limit: usize) -> Vec<u8> {
        let mut shown = Vec::new();
        match self {
            Self::Bytes(bytes) => shown.extend_from_slice(&bytes[..bytes.len().min(limit)]),
            Self::Folder(folder) => folder.show(limit, &mut shown),
            Self::Words(list) | Self::Environment(list) => {
                let whole = list.iter().take_while(|_| shown.len() < limit);
                shown = whole.flat_map(|word| word.iter().copied().chain([b'\n'])).collect();
            }
        }
        shown
    }
}
