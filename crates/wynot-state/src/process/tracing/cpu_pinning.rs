//! Running on the same processor as the program that is controlled.
//!
//! The program and the thread that controls it wait for each other anyway, and waking up another processor
//! takes long: on one processor a breakpoint is several times as fast.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use std::io;

/// Keeps this thread on one processor until it is dropped.
#[derive(Debug)]
pub(crate) struct CpuPinning {
    /// The processors on which the thread may run otherwise.
    allowed_before: CpuSet,
    /// The processor of the thread.
    pinned_to: CpuSet,
}

impl CpuPinning {
    /// Keeps this thread on the processor that runs it now. Processes that the thread starts stay there as well.
    pub(crate) fn pin_this_thread() -> io::Result<Self> {
        let allowed_before = sched_getaffinity(None)?;
        let mut pinned_to = CpuSet::new();
        pinned_to.set(sched_getcpu());
        sched_setaffinity(None, &pinned_to)?;
        Ok(Self { allowed_before, pinned_to })
    }

    /// Keeps a process on the same processor.
    pub(crate) fn pin_process(&self, pid: i32) -> io::Result<()> {
        Ok(sched_setaffinity(Pid::from_raw(pid), &self.pinned_to)?)
    }

    /// Lets the process run on all its processors again. Dropping the value does the same for the thread.
    pub(crate) fn release(self, pid: i32) -> io::Result<()> {
        Ok(sched_setaffinity(Pid::from_raw(pid), &self.allowed_before)?)
    }

    /// The processors that the program had before, in the system's format: a bit for each.
    pub(crate) fn processor_mask(&self) -> Vec<u8> {
        let is_allowed = |cpu: usize| u8::from(self.allowed_before.is_set(cpu));
        let byte = |at: usize| (0..8).map(|bit| is_allowed(8 * at + bit) << bit).sum();
        (0..CpuSet::MAX_CPU / 8).map(byte).collect()
    }
}

impl Drop for CpuPinning {
    fn drop(&mut self) {
        // The system may not allow it any more. Then the thread stays on its processor.
        let _ = sched_setaffinity(None, &self.allowed_before);
    }
}
