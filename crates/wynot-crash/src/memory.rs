//! Reading the memory of a stopped process, a good stretch at a time.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// How much is read at once: a few calls read a stack of many frames.
const STRETCH: u64 = 16 << 10;

/// The memory of a process.
pub(crate) struct Memory {
    file: File,
    start: u64,
    bytes: Vec<u8>,
}

impl Memory {
    pub(crate) fn of(pid: i32) -> io::Result<Self> {
        let file = File::open(format!("/proc/{pid}/mem"))?;
        Ok(Self { file, start: 0, bytes: Vec::new() })
    }

    /// The eight bytes at an address.
    pub(crate) fn word(&mut self, address: u64) -> Option<u64> {
        if let Some(word) = self.held(address) {
            return Some(word);
        }
        // From the address on: stacks are read upwards.
        self.start = address;
        self.bytes.resize(STRETCH as usize, 0);
        let read = self.file.read_at(&mut self.bytes, address).unwrap_or(0);
        self.bytes.truncate(read);
        self.held(address)
    }

    fn held(&self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.start)?).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(8)?)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    }
}
