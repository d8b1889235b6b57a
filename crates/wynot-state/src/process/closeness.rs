//! Running on the same processor as the program that is controlled.

use super::Inferior;
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::io;

/// Keeps this thread on one processor until it is dropped.
#[derive(Debug)]
pub(super) struct Closeness {
    /// Where it may run otherwise.
    before: CpuSet,
}

impl Closeness {
    /// The processors on which the program may run otherwise, as the system writes them: a bit for each.
    pub(super) fn processors(&self) -> Vec<u8> {
        let byte =
            |at: usize| (0..8).map(|bit| u8::from(self.before.is_set(8 * at + bit)) << bit).sum();
        (0..CpuSet::MAX_CPU / 8).map(byte).collect()
    }
}

impl Drop for Closeness {
    fn drop(&mut self) {
        // If it is not allowed any more, so be it.
        let _ = sched_setaffinity(None, &self.before);
    }
}

impl Inferior {
    /// Keeps the program on the processor that runs this thread, and this thread there as long as this
    /// exists. One waits for the other anyway, and it takes long to wake up another processor: a breakpoint
    /// is several times as fast.
    ///
    /// A program that asks for processors is told of those that it had before. What this thread starts
    /// stays there as well.
    pub fn keep_close(&mut self) -> io::Result<()> {
        if self.closeness.is_none() {
            let before = sched_getaffinity(None)?;
            let mut here = CpuSet::new();
            here.set(sched_getcpu());
            sched_setaffinity(None, &here)?;
            self.closeness = Some(Closeness { before });
            sched_setaffinity(Pid::from_raw(self.pid()), &here)?;
        }
        Ok(())
    }

    /// Lets the program and this thread run where they may again.
    pub fn let_apart(&mut self) -> io::Result<()> {
        match self.closeness.take() {
            Some(closeness) => Ok(sched_setaffinity(Pid::from_raw(self.pid()), &closeness.before)?),
            None => Ok(()),
        }
    }
}
