//! An oracle over a closure on texts.

use crate::Variant;
use std::collections::HashMap;
use std::convert::Infallible;
use wynot_core::{Attempt, Decision, Oracle, Outcome};

/// Asks a closure about texts, in order, and remembers the outcomes.
pub struct Remember<F> {
    test: F,
    known: HashMap<Vec<u8>, Outcome>,
}

impl<F: FnMut(&[u8]) -> Outcome> Remember<F> {
    /// An oracle over a test.
    pub fn new(test: F) -> Self {
        Self { test, known: HashMap::new() }
    }

    /// How many distinct texts were tested.
    pub fn tests(&self) -> usize {
        self.known.len()
    }

    fn outcome(&mut self, text: &[u8]) -> Outcome {
        if let Some(outcome) = self.known.get(text) {
            return *outcome;
        }
        let outcome = (self.test)(text);
        self.known.insert(text.to_vec(), outcome);
        outcome
    }
}

impl<F: FnMut(&[u8]) -> Outcome> Oracle<Variant> for Remember<F> {
    type Stop = Infallible;

    fn first<N>(
        &mut self,
        mut attempts: impl Iterator<Item = Attempt<Variant, N>>,
    ) -> Result<Option<Decision<Variant, N>>, Infallible> {
        Ok(attempts.find_map(|Attempt { candidate, decisive, next, .. }| {
            let outcome = self.outcome(&candidate.text());
            decisive.contains(outcome).then_some(Decision { candidate, outcome, next })
        }))
    }

    fn each(&mut self, texts: impl Iterator<Item = Variant>) -> Result<Vec<Outcome>, Infallible> {
        Ok(texts.map(|variant| self.outcome(&variant.text())).collect())
    }

    fn enter(&mut self, _level: usize, _deltas: usize) {}
}
