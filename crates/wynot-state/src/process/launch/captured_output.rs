//! The captured output of a program.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::process::Stdio;

/// A file without a name that a program prints to. The program always appends, so truncating the file undoes
/// what was printed last.
#[derive(Debug)]
pub(crate) struct CapturedOutput(File);

impl CapturedOutput {
    pub(crate) fn new() -> io::Result<Self> {
        let file = tempfile::tempfile()?;
        let flags = rustix::fs::fcntl_getfl(&file)?;
        rustix::fs::fcntl_setfl(&file, flags | rustix::fs::OFlags::APPEND)?;
        Ok(Self(file))
    }

    pub(crate) fn stdio(&self) -> io::Result<Stdio> {
        self.0.try_clone().map(Stdio::from)
    }

    pub(crate) fn length(&self) -> io::Result<u64> {
        self.0.metadata().map(|data| data.len())
    }

    pub(crate) fn truncate(&self, length: u64) -> io::Result<()> {
        // Most forks print nothing, and setting the length is expensive even if it stays the same.
        if self.length()? == length { Ok(()) } else { self.0.set_len(length) }
    }

    /// The first bytes that were printed, up to a limit.
    pub(crate) fn read(&self, max_bytes: usize) -> io::Result<Vec<u8>> {
        let length = self.length()?.min(max_bytes as u64);
        let mut bytes = vec![0; length as usize];
        self.0.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }

    /// The device and inode of the file.
    pub(crate) fn identity(&self) -> io::Result<(u64, u64)> {
        let data = rustix::fs::fstat(self.0.as_fd())?;
        Ok((data.st_dev, data.st_ino))
    }
}
