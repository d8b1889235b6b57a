//! What a test gets.

use crate::folder::Folder;

/// What a test gets: the subject as one configuration or draft makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variant {
    /// A file with these bytes.
    Bytes(Vec<u8>),
    /// Files and directories.
    Folder(Folder),
    /// Words of the command line.
    Words(Vec<Vec<u8>>),
    /// The environment, each entry as `NAME=value`.
    Environment(Vec<Vec<u8>>),
    /// The name of a version, which the test or its build installs or selects.
    Version(String),
}

impl Default for Variant {
    fn default() -> Self {
        Self::Bytes(Vec::new())
    }
}

impl Variant {
    /// Makes the variant a file, if it is something else, and returns its bytes for rewriting. The memory
    /// of a file is reused.
    pub fn make_bytes(&mut self) -> &mut Vec<u8> {
        if !matches!(self, Self::Bytes(_)) {
            *self = Self::default();
        }
        match self {
            Self::Bytes(bytes) => bytes,
            _ => unreachable!("the variant has just become a file"),
        }
    }

    /// The size in bytes; each word or variable counts one byte more.
    pub fn size(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Folder(folder) => folder.size(),
            Self::Words(list) | Self::Environment(list) => {
                list.iter().map(|word| word.len() as u64 + 1).sum()
            }
            Self::Version(name) => name.len() as u64,
        }
    }

    /// Whether the variant has no bytes, entries or words.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Folder(folder) => folder.is_empty(),
            Self::Words(list) | Self::Environment(list) => list.is_empty(),
            Self::Version(name) => name.is_empty(),
        }
    }

    /// The contents of all files, or all words or variables.
    pub fn parts(&self) -> Vec<&[u8]> {
        match self {
            Self::Bytes(bytes) => vec![bytes],
            Self::Folder(folder) => folder.leaves().filter_map(|(_, entry)| entry.text()).collect(),
            Self::Words(list) | Self::Environment(list) => list.iter().map(Vec::as_slice).collect(),
            Self::Version(name) => vec![name.as_bytes()],
        }
    }

    /// The first part of the variant, for display: at most about `limit` bytes.
    pub fn beginning(&self, limit: usize) -> Vec<u8> {
        let mut excerpt = Vec::new();
        match self {
            Self::Bytes(bytes) => excerpt.extend_from_slice(&bytes[..bytes.len().min(limit)]),
            Self::Folder(folder) => folder.write_excerpt(limit, &mut excerpt),
            Self::Words(list) | Self::Environment(list) => {
                let whole = list.iter().take_while(|_| excerpt.len() < limit);
                excerpt = whole.flat_map(|word| word.iter().copied().chain([b'\n'])).collect();
            }
            Self::Version(name) => {
                excerpt.extend_from_slice(&name.as_bytes()[..name.len().min(limit)]);
            }
        }
        excerpt
    }
}
