//! Memory of a program that no longer changes.

use std::ops::Range;

/// A copy of a program's memory.
pub trait MemoryCopy {
    /// The bytes at an address; `None` unless all of them are mapped.
    fn bytes(&self, address: u64, length: u64) -> Option<&[u8]>;

    /// The contiguous range of mapped memory around an address.
    fn stretch(&self, address: u64) -> Option<Range<u64>>;

    /// The text at an address up to its terminating zero, which is not part of it; `None` if no zero follows
    /// within `max_length` bytes.
    fn text(&self, address: u64, max_length: u64) -> Option<&[u8]> {
        let end = self.stretch(address)?.end;
        let bytes = self.bytes(address, (end - address).min(max_length))?;
        let length = bytes.iter().position(|byte| *byte == 0)?;
        Some(&bytes[..length])
    }
}
