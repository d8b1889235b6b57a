//! Killing a process that takes too long.
//!
//! Whoever controls a process waits for it, and cannot look at a clock. So somebody else does.

use rustix::process::{Signal, pidfd_send_signal};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// A thread that kills a process when it is late.
pub(super) struct Watchdog {
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
    /// Who is watched, and until when.
    watched: Option<(Arc<OwnedFd>, Instant)>,
    /// When the thread will look again by itself; `None` if it will not.
    looks_at: Option<Instant>,
    /// Whether it has killed.
    has_killed: bool,
    /// Whether it is not needed any more.
    is_over: bool,
}

impl Watchdog {
    pub(super) fn new() -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let thread = thread::Builder::new().name("watchdog".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || shared.watch()
        })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Watches a process until it is [released](Self::release). To be cheap it does not wake up the thread
    /// if that will look early enough.
    pub(super) fn watch(&self, process: &Arc<OwnedFd>, deadline: Instant) {
        let mut state = self.shared.state();
        state.watched = Some((Arc::clone(process), deadline));
        state.has_killed = false;
        if state.looks_at.is_none_or(|then| then > deadline) {
            self.shared.changed.notify_one();
        }
    }

    /// Stops watching; whether the process was killed.
    pub(super) fn release(&self) -> bool {
        let mut state = self.shared.state();
        state.watched = None;
        state.has_killed
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.state().is_over = true;
        self.shared.changed.notify_one();
        // Had it panicked, there would be nothing to do about it.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    /// Nothing here panics while it holds the lock.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self) {
        let mut state = self.state();
        while !state.is_over {
            let now = Instant::now();
            state.looks_at = state.watched.as_ref().map(|(_, deadline)| *deadline);
            let left = state.looks_at.map(|then| then.saturating_duration_since(now));
            state = match left {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(left) if left.is_zero() => {
                    if let Some((process, _)) = state.watched.take() {
                        state.has_killed = true;
                        // It may have ended in this moment.
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
