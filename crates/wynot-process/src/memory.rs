//! The memory of other processes, through `/proc/PID/mem`.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;

/// Memory that can be read: that of a stopped process, or a copy of it.
pub trait ReadMemory {
    /// Fills the buffer with the bytes at an address. Returns `false` if some of them cannot be read.
    fn read_memory(&self, address: u64, into: &mut [u8]) -> bool;
}

/// The memory of a traced process. Memory that the process itself must not write to can be written as well,
/// which breakpoints need.
#[derive(Debug)]
pub struct ProcessMemory(File);

impl ProcessMemory {
    /// Opens the memory of a process that this thread traces.
    pub fn open(pid: i32) -> io::Result<Self> {
        Ok(Self(OpenOptions::new().read(true).write(true).open(format!("/proc/{pid}/mem"))?))
    }

    /// Reads all the bytes or fails.
    pub fn read(&self, address: u64, into: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(into, address)
    }

    /// Writes all the bytes or fails.
    pub fn write(&self, address: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, address)
    }

    /// A second handle for the same memory.
    pub fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }
}

impl ReadMemory for ProcessMemory {
    fn read_memory(&self, address: u64, into: &mut [u8]) -> bool {
        self.read(address, into).is_ok()
    }
}

/// The number of bytes that a [`StackReader`] reads at once: a few calls read a stack of many frames.
const STACK_CHUNK_BYTES: usize = 16 << 10;

/// Reads the stack of a stopped thread word by word, from lower to higher addresses, and asks the system for
/// many words at once.
#[derive(Debug)]
pub struct StackReader {
    file: File,
    chunk_start: u64,
    chunk: Vec<u8>,
}

impl StackReader {
    /// Opens the memory of a process for reading.
    pub fn open(pid: i32) -> io::Result<Self> {
        let file = File::open(format!("/proc/{pid}/mem"))?;
        Ok(Self { file, chunk_start: 0, chunk: Vec::new() })
    }

    /// The eight bytes at an address, as a number.
    pub fn word(&mut self, address: u64) -> Option<u64> {
        if let Some(word) = self.word_in_chunk(address) {
            return Some(word);
        }
        self.chunk_start = address;
        self.chunk.resize(STACK_CHUNK_BYTES, 0);
        let read = self.file.read_at(&mut self.chunk, address).unwrap_or(0);
        self.chunk.truncate(read);
        self.word_in_chunk(address)
    }

    fn word_in_chunk(&self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.chunk_start)?).ok()?;
        let bytes = self.chunk.get(at..at.checked_add(8)?)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_stack_are_read_across_chunks() {
        let words: Vec<u64> = (0..5000).collect();
        let start = words.as_ptr() as u64;
        let mut reader = StackReader::open(std::process::id() as i32).unwrap();
        for (index, word) in words.iter().enumerate() {
            assert_eq!(reader.word(start + 8 * index as u64), Some(*word));
        }
        assert_eq!(reader.word(start), Some(0));
        assert_eq!(reader.word(8), None);
    }
}
