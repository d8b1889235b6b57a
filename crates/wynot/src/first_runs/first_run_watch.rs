//! What happens while the first runs take their time: they can be stopped, and after a while the caller hears of them.

use crate::notes::Notes;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use wynot_session::Stop;

/// The time after which the first runs are mentioned.
const QUIET_TIME: Duration = Duration::from_secs(3);

/// Watches the first runs.
pub(crate) struct FirstRunWatch<'w> {
    stop: &'w AtomicBool,
    notes: RefCell<&'w mut dyn Notes>,
    started: Instant,
    is_mentioned: Cell<bool>,
}

impl<'w> FirstRunWatch<'w> {
    /// Watches first runs that begin now.
    pub(crate) fn new(stop: &'w AtomicBool, notes: &'w mut dyn Notes) -> Self {
        let (started, is_mentioned) = (Instant::now(), Cell::new(false));
        Self { stop, notes: RefCell::new(notes), started, is_mentioned }
    }

    /// Reports a remark on the first runs.
    pub(super) fn note(&self, text: &str) {
        self.notes.borrow_mut().note(text);
    }

    /// Whether the runs may go on.
    pub(super) fn check(&self) -> Result<(), Stop> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        if self.started.elapsed() >= QUIET_TIME && !self.is_mentioned.replace(true) {
            self.notes.borrow_mut().note("running the test for the first time, on both sides");
        }
        Ok(())
    }
}
