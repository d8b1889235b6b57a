//! The times that runs may use, as far as the user does not say otherwise. A run is held to them by the time
//! of the processor, and by the time in which it waits; they follow from the times of the first runs by the clock.

use super::runs::MAX_RUN;
use std::time::Duration;

/// The time after which a run that fails is taken for one that does not end, if the passing run is fast.
const MIN_FAILING_RUN: Duration = Duration::from_secs(10);

/// The factor between the times of the passing run and of one that is taken for one that does not end.
const FAILING_RUN_FACTOR: u32 = 20;

/// The shortest timeout of an experiment.
const MIN_EXPERIMENT: Duration = Duration::from_secs(1);

/// The same if the failure is that the run does not end: then many experiments need all their time.
const MIN_HANGING_EXPERIMENT: Duration = Duration::from_millis(60);

/// The factor between the time of the slower run and the timeout of experiments.
const EXPERIMENT_FACTOR: u32 = 10;

/// The same if the failure is that the run does not end.
const HANGING_EXPERIMENT_FACTOR: u32 = 4;

/// How long the run of `--fail` may take.
pub(super) fn failing_run_limit(passing: Duration) -> Duration {
    (passing * FAILING_RUN_FACTOR).clamp(MIN_FAILING_RUN, MAX_RUN)
}

/// How long an experiment may take after it was altered; `hangs` says that the failing run does not end.
pub(super) fn experiment_timeout(slower: Duration, hangs: bool) -> Duration {
    match hangs {
        true => (slower * HANGING_EXPERIMENT_FACTOR).max(MIN_HANGING_EXPERIMENT),
        false => (slower * EXPERIMENT_FACTOR).max(MIN_EXPERIMENT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_does_not_end_has_shorter_experiments() {
        let fast = Duration::from_millis(5);
        assert_eq!(experiment_timeout(fast, false), Duration::from_secs(1));
        assert_eq!(experiment_timeout(fast, true), Duration::from_millis(60));
        assert_eq!(failing_run_limit(fast), Duration::from_secs(10));
        assert_eq!(failing_run_limit(Duration::from_secs(30)), MAX_RUN);
    }
}
