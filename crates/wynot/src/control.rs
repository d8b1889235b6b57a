//! What a caller can ask for while a search runs: that it stops, or that the present pass ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops a search, or skips a pass of it, from any thread. Clones share their state.
///
/// A search that is stopped keeps its best result and can be resumed.
#[derive(Clone, Debug, Default)]
pub struct Control {
    stop: Arc<AtomicBool>,
    skip: Arc<AtomicBool>,
}

impl Control {
    /// Asks for a stop; whether it was asked for before.
    pub fn stop(&self) -> bool {
        self.stop.swap(true, Ordering::Relaxed)
    }

    /// Whether a stop was asked for.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Asks for the end of the present pass.
    pub fn skip_pass(&self) {
        self.skip.store(true, Ordering::Relaxed);
    }

    /// Whether the end of the present pass was asked for since the last call.
    pub(crate) fn take_skip(&self) -> bool {
        self.skip.swap(false, Ordering::Relaxed)
    }

    /// The flag itself, for sessions.
    pub(crate) fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stop
    }
}
