//! The leaves of a tree in order, with matching brackets: how programs are read where the grammar reports
//! errors.
//!
//! Leaves are referred to by their index, and ranges of leaves by ranges of indices.

use crate::text::parsed_text::ParsedText;
use std::ops::Range;
use wynot_subjects::NodeId;

/// The leaves of a text, and which brackets match.
pub struct Leaves<'a> {
    /// The text that the leaves are of.
    pub parsed: &'a ParsedText,
    /// The nodes of all leaves that are not empty.
    pub nodes: Vec<NodeId>,
    /// For each opening bracket, the index of the bracket that closes it.
    pub closing: Vec<Option<usize>>,
}

impl<'a> Leaves<'a> {
    /// The leaves of a text.
    pub fn of(parsed: &'a ParsedText) -> Self {
        let nodes = parsed.tree.leaves(0).filter(|&leaf| !parsed.span(leaf).is_empty());
        let nodes: Vec<NodeId> = nodes.collect();
        let mut closing = vec![None; nodes.len()];
        let mut open = Vec::new();
        for (at, &leaf) in nodes.iter().enumerate() {
            match parsed.text_of(leaf) {
                b"(" | b"{" | b"[" => open.push(at),
                b")" | b"}" | b"]" => {
                    if let Some(opened) = open.pop() {
                        closing[opened] = Some(at);
                    }
                }
                _ => {}
            }
        }
        Self { parsed, nodes, closing }
    }

    /// The text of a leaf; empty after the last one.
    pub fn text(&self, at: usize) -> &'a [u8] {
        self.nodes.get(at).map(|&leaf| self.parsed.text_of(leaf)).unwrap_or_default()
    }

    /// Whether a leaf has this text.
    pub fn is(&self, at: usize, text: &str) -> bool {
        self.text(at) == text.as_bytes()
    }

    /// The text of the leaf before another; empty before the first one.
    pub fn text_before(&self, at: usize) -> &'a [u8] {
        at.checked_sub(1).map(|before| self.text(before)).unwrap_or_default()
    }

    /// The bytes that some leaves span.
    pub fn span(&self, range: &Range<usize>) -> Range<u32> {
        if range.is_empty() {
            return 0..0;
        }
        let (first, last) = (self.nodes[range.start], self.nodes[range.end - 1]);
        self.parsed.tree.node(first).start..self.parsed.tree.node(last).end
    }

    /// The leaves of a range that no brackets within the range enclose.
    pub fn outside_brackets(&self, range: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let first = (!range.is_empty()).then_some(range.start);
        std::iter::successors(first, move |&at| {
            let next = self.closing[at].unwrap_or(at) + 1;
            (next < range.end).then_some(next)
        })
    }

    /// The ranges between the commas of a range.
    pub fn elements(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut start = range.start;
        for comma in self.outside_brackets(range.clone()).filter(|&at| self.is(at, ",")) {
            found.push(start..comma);
            start = comma + 1;
        }
        if start < range.end {
            found.push(start..range.end);
        }
        found
    }

    /// Whether some leaves bind as strongly as a single one, so that they need no brackets.
    pub fn is_primary(&self, range: &Range<usize>) -> bool {
        let leaves = self.outside_brackets(range.clone());
        let joins = [&b"."[..], b"->", b"::", b"(", b"[", b"!"];
        leaves
            .skip(1)
            .all(|at| joins.contains(&self.text(at)) || joins[..3].contains(&self.text_before(at)))
    }

    /// Whether brackets, commas or the ends of a statement are on both sides of some leaves.
    pub fn is_delimited(&self, range: &Range<usize>) -> bool {
        let before = ["", "(", "[", "{", ",", ";", "=", "return", "=>", "}"];
        let after = ["", ")", "]", "}", ",", ";"];
        before.iter().any(|sign| self.text_before(range.start) == sign.as_bytes())
            && after.iter().any(|sign| self.is(range.end, sign))
    }

    /// Whether a name is not the member in a path such as `a.b` or `a::b`.
    pub fn is_unqualified(&self, at: usize) -> bool {
        ![&b"."[..], b"->", b"::"].contains(&self.text_before(at))
    }
}
