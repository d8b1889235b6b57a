//! The candidates of a reduction of a text.

use crate::text::edit::Edits;
use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use wynot_core::{Mapped, Memo, Oracle, Outcome};
use wynot_subjects::ContainerLayout;

/// A text to test, as edits against a text that many drafts share.
#[derive(Clone, Debug)]
pub struct TextDraft {
    base: Arc<Vec<u8>>,
    edits: Edits,
    /// The layout of the container whose view the shared text is, if it is one.
    layout: Option<Arc<ContainerLayout>>,
    /// The number of bytes of an encoded view, once it was needed.
    encoded_bytes: OnceLock<usize>,
}

impl TextDraft {
    /// A text without edits.
    pub fn of(text: Vec<u8>) -> Self {
        Self::new(Arc::new(text), Edits::default(), None)
    }

    /// A text, or the view of a container, with edits.
    pub(crate) fn new(
        base: Arc<Vec<u8>>,
        edits: Edits,
        layout: Option<Arc<ContainerLayout>>,
    ) -> Self {
        Self { base, edits, layout, encoded_bytes: OnceLock::new() }
    }

    /// All edits against the shared text.
    pub(crate) fn edits(&self) -> &Edits {
        &self.edits
    }

    /// The number of its bytes.
    pub fn len(&self) -> usize {
        match &self.layout {
            None => self.view_len(),
            Some(_) => *self.encoded_bytes.get_or_init(|| self.text().len()),
        }
    }

    /// The number of its bytes before a view is encoded. By this, reductions go on: it does not depend on how well
    /// something can be compressed.
    pub(crate) fn view_len(&self) -> usize {
        self.edits.remaining(&(0..self.base.len() as u32))
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its bytes.
    pub fn text(&self) -> Vec<u8> {
        match &self.layout {
            None => self.edits.apply(&self.base),
            Some(layout) => layout.encode(&self.base, &self.edits.view_edits()),
        }
    }

    /// Replaces what is in `result` by its bytes.
    pub fn write(&self, result: &mut Vec<u8>) {
        match &self.layout {
            None => self.edits.apply_into(&self.base, result),
            Some(_) => *result = self.text(),
        }
    }
}

/// An oracle that answers by a test of texts, in order and one at a time, and tests no text twice.
pub fn oracle_over_texts(
    mut test: impl FnMut(&[u8]) -> Outcome,
) -> impl Oracle<TextDraft, Stop = Infallible> {
    Mapped::new(Memo::of(move |text: &Vec<u8>| test(text)), TextDraft::text)
}
