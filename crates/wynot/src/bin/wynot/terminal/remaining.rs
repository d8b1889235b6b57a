//! What is known about the rest of a search. Most searches cannot know how many tests they need; a bisection can, and a
//! limit is one.

use std::time::Duration;
use wynot_report::number::{count, time};

/// What a search has done so far, and its limits.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchTime {
    /// How long the search has run.
    pub elapsed: Duration,
    /// The number of tests so far.
    pub tests: u64,
    /// Those of them that were run now, and not before the search was resumed.
    pub run_now: u64,
    /// The number of versions between the two sides, if these are bisected.
    pub versions: Option<u64>,
    /// The limits of the number of tests and of the time.
    pub limits: (Option<u64>, Option<Duration>),
}

/// The rest of a search, in words.
pub fn remaining(so_far: &SearchTime) -> Option<String> {
    if let Some(versions @ 1..) = so_far.versions {
        let tests = u64::from(versions.next_power_of_two().trailing_zeros()).max(1);
        let each = so_far.elapsed.checked_div(u32::try_from(so_far.run_now).unwrap_or(u32::MAX));
        let whole = each.map(|each| each * tests as u32).filter(|_| so_far.run_now > 0);
        let whole = whole.map_or_else(String::new, |whole| format!(", {}", time(rounded(whole))));
        return Some(format!("about {} left{whole}", count(tests, "test")));
    }
    match so_far.limits {
        (_, Some(limit)) => {
            let left = limit.saturating_sub(so_far.elapsed);
            Some(format!("at most {} left", time(rounded(left))))
        }
        (Some(limit), None) => {
            Some(format!("at most {} left", count(limit.saturating_sub(so_far.tests), "test")))
        }
        (None, None) => None,
    }
}

/// A duration without parts of seconds: it is not known better.
fn rounded(duration: Duration) -> Duration {
    match duration.as_secs() {
        0 => duration,
        seconds => Duration::from_secs(seconds),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn so_far(versions: Option<u64>, limits: (Option<u64>, Option<Duration>)) -> SearchTime {
        let elapsed = Duration::from_secs(40);
        SearchTime { elapsed, tests: 10, run_now: 10, versions, limits }
    }

    #[test]
    fn a_bisection_knows_how_many_tests_are_left() {
        let words = |versions| remaining(&so_far(Some(versions), (None, None)));
        assert_eq!(words(569).as_deref(), Some("about 10 tests left, 40.0 s"));
        assert_eq!(words(2).as_deref(), Some("about 1 test left, 4.0 s"));
    }

    #[test]
    fn other_searches_know_only_their_limits() {
        assert_eq!(remaining(&so_far(None, (None, None))), None);
        let minute = Some(Duration::from_secs(100));
        assert_eq!(
            remaining(&so_far(None, (Some(12), minute))).as_deref(),
            Some("at most 1 min 0 s left")
        );
        assert_eq!(
            remaining(&so_far(None, (Some(12), None))).as_deref(),
            Some("at most 2 tests left")
        );
    }
}
