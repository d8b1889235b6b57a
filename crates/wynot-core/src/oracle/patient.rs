//! An oracle that gives up after a number of attempts that decided nothing.

use super::{Attempt, Decision, Oracle};
use crate::outcome::Outcome;
use std::cell::Cell;
use std::error::Error;
use std::fmt;

/// An oracle that answers until a number of attempts have decided nothing.
///
/// The attempts are counted in the order of the algorithm, so the oracle gives up at the same point
/// however many tests run at the same time.
#[derive(Debug)]
pub struct Patient<O> {
    oracle: O,
    attempts_left: usize,
}

/// Why a [`Patient`] oracle gives no more answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaveUp<S> {
    /// Too many attempts have decided nothing.
    TooManyAttempts,
    /// The oracle behind it has stopped.
    Stopped(S),
}

impl<S> fmt::Display for GaveUp<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooManyAttempts => "too many attempts have decided nothing",
            Self::Stopped(_) => "the oracle has stopped",
        })
    }
}

impl<S: Error + 'static> Error for GaveUp<S> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::TooManyAttempts => None,
            Self::Stopped(cause) => Some(cause),
        }
    }
}

impl<O> Patient<O> {
    /// Gives up after `max_attempts` attempts that decided nothing.
    pub fn new(oracle: O, max_attempts: usize) -> Self {
        Self { oracle, attempts_left: max_attempts }
    }
}

impl<C, O: Oracle<C>> Oracle<C> for Patient<O> {
    type Stop = GaveUp<O::Stop>;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, Self::Stop> {
        let made = Cell::new(0);
        let numbered = attempts.take(self.attempts_left).enumerate().map(|(before, attempt)| {
            made.set(before + 1);
            let Attempt { candidate, label, decisive, next } = attempt;
            Attempt { candidate, label, decisive, next: (before, next) }
        });
        let decision = self.oracle.first(numbered).map_err(GaveUp::Stopped)?;
        self.attempts_left -= decision.as_ref().map_or(made.get(), |decision| decision.next.0);
        if self.attempts_left == 0 {
            return Err(GaveUp::TooManyAttempts);
        }
        Ok(decision.map(|Decision { candidate, outcome, next: (_, next) }| Decision {
            candidate,
            outcome,
            next,
        }))
    }

    fn each(&mut self, candidates: impl Iterator<Item = C>) -> Result<Vec<Outcome>, Self::Stop> {
        self.oracle.each(candidates).map_err(GaveUp::Stopped)
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        self.oracle.enter(level, deltas);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::Configuration;
    use crate::dd::Isolated;
    use crate::grouping::Grouping;
    use crate::oracle::Stopped;
    use crate::oracle::memo::Memo;
    use crate::remove_one::remove_one_by_levels;

    /// The size of the isolated difference, whether the oracle gave up, and the number of tests.
    fn isolate(max_attempts: usize, test: fn(&Configuration) -> Outcome) -> (usize, bool, usize) {
        let mut oracle = Memo::of(test);
        let levels =
            [Grouping::new((0..60).map(|file| file * 10).collect(), 600), Grouping::singles(600)];
        let start = Isolated { passing: Configuration::empty(), failing: Configuration::full(600) };
        let patient = &mut Patient::new(&mut oracle, max_attempts);
        let (sides, gave_up) = match remove_one_by_levels(&levels, start, patient) {
            Ok(sides) => (sides, false),
            Err(Stopped { best, cause }) => (best, cause == GaveUp::TooManyAttempts),
        };
        (sides.difference().len(), gave_up, oracle.tests())
    }

    #[test]
    fn deltas_that_depend_on_each_other_cost_no_more_than_the_limit() {
        // All or nothing of the first 500; the rest is irrelevant.
        let rewritten =
            |c: &Configuration| match (0..500).filter(|&delta| c.contains(delta)).count() {
                0 => Outcome::Pass,
                500 => Outcome::Fail,
                _ => Outcome::Unresolved,
            };
        let (left, gave_up, tests) = isolate(15, rewritten);
        assert!(gave_up && left >= 500 && tests <= 15, "{left} {tests}");
    }

    #[test]
    fn independent_deltas_never_reach_the_limit() {
        let (left, gave_up, tests) = isolate(15, |c| Outcome::fails_if(c.contains(555)));
        assert_eq!((left, gave_up), (1, false));
        assert!(tests <= 12, "{tests}");
    }
}
