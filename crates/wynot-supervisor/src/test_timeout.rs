//! The time limits of a test.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The time limits of a test, in processor time and in time spent waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeout {
    /// The limit of the test and the build before it.
    pub whole: Duration,
    /// The limit of the test after its build. A test that hangs should not take as long as ten builds.
    pub after_build: Duration,
}

impl From<Duration> for Timeout {
    fn from(limit: Duration) -> Self {
        Self { whole: limit, after_build: limit }
    }
}
