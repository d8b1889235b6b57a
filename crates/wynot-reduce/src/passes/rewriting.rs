//! Applies the rewriting rules of external tools.

use crate::hooks::Hooks;
use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;

/// Applies each rule at each of its places, one after the other.
pub fn rewriting<'a>(parsed: &ParsedText, hooks: &'a dyn Hooks) -> Rewriting<'a> {
    Rewriting { hooks, rules: hooks.rewriting_rules(parsed.language), rule: 0, place: 0 }
}

/// The rules and places that remain to be tried.
#[derive(Clone)]
pub struct Rewriting<'a> {
    hooks: &'a dyn Hooks,
    /// The number of rules.
    rules: usize,
    rule: usize,
    /// The place at which the rule is applied next.
    place: usize,
}

impl Pass for Rewriting<'_> {
    fn name(&self) -> &'static str {
        "rewriting"
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        while self.rule < self.rules {
            let text = self.hooks.rewrite(self.rule, self.place, &parsed.current_text());
            self.place += 1;
            match text {
                Some(text) => return Some(vec![Edit::replace(0..parsed.text.len() as u32, text)]),
                None => (self.rule, self.place) = (self.rule + 1, 0),
            }
        }
        None
    }

    /// The place is gone, so the one after it now has its number.
    fn accept(&mut self, _: &ParsedText) {
        self.place -= 1;
    }
}
