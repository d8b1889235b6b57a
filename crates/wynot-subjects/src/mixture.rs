//! Writing a JSON text that is put together from two others.

use crate::json::{Document, WHOLE, before_blanks, behind_blanks};
use std::ops::Range;

/// One of the two texts.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) document: &'a Document,
}

impl<'a> Source<'a> {
    fn slice(self, bytes: Range<usize>) -> &'a [u8] {
        &self.text[bytes]
    }

    /// Where siblings lie, and what is between them.
    fn siblings(self, first: u32, last: u32) -> Range<usize> {
        self.document.start(first)..self.document.end(last)
    }

    /// The blanks before an element that follows another.
    fn before(self, node: u32) -> &'a [u8] {
        let next = self.document.next(node);
        let is_first = node == self.document.parent(node) + 1;
        // The first one stands behind a bracket, where the blanks may be others.
        let like = if is_first && !self.is_last(node) { next } else { node };
        let start = self.document.start(like);
        self.slice(before_blanks(self.text, start)..start)
    }

    /// The blanks between an element and the comma behind it.
    fn behind(self, node: u32) -> &'a [u8] {
        let end = self.document.end(node);
        if self.is_last(node) { b"" } else { self.slice(end..behind_blanks(self.text, end)) }
    }

    fn is_last(self, node: u32) -> bool {
        self.document.next(node) == self.document.next(self.document.parent(node))
    }

    /// What separates a value of the sequence from the next.
    fn line_end(self, node: u32) -> &'a [u8] {
        let end = self.document.end(node);
        self.slice(end..behind_blanks(self.text, end))
    }
}

/// Writes elements one after the other, with commas where they belong.
pub(crate) struct Writer<'a> {
    old: Source<'a>,
    new: Source<'a>,
    variant: &'a mut Vec<u8>,
    /// The containers that are open, on both sides.
    open: Vec<(u32, u32)>,
    /// Whether nothing was written yet in the innermost.
    empty: bool,
    /// The blanks to write before the next comma.
    behind: &'a [u8],
}

impl<'a> Writer<'a> {
    pub(crate) fn new(old: Source<'a>, new: Source<'a>, variant: &'a mut Vec<u8>) -> Self {
        let first = new.document.children(WHOLE).next();
        let first = first.map_or(new.text.len(), |first| new.document.start(first));
        variant.extend_from_slice(&new.text[..first]);
        Self { old, new, variant, open: Vec::new(), empty: true, behind: b"" }
    }

    /// Writes siblings with all that is between them. Returns where they are now.
    pub(crate) fn siblings(&mut self, source: Source<'a>, first: u32, last: u32) -> Range<usize> {
        self.separate(source, first);
        let start = self.variant.len();
        self.variant.extend_from_slice(source.slice(source.siblings(first, last)));
        let end = self.variant.len();
        self.finish(source, last);
        start..end
    }

    /// Where the next element would be.
    pub(crate) fn here(&self) -> usize {
        self.variant.len()
    }

    pub(crate) fn enter(&mut self, old: u32, new: u32) {
        self.separate(self.new, new);
        if let Some(bracket) = self.new.document.open(new) {
            self.variant
                .extend_from_slice(self.new.slice(self.new.document.start(new)..bracket + 1));
        }
        self.open.push((old, new));
        self.empty = true;
    }

    pub(crate) fn leave(&mut self) {
        let Some((old, new)) = self.open.pop() else { return };
        let bracket = self.new.document.end(new) - 1;
        let (source, node) = self.which(old, new);
        if !self.empty {
            let end = source.document.end(node) - 1;
            self.variant.extend_from_slice(source.slice(before_blanks(source.text, end)..end));
        } else if !self.new.document.has_children(new) {
            // As empty as the original, which may have blanks between its brackets.
            self.variant
                .extend_from_slice(self.new.slice(before_blanks(self.new.text, bracket)..bracket));
        }
        self.variant.push(self.new.text[bracket]);
        self.finish(self.new, new);
    }

    /// The side of a container whose blanks count: the original, if it has something inside.
    fn which(&self, old: u32, new: u32) -> (Source<'a>, u32) {
        match self.new.document.has_children(new) {
            true => (self.new, new),
            false => (self.old, old),
        }
    }

    /// Writes what stands between an element and the one before, or the bracket.
    fn separate(&mut self, source: Source<'a>, node: u32) {
        let Some(&(old, new)) = self.open.last() else {
            // Values stand on lines of their own, even where a text had no last line end.
            if !self.empty && !self.variant.ends_with(b"\n") {
                self.variant.push(b'\n');
            }
            return;
        };
        if self.empty {
            let (source, node) = self.which(old, new);
            let first = source.document.start(node + 1);
            let blanks = before_blanks(source.text, first)..first;
            self.variant.extend_from_slice(source.slice(blanks));
        } else {
            self.variant.extend_from_slice(self.behind);
            self.variant.push(b',');
            self.variant.extend_from_slice(source.before(node));
        }
    }

    fn finish(&mut self, source: Source<'a>, node: u32) {
        if self.open.is_empty() {
            self.variant.extend_from_slice(source.line_end(node));
        } else {
            self.behind = source.behind(node);
        }
        self.empty = false;
    }
}
