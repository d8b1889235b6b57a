//! A pass over the rewriting rules of tools outside.

use crate::{Assistant, Draft, Edit, Pass};

/// Applies each rule at each of its places, one after the other.
#[derive(Clone)]
pub struct Rewriting<'a> {
    assistant: &'a dyn Assistant,
    rules: usize,
    rule: usize,
    /// Where the rule is applied next.
    place: usize,
}

impl<'a> Rewriting<'a> {
    pub fn new(draft: &Draft, assistant: &'a dyn Assistant) -> Self {
        Self { assistant, rules: assistant.rules(draft.language), rule: 0, place: 0 }
    }
}

impl Pass for Rewriting<'_> {
    const NAME: &'static str = "rewriting";

    fn propose(&mut self, draft: &Draft) -> Option<Vec<Edit>> {
        while self.rule < self.rules {
            let text = self.assistant.rewrite(self.rule, self.place, &draft.now());
            self.place += 1;
            match text {
                Some(text) => return Some(vec![Edit::replace(0..draft.text.len() as u32, text)]),
                None => (self.rule, self.place) = (self.rule + 1, 0),
            }
        }
        None
    }

    /// The place is gone, and the next one has its number.
    fn accept(&mut self, _: &Draft) {
        self.place -= 1;
    }
}
