//! An oracle over a closure that runs no configuration twice.

use crate::{Attempt, Configuration, Decision, Monotony, Oracle, Outcome};
use std::collections::HashMap;
use std::convert::Infallible;

/// Asks a closure, in order and one at a time, and remembers the outcomes.
///
/// ```
/// use wynot_core::{Configuration, Outcome, Recall, ddmin};
///
/// let mut oracle = Recall::new(|c: &Configuration| Outcome::fails_if(c.contains(7)));
/// let minimal = ddmin(Configuration::full(8), &mut oracle).unwrap();
/// assert_eq!(minimal, Configuration::from_deltas([7]));
/// assert_eq!(oracle.tests(), 6);
/// ```
pub struct Recall<F> {
    test: F,
    known: HashMap<Configuration, Outcome>,
    monotony: Option<Monotony>,
    tests: usize,
}

impl<F: FnMut(&Configuration) -> Outcome> Recall<F> {
    /// An oracle over a test.
    pub fn new(test: F) -> Self {
        Self { test, known: HashMap::new(), monotony: None, tests: 0 }
    }

    /// Takes over outcomes that monotony implies instead of testing (Section VII).
    pub fn assuming_monotony(test: F) -> Self {
        Self { monotony: Some(Monotony::default()), ..Self::new(test) }
    }

    /// States an outcome without a test: the two axioms, that nothing passes and all fails.
    pub fn with_known(mut self, configuration: Configuration, outcome: Outcome) -> Self {
        self.learn(configuration, outcome);
        self
    }

    /// How many distinct configurations were tested.
    pub fn tests(&self) -> usize {
        self.tests
    }

    fn learn(&mut self, configuration: Configuration, outcome: Outcome) {
        if let Some(monotony) = &mut self.monotony {
            monotony.learn(&configuration, outcome);
        }
        self.known.insert(configuration, outcome);
    }

    fn outcome(&mut self, configuration: &Configuration) -> Outcome {
        if let Some(outcome) = self.known.get(configuration) {
            return *outcome;
        }
        if let Some(implied) = self.monotony.as_ref().and_then(|m| m.implied(configuration)) {
            return implied;
        }
        self.tests += 1;
        let outcome = (self.test)(configuration);
        self.learn(configuration.clone(), outcome);
        outcome
    }
}

impl<F: FnMut(&Configuration) -> Outcome> Oracle<Configuration> for Recall<F> {
    type Stop = Infallible;

    fn first<N>(
        &mut self,
        mut attempts: impl Iterator<Item = Attempt<Configuration, N>>,
    ) -> Result<Option<Decision<Configuration, N>>, Infallible> {
        Ok(attempts.find_map(|attempt| {
            let outcome = self.outcome(&attempt.configuration);
            attempt.decisive.contains(outcome).then_some(Decision {
                configuration: attempt.configuration,
                outcome,
                next: attempt.next,
            })
        }))
    }

    fn each(
        &mut self,
        configurations: impl Iterator<Item = Configuration>,
    ) -> Result<Vec<Outcome>, Infallible> {
        Ok(configurations.map(|c| self.outcome(&c)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use Outcome::{Fail, Pass, Unresolved};

    #[test]
    fn each_gives_outcomes_in_order_and_repeats_no_test() {
        let mut oracle = Recall::new(|c: &Configuration| match c.len() {
            0 => Pass,
            1 => Unresolved,
            _ => Fail,
        });
        let asked = [2, 0, 1, 2, 0].map(Configuration::full);
        let outcomes = oracle.each(asked.into_iter()).unwrap();
        assert_eq!(outcomes, [Fail, Pass, Unresolved, Fail, Pass]);
        assert_eq!(oracle.tests(), 3);
    }
}
