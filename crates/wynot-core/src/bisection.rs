//! The first of a row of versions that fails, where some cannot be tested.

use crate::{Attempt, Oracle, Outcome, Outcomes, Part, Stopped};

/// A version that passes and a later one that fails. Nothing is known about those between them: there are
/// none, unless they could not be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The last version known to pass.
    pub passing: usize,
    /// The first version known to fail.
    pub failing: usize,
}

impl Gap {
    /// Takes over what a version has shown.
    fn narrow(&mut self, version: usize, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Pass => self.passing = version,
            Outcome::Fail => self.failing = version,
            Outcome::Unresolved => return false,
        }
        true
    }

    /// How many versions lie between the two.
    pub fn between(self) -> usize {
        self.failing - self.passing - 1
    }
}

/// How many versions of a stretch are tried before it counts as one that cannot be tested.
const PATIENCE: usize = 15;

/// Narrows a row of versions, of which the first passes and the last fails, to neighbours.
///
/// The middle is tested first; where that is unresolved, the quarters, the eighths and so on, since versions
/// that cannot be tested come in stretches. After 15 in vain the borders of the stretch are found, and the
/// gap stays.
pub fn bisect<O: Oracle<usize>>(start: Gap, oracle: &mut O) -> Result<Gap, Stopped<Gap, O::Stop>> {
    let mut gap = start;
    loop {
        let tried: Vec<usize> = halfway(gap).take(PATIENCE).collect();
        let attempts = tried.iter().map(|&version| attempt(version, Outcomes::RESOLVED));
        let narrowed = match oracle.first(attempts) {
            Ok(Some(decision)) => gap.narrow(decision.configuration, decision.outcome),
            Ok(None) => match borders(&mut gap, &tried, oracle) {
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

/// Moves both ends of a gap to the stretch around some versions that cannot be tested; whether the row turned
/// out to be another one, so that it is to be narrowed again.
fn borders<O: Oracle<usize>>(
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
        let asked = std::iter::once(attempt(middle, Outcomes::ANY));
        match oracle.first(asked)?.map(|decision| decision.outcome) {
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
    let part = Part::Version { number: version };
    Attempt { configuration: version, part, decisive, next: () }
}

/// The versions of a gap: the middle, the middles of the halves, and so on.
fn halfway(gap: Gap) -> impl Iterator<Item = usize> {
    let mut pending = std::collections::VecDeque::from([(gap.passing, gap.failing)]);
    std::iter::from_fn(move || {
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
    use crate::Decision;

    /// Versions fail from one on; some cannot be tested.
    struct Row {
        culprit: usize,
        unresolved: fn(usize) -> bool,
        tests: usize,
    }

    impl Oracle<usize> for Row {
        type Stop = std::convert::Infallible;

        fn first<N>(
            &mut self,
            mut attempts: impl Iterator<Item = Attempt<usize, N>>,
        ) -> Result<Option<Decision<usize, N>>, Self::Stop> {
            Ok(attempts.find_map(|Attempt { configuration, decisive, next, .. }| {
                self.tests += 1;
                let outcome = match configuration {
                    version if (self.unresolved)(version) => Outcome::Unresolved,
                    version => Outcome::fails_if(version >= self.culprit),
                };
                decisive.contains(outcome).then_some(Decision { configuration, outcome, next })
            }))
        }

        fn each(&mut self, _: impl Iterator<Item = usize>) -> Result<Vec<Outcome>, Self::Stop> {
            Ok(Vec::new())
        }
    }

    fn found(culprit: usize, last: usize, unresolved: fn(usize) -> bool) -> (Gap, usize) {
        let mut row = Row { culprit, unresolved, tests: 0 };
        let gap = bisect(Gap { passing: 0, failing: last }, &mut row).unwrap();
        (gap, row.tests)
    }

    #[test]
    fn one_test_per_halving_finds_the_first_version_that_fails() {
        for culprit in 1..=1000 {
            let (gap, tests) = found(culprit, 1000, |_| false);
            assert_eq!(gap, Gap { passing: culprit - 1, failing: culprit });
            assert!(tests <= 10, "{culprit}: {tests}");
        }
    }

    #[test]
    fn stretches_that_cannot_be_tested_are_passed_over() {
        let broken = |version: usize| (300..=700).contains(&version);
        let (gap, tests) = found(750, 1000, broken);
        assert_eq!(gap, Gap { passing: 749, failing: 750 });
        assert!(tests <= 20, "{tests}");
        let (gap, tests) = found(500, 1000, broken);
        assert_eq!(gap, Gap { passing: 299, failing: 701 });
        assert_eq!(gap.between(), 401);
        assert!(tests <= 60, "{tests}");
    }
}
