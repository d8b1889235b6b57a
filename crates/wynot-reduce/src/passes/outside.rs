//! Tries what programs of the user propose.

use crate::hooks::Hooks;
use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;

/// Tries the proposals of one outside reducer after the other.
pub fn outside(hooks: &dyn Hooks) -> Outside<'_> {
    Outside { hooks, reducer: 0, number: 0 }
}

/// Which proposal is tried next.
#[derive(Clone)]
pub struct Outside<'a> {
    hooks: &'a dyn Hooks,
    reducer: usize,
    /// The number of proposals for the present text that were tried.
    number: usize,
}

impl Pass for Outside<'_> {
    fn name(&self) -> &'static str {
        "outside"
    }

    /// A proposal is tested as it is.
    fn repairs_text(&self) -> bool {
        false
    }

    fn asks_outside(&self) -> bool {
        self.reducer < self.hooks.outside_reducers()
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        while self.asks_outside() {
            let text = parsed.current_text();
            match self.hooks.outside_proposal(self.reducer, self.number, &text) {
                Some(text) => {
                    self.number += 1;
                    return Some(vec![Edit::replace(0..parsed.text.len() as u32, text)]);
                }
                None => (self.reducer, self.number) = (self.reducer + 1, 0),
            }
        }
        None
    }

    /// The proposals that follow are for the new text.
    fn accept(&mut self, _: &ParsedText) {
        self.number = 0;
    }
}
