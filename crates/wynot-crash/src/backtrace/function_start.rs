//! The start of functions without names, which the unwind tables list.

use addr2line::gimli::{
    BaseAddresses, EhFrame, EhFrameHdr, EndianSlice, NativeEndian, UnwindSection,
};
use wynot_process::elf::ElfSection;

/// The first address of the function that contains an address, from the sections `.eh_frame_hdr` and
/// `.eh_frame`.
pub(super) fn find(header: &ElfSection, frames: &ElfSection, address: u64) -> Option<u64> {
    let bases = BaseAddresses::default()
        .set_eh_frame_hdr(header.addresses.start)
        .set_eh_frame(frames.addresses.start);
    let index = EhFrameHdr::new(&header.contents, NativeEndian).parse(&bases, 8).ok()?;
    let frames: EhFrame<EndianSlice<'_, _>> = EhFrame::new(&frames.contents, NativeEndian);
    let table = index.table()?;
    let found = table.fde_for_address(&frames, &bases, address, EhFrame::cie_from_offset).ok()?;
    Some(found.initial_address())
}
