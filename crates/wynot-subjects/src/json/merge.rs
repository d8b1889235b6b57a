//! A writer of JSON that takes its elements from two other texts.

use crate::json::parse::{Document, WHOLE, end_of_blanks, start_of_blanks};
use std::ops::Range;

/// One of the two texts, with its nodes.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) document: &'a Document,
}

impl<'a> Source<'a> {
    fn slice(self, bytes: Range<usize>) -> &'a [u8] {
        &self.text[bytes]
    }

    /// The bytes of siblings and of what is between them.
    fn siblings(self, first: u32, last: u32) -> Range<usize> {
        self.document.start(first)..self.document.end(last)
    }

    /// The blanks before an element that follows another.
    fn before(self, node: u32) -> &'a [u8] {
        let next = self.document.next(node);
        let is_first = node == self.document.parent(node) + 1;
        // The first one follows a bracket, where the blanks may differ.
        let like = if is_first && !self.is_last(node) { next } else { node };
        let start = self.document.start(like);
        self.slice(start_of_blanks(self.text, start)..start)
    }

    /// The blanks between an element and the comma after it.
    fn after(self, node: u32) -> &'a [u8] {
        let end = self.document.end(node);
        if self.is_last(node) { b"" } else { self.slice(end..end_of_blanks(self.text, end)) }
    }

    fn is_last(self, node: u32) -> bool {
        self.document.next(node) == self.document.next(self.document.parent(node))
    }

    /// The blanks that separate a value of the sequence from the next one.
    fn line_end(self, node: u32) -> &'a [u8] {
        let end = self.document.end(node);
        self.slice(end..end_of_blanks(self.text, end))
    }
}

/// A writer of elements one after the other, with commas where they belong.
pub(crate) struct MergeWriter<'a> {
    old: Source<'a>,
    new: Source<'a>,
    variant: &'a mut Vec<u8>,
    /// The open containers, as nodes of the old and of the new text.
    open: Vec<(u32, u32)>,
    /// Whether nothing has been written yet in the innermost open container.
    empty: bool,
    /// The blanks to write before the next comma.
    before_comma: &'a [u8],
}

impl<'a> MergeWriter<'a> {
    /// Writes the blanks at the start of the new text.
    pub(crate) fn new(old: Source<'a>, new: Source<'a>, variant: &'a mut Vec<u8>) -> Self {
        let first = new.document.children(WHOLE).next();
        let first = first.map_or(new.text.len(), |first| new.document.start(first));
        variant.extend_from_slice(&new.text[..first]);
        Self { old, new, variant, open: Vec::new(), empty: true, before_comma: b"" }
    }

    /// Writes siblings with everything between them. Returns their bytes in the variant.
    pub(crate) fn siblings(&mut self, source: Source<'a>, first: u32, last: u32) -> Range<usize> {
        self.separate(source, first);
        let start = self.variant.len();
        self.variant.extend_from_slice(source.slice(source.siblings(first, last)));
        let end = self.variant.len();
        self.finish(source, last);
        start..end
    }

    /// The current end of the variant.
    pub(crate) fn position(&self) -> usize {
        self.variant.len()
    }

    /// Opens an array or object that is in both texts.
    pub(crate) fn enter(&mut self, old: u32, new: u32) {
        self.separate(self.new, new);
        if let Some(bracket) = self.new.document.open(new) {
            self.variant
                .extend_from_slice(self.new.slice(self.new.document.start(new)..bracket + 1));
        }
        self.open.push((old, new));
        self.empty = true;
    }

    /// Closes the innermost array or object.
    pub(crate) fn leave(&mut self) {
        let Some((old, new)) = self.open.pop() else { return };
        let bracket = self.new.document.end(new) - 1;
        let (source, node) = self.source_of_blanks(old, new);
        if !self.empty {
            let end = source.document.end(node) - 1;
            self.variant.extend_from_slice(source.slice(start_of_blanks(source.text, end)..end));
        } else if !self.new.document.has_children(new) {
            // The original is empty as well and may have blanks between its brackets.
            self.variant.extend_from_slice(
                self.new.slice(start_of_blanks(self.new.text, bracket)..bracket),
            );
        }
        self.variant.push(self.new.text[bracket]);
        self.finish(self.new, new);
    }

    /// The side of a container whose blanks are used: the new text, unless it is empty there.
    fn source_of_blanks(&self, old: u32, new: u32) -> (Source<'a>, u32) {
        match self.new.document.has_children(new) {
            true => (self.new, new),
            false => (self.old, old),
        }
    }

    /// Writes the comma and blanks between an element and what precedes it.
    fn separate(&mut self, source: Source<'a>, node: u32) {
        let Some(&(old, new)) = self.open.last() else {
            // Values stand on lines of their own, even if a text had no last line end.
            if !self.empty && !self.variant.ends_with(b"\n") {
                self.variant.push(b'\n');
            }
            return;
        };
        if self.empty {
            let (source, node) = self.source_of_blanks(old, new);
            let first = source.document.start(node + 1);
            let blanks = start_of_blanks(source.text, first)..first;
            self.variant.extend_from_slice(source.slice(blanks));
        } else {
            self.variant.extend_from_slice(self.before_comma);
            self.variant.push(b',');
            self.variant.extend_from_slice(source.before(node));
        }
    }

    /// Notes the blanks that follow an element.
    fn finish(&mut self, source: Source<'a>, node: u32) {
        if self.open.is_empty() {
            self.variant.extend_from_slice(source.line_end(node));
        } else {
            self.before_comma = source.after(node);
        }
        self.empty = false;
    }
}
