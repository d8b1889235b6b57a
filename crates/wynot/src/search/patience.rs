//! How many tests may decide nothing before a search among lines ends.

use crate::request::SearchEffort;
use std::time::Duration;

/// The number of unresolved tests that a search among lines may have, from the time that a test of the bad version takes
/// on a clean build. What is cheap is tested more often.
///
/// The number is a power of two, so that small differences between machines and runs change nothing.
pub(super) fn patience(effort: SearchEffort, cost: Duration) -> usize {
    let (seconds, range) = match effort {
        SearchEffort::Low => (30.0, 16..=128),
        SearchEffort::Normal => (120.0, 32..=512),
        SearchEffort::High => (1200.0, 256..=4096),
        SearchEffort::Max => return usize::MAX,
    };
    let affordable = (seconds / cost.as_secs_f64().max(0.001)).max(1.0);
    let rounded = 1usize << (affordable.log2().round().min(20.0) as u32);
    rounded.clamp(*range.start(), *range.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cheap_tests_are_run_more_often() {
        let tests = |effort, millis| patience(effort, Duration::from_millis(millis));
        assert_eq!(tests(SearchEffort::Normal, 400), 256);
        assert_eq!(tests(SearchEffort::Normal, 1), 512);
        assert_eq!(tests(SearchEffort::Normal, 60_000), 32);
        assert_eq!(tests(SearchEffort::Normal, 0), 512);
        assert!(tests(SearchEffort::Low, 400) < tests(SearchEffort::Normal, 400));
        assert!(tests(SearchEffort::High, 400) > tests(SearchEffort::Normal, 400));
        assert_eq!(tests(SearchEffort::Max, 400), usize::MAX);
    }
}
