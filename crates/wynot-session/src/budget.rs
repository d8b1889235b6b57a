//! The budget of a search: tests, time, and the size at which the result is small enough.

use crate::stop::Stop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The limits of a search and the number of tests it has used. All parts of a search share one budget.
#[derive(Debug, Default)]
pub struct Budget {
    /// The number of tests that the search may run; outcomes known from earlier runs are free.
    pub max_tests: Option<u64>,
    /// The time at which the search must end.
    pub deadline: Option<Instant>,
    /// The size in bytes at which the result is small enough.
    pub until_size: Option<u64>,
    /// The number of tests used so far.
    used: AtomicU64,
}

impl Budget {
    /// Creates a budget with these limits and no tests used.
    pub fn new(max_tests: Option<u64>, deadline: Option<Instant>, until_size: Option<u64>) -> Self {
        Self { max_tests, deadline, until_size, used: AtomicU64::new(0) }
    }

    /// The number of tests that remain; `None` without a limit.
    pub(crate) fn tests_left(&self) -> Option<u64> {
        self.max_tests.map(|limit| limit.saturating_sub(self.used.load(Ordering::Relaxed)))
    }

    /// Counts one test as used.
    pub(crate) fn spend_test(&self) {
        self.used.fetch_add(1, Ordering::Relaxed);
    }

    /// Checks whether a search whose failing side has `size` bytes may continue.
    pub(crate) fn check(&self, size: u64) -> Result<(), Stop> {
        match (self.until_size, self.deadline) {
            (Some(limit), _) if size <= limit => Err(Stop::SmallEnough(limit)),
            (_, Some(deadline)) if Instant::now() >= deadline => Err(Stop::MaxTime),
            _ => Ok(()),
        }
    }
}
