//! A list of edits that belong together, tried one after the other.

use crate::{Draft, Edit};
use std::collections::HashSet;
use std::rc::Rc;

/// What is left to try of a list of choices, each a set of edits.
#[derive(Clone, Debug)]
pub struct Choices {
    choices: Rc<Vec<Vec<Edit>>>,
    at: usize,
}

impl Choices {
    /// Choices in the order they are tried; what was there before is left out.
    pub fn new(choices: Vec<Vec<Edit>>) -> Self {
        let mut seen = HashSet::new();
        let key = |edits: &Vec<Edit>| -> Vec<(u32, u32, Vec<u8>)> {
            edits.iter().map(|edit| (edit.span.start, edit.span.end, edit.text.clone())).collect()
        };
        let mut choices = choices;
        choices.retain(|edits| !edits.is_empty() && seen.insert(key(edits)));
        Self { choices: Rc::new(choices), at: 0 }
    }

    /// The next choice of which everything is still there.
    pub fn next(&mut self, draft: &Draft) -> Option<Vec<Edit>> {
        while let Some(edits) = self.choices.get(self.at) {
            self.at += 1;
            if edits.iter().all(|edit| !draft.edits.covers(&edit.span)) {
                return Some(edits.clone());
            }
        }
        None
    }
}

/// Makes a pass out of a list of choices.
macro_rules! choosing {
    ($(#[$doc:meta])* $name:ident, $shown:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(pub(crate) crate::choices::Choices);

        impl crate::Pass for $name {
            const NAME: &'static str = $shown;

            fn propose(&mut self, draft: &crate::Draft) -> Option<Vec<crate::Edit>> {
                self.0.next(draft)
            }
        }
    };
}

pub(crate) use choosing;
