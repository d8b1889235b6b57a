//! A pass over edits that are known in advance: all at once, then halves of them.

use crate::halving::Halving;
use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::rc::Rc;

/// Tries all edits of a list together, then halves of the list, and so on. Edits that belong together are one group.
#[derive(Clone, Debug)]
pub struct ByHalves {
    name: &'static str,
    groups: Rc<Vec<Vec<Edit>>>,
    halving: Halving,
}

impl ByHalves {
    /// A pass over edits in the order of the text.
    pub fn new(name: &'static str, edits: Vec<Edit>) -> Self {
        Self::of_groups(name, edits.into_iter().map(|edit| vec![edit]).collect())
    }

    /// A pass over groups of edits, in the order of the text.
    pub fn of_groups(name: &'static str, groups: Vec<Vec<Edit>>) -> Self {
        Self { name, halving: Halving::new(groups.len()), groups: Rc::new(groups) }
    }

    /// The same pass for a long list of which little has to stay: no part of the list is split that is smaller than
    /// one in so many parts of the whole.
    #[must_use]
    pub fn coarsely(self, parts: usize) -> Self {
        let edits = self.groups.iter().flatten();
        let bytes: usize = edits.map(|edit| edit.span.len()).sum();
        Self { halving: Halving::coarse(self.groups.len(), bytes / parts), ..self }
    }

    /// A pass that proposes all edits together and nothing else.
    pub fn all_or_nothing(name: &'static str, edits: Vec<Edit>) -> Self {
        let groups: Vec<Vec<Edit>> = edits.into_iter().map(|edit| vec![edit]).collect();
        Self { name, halving: Halving::all_or_nothing(groups.len()), groups: Rc::new(groups) }
    }
}

impl Pass for ByHalves {
    fn name(&self) -> &'static str {
        self.name
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        let groups = &self.groups;
        let weight = |index: u32| {
            let present =
                groups[index as usize].iter().filter(|edit| !parsed.edits.covers(&edit.span));
            present.map(|edit| parsed.edits.remaining(&edit.span)).sum()
        };
        let (from, to) = self.halving.next(weight)?;
        Some(self.groups[from as usize..to as usize].concat())
    }

    fn accept(&mut self, _: &ParsedText) {
        self.halving.accept();
    }
}
