//! Using several threads to read debug information.

use std::thread::{self, ScopedJoinHandle};

/// The largest number of threads. More of them would only wait for memory.
const MAX_THREADS: usize = 8;

/// The number of threads to use.
pub(super) fn thread_count() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS))
}

/// The result of a thread. A panic of the thread continues here.
pub(super) fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
