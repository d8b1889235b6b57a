//! Files in memory, as far as they are looked at.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A file that is mapped into memory: only what is looked at is read.
#[derive(Clone, Debug)]
pub(super) struct Mapping(Arc<Mmap>);

impl Mapping {
    pub(super) fn new(file: &File) -> io::Result<Self> {
        #[expect(
            unsafe_code,
            reason = "a file that is cut short while it is read would end this process; programs and \
                      libraries are replaced by compilers and package managers, not written to"
        )]
        let map = unsafe { Mmap::map(file) }?;
        Ok(Self(Arc::new(map)))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A part of the file that keeps all of it in memory.
    pub(super) fn part(&self, range: Range<usize>) -> Option<Part> {
        self.0.get(range.clone())?;
        Some(Part::Mapped { whole: self.clone(), range })
    }
}

/// A part of a file: as it lies there, or as it was packed there.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Mapped { whole: Mapping, range: Range<usize> },
    Unpacked(Arc<[u8]>),
}

impl Default for Part {
    fn default() -> Self {
        Self::Unpacked(Arc::default())
    }
}

impl Deref for Part {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped { whole, range } => &whole.bytes()[range.clone()],
            Self::Unpacked(bytes) => bytes,
        }
    }
}
