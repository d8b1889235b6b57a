//! The entries of a folder: files, links and directories.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// The number of bytes at the start of a file that decide whether it is text.
const TEXT_CHECK_BYTES: usize = 8192;

/// The bytes of a file, with a digest that is computed once, on first use.
#[derive(Default)]
pub struct FileContents {
    bytes: Vec<u8>,
    digest: OnceLock<[u8; 32]>,
}

impl FileContents {
    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The BLAKE3 digest of the bytes.
    pub fn digest(&self) -> &[u8; 32] {
        self.digest.get_or_init(|| *blake3::hash(&self.bytes).as_bytes())
    }
}

impl From<Vec<u8>> for FileContents {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, digest: OnceLock::new() }
    }
}

impl PartialEq for FileContents {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for FileContents {}

impl fmt::Debug for FileContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", OsStr::from_bytes(&self.bytes))
    }
}

/// What is at a path of a folder.
#[derive(Clone, Debug)]
pub enum FolderEntry {
    /// A file.
    File {
        /// The contents, which copies of the entry share.
        contents: Arc<FileContents>,
        /// The permission bits.
        mode: u32,
        /// The time of the last modification, which builds may depend on. Entries are compared without it.
        modified: Option<SystemTime>,
    },
    /// A symbolic link to this target.
    Link(PathBuf),
    /// A directory.
    Directory {
        /// The permission bits.
        mode: u32,
    },
}

impl PartialEq for FolderEntry {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::File { contents: a, mode: first, .. },
                Self::File { contents: b, mode: second, .. },
            ) => first == second && (Arc::ptr_eq(a, b) || a == b),
            (Self::Link(a), Self::Link(b)) => a == b,
            (Self::Directory { mode: a }, Self::Directory { mode: b }) => a == b,
            _ => false,
        }
    }
}

impl Eq for FolderEntry {}

impl FolderEntry {
    /// A file that does not come from the file system, and so has no time of modification.
    pub fn file(bytes: Vec<u8>, mode: u32) -> Self {
        Self::File { contents: Arc::new(bytes.into()), mode, modified: None }
    }

    /// The number of bytes in the entry.
    pub fn size(&self) -> u64 {
        match self {
            Self::File { contents, .. } => contents.bytes.len() as u64,
            Self::Link(target) => target.as_os_str().len() as u64,
            Self::Directory { .. } => 0,
        }
    }

    /// Whether the entry is a directory.
    pub fn is_directory(&self) -> bool {
        matches!(self, Self::Directory { .. })
    }

    /// The bytes of a file if it is text: there is no NUL among its first 8 KiB.
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Self::File { contents, .. } => {
                let start = &contents.bytes[..contents.bytes.len().min(TEXT_CHECK_BYTES)];
                (!start.contains(&0)).then_some(&contents.bytes)
            }
            _ => None,
        }
    }
}
