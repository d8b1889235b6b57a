//! An oracle over a closure that tests no text twice.

use crate::text::draft::TextDraft;
use std::collections::HashMap;
use std::convert::Infallible;
use wynot_core::{Attempt, Decision, Oracle, Outcome};

/// Runs a closure on texts, in order and one at a time, and remembers the outcomes.
pub struct TextMemo<F> {
    test: F,
    known: HashMap<Vec<u8>, Outcome>,
}

impl<F: FnMut(&[u8]) -> Outcome> TextMemo<F> {
    /// An oracle that answers by a test.
    pub fn new(test: F) -> Self {
        Self { test, known: HashMap::new() }
    }

    /// The number of distinct texts that were tested.
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

impl<F: FnMut(&[u8]) -> Outcome> Oracle<TextDraft> for TextMemo<F> {
    type Stop = Infallible;

    fn first<N>(
        &mut self,
        mut attempts: impl Iterator<Item = Attempt<TextDraft, N>>,
    ) -> Result<Option<Decision<TextDraft, N>>, Infallible> {
        Ok(attempts.find_map(|Attempt { configuration, decisive, next, .. }| {
            let outcome = self.outcome(&configuration.text());
            decisive.contains(outcome).then_some(Decision { configuration, outcome, next })
        }))
    }

    fn each(
        &mut self,
        drafts: impl Iterator<Item = TextDraft>,
    ) -> Result<Vec<Outcome>, Infallible> {
        Ok(drafts.map(|draft| self.outcome(&draft.text())).collect())
    }
}
