//! An oracle that tests only what is permitted.

use super::strategy::{NextStep, Strategy};
use super::{Attempt, Decision, Oracle, Stopped};
use crate::outcome::Outcome;
use std::marker::PhantomData;

/// An oracle that passes permitted candidates on to another oracle, which may be owned or borrowed. Other candidates are
/// not tested, and none of them is decisive.
///
/// ```
/// use wynot_core::{Configuration, Memo, Outcome, Permitted, ddmin};
///
/// let test = Memo::of(|c: &Configuration| Outcome::fails_if(c.contains(7)));
/// let mut oracle = Permitted::new(test, |c: &Configuration| c.contains(2));
/// let minimal = ddmin(Configuration::full(8), &mut oracle).unwrap();
/// assert_eq!(minimal, Configuration::from([2, 7]));
/// ```
#[derive(Debug)]
pub struct Permitted<O, F> {
    oracle: O,
    permits: F,
}

impl<O, F> Permitted<O, F> {
    /// Passes on to `oracle` what `permits` permits.
    pub fn new(oracle: O, permits: F) -> Self {
        Self { oracle, permits }
    }
}

impl<C, O: Oracle<C>, F: Fn(&C) -> bool> Oracle<C> for Permitted<O, F> {
    type Stop = O::Stop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, O::Stop> {
        let permits = &self.permits;
        self.oracle.first(attempts.filter(|attempt| permits(&attempt.candidate)))
    }

    fn each(&mut self, candidates: impl Iterator<Item = C>) -> Result<Vec<Outcome>, O::Stop> {
        let mut permitted = Vec::new();
        let mut is_permitted = Vec::new();
        for candidate in candidates {
            is_permitted.push((self.permits)(&candidate));
            permitted.extend(is_permitted.last().is_some_and(|it| *it).then_some(candidate));
        }
        let mut outcomes = self.oracle.each(permitted.into_iter())?.into_iter();
        let outcome = |is_permitted| match is_permitted {
            true => outcomes.next().unwrap_or(Outcome::Unresolved),
            false => Outcome::Unresolved,
        };
        Ok(is_permitted.into_iter().map(outcome).collect())
    }

    fn run<S: Strategy<C>>(&mut self, strategy: S) -> Result<S, Stopped<S, O::Stop>> {
        let permits = &self.permits;
        match self.oracle.run(PermittedStrategy { strategy, permits, candidates: PhantomData }) {
            Ok(end) => Ok(end.strategy),
            Err(Stopped { best, cause }) => Err(Stopped { best: best.strategy, cause }),
        }
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        self.oracle.enter(level, deltas);
    }
}

/// A strategy without the proposals that are not permitted.
struct PermittedStrategy<'f, C, S, F> {
    strategy: S,
    permits: &'f F,
    candidates: PhantomData<fn() -> C>,
}

impl<C, S: Clone, F> Clone for PermittedStrategy<'_, C, S, F> {
    fn clone(&self) -> Self {
        Self { strategy: self.strategy.clone(), ..*self }
    }
}

impl<C, S: Strategy<C>, F: Fn(&C) -> bool> Strategy<C> for PermittedStrategy<'_, C, S, F> {
    fn advance(&mut self) -> NextStep<C> {
        loop {
            match self.strategy.advance() {
                NextStep::Test(proposal) if !(self.permits)(&proposal.candidate) => {}
                next => return next,
            }
        }
    }

    fn reach(&mut self) {
        self.strategy.reach();
    }

    fn accept(&mut self, outcome: Outcome) {
        self.strategy.accept(outcome);
    }

    fn interrupt(&mut self) -> bool {
        self.strategy.interrupt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::Configuration;
    use crate::gather::gather;
    use crate::oracle::memo::Memo;

    #[test]
    fn what_is_not_permitted_is_never_tested() {
        let test = Memo::of(|c: &Configuration| {
            assert!(c.contains(2), "{c} was tested");
            Outcome::fails_if(c.contains(7))
        });
        let mut oracle = Permitted::new(test, |c: &Configuration| c.contains(2));
        let found = gather(Configuration::full(8), &mut oracle);
        assert_eq!(found, Ok(Configuration::from([2, 7])));
        let candidates = [Configuration::from([7]), Configuration::from([2, 7])];
        let outcomes = oracle.each(candidates.into_iter());
        assert_eq!(outcomes, Ok(vec![Outcome::Unresolved, Outcome::Fail]));
    }
}
