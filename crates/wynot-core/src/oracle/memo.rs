//! An oracle over a closure that tests no candidate twice.

use super::monotone::Monotonicity;
use super::{Attempt, Decision, Oracle};
use crate::configuration::Configuration;
use crate::outcome::Outcome;
use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::Hash;

/// An oracle that calls a closure, in order and one candidate at a time, and remembers the outcomes.
///
/// ```
/// use wynot_core::{Configuration, Memo, Outcome, ddmin};
///
/// let mut oracle = Memo::of(|c: &Configuration| Outcome::fails_if(c.contains(7)));
/// let minimal = ddmin(Configuration::full(8), &mut oracle).unwrap();
/// assert_eq!(minimal, Configuration::from([7]));
/// assert_eq!(oracle.tests(), 6);
/// ```
///
/// A test that can go wrong returns a `Result`. Its first error ends the search:
///
/// ```
/// use std::io;
/// use wynot_core::{Configuration, Memo, Outcome, ddmin};
///
/// let mut left = 3;
/// let mut oracle = Memo::new(|c: &Configuration| {
///     left -= 1;
///     if left == 0 { Err(io::Error::other("no space left")) } else { Ok(Outcome::fails_if(c.contains(7))) }
/// });
/// let stopped = ddmin(Configuration::full(8), &mut oracle).unwrap_err();
/// assert_eq!(stopped.best.to_string(), "{4-7}");
/// assert_eq!(stopped.cause.to_string(), "no space left");
/// ```
///
/// Candidates are compared by `Eq`. To recognise them by something else, such as the text that they
/// stand for, put a [`Mapped`](crate::Mapped) oracle in front.
#[derive(Debug)]
pub struct Memo<C, F> {
    test: F,
    known: HashMap<C, Outcome>,
    monotonicity: Option<Implications<C>>,
    tests: usize,
}

/// Outcomes implied by monotonicity, over candidates that are configurations.
#[derive(Debug)]
struct Implications<C> {
    outcomes: Monotonicity,
    configuration: fn(&C) -> &Configuration,
}

impl<C> Memo<C, ()> {
    /// An oracle over a test that always has an outcome.
    pub fn of<T: FnMut(&C) -> Outcome>(
        mut test: T,
    ) -> Memo<C, impl FnMut(&C) -> Result<Outcome, Infallible>> {
        Memo::new(move |candidate: &C| Ok(test(candidate)))
    }
}

impl<C, F> Memo<C, F> {
    /// An oracle over a test that may fail to give an outcome.
    pub fn new<S>(test: F) -> Self
    where
        F: FnMut(&C) -> Result<Outcome, S>,
    {
        Self { test, known: HashMap::new(), monotonicity: None, tests: 0 }
    }

    /// How many distinct candidates were tested.
    pub fn tests(&self) -> usize {
        self.tests
    }
}

impl<F> Memo<Configuration, F> {
    /// Takes outcomes that monotonicity implies instead of testing (Section VII).
    #[must_use]
    pub fn assuming_monotonicity(mut self) -> Self {
        let mut outcomes = Monotonicity::default();
        self.known.iter().for_each(|(known, outcome)| outcomes.learn(known, *outcome));
        self.monotonicity = Some(Implications { outcomes, configuration: |c| c });
        self
    }
}

impl<C: Eq + Hash + Clone, F> Memo<C, F> {
    /// States an outcome without a test, such as the two axioms: nothing passes and everything fails.
    #[must_use]
    pub fn with_known(mut self, candidate: C, outcome: Outcome) -> Self {
        self.learn(candidate, outcome);
        self
    }

    fn learn(&mut self, candidate: C, outcome: Outcome) {
        if let Some(Implications { outcomes, configuration }) = &mut self.monotonicity {
            outcomes.learn(configuration(&candidate), outcome);
        }
        self.known.insert(candidate, outcome);
    }

    fn known(&self, candidate: &C) -> Option<Outcome> {
        self.known.get(candidate).copied().or_else(|| {
            let Implications { outcomes, configuration } = self.monotonicity.as_ref()?;
            outcomes.implied(configuration(candidate))
        })
    }

    fn outcome<S>(&mut self, candidate: &C) -> Result<Outcome, S>
    where
        F: FnMut(&C) -> Result<Outcome, S>,
    {
        if let Some(outcome) = self.known(candidate) {
            return Ok(outcome);
        }
        self.tests += 1;
        let outcome = (self.test)(candidate)?;
        self.learn(candidate.clone(), outcome);
        Ok(outcome)
    }
}

impl<C, S, F> Oracle<C> for Memo<C, F>
where
    C: Eq + Hash + Clone,
    F: FnMut(&C) -> Result<Outcome, S>,
{
    type Stop = S;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, S> {
        for Attempt { candidate, decisive, next, .. } in attempts {
            let outcome = self.outcome(&candidate)?;
            if decisive.contains(outcome) {
                return Ok(Some(Decision { candidate, outcome, next }));
            }
        }
        Ok(None)
    }

    fn each(&mut self, candidates: impl Iterator<Item = C>) -> Result<Vec<Outcome>, S> {
        candidates.map(|candidate| self.outcome(&candidate)).collect()
    }

    fn enter(&mut self, _level: usize, _deltas: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::label::Label;
    use crate::outcome::Outcomes;

    use Outcome::{Fail, Pass, Unresolved};

    #[test]
    fn each_gives_outcomes_in_order_and_repeats_no_test() {
        let mut oracle = Memo::of(|c: &Configuration| match c.len() {
            0 => Pass,
            1 => Unresolved,
            _ => Fail,
        });
        let candidates = [2, 0, 1, 2, 0].map(Configuration::full);
        let outcomes = oracle.each(candidates.into_iter()).unwrap();
        assert_eq!(outcomes, [Fail, Pass, Unresolved, Fail, Pass]);
        assert_eq!(oracle.tests(), 3);
    }

    #[test]
    fn a_second_question_gets_the_same_outcome_without_a_test() {
        // The closure contradicts itself, which the oracle must not pass on.
        let mut outcomes = [Pass, Fail].into_iter();
        let mut oracle = Memo::new(|_: &&str| outcomes.next().ok_or("no more tests"));
        for decisive in [Outcomes::FAIL, Outcomes::PASS] {
            let attempt = Attempt { candidate: "same", label: Label::new("x"), decisive, next: () };
            let decision = oracle.first([attempt].into_iter()).unwrap();
            assert_eq!(decision.is_some(), decisive == Outcomes::PASS);
        }
        assert_eq!(oracle.each(["same", "same"].into_iter()), Ok(vec![Pass, Pass]));
        assert_eq!(oracle.tests(), 1);
    }

    #[test]
    fn an_error_ends_the_stream_and_is_not_remembered_as_an_outcome() {
        let mut works = false;
        let mut oracle = Memo::new(|_: &u8| {
            let worked = std::mem::replace(&mut works, true);
            if worked { Ok(Pass) } else { Err("broken") }
        });
        assert_eq!(oracle.each([1, 2].into_iter()), Err("broken"));
        assert_eq!(oracle.each([1, 2].into_iter()), Ok(vec![Pass, Pass]));
    }

    #[test]
    fn outcomes_known_before_monotonicity_is_assumed_count_as_well() {
        let mut oracle = Memo::of(|_: &Configuration| Unresolved)
            .with_known(Configuration::from([3]), Fail)
            .assuming_monotonicity();
        let candidates = [Configuration::from([3, 4]), Configuration::from([4])];
        assert_eq!(oracle.each(candidates.into_iter()), Ok(vec![Fail, Unresolved]));
        assert_eq!(oracle.tests(), 1);
    }
}
