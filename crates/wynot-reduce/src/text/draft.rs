//! The candidates of a reduction of a text.

use crate::text::edit::Edits;
use std::convert::Infallible;
use std::sync::Arc;
use wynot_core::{Mapped, Memo, Oracle, Outcome};

/// A text to test, as edits against a text that many drafts share.
#[derive(Clone, Debug)]
pub struct TextDraft {
    base: Arc<Vec<u8>>,
    edits: Edits,
}

impl TextDraft {
    /// A text without edits.
    pub fn of(text: Vec<u8>) -> Self {
        Self::new(Arc::new(text), Edits::default())
    }

    /// A text with edits.
    pub(crate) fn new(base: Arc<Vec<u8>>, edits: Edits) -> Self {
        Self { base, edits }
    }

    /// All edits against the shared text.
    pub(crate) fn edits(&self) -> &Edits {
        &self.edits
    }

    /// The number of its bytes.
    pub fn len(&self) -> usize {
        self.edits.remaining(&(0..self.base.len() as u32))
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its bytes.
    pub fn text(&self) -> Vec<u8> {
        self.edits.apply(&self.base)
    }

    /// Replaces what is in `result` by its bytes.
    pub fn write(&self, result: &mut Vec<u8>) {
        self.edits.apply_into(&self.base, result);
    }
}

/// An oracle that answers by a test of texts, in order and one at a time, and tests no text twice.
pub fn oracle_over_texts(
    mut test: impl FnMut(&[u8]) -> Outcome,
) -> impl Oracle<TextDraft, Stop = Infallible> {
    Mapped::new(Memo::of(move |text: &Vec<u8>| test(text)), TextDraft::text)
}
