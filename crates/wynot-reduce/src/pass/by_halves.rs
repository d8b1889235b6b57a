//! A pass over single edits that are known in advance: all at once, then halves of them.

use crate::halving::Halving;
use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::rc::Rc;

/// Tries all edits of a list together, then halves of the list, and so on.
#[derive(Clone, Debug)]
pub struct ByHalves {
    name: &'static str,
    edits: Rc<Vec<Edit>>,
    halving: Halving,
}

impl ByHalves {
    /// A pass over edits in the order of the text.
    pub fn new(name: &'static str, edits: Vec<Edit>) -> Self {
        Self { name, halving: Halving::new(edits.len()), edits: Rc::new(edits) }
    }

    /// A pass that proposes all edits together and nothing else.
    pub fn all_or_nothing(name: &'static str, edits: Vec<Edit>) -> Self {
        Self { name, halving: Halving::all_or_nothing(edits.len()), edits: Rc::new(edits) }
    }
}

impl Pass for ByHalves {
    fn name(&self) -> &'static str {
        self.name
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        let edits = &self.edits;
        let weight = |index: u32| {
            let span = &edits[index as usize].span;
            if parsed.edits.covers(span) { 0 } else { parsed.edits.remaining(span) }
        };
        let (from, to) = self.halving.next(weight)?;
        Some(self.edits[from as usize..to as usize].to_vec())
    }

    fn accept(&mut self, _: &ParsedText) {
        self.halving.accept();
    }
}
