//! Files that are mapped into memory, so that only the pages in use are read.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A file that is mapped into memory. Copies share the mapping.
#[derive(Clone, Debug)]
pub struct MappedFile(Arc<Mmap>);

impl MappedFile {
    /// Maps a file.
    pub fn new(file: &File) -> io::Result<Self> {
        #[expect(
            unsafe_code,
            reason = "a file that is truncated while it is mapped would end this process; programs and \
                      libraries are replaced by compilers and package managers, not written to, and the \
                      system refuses writes to a program that runs"
        )]
        let map = unsafe { Mmap::map(file) }?;
        Ok(Self(Arc::new(map)))
    }

    /// All bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A part of the file, which keeps the mapping alive; `None` if the file is shorter.
    pub fn slice(&self, range: Range<usize>) -> Option<FileSlice> {
        self.0.get(range.clone())?;
        Some(FileSlice(Contents::Mapped { file: self.clone(), range }))
    }
}

/// Bytes that come from a file, either as they are stored or decompressed; by default none.
#[derive(Clone, Debug, Default)]
pub struct FileSlice(Contents);

#[derive(Clone, Debug)]
enum Contents {
    Mapped { file: MappedFile, range: Range<usize> },
    Decompressed(Arc<[u8]>),
}

impl FileSlice {
    /// Bytes that were stored in a compressed form.
    pub fn decompressed(bytes: &[u8]) -> Self {
        Self(Contents::Decompressed(bytes.into()))
    }
}

impl Default for Contents {
    fn default() -> Self {
        Self::Decompressed(Arc::default())
    }
}

impl Deref for FileSlice {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Contents::Mapped { file, range } => &file.bytes()[range.clone()],
            Contents::Decompressed(bytes) => bytes,
        }
    }
}
