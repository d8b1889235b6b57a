//! A text on its way: parsed once, with the edits that were accepted since.

use crate::{Edit, Edits};
use std::ops::Range;
use std::rc::Rc;
use wynot_subjects::{Language, NodeId, SyntaxTree};

/// A text to test: a parsed one and the edits against it. Many of these share one text.
#[derive(Clone, Debug)]
pub struct Variant {
    base: Rc<Vec<u8>>,
    /// The edits.
    pub edits: Edits,
}

impl Variant {
    /// A text as it is.
    pub fn of(text: Vec<u8>) -> Self {
        Self { base: Rc::new(text), edits: Edits::default() }
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.edits.left_of(&(0..self.base.len() as u32))
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its bytes.
    pub fn text(&self) -> Vec<u8> {
        self.edits.apply(&self.base)
    }

    /// Writes its bytes in the place of what is in `result`.
    pub fn write(&self, result: &mut Vec<u8>) {
        self.edits.apply_into(&self.base, result);
    }
}

/// The text as it was parsed, and what has been changed against that.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The text that was parsed.
    pub text: Rc<Vec<u8>>,
    /// Its tree.
    pub tree: SyntaxTree,
    /// What was accepted since.
    pub edits: Edits,
    /// The language.
    pub language: &'static Language,
}

impl Draft {
    /// Parses a text.
    pub fn new(text: Vec<u8>, language: &'static Language) -> Self {
        let tree = language.parse(&text);
        Self { text: Rc::new(text), tree, edits: Edits::default(), language }
    }

    /// The text as it is now.
    pub fn now(&self) -> Vec<u8> {
        self.edits.apply(&self.text)
    }

    /// Parses the text as it is now, if it has changed.
    pub fn settle(&mut self) {
        if !self.edits.is_empty() {
            let now = self.now();
            // The old tree goes before the new one comes: trees are larger than texts.
            self.tree = SyntaxTree::default();
            *self = Self::new(now, self.language);
        }
    }

    /// Where a node is.
    pub fn span(&self, id: NodeId) -> Range<u32> {
        let node = self.tree.node(id);
        node.start..node.end
    }

    /// Whether something of a node is left.
    pub fn is_alive(&self, id: NodeId) -> bool {
        let span = self.span(id);
        !span.is_empty() && !self.edits.covers(&span)
    }

    /// How many bytes of a node are left.
    pub fn size(&self, id: NodeId) -> usize {
        match self.is_alive(id) {
            true => self.edits.left_of(&self.span(id)),
            false => 0,
        }
    }

    /// The parsed text of a node.
    pub fn text_of(&self, id: NodeId) -> &[u8] {
        &self.text[self.tree.span(id)]
    }

    /// In which column of its line a place is.
    pub fn column(&self, at: u32) -> usize {
        self.text[..at as usize].iter().rev().take_while(|&&byte| byte != b'\n').count()
    }

    /// Moves the lines of a span that stood at one column to another.
    pub fn indent(&self, span: Range<u32>, from: usize, to: usize) -> Vec<Edit> {
        let mut edits = Vec::new();
        for at in span.start as usize..span.end as usize {
            let line = &self.text[at + 1..];
            if self.text[at] == b'\n' && line.first().is_some_and(|&byte| byte != b'\n') {
                let blanks = line.iter().take_while(|&&byte| byte == b' ').count();
                let start = at as u32 + 1;
                let wanted = vec![b' '; (blanks + to).saturating_sub(from)];
                edits.push(Edit::replace(start..start + blanks as u32, wanted));
            }
        }
        edits
    }

    /// Takes a span out, but keeps words apart that stood on its two sides.
    pub fn cut(&self, span: Range<u32>) -> Edit {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let before = (span.start as usize).checked_sub(1).and_then(|at| self.text.get(at));
        let after = self.text.get(span.end as usize);
        let joins = !span.is_empty() && before.is_some_and(is_word) && after.is_some_and(is_word);
        if joins { Edit::replace(span, " ") } else { Edit::delete(span) }
    }

    /// Edits and what they make necessary: a header that counts what follows has to count on, if it was
    /// right before.
    pub fn mended(&self, mut edits: Vec<Edit>) -> Vec<Edit> {
        let Some(header) = self.language.header else { return edits };
        let is_right =
            |text: &[u8]| header(text).is_some_and(|(span, fitting)| text[span] == fitting);
        let Some((span, _)) = header(&self.text) else { return edits };
        let span = span.start as u32..span.end as u32;
        let touched =
            edits.iter().any(|edit| edit.span.start < span.end && span.start < edit.span.end);
        if !touched && is_right(&self.now()) {
            let text = self.with(&edits).text();
            edits.extend(header(&text).map(|(_, fitting)| Edit::replace(span, fitting)));
        }
        edits
    }

    /// What the text would be after more edits.
    pub fn with(&self, edits: &[Edit]) -> Variant {
        Variant { base: Rc::clone(&self.text), edits: self.edits.with(edits) }
    }
}
