//! How many tests may decide nothing before a search among lines ends.

use crate::request::SearchEffort;
use std::time::Duration;

/// What a search among lines may spend on tests that decide nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spending {
    pub effort: SearchEffort,
    /// The time that a test of the bad version takes on a clean build.
    pub cost: Duration,
    /// Whether versions are built. Most builds then only repeat a part of a clean one.
    pub is_built: bool,
    /// Whether there is a history, so that the search for the commit has found something already.
    pub has_history: bool,
}

/// How much longer a clean build takes than most others.
const CLEAN_BUILD_FACTOR: f64 = 4.0;

/// How much longer the search goes on between two versions without a history.
const WITHOUT_HISTORY_FACTOR: f64 = 12.0;

impl Spending {
    /// The number of unresolved tests that a search among lines may have after `spent` tests that found the commit. What
    /// is cheap is tested more often.
    ///
    /// The number is a power of two, so that small differences between machines and runs change nothing.
    pub(super) fn patience(self, spent: u64) -> usize {
        let (seconds, times_spent, range) = match self.effort {
            SearchEffort::Low => (15.0, 1, 16..=128),
            SearchEffort::Normal => (40.0, 4, 32..=1024),
            SearchEffort::High => (600.0, 40, 256..=8192),
            SearchEffort::Max => return usize::MAX,
        };
        let cost = self.cost.as_secs_f64() / if self.is_built { CLEAN_BUILD_FACTOR } else { 1.0 };
        let seconds = seconds * if self.has_history { 1.0 } else { WITHOUT_HISTORY_FACTOR };
        let affordable = seconds / cost.max(0.1);
        let affordable = affordable.max((times_spent * spent) as f64).max(1.0);
        let rounded = 1usize << (affordable.log2().round().min(20.0) as u32);
        rounded.clamp(*range.start(), *range.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cheap_tests_are_run_more_often() {
        let tests = |effort, millis| {
            let cost = Duration::from_millis(millis);
            Spending { effort, cost, is_built: false, has_history: true }.patience(8)
        };
        assert_eq!(tests(SearchEffort::Normal, 400), 128);
        assert_eq!(tests(SearchEffort::Normal, 1), 512);
        assert_eq!(tests(SearchEffort::Normal, 60_000), 32);
        assert_eq!(tests(SearchEffort::Normal, 0), 512);
        let cost = Duration::from_secs(8);
        let effort = SearchEffort::Normal;
        let between_releases = Spending { effort, cost, is_built: true, has_history: false };
        assert_eq!(between_releases.patience(0), 256);
        assert!(tests(SearchEffort::Low, 400) < tests(SearchEffort::Normal, 400));
        assert!(tests(SearchEffort::High, 400) > tests(SearchEffort::Normal, 400));
        assert_eq!(tests(SearchEffort::Max, 400), usize::MAX);
    }
}
