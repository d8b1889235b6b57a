//! Deletes single tokens or bytes. A text from which none can be deleted is 1-minimal.

use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use crate::text::tokens::token_spans;
use std::rc::Rc;

/// Deletes every single token, from the end of the text, whatever the grammar says.
pub fn single_tokens(parsed: &ParsedText) -> Singles {
    Singles::new(token_spans(parsed))
}

/// Deletes every single byte, from the end of the text.
pub fn single_bytes(parsed: &ParsedText) -> Singles {
    Singles::new((0..parsed.text.len() as u32).map(|at| (at, at + 1)).collect())
}

/// The atoms that remain to be tried.
#[derive(Clone, Debug)]
pub struct Singles {
    atoms: Rc<Vec<(u32, u32)>>,
    /// The number of atoms, from the start of the text, that are not tried yet.
    left: usize,
}

impl Singles {
    fn new(atoms: Vec<(u32, u32)>) -> Self {
        Self { left: atoms.len(), atoms: Rc::new(atoms) }
    }
}

impl Pass for Singles {
    fn name(&self) -> &'static str {
        "singles"
    }

    fn repairs_text(&self) -> bool {
        false
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        while self.left > 0 {
            self.left -= 1;
            let (start, end) = self.atoms[self.left];
            if !parsed.edits.covers(&(start..end)) {
                return Some(vec![Edit::delete(start..end)]);
            }
        }
        None
    }
}
