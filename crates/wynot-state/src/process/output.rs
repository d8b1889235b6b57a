//! What a program prints.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::process::Stdio;

/// A file without a name that a program prints to. It is always written at the end, so cutting it off is
/// all that is needed to print from there again.
#[derive(Debug)]
pub(super) struct Output(File);

impl Output {
    pub(super) fn new() -> io::Result<Self> {
        let file = tempfile::tempfile()?;
        let flags = rustix::fs::fcntl_getfl(&file)?;
        rustix::fs::fcntl_setfl(&file, flags | rustix::fs::OFlags::APPEND)?;
        Ok(Self(file))
    }

    pub(super) fn stdio(&self) -> io::Result<Stdio> {
        self.0.try_clone().map(Stdio::from)
    }

    pub(super) fn length(&self) -> io::Result<u64> {
        self.0.metadata().map(|data| data.len())
    }

    pub(super) fn cut_off(&self, length: u64) -> io::Result<()> {
        // Most print nothing, and it is dear to write down that nothing has changed.
        if self.length()? == length { Ok(()) } else { self.0.set_len(length) }
    }

    /// What was printed, up to so many bytes.
    pub(super) fn read(&self, most: usize) -> io::Result<Vec<u8>> {
        let length = self.length()?.min(most as u64);
        let mut bytes = vec![0; length as usize];
        self.0.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }

    /// Device and number of the file.
    pub(super) fn identity(&self) -> io::Result<(u64, u64)> {
        let data = rustix::fs::fstat(self.0.as_fd())?;
        Ok((data.st_dev, data.st_ino))
    }
}
