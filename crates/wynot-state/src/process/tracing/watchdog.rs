//! Killing a process that exceeds its time limit.
//!
//! The thread that controls a process blocks while it waits for it, so a second thread watches the clock. A process that
//! is killed while it starts a thread does not report that thread, and does not end before the end of the thread has
//! been waited for. The thread that controls the process does not know it, so this one waits for such threads.

use super::tracees::reap_threads;
use rustix::process::{Signal, pidfd_send_signal};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The time between two searches for threads of a process that was killed.
const SWEEP_INTERVAL: Duration = Duration::from_millis(2);

/// A thread that kills a process at its deadline.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The process that is watched, its number, and its deadline.
    watched: Option<(Arc<OwnedFd>, i32, Instant)>,
    /// When the thread will wake up by itself; `None` if it sleeps until it is notified.
    wakes_at: Option<Instant>,
    /// The process that was killed at its deadline, until the end of it was seen.
    killed: Option<i32>,
    /// Whether the watched process was killed.
    has_killed: bool,
    /// Whether the thread is to end.
    is_over: bool,
}

impl Watchdog {
    pub(crate) fn new() -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let thread = thread::Builder::new().name("watchdog".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || shared.run()
        })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Watches a process until [`stop`](Self::stop) is called. If the thread wakes up early enough by itself,
    /// it is not notified, which makes this cheap.
    pub(crate) fn start(&self, process: &Arc<OwnedFd>, leader: i32, deadline: Instant) {
        let mut state = self.shared.state();
        state.watched = Some((Arc::clone(process), leader, deadline));
        (state.killed, state.has_killed) = (None, false);
        if state.wakes_at.is_none_or(|then| then > deadline) {
            self.shared.changed.notify_one();
        }
    }

    /// Stops watching. Returns whether the process was killed.
    pub(crate) fn stop(&self) -> bool {
        let mut state = self.shared.state();
        (state.watched, state.killed) = (None, None);
        state.has_killed
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.state().is_over = true;
        self.shared.changed.notify_one();
        // A panic of the thread has been printed already.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    /// Nothing panics while it holds the lock, so a poisoned lock is as good as any.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.state();
        while !state.is_over {
            let now = Instant::now();
            if let Some(leader) = state.killed {
                reap_threads(leader);
                state.wakes_at = Some(now + SWEEP_INTERVAL);
                let waited = self.changed.wait_timeout(state, SWEEP_INTERVAL);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            state.wakes_at = state.watched.as_ref().map(|(.., deadline)| *deadline);
            let left = state.wakes_at.map(|then| then.saturating_duration_since(now));
            state = match left {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(left) if left.is_zero() => {
                    if let Some((process, leader, _)) = state.watched.take() {
                        (state.killed, state.has_killed) = (Some(leader), true);
                        // The process may have ended just now.
                        let _ = pidfd_send_signal(process, Signal::KILL);
                    }
                    state
                }
                Some(left) => {
                    let waited = self.changed.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}
