//! Where functions begin that have no name: the tables for exceptions tell for every one of them.

use addr2line::gimli::{
    BaseAddresses, EhFrame, EhFrameHdr, EndianSlice, NativeEndian, UnwindSection,
};
use std::ops::Range;

/// The first address of the function that an address belongs to. Both sections come with where they want
/// to lie.
pub(crate) fn start(
    header: (&Range<u64>, &[u8]),
    frames: (&Range<u64>, &[u8]),
    address: u64,
) -> Option<u64> {
    let bases =
        BaseAddresses::default().set_eh_frame_hdr(header.0.start).set_eh_frame(frames.0.start);
    let index = EhFrameHdr::new(header.1, NativeEndian).parse(&bases, 8).ok()?;
    let frames: EhFrame<EndianSlice<'_, _>> = EhFrame::new(frames.1, NativeEndian);
    let table = index.table()?;
    let found = table.fde_for_address(&frames, &bases, address, EhFrame::cie_from_offset).ok()?;
    Some(found.initial_address())
}
