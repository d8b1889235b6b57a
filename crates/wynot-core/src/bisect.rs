//! The first failing version in a row of versions, where some cannot be tested.

use crate::oracle::label::Label;
use crate::oracle::{Attempt, Oracle, Stopped};
use crate::outcome::{Outcome, Outcomes};
use std::collections::VecDeque;
use std::iter;

/// A passing version and a later failing one. After [`bisect`], any version between them is unresolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The last version known to pass.
    pub passing: usize,
    /// The first version known to fail.
    pub failing: usize,
}

impl Gap {
    /// Moves the end that has the outcome to the version; returns whether the outcome was resolved.
    fn narrow(&mut self, version: usize, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Pass => self.passing = version,
            Outcome::Fail => self.failing = version,
            Outcome::Unresolved => return false,
        }
        true
    }

    /// The number of versions between the two.
    pub fn between(self) -> usize {
        self.failing - self.passing - 1
    }
}

/// The number of unresolved versions after which a gap counts as one that cannot be tested.
const MAX_UNRESOLVED_VERSIONS: usize = 15;

/// Narrows a row of versions, of which the first passes and the last fails, to neighbours.
///
/// The middle is tested first; if it is unresolved, the quarters, the eighths and so on, since versions
/// that cannot be tested come in stretches. After 15 unresolved versions, the borders of the stretch are
/// searched for, and the stretch remains as the gap.
///
/// ```
/// use wynot_core::{Gap, Memo, Outcome, bisect};
///
/// let mut oracle = Memo::of(|version: &usize| Outcome::fails_if(*version >= 613));
/// let gap = bisect(Gap { passing: 0, failing: 1000 }, &mut oracle).unwrap();
/// assert_eq!(gap, Gap { passing: 612, failing: 613 });
/// assert!(oracle.tests() <= 10);
/// ```
pub fn bisect<O: Oracle<usize>>(start: Gap, oracle: &mut O) -> Result<Gap, Stopped<Gap, O::Stop>> {
    let mut gap = start;
    loop {
        let middles: Vec<usize> = middles(gap).take(MAX_UNRESOLVED_VERSIONS).collect();
        let attempts = middles.iter().map(|&version| attempt(version, Outcomes::RESOLVED));
        let narrowed = match oracle.first(attempts) {
            Ok(Some(decision)) => gap.narrow(decision.candidate, decision.outcome),
            Ok(None) => match narrow_to_stretch(&mut gap, &middles, oracle) {
                Ok(narrowed) => narrowed,
                Err(cause) => return Err(Stopped { best: gap, cause }),
            },
            Err(cause) => return Err(Stopped { best: gap, cause }),
        };
        if !narrowed {
            return Ok(gap);
        }
    }
}

/// Moves both ends of a gap to the borders of the stretch around some unresolved versions.
///
/// Returns whether the stretch turned out to lie outside the gap, which has then become narrower and can be
/// bisected further.
fn narrow_to_stretch<O: Oracle<usize>>(
    gap: &mut Gap,
    unresolved: &[usize],
    oracle: &mut O,
) -> Result<bool, O::Stop> {
    let (Some(&first), Some(&last)) = (unresolved.iter().min(), unresolved.iter().max()) else {
        return Ok(false);
    };
    let (mut low, mut high) = (first, last);
    loop {
        let (from, to) = match (low - gap.passing, gap.failing - high) {
            (0 | 1, 0 | 1) => return Ok(false),
            (0 | 1, _) => (high, gap.failing),
            _ => (gap.passing, low),
        };
        let middle = from.midpoint(to);
        let attempts = iter::once(attempt(middle, Outcomes::ANY));
        match oracle.first(attempts)?.map(|decision| decision.outcome) {
            Some(Outcome::Pass) if middle > high => {
                gap.passing = middle;
                return Ok(true);
            }
            Some(Outcome::Fail) if middle < low => {
                gap.failing = middle;
                return Ok(true);
            }
            Some(Outcome::Pass) => gap.passing = middle,
            Some(Outcome::Fail) => gap.failing = middle,
            _ if middle < low => low = middle,
            _ => high = middle,
        }
    }
}

fn attempt(version: usize, decisive: Outcomes) -> Attempt<usize, ()> {
    Attempt { candidate: version, label: Label::new("version").count(version), decisive, next: () }
}

/// The versions within a gap: the middle, the middles of the halves, and so on.
pub(crate) fn middles(gap: Gap) -> impl Iterator<Item = usize> {
    let mut pending = VecDeque::from([(gap.passing, gap.failing)]);
    iter::from_fn(move || {
        loop {
            let (from, to) = pending.pop_front()?;
            if to - from < 2 {
                continue;
            }
            let middle = from.midpoint(to);
            pending.extend([(from, middle), (middle, to)]);
            return Some(middle);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::memo::Memo;

    /// The gap and the number of tests where versions fail from `culprit` on and some are unresolved.
    fn search(culprit: usize, last: usize, unresolved: fn(usize) -> bool) -> (Gap, usize) {
        let mut oracle = Memo::of(|&version: &usize| match version {
            version if unresolved(version) => Outcome::Unresolved,
            version => Outcome::fails_if(version >= culprit),
        });
        let gap = bisect(Gap { passing: 0, failing: last }, &mut oracle).unwrap();
        (gap, oracle.tests())
    }

    #[test]
    fn one_test_per_halving_finds_the_first_failing_version() {
        for culprit in 1..=1000 {
            let (gap, tests) = search(culprit, 1000, |_| false);
            assert_eq!(gap, Gap { passing: culprit - 1, failing: culprit });
            assert!(tests <= 10, "{culprit}: {tests}");
        }
    }

    #[test]
    fn stretches_that_cannot_be_tested_are_skipped() {
        let broken = |version: usize| (300..=700).contains(&version);
        let (gap, tests) = search(750, 1000, broken);
        assert_eq!(gap, Gap { passing: 749, failing: 750 });
        assert!(tests <= 20, "{tests}");
        let (gap, tests) = search(500, 1000, broken);
        assert_eq!(gap, Gap { passing: 299, failing: 701 });
        assert_eq!(gap.between(), 401);
        assert!(tests <= 60, "{tests}");
    }
}
