//! An oracle over one type of candidate that passes the questions on to an oracle over another.

use super::strategy::{NextStep, Proposal, Strategy};
use super::{Attempt, Decision, Oracle, Stopped};
use crate::outcome::Outcome;
use std::marker::PhantomData;

/// An oracle that maps each candidate and passes the result on to another oracle, which may be owned or
/// borrowed.
///
/// A [`Memo`](crate::Memo) behind it recognises candidates by what they are mapped to:
///
/// ```
/// use wynot_core::{Configuration, Mapped, Memo, Outcome, ddmin};
///
/// let text = "It worked yesterday.";
/// let kept = |c: &Configuration| c.iter().map(|i| text.as_bytes()[i as usize]).collect::<Vec<u8>>();
/// let texts = Memo::of(|text: &Vec<u8>| Outcome::fails_if(text.contains(&b'k')));
/// let mut oracle = Mapped::new(texts, kept);
/// let minimal = ddmin(Configuration::full(20), &mut oracle).unwrap();
/// assert_eq!(kept(&minimal), b"k");
/// assert!(oracle.get_ref().tests() <= 10);
/// ```
#[derive(Debug)]
pub struct Mapped<O, F, D> {
    oracle: O,
    map: F,
    forwards_levels: bool,
    mapped_to: PhantomData<fn() -> D>,
}

impl<D, O: Oracle<D>, F> Mapped<O, F, D> {
    /// Passes on to `oracle` what `map` makes of each candidate.
    pub fn new(oracle: O, map: F) -> Self {
        Self { oracle, map, forwards_levels: true, mapped_to: PhantomData }
    }

    /// Keeps the levels of the strategy from the oracle behind this one, for strategies whose levels are
    /// not those of the subject under test.
    #[must_use]
    pub fn without_levels(self) -> Self {
        Self { forwards_levels: false, ..self }
    }

    /// The oracle behind this one.
    pub fn get_ref(&self) -> &O {
        &self.oracle
    }
}

impl<C, D, O: Oracle<D>, F: Fn(&C) -> D> Oracle<C> for Mapped<O, F, D> {
    type Stop = O::Stop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, O::Stop> {
        let map = &self.map;
        let mapped = attempts.map(|Attempt { candidate, label, decisive, next }| Attempt {
            candidate: map(&candidate),
            label,
            decisive,
            next: (candidate, next),
        });
        Ok(self.oracle.first(mapped)?.map(
            |Decision { outcome, next: (candidate, next), .. }| Decision {
                candidate,
                outcome,
                next,
            },
        ))
    }

    fn each(&mut self, candidates: impl Iterator<Item = C>) -> Result<Vec<Outcome>, O::Stop> {
        let map = &self.map;
        self.oracle.each(candidates.map(|candidate| map(&candidate)))
    }

    fn run<S: Strategy<C>>(&mut self, strategy: S) -> Result<S, Stopped<S, O::Stop>> {
        match self.oracle.run(MappedStrategy { strategy, map: &self.map, mapped_from: PhantomData })
        {
            Ok(end) => Ok(end.strategy),
            Err(Stopped { best, cause }) => Err(Stopped { best: best.strategy, cause }),
        }
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        if self.forwards_levels {
            self.oracle.enter(level, deltas);
        }
    }
}

/// A strategy whose candidates are mapped.
struct MappedStrategy<'f, C, S, F> {
    strategy: S,
    map: &'f F,
    mapped_from: PhantomData<fn() -> C>,
}

impl<C, S: Clone, F> Clone for MappedStrategy<'_, C, S, F> {
    fn clone(&self) -> Self {
        Self { strategy: self.strategy.clone(), ..*self }
    }
}

impl<C, D, S: Strategy<C>, F: Fn(&C) -> D> Strategy<D> for MappedStrategy<'_, C, S, F> {
    fn advance(&mut self) -> NextStep<D> {
        match self.strategy.advance() {
            NextStep::Test(Proposal { candidate, label, decisive, likeness }) => {
                let candidate = (self.map)(&candidate);
                NextStep::Test(Proposal { candidate, label, decisive, likeness })
            }
            NextStep::Compute => NextStep::Compute,
            NextStep::Ask => NextStep::Ask,
            NextStep::End => NextStep::End,
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
    use crate::grouping::Grouping;
    use crate::levels::ddmin_by_levels;
    use crate::oracle::memo::Memo;

    /// An oracle that records the levels.
    struct Recorder<O> {
        oracle: O,
        levels: Vec<(usize, usize)>,
    }

    impl<C, O: Oracle<C>> Oracle<C> for Recorder<O> {
        type Stop = O::Stop;

        fn first<N>(
            &mut self,
            attempts: impl Iterator<Item = Attempt<C, N>>,
        ) -> Result<Option<Decision<C, N>>, O::Stop> {
            self.oracle.first(attempts)
        }

        fn each(&mut self, candidates: impl Iterator<Item = C>) -> Result<Vec<Outcome>, O::Stop> {
            self.oracle.each(candidates)
        }

        fn enter(&mut self, level: usize, deltas: usize) {
            self.levels.push((level, deltas));
        }
    }

    #[test]
    fn every_wrapper_forwards_the_levels() {
        let oracle = Memo::of(|c: &Configuration| Outcome::fails_if(c.contains(5)));
        let mut recorder = Recorder { oracle, levels: Vec::new() };
        let mut mapped = Mapped::new(&mut recorder, Configuration::clone);
        let levels = [Grouping::new(vec![0, 4, 8], 12), Grouping::singles(12)];
        let minimal = ddmin_by_levels(&levels, Configuration::full(12), &mut mapped);
        assert_eq!(minimal, Ok(Configuration::from([5])));
        assert_eq!(recorder.levels, [(0, 3), (1, 4)]);
    }

    #[test]
    fn levels_of_another_subject_are_not_forwarded() {
        let oracle = Memo::of(|c: &Configuration| Outcome::fails_if(c.contains(5)));
        let mut recorder = Recorder { oracle, levels: Vec::new() };
        let mut mapped = Mapped::new(&mut recorder, Configuration::clone).without_levels();
        mapped.enter(0, 3);
        assert_eq!(recorder.levels, []);
    }
}
