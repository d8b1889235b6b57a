//! Capturing the output of a test, up to a cap.

use crate::Output;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::Stdio;

/// The number of bytes that are kept of the beginning and of the end of a stream.
const KEPT_BYTES_AT_EACH_END: usize = 128 << 10;

/// A pipe that captures one output stream of successive tests.
///
/// The supervisor keeps both ends open. When all processes of a test are dead, the pipe contains the rest of the
/// output, so no end of file is needed and the pipe can be used for the next test.
pub(crate) struct Capture {
    read: OwnedFd,
    write: OwnedFd,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    chunk: Vec<u8>,
}

impl Capture {
    pub(crate) fn new() -> io::Result<Self> {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
        // Only the reading end is non-blocking: writes of a test must wait, not fail.
        rustix::io::ioctl_fionbio(&read, true)?;
        Ok(Self {
            read,
            write,
            head: Vec::new(),
            tail: VecDeque::new(),
            total: 0,
            chunk: vec![0; 64 << 10],
        })
    }

    /// A copy of the writing end, for a test.
    pub(crate) fn writer(&self) -> io::Result<Stdio> {
        Ok(Stdio::from(self.write.try_clone()?))
    }

    /// Resets the flags of the writing end, which an earlier test may have made non-blocking.
    pub(crate) fn reset(&self) -> io::Result<()> {
        Ok(rustix::fs::fcntl_setfl(&self.write, OFlags::empty())?)
    }

    /// The reading end, for `poll`.
    pub(crate) fn reader(&self) -> BorrowedFd<'_> {
        self.read.as_fd()
    }

    /// Reads the output that is available now.
    pub(crate) fn read_available(&mut self) -> io::Result<()> {
        loop {
            let count = match rustix::io::read(&self.read, &mut self.chunk) {
                Ok(count) => count,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            self.total += count as u64;
            let bytes = &self.chunk[..count];
            let head_space = KEPT_BYTES_AT_EACH_END - self.head.len();
            let (first, rest) = bytes.split_at(head_space.min(count));
            self.head.extend_from_slice(first);
            self.tail.extend(rest);
            let excess = self.tail.len().saturating_sub(KEPT_BYTES_AT_EACH_END);
            self.tail.drain(..excess);
        }
    }

    /// Returns the output since the last call.
    pub(crate) fn finish(&mut self) -> io::Result<Output> {
        self.read_available()?;
        let mut kept = std::mem::take(&mut self.head);
        kept.extend(self.tail.drain(..));
        Ok(Output { kept, total: std::mem::take(&mut self.total) })
    }
}
