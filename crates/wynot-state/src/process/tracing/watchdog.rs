//! Killing a process that exceeds its time limit.
//!
//! The thread that controls a process blocks while it waits for it, so a second thread watches its time. A process that
//! is killed while it starts a thread does not report that thread, and does not end before the end of the thread has
//! been waited for. The thread that controls the process does not know it, so this one waits for such threads, also if
//! another process or the program itself has sent the signal.

use super::run_time::RunTime;
use super::tracees::reap_threads;
use rustix::process::{Signal, pidfd_send_signal};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The time between two searches for threads of a process that was killed.
const SWEEP_INTERVAL: Duration = Duration::from_millis(2);

/// A thread that kills a process when its time is used up.
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
    watched: Option<Watched>,
    /// When the thread will wake up by itself; `None` if it sleeps until it is notified.
    wakes_at: Option<Instant>,
    /// The process that was killed because of its time, until the end of it was seen.
    killed: Option<i32>,
    /// Whether the watched process was killed.
    has_killed: bool,
    /// Whether the thread is to end.
    is_over: bool,
}

/// A process that is watched.
struct Watched {
    process: Arc<OwnedFd>,
    leader: i32,
    /// Its time when the watch began.
    time: RunTime,
    started: Instant,
    /// When its time is checked next.
    check_at: Instant,
}

impl Watched {
    /// Checks the time of the process, and chooses the time of the next check. Returns whether the limit is exceeded.
    fn is_late(&mut self) -> bool {
        let mut time = self.time;
        time.add(self.started.elapsed());
        match time.check() {
            Some(left) => self.check_at = Instant::now() + left,
            None => return true,
        }
        false
    }
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
    pub(crate) fn start(&self, process: &Arc<OwnedFd>, leader: i32, time: RunTime) {
        let (process, started) = (Arc::clone(process), Instant::now());
        let check_at = started + time.time_to_check();
        let mut state = self.shared.state();
        state.watched = Some(Watched { process, leader, time, started, check_at });
        (state.killed, state.has_killed) = (None, false);
        if state.wakes_at.is_none_or(|then| then > check_at) {
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
            state.wakes_at = state.watched.as_ref().map(|watched| watched.check_at);
            let left = state.wakes_at.map(|then| then.saturating_duration_since(now));
            state = match left {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(left) if left.is_zero() => {
                    if let Some(watched) = state.watched.as_ref().filter(|w| w.time.has_ended()) {
                        reap_threads(watched.leader);
                    }
                    if let Some(watched) = state.watched.take_if(Watched::is_late) {
                        (state.killed, state.has_killed) = (Some(watched.leader), true);
                        // The process may have ended just now.
                        let _ = pidfd_send_signal(watched.process, Signal::KILL);
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
