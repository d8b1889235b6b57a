//! The DWARF sections of a file.

use gimli::{DebugAddrBase, Dwarf, DwarfSections, Encoding, EndianSlice, LittleEndian, Section};
use std::convert::Infallible;
use std::ops::Range;
use wynot_process::elf::ElfFile;
use wynot_process::mapped_file::FileSlice;

/// A reader of bytes of a section.
pub(super) type Reader<'a> = EndianSlice<'a, LittleEndian>;

/// The DWARF sections of a file.
#[derive(Debug)]
pub(super) struct DebugSections(DwarfSections<FileSlice>);

impl DebugSections {
    pub(super) fn load(elf: &ElfFile) -> Self {
        let contents =
            |name: &str| elf.section(name).map(|section| section.contents).unwrap_or_default();
        let Ok(sections) = DwarfSections::load(|id| Ok::<_, Infallible>(contents(id.name())));
        Self(sections)
    }

    pub(super) fn dwarf(&self) -> Dwarf<Reader<'_>> {
        self.0.borrow(|section| EndianSlice::new(section, LittleEndian))
    }

    /// A part of `.debug_info`.
    pub(super) fn info(&self, range: Range<usize>) -> Option<Reader<'_>> {
        let info = self.0.debug_info.borrow(|section| EndianSlice::new(section, LittleEndian));
        let bytes: &[u8] = info.reader().slice();
        bytes.get(range).map(|bytes| EndianSlice::new(bytes, LittleEndian))
    }
}

/// What remains of a unit after reading: what is needed to find its variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitBases {
    /// The offset of the unit in `.debug_info`.
    pub(super) start: usize,
    pub(super) encoding: Encoding,
    pub(super) low_pc: u64,
    /// The offset of its part of `.debug_addr`.
    pub(super) addr_base: DebugAddrBase<usize>,
}
