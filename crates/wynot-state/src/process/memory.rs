//! The memory of a stopped process.

use crate::program;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;

/// The memory of a process, as a file: what may not be written to can be written to all the same, as
/// debuggers need it.
#[derive(Debug)]
pub(super) struct Memory(File);

impl Memory {
    pub(super) fn of(pid: i32) -> io::Result<Self> {
        Ok(Self(OpenOptions::new().read(true).write(true).open(format!("/proc/{pid}/mem"))?))
    }

    /// Reads all of it or fails.
    pub(super) fn read(&self, address: u64, into: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(into, address)
    }

    /// Writes all of it or fails.
    pub(super) fn write(&self, address: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, address)
    }

    pub(super) fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }
}

impl program::Memory for Memory {
    fn read(&self, address: u64, into: &mut [u8]) -> bool {
        self.read(address, into).is_ok()
    }
}
