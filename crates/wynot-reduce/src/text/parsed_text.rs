//! The text that a reduction works on: parsed once, with the edits that were accepted since.
//!
//! A text that its grammar does not understand has a tree of brackets and lines. The grammar is tried again when half of
//! the text is gone.

use crate::hooks::{Hooks, NoHooks};
use crate::text::draft::TextDraft;
use crate::text::edit::{Edit, Edits};
use std::ops::Range;
use std::sync::Arc;
use wynot_subjects::{
    Container, ContainerLayout, Language, NodeId, NotParsed, Opening, SyntaxTree,
};

/// Texts with fewer bytes than this are short: passes with many proposals for each byte can afford them.
const SHORT_TEXT_BYTES: usize = 400;

/// Texts with at least this many bytes are long: tests of them take time, and so does parsing them.
const LONG_TEXT_BYTES: usize = 128 << 10;

/// A text, its syntax tree, and the edits that were accepted after it was parsed. Clones share all of these.
#[derive(Clone, Debug)]
pub struct ParsedText {
    /// The text as it was parsed; nodes and edits refer to it.
    pub text: Arc<Vec<u8>>,
    /// The syntax tree of `text`.
    pub tree: Arc<SyntaxTree>,
    /// The edits that were accepted since.
    pub edits: Edits,
    /// The language of `text`.
    pub language: &'static Language,
    /// The layout of the container whose view `text` is, if it is one.
    pub layout: Option<Arc<ContainerLayout>>,
    /// Whether the layout is what edits have left of an earlier one, since the text says less about it.
    pub is_structure_kept: bool,
    structure: Structure,
    /// Whether the grammar of the language was tried on `text`.
    is_grammar_tried: bool,
    /// Whether the parser has given up on `text`, which was not reported yet.
    is_failure_unreported: bool,
}

/// What the syntax tree of a text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Structure {
    /// The grammar of the language.
    Grammar,
    /// Brackets and lines, because the grammar did not understand a text of this size. Half of it is tried again.
    Brackets { failed_at: usize },
    /// Brackets and lines, because the text is binary.
    Binary,
    /// None: the text is the view of a container with its streams opened in this way.
    View(Opening),
}

impl ParsedText {
    /// Parses a text.
    pub fn new(text: Vec<u8>, language: &'static Language, hooks: &dyn Hooks) -> Self {
        Self::with_structure(text, language, Structure::Grammar, hooks)
    }

    /// A binary text, which has no syntax.
    pub fn binary(text: Vec<u8>, language: &'static Language) -> Self {
        Self::with_structure(text, language, Structure::Binary, &NoHooks)
    }

    /// The same text with the same edits, and with a tree of brackets and lines.
    pub fn by_brackets(&self) -> Self {
        Self {
            text: Arc::clone(&self.text),
            tree: Arc::new(Language::parse_brackets(&self.text)),
            edits: self.edits.clone(),
            language: Language::named("text").unwrap_or(self.language),
            layout: None,
            ..*self
        }
    }

    /// Parses another text in the way in which this one was parsed.
    pub fn parse_alike(&self, text: Vec<u8>) -> Self {
        Self::with_structure(text, self.language, self.structure, &NoHooks)
    }

    /// The number of places of a text that do not match the grammar; `None` if this text is not parsed by the grammar.
    pub fn count_errors(&self, text: &[u8]) -> Option<u32> {
        let parsed = || self.language.try_parse(text, &|| false);
        let is_parsed = self.structure == Structure::Grammar;
        is_parsed.then(|| parsed().map_or(u32::MAX, |tree| tree.errors))
    }

    fn with_structure(
        text: Vec<u8>,
        language: &'static Language,
        structure: Structure,
        hooks: &dyn Hooks,
    ) -> Self {
        let is_grammar_tried = match structure {
            Structure::Grammar => true,
            Structure::Brackets { failed_at } => text.len() <= failed_at / 2,
            Structure::Binary | Structure::View(_) => false,
        };
        let by_grammar =
            is_grammar_tried.then(|| language.try_parse(&text, &|| hooks.is_stopped()));
        let is_failure_unreported =
            by_grammar.as_ref().is_some_and(|parsed| matches!(parsed, Err(NotParsed::TooCostly)));
        let (tree, structure) = match by_grammar {
            Some(Ok(tree)) => (tree, Structure::Grammar),
            Some(Err(_)) => {
                let structure = Structure::Brackets { failed_at: text.len() };
                (Language::parse_brackets(&text), structure)
            }
            None => (Language::parse_brackets(&text), structure),
        };
        let (text, tree, edits) = (Arc::new(text), Arc::new(tree), Edits::default());
        Self {
            text,
            tree,
            edits,
            language,
            layout: None,
            is_structure_kept: false,
            structure,
            is_grammar_tried,
            is_failure_unreported,
        }
    }

    /// The text with all accepted edits.
    pub fn current_text(&self) -> Vec<u8> {
        self.current().text()
    }

    /// The text with all accepted edits, as a draft.
    pub fn current(&self) -> TextDraft {
        TextDraft::new(Arc::clone(&self.text), self.edits.clone(), self.layout.clone())
    }

    /// Whether the parser has given up on the text. The answer is `true` once.
    pub fn take_failure(&mut self) -> bool {
        std::mem::take(&mut self.is_failure_unreported)
    }

    /// The text with all accepted edits and some more.
    pub fn with_edits(&self, edits: &[Edit]) -> TextDraft {
        TextDraft::new(Arc::clone(&self.text), self.edits.with(edits), self.layout.clone())
    }

    /// Parses the current text, if edits were accepted since the last time.
    pub fn reparse(&mut self, hooks: &dyn Hooks) {
        if !self.edits.is_empty() {
            let text = self.current_text();
            // Trees are larger than texts, so the old one is dropped before the new one is made.
            self.tree = Arc::default();
            *self = match self.structure {
                Structure::View(opening) => self.view_after_edits(&text, opening),
                structure => Self::with_structure(text, self.language, structure, hooks),
            };
        }
    }

    /// The view of a container; `None` if a text cannot be read as one, or if its view does not become the same text again.
    fn view(text: &[u8], language: &'static Language, opening: Opening) -> Option<Self> {
        let container = Container::read(text, opening)?;
        (container.encode() == text).then(|| Self::of_view(container, language, opening))
    }

    fn of_view(container: Container, language: &'static Language, opening: Opening) -> Self {
        Self {
            text: Arc::new(container.view),
            tree: Arc::default(),
            edits: Edits::default(),
            language,
            layout: Some(Arc::new(container.layout)),
            is_structure_kept: false,
            structure: Structure::View(opening),
            is_grammar_tried: false,
            is_failure_unreported: false,
        }
    }

    /// The view after the edits, which have left a text: read anew or, where too little is left to recognise as much as
    /// before, with the structure that it had.
    fn view_after_edits(&self, text: &[u8], opening: Opening) -> Self {
        let read = Self::view(text, self.language, opening);
        let fields = |layout: Option<&ContainerLayout>| layout.map_or(0, |it| it.computed_fields());
        let before = self.layout.as_ref().map(|it| it.after(&self.text, &self.edits.view_edits()));
        let fields_read = fields(read.as_ref().and_then(|read| read.layout.as_deref()));
        // What was guessed when more was there is the better guess.
        let is_better = |before: &Container| {
            let fields = fields(Some(&before.layout));
            fields > fields_read || (before.layout.is_guessed && fields == fields_read)
        };
        let before = before.filter(is_better);
        match before.filter(|before| before.encode() == text) {
            Some(before) => {
                let view = Self::of_view(before, self.language, opening);
                Self { is_structure_kept: true, ..view }
            }
            None => read.unwrap_or_else(|| Self::binary(text.to_vec(), self.language)),
        }
    }

    /// Turns a binary text without edits into the view of the container that it is, with its streams opened if possible.
    pub fn open(&mut self) {
        let view =
            Container::readings(&self.text).find(|(_, container)| container.encode() == *self.text);
        let view = view.map(|(opening, it)| Self::of_view(it, self.language, opening));
        if let Some(view) = view {
            *self = view;
        }
    }

    /// Turns a view into the text that it is the view of.
    pub fn close(&mut self) {
        if self.layout.is_some() {
            *self = Self::binary(self.current_text(), self.language);
        }
    }

    /// Tries the grammar of the language, if the text was not understood when it was longer and not tried since. The
    /// tokens of a result are then those of any other look at it.
    pub fn retry_grammar(&mut self, hooks: &dyn Hooks) {
        if matches!(self.structure, Structure::Brackets { .. }) && !self.is_grammar_tried {
            *self = Self::new(self.current_text(), self.language, hooks);
        }
    }

    /// Whether the text is so long that each attempt has to be worth its time: what matters little waits until less is left.
    pub fn is_long(&self) -> bool {
        self.text.len() >= LONG_TEXT_BYTES
    }

    /// Whether the text is so short that passes may make many proposals for each byte.
    pub fn is_short(&self) -> bool {
        self.text.len() < SHORT_TEXT_BYTES
    }

    /// Whether the text is short, and in a language that declares names and has functions.
    pub fn is_short_program(&self) -> bool {
        self.is_short() && self.language.has_declarations && self.language.body.is_some()
    }

    /// All nodes, each before its descendants.
    pub fn node_ids(&self) -> Range<NodeId> {
        0..self.tree.nodes().len() as NodeId
    }

    /// The bytes of the parsed text that a node spans.
    pub fn span(&self, id: NodeId) -> Range<u32> {
        let node = self.tree.node(id);
        node.start..node.end
    }

    /// Whether the accepted edits leave anything of a node.
    pub fn is_present(&self, id: NodeId) -> bool {
        let span = self.span(id);
        !span.is_empty() && !self.edits.covers(&span)
    }

    /// The number of bytes that the accepted edits leave of a node.
    pub fn size(&self, id: NodeId) -> usize {
        match self.is_present(id) {
            true => self.edits.remaining(&self.span(id)),
            false => 0,
        }
    }

    /// The parsed text of a node.
    pub fn text_of(&self, id: NodeId) -> &[u8] {
        &self.text[self.tree.span(id)]
    }

    /// The column of a position in its line, from 0.
    pub fn column(&self, at: u32) -> usize {
        self.text[..at as usize].iter().rev().take_while(|&&byte| byte != b'\n').count()
    }

    /// Edits that move the lines of a span from one column to another.
    pub fn reindent(&self, span: Range<u32>, from: usize, to: usize) -> Vec<Edit> {
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

    /// Deletes a span; a blank takes its place where two words would become one.
    pub fn delete(&self, span: Range<u32>) -> Edit {
        let span = span.start..self.end_before_directive(&span);
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let before = (span.start as usize).checked_sub(1).and_then(|at| self.text.get(at));
        let after = self.text.get(span.end as usize);
        let joins = !span.is_empty() && before.is_some_and(is_word) && after.is_some_and(is_word);
        if joins { Edit::replace(span, " ") } else { Edit::delete(span) }
    }

    /// The end of a deletion: a line for a preprocessor keeps its own line, since it is none where something is before it.
    fn end_before_directive(&self, span: &Range<u32>) -> u32 {
        if !self.language.has_preprocessor || self.text.get(span.end as usize) != Some(&b'#') {
            return span.end;
        }
        let before = &self.text[span.start as usize..span.end as usize];
        let line_end = before.iter().rposition(|&byte| byte == b'\n');
        line_end.map_or(span.end, |at| span.start + at as u32)
    }

    /// Edits, together with the edit of a header that counts what follows it (DIMACS): if the counts were
    /// right before, they stay right.
    pub fn with_header_repaired(&self, mut edits: Vec<Edit>) -> Vec<Edit> {
        let Some(header) = self.language.header else { return edits };
        let is_right =
            |text: &[u8]| header(text).is_some_and(|(span, fitting)| text[span] == fitting);
        let Some((span, _)) = header(&self.text) else { return edits };
        let span = span.start as u32..span.end as u32;
        let touched =
            edits.iter().any(|edit| edit.span.start < span.end && span.start < edit.span.end);
        if !touched && is_right(&self.current_text()) {
            let text = self.with_edits(&edits).text();
            edits.extend(header(&text).map(|(_, fitting)| Edit::replace(span, fitting)));
        }
        edits
    }
}
