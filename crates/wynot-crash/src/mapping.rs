//! Files in memory, as far as they are looked at.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A file that is mapped into memory: only what is looked at is read.
#[derive(Clone, Debug)]
pub(crate) struct Mapping(Arc<Mmap>);

impl Mapping {
    pub(crate) fn new(file: &File) -> io::Result<Self> {
        #[expect(
            unsafe_code,
            reason = "a file that is cut short while it is read would end this process; the files are \
                      programs that are stopped in the middle of running, and nobody can write to those"
        )]
        let map = unsafe { Mmap::map(file) }?;
        Ok(Self(Arc::new(map)))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A part of the file that keeps all of it in memory.
    pub(crate) fn part(&self, range: Range<usize>) -> Option<Part> {
        self.0.get(range.clone())?;
        Some(Part { whole: Some(self.clone()), range })
    }
}

/// A part of a file in memory, by default of none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    whole: Option<Mapping>,
    range: Range<usize>,
}

impl Deref for Part {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.whole.as_ref().map_or(&[], |whole| &whole.bytes()[self.range.clone()])
    }
}
