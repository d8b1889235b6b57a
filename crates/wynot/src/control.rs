//! Control over a running search: stopping it, or skipping its current pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops a search, or skips a pass of it, from any thread. Clones share their state.
///
/// A search that is stopped keeps its best result and can be resumed.
#[derive(Clone, Debug, Default)]
pub struct Control {
    stop: Arc<AtomicBool>,
    skip: Arc<AtomicBool>,
    /// Whether the search has ended, so that only its results remain to be written.
    ended: Arc<AtomicBool>,
}

impl Control {
    /// Requests a stop, and returns whether one was requested before.
    pub fn stop(&self) -> bool {
        self.stop.swap(true, Ordering::Relaxed)
    }

    /// Whether a stop was requested.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether the search has ended, so that only its results remain to be written. A caller that cannot wait any longer
    /// for a search it has stopped can end its process before: results and journals are always replaced as a whole.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Notes that the search has ended.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Requests the end of the current pass.
    pub fn skip_pass(&self) {
        self.skip.store(true, Ordering::Relaxed);
    }

    /// Whether the end of the current pass was requested since the last call.
    pub(crate) fn take_skip(&self) -> bool {
        self.skip.swap(false, Ordering::Relaxed)
    }

    /// The flag that a stop sets, for sessions.
    pub(crate) fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }
}
