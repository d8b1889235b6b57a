//! The threads of a program take turns: one runs at a time, so that all runs of it are alike.
//!
//! A thread keeps its turn until it waits for something, gives up the processor, or ends; then the one that can go on
//! for the longest time is next. What threads do therefore depends on what they wait for and not on the load of the
//! machine.

use std::collections::VecDeque;
use std::time::Duration;
use wynot_process::Registers;

/// How long a thread may be silent before its state is looked at, if others could go on.
pub(crate) const TURN_CHECK_INTERVAL: Duration = Duration::from_millis(2);

/// The threads of a program that do not have the turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadTurns {
    /// The stopped threads that can go on, the next one first.
    ready: VecDeque<ReadyThread>,
    /// The threads in a system call that waits, in the order in which they began to wait.
    waiting: Vec<WaitingThread>,
}

/// A stopped thread that can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadyThread {
    pub(crate) tid: i32,
    /// The signal that it receives when it goes on; 0 for none.
    pub(crate) signal: i32,
}

/// A thread in a system call that waits.
#[derive(Clone, Copy, Debug)]
struct WaitingThread {
    tid: i32,
    /// Its registers before the call.
    registers: Registers,
}

impl ThreadTurns {
    /// Puts a stopped thread behind all others that can go on. It waits no longer.
    pub(crate) fn add_ready(&mut self, tid: i32, signal: i32) {
        self.waiting.retain(|thread| thread.tid != tid);
        self.ready.push_back(ReadyThread { tid, signal });
    }

    /// Takes the thread that is next.
    pub(crate) fn take_next(&mut self) -> Option<ReadyThread> {
        self.ready.pop_front()
    }

    /// Whether a thread could have the turn.
    pub(crate) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Records that a thread begins to wait.
    pub(crate) fn add_waiting(&mut self, tid: i32, registers: Registers) {
        self.waiting.retain(|thread| thread.tid != tid);
        self.waiting.push(WaitingThread { tid, registers });
    }

    /// Records that a thread waits no longer, or has ended.
    pub(crate) fn remove(&mut self, tid: i32) {
        self.ready.retain(|thread| thread.tid != tid);
        self.waiting.retain(|thread| thread.tid != tid);
    }

    /// The threads that wait, in the order in which they began to.
    pub(crate) fn waiting(&self) -> Vec<i32> {
        self.waiting.iter().map(|thread| thread.tid).collect()
    }

    /// The registers of a thread before the call in which it waits.
    pub(crate) fn registers_before_waiting(&self, tid: i32) -> Option<Registers> {
        self.waiting.iter().find(|thread| thread.tid == tid).map(|thread| thread.registers)
    }
}
