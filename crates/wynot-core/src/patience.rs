//! Giving up where one attempt after the other decides nothing.

use crate::{Attempt, Decision, Oracle, Outcome};
use std::cell::Cell;

/// Answers until a number of attempts were made in vain. It counts them in the order of the algorithm, so it
/// gives up at the same place however many tests run at the same time.
pub struct Patient<'a, O> {
    oracle: &'a mut O,
    left: usize,
}

/// Why a [`Patient`] oracle answers no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaveUp<S> {
    /// Too much was in vain.
    InVain,
    /// The oracle behind it has stopped.
    Stopped(S),
}

impl<'a, O> Patient<'a, O> {
    /// Gives up after `patience` attempts in vain.
    pub fn new(oracle: &'a mut O, patience: usize) -> Self {
        Self { oracle, left: patience }
    }
}

impl<C, O: Oracle<C>> Oracle<C> for Patient<'_, O> {
    type Stop = GaveUp<O::Stop>;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, Self::Stop> {
        let made = Cell::new(0);
        let numbered = attempts.take(self.left).enumerate().map(|(before, attempt)| {
            made.set(before + 1);
            let Attempt { configuration, part, decisive, next } = attempt;
            Attempt { configuration, part, decisive, next: (before, next) }
        });
        let decision = self.oracle.first(numbered).map_err(GaveUp::Stopped)?;
        self.left -= decision.as_ref().map_or(made.get(), |decision| decision.next.0);
        if self.left == 0 {
            return Err(GaveUp::InVain);
        }
        Ok(decision.map(|Decision { configuration, outcome, next }| Decision {
            configuration,
            outcome,
            next: next.1,
        }))
    }

    fn each(
        &mut self,
        configurations: impl Iterator<Item = C>,
    ) -> Result<Vec<Outcome>, Self::Stop> {
        self.oracle.each(configurations).map_err(GaveUp::Stopped)
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        self.oracle.enter(level, deltas);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Configuration, Grouping, Isolated, Recall, Stopped, dd_sweeping};

    fn isolated(patience: usize, outcome: fn(&Configuration) -> Outcome) -> (usize, bool, usize) {
        let mut oracle = Recall::new(outcome);
        let levels =
            [Grouping::new((0..60).map(|file| file * 10).collect(), 600), Grouping::singles(600)];
        let start = Isolated { passing: Configuration::empty(), failing: Configuration::full(600) };
        let found = dd_sweeping(&levels, start, &mut Patient::new(&mut oracle, patience));
        let (sides, gave_up) = match found {
            Ok(sides) => (sides, false),
            Err(Stopped { best, cause }) => (best, cause == GaveUp::InVain),
        };
        (sides.difference().len(), gave_up, oracle.tests())
    }

    #[test]
    fn what_hangs_together_costs_no_more_than_the_patience() {
        // All or nothing of the first 500; the rest does not matter.
        let rewritten =
            |c: &Configuration| match (0..500).filter(|&delta| c.contains(delta)).count() {
                0 => Outcome::Pass,
                500 => Outcome::Fail,
                _ => Outcome::Unresolved,
            };
        let (left, gave_up, tests) = isolated(15, rewritten);
        assert!(gave_up && left >= 500 && tests <= 15, "{left} {tests}");
    }

    #[test]
    fn what_can_be_tested_never_tries_it() {
        let (left, gave_up, tests) = isolated(15, |c| Outcome::fails_if(c.contains(555)));
        assert_eq!((left, gave_up), (1, false));
        assert!(tests <= 12, "{tests}");
    }
}
