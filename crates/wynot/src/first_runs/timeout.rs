//! The choice of timeouts: of the first runs, and of all tests after them.
//!
//! A timeout limits the processor time of a test, and the time in which it waits. The first runs are measured in the same
//! way, so that the load of the machine does not change the choice.

use crate::plan::Plan;
use std::time::Duration;
use wynot_session::{Ending, Observation, Timeout};

/// The timeout of the first runs, unless the user has set one.
const FIRST_RUN_TIMEOUT: Duration = Duration::from_secs(60);

/// The timeout of the first runs if a build precedes the test.
const FIRST_BUILD_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// The shortest timeout that is chosen automatically.
const MIN_TIMEOUT: Duration = Duration::from_secs(2);

/// The factor between the slowest first run and the timeout that is chosen automatically.
const TIMEOUT_FACTOR: u32 = 10;

/// The timeout of the first runs: that of the user, or one that is long enough for a test and the build before it.
pub(super) fn first_run_timeout(plan: &Plan) -> Duration {
    plan.timeout.unwrap_or(match plan.command.build {
        Some(_) => FIRST_BUILD_TIMEOUT,
        None => FIRST_RUN_TIMEOUT,
    })
}

/// A multiple of the slowest run that did not time out, in seconds rounded up to a power of two. Small differences between
/// two measurements then seldom change the timeout. Tests after a build have a limit of their own.
pub(super) fn automatic_timeout(runs: &[&Observation]) -> Timeout {
    let finished = runs.iter().filter(|run| run.ending != Ending::Timeout);
    let limit = |used: fn(&Observation) -> Duration| {
        let slowest = finished.clone().map(|run| used(run)).max();
        slowest.map_or(FIRST_RUN_TIMEOUT, |slowest| {
            round_up((slowest * TIMEOUT_FACTOR).max(MIN_TIMEOUT))
        })
    };
    Timeout {
        whole: limit(Observation::time_used),
        after_build: limit(Observation::time_after_build),
    }
}

/// The next power of two in seconds.
fn round_up(time: Duration) -> Duration {
    Duration::from_secs(time.as_secs_f64().ceil().max(1.0).log2().ceil().exp2() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_powers_of_two() {
        let rounded = |millis| round_up(Duration::from_millis(millis)).as_secs();
        assert_eq!([0, 2_000, 2_001, 4_000, 5_500, 64_000].map(rounded), [1, 2, 4, 4, 8, 64]);
    }
}
