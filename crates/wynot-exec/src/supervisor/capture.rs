//! Reading what a test prints, without ever holding more than a cap.

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::Stdio;
use wynot_session::Output;

/// How much of the beginning and of the end of a stream is kept.
const KEPT_AT_EACH_END: usize = 128 << 10;

/// A pipe that collects one stream of test after test.
///
/// Both ends stay open here: when all processes of a test are dead, what is in the pipe is all that
/// there will be, so no end of file is needed and the pipe can serve the next test.
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
        // Only the reading end must not block: a test's own writes have to wait, not fail.
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

    /// The end for a test to write to.
    pub(crate) fn writer(&self) -> io::Result<Stdio> {
        Ok(Stdio::from(self.write.try_clone()?))
    }

    /// Takes back what an earlier test may have done to its end, such as making it not block.
    pub(crate) fn reset(&self) -> io::Result<()> {
        Ok(rustix::fs::fcntl_setfl(&self.write, OFlags::empty())?)
    }

    /// The end to wait on.
    pub(crate) fn reader(&self) -> BorrowedFd<'_> {
        self.read.as_fd()
    }

    /// Takes in what can be read now.
    pub(crate) fn take_in(&mut self) -> io::Result<()> {
        loop {
            let count = match rustix::io::read(&self.read, &mut self.chunk) {
                Ok(count) => count,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            self.total += count as u64;
            let bytes = &self.chunk[..count];
            let room = KEPT_AT_EACH_END - self.head.len();
            let (first, rest) = bytes.split_at(room.min(count));
            self.head.extend_from_slice(first);
            self.tail.extend(rest);
            let excess = self.tail.len().saturating_sub(KEPT_AT_EACH_END);
            self.tail.drain(..excess);
        }
    }

    /// What was printed since the last call.
    pub(crate) fn finish(&mut self) -> io::Result<Output> {
        self.take_in()?;
        let mut kept = std::mem::take(&mut self.head);
        kept.extend(self.tail.drain(..));
        Ok(Output { kept, total: std::mem::take(&mut self.total) })
    }
}
