//! What bounds a search.

use crate::{Quorum, Stop};
use std::time::{Duration, Instant};

/// How far a search may go, and how it asks.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How long a test may take.
    pub timeout: Duration,
    /// How many tests the search may use, besides those known from earlier runs.
    pub max_tests: Option<u64>,
    /// How many it has used before, in other parts.
    pub tests_before: u64,
    /// When it has to end.
    pub deadline: Option<Instant>,
    /// How small is small enough, in bytes.
    pub until_size: Option<u64>,
    /// How often each test is asked.
    pub quorum: Quorum,
}

impl Bounds {
    /// How many more tests may be used, `used` being used in this part.
    pub(crate) fn tests_left(&self, used: u64) -> Option<u64> {
        self.max_tests.map(|limit| limit.saturating_sub(self.tests_before + used))
    }

    /// Whether a search may go on that has come to a failing side of `size` bytes.
    pub(crate) fn check(&self, size: u64) -> Result<(), Stop> {
        match (self.until_size, self.deadline) {
            (Some(limit), _) if size <= limit => Err(Stop::SmallEnough(limit)),
            (_, Some(deadline)) if Instant::now() >= deadline => Err(Stop::MaxTime),
            _ => Ok(()),
        }
    }
}
