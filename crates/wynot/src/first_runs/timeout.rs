//! The choice of timeouts: of the first runs, and of all tests after them.

use crate::plan::Plan;
use std::time::Duration;
use wynot_session::{Ending, Observation};

/// The timeout of the first runs, unless the user has set one.
const FIRST_RUN_TIMEOUT: Duration = Duration::from_secs(60);

/// The timeout of the first runs if a build precedes the test.
const FIRST_BUILD_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// The shortest timeout that is chosen automatically.
const MIN_TIMEOUT: Duration = Duration::from_secs(1);

/// The factor between the slowest first run and the timeout that is chosen automatically.
const TIMEOUT_FACTOR: u32 = 10;

/// The timeout of the first runs: that of the user, or one that is long enough for a test and the build before it.
pub(super) fn first_run_timeout(plan: &Plan) -> Duration {
    plan.timeout.unwrap_or(match plan.command.build {
        Some(_) => FIRST_BUILD_TIMEOUT,
        None => FIRST_RUN_TIMEOUT,
    })
}

/// A multiple of the slowest run that did not time out.
pub(super) fn automatic_timeout(runs: &[&Observation]) -> Duration {
    let finished = runs.iter().filter(|run| run.ending != Ending::Timeout);
    let slowest = finished.map(|run| run.elapsed).max();
    let timeout = slowest.map_or(FIRST_RUN_TIMEOUT, |slowest| slowest * TIMEOUT_FACTOR);
    // The journal keeps whole milliseconds.
    Duration::from_millis(timeout.max(MIN_TIMEOUT).as_millis() as u64)
}
