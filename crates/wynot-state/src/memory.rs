//! The memory of a program that does not change any more.

use std::ops::Range;

/// A copy of a program's memory.
pub trait Memory {
    /// What lies at an address, if it is all there.
    fn bytes(&self, address: u64, length: u64) -> Option<&[u8]>;

    /// The stretch that an address belongs to: what lies next to it in one piece.
    fn stretch(&self, address: u64) -> Option<Range<u64>>;

    /// Text up to a byte of zero, without it, and at most so long; nothing if it goes on.
    fn text(&self, address: u64, longest: u64) -> Option<&[u8]> {
        let end = self.stretch(address)?.end;
        let bytes = self.bytes(address, (end - address).min(longest))?;
        let length = bytes.iter().position(|byte| *byte == 0)?;
        Some(&bytes[..length])
    }
}
