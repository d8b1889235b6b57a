//! A pass over proposals that are known in advance, tried one after the other.

use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::collections::HashSet;
use std::rc::Rc;

/// Tries proposals in their order, each a set of edits.
#[derive(Clone, Debug)]
pub struct OneByOne {
    name: &'static str,
    proposals: Rc<Vec<Vec<Edit>>>,
    next: usize,
    checks_syntax: bool,
    repairs_text: bool,
}

impl OneByOne {
    /// A pass over proposals; those without edits and repeated ones are dropped.
    pub fn new(name: &'static str, mut proposals: Vec<Vec<Edit>>) -> Self {
        let mut seen = HashSet::new();
        let key = |edits: &Vec<Edit>| -> Vec<(u32, u32, Vec<u8>)> {
            edits.iter().map(|edit| (edit.span.start, edit.span.end, edit.text.clone())).collect()
        };
        proposals.retain(|edits| !edits.is_empty() && seen.insert(key(edits)));
        let proposals = Rc::new(proposals);
        Self { name, proposals, next: 0, checks_syntax: false, repairs_text: true }
    }

    /// The same pass, which tests only what the grammar accepts.
    #[must_use]
    pub fn checking_syntax(self) -> Self {
        Self { checks_syntax: true, ..self }
    }

    /// The same pass, whose proposals are complete: nothing else must change with them.
    #[must_use]
    pub fn without_repairs(self) -> Self {
        Self { repairs_text: false, ..self }
    }

    /// A pass without proposals.
    pub fn empty(name: &'static str) -> Self {
        Self::new(name, Vec::new())
    }
}

impl Pass for OneByOne {
    fn name(&self) -> &'static str {
        self.name
    }

    fn checks_syntax(&self) -> bool {
        self.checks_syntax
    }

    fn repairs_text(&self) -> bool {
        self.repairs_text
    }

    /// The next proposal of which no part is gone.
    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        while let Some(edits) = self.proposals.get(self.next) {
            self.next += 1;
            if edits.iter().all(|edit| !parsed.edits.covers(&edit.span)) {
                return Some(edits.clone());
            }
        }
        None
    }
}
