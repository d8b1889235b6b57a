//! Tokens in order: what a text is where a grammar does not understand it.

use crate::Draft;
use std::ops::Range;
use wynot_subjects::NodeId;

/// The leaves of a draft and which brackets belong together.
pub struct Sequence<'a> {
    /// The draft.
    pub draft: &'a Draft,
    /// All that are not empty.
    pub leaves: Vec<NodeId>,
    /// Where the bracket that a token opens is closed.
    pub closed: Vec<Option<usize>>,
}

impl<'a> Sequence<'a> {
    /// The tokens of a draft.
    pub fn of(draft: &'a Draft) -> Self {
        let leaves = draft.tree.leaves(0).filter(|&leaf| !draft.span(leaf).is_empty());
        let leaves: Vec<NodeId> = leaves.collect();
        let mut closed = vec![None; leaves.len()];
        let mut open = Vec::new();
        for (at, &leaf) in leaves.iter().enumerate() {
            match draft.text_of(leaf) {
                b"(" | b"{" | b"[" => open.push(at),
                b")" | b"}" | b"]" => {
                    if let Some(opened) = open.pop() {
                        closed[opened] = Some(at);
                    }
                }
                _ => {}
            }
        }
        Self { draft, leaves, closed }
    }

    /// A token; nothing behind the last one.
    pub fn text(&self, at: usize) -> &'a [u8] {
        self.leaves.get(at).map(|&leaf| self.draft.text_of(leaf)).unwrap_or_default()
    }

    /// Whether a token is this one.
    pub fn is(&self, at: usize, text: &str) -> bool {
        self.text(at) == text.as_bytes()
    }

    /// The token before another.
    pub fn before(&self, at: usize) -> &'a [u8] {
        at.checked_sub(1).map(|before| self.text(before)).unwrap_or_default()
    }

    /// Where some tokens are in the text.
    pub fn span(&self, tokens: &Range<usize>) -> Range<u32> {
        if tokens.is_empty() {
            return 0..0;
        }
        let (first, last) = (self.leaves[tokens.start], self.leaves[tokens.end - 1]);
        self.draft.tree.node(first).start..self.draft.tree.node(last).end
    }

    /// The tokens of a range that are in no brackets of their own.
    pub fn outer(&self, tokens: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let first = (!tokens.is_empty()).then_some(tokens.start);
        std::iter::successors(first, move |&at| {
            let next = self.closed[at].unwrap_or(at) + 1;
            (next < tokens.end).then_some(next)
        })
    }

    /// What stands between the commas of a range.
    pub fn elements(&self, tokens: Range<usize>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut start = tokens.start;
        for comma in self.outer(tokens.clone()).filter(|&at| self.is(at, ",")) {
            found.push(start..comma);
            start = comma + 1;
        }
        if start < tokens.end {
            found.push(start..tokens.end);
        }
        found
    }

    /// Whether some tokens bind as strongly as a single one.
    pub fn is_atom(&self, tokens: &Range<usize>) -> bool {
        let leaves = self.outer(tokens.clone());
        let joins = [&b"."[..], b"->", b"::", b"(", b"[", b"!"];
        leaves
            .skip(1)
            .all(|at| joins.contains(&self.text(at)) || joins[..3].contains(&self.before(at)))
    }

    /// Whether brackets, commas or the ends of a statement are on both sides of some tokens.
    pub fn is_apart(&self, tokens: &Range<usize>) -> bool {
        let before = ["", "(", "[", "{", ",", ";", "=", "return", "=>", "}"];
        let behind = ["", ")", "]", "}", ",", ";"];
        before.iter().any(|sign| self.before(tokens.start) == sign.as_bytes())
            && behind.iter().any(|sign| self.is(tokens.end, sign))
    }

    /// Whether a name is one by itself, and no part of another thing.
    pub fn stands_alone(&self, at: usize) -> bool {
        ![&b"."[..], b"->", b"::"].contains(&self.before(at))
    }
}
