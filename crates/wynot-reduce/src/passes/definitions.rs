//! Deletes definitions with all that mentions them, in texts of unknown syntax.

use crate::halving::Halving;
use crate::pass::Pass;
use crate::text::definition_removal::delete_definitions;
use crate::text::edit::Edit;
use crate::text::lexical_definitions::Definitions;
use crate::text::parsed_text::ParsedText;
use std::rc::Rc;

/// The largest text in which definitions are searched: where words and brackets are, and what they belong to, takes up to
/// forty times its size.
const MAX_TEXT_BYTES: usize = 3 << 19;

/// Deletes what nothing mentions, then definitions with what mentions them, then, if that gained, what is below entries.
pub fn definitions(parsed: &ParsedText) -> DefinitionsPass {
    if !parsed.language.has_lexical_definitions || parsed.text.len() > MAX_TEXT_BYTES {
        return DefinitionsPass::new(None, Vec::new());
    }
    let found = Definitions::of(parsed);
    let mentioned = found.mentioned();
    let lists = match mentioned.is_empty() {
        true => Vec::new(),
        false => {
            let mut members = found.members();
            let size =
                |list: &[u32]| list.iter().map(|&entry| found.span(entry).len()).sum::<usize>();
            members.sort_by_key(|list| std::cmp::Reverse(size(list)));
            [vec![found.unmentioned(), mentioned], members].concat()
        }
    };
    DefinitionsPass::new(Some(Rc::new(found)), lists)
}

/// The number of lists before those of members.
const LISTS_OF_DEFINITIONS: usize = 2;

/// The definitions that remain to be tried.
#[derive(Clone, Debug)]
pub struct DefinitionsPass {
    definitions: Option<Rc<Definitions>>,
    /// Lists of entries, each of which is tried by halves.
    lists: Rc<Vec<Vec<u32>>>,
    at: usize,
    halving: Halving,
    gained: bool,
}

impl DefinitionsPass {
    fn new(definitions: Option<Rc<Definitions>>, lists: Vec<Vec<u32>>) -> Self {
        let halving = Halving::new(lists.first().map_or(0, Vec::len));
        Self { definitions, lists: Rc::new(lists), at: 0, halving, gained: false }
    }
}

impl Pass for DefinitionsPass {
    fn name(&self) -> &'static str {
        "definitions"
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        let definitions = self.definitions.as_ref()?;
        loop {
            let list = self.lists.get(self.at)?;
            let weight = |index: u32| {
                let span = definitions.span(list[index as usize]);
                if parsed.edits.covers(&span) { 0 } else { parsed.edits.remaining(&span) }
            };
            if let Some((from, to)) = self.halving.next(weight) {
                return Some(delete_definitions(
                    definitions,
                    parsed,
                    &list[from as usize..to as usize],
                ));
            }
            self.at += 1;
            // Where names do not matter, other passes delete lines just as well.
            if self.at >= LISTS_OF_DEFINITIONS && !self.gained {
                return None;
            }
            self.halving = Halving::new(self.lists.get(self.at)?.len());
        }
    }

    fn accept(&mut self, _: &ParsedText) {
        self.halving.accept();
        self.gained = true;
    }
}
