//! Passes over tokens: windows of several, single ones, and single bytes at the very end.

use crate::{Draft, Edit, Pass};
use std::ops::Range;
use std::rc::Rc;
use wynot_subjects::{NodeId, TextCut, Unit};

/// The longest window.
const LONGEST: usize = 8;

/// Where the tokens of a draft are: the leaves of its tree, or words and signs where it has none.
fn tokens(draft: &Draft) -> Vec<(u32, u32)> {
    let leaves = (0..draft.tree.nodes().len() as NodeId).filter(|&id| draft.tree.is_leaf(id));
    let spans = leaves.map(|id| draft.span(id)).filter(|span| !span.is_empty());
    let mut found = Vec::new();
    let mut behind = 0;
    for span in spans {
        // What stands between leaves is no part of any node: hidden, or left out of a coarse tree.
        between(draft, behind..span.start, &mut found);
        behind = span.end;
        // Long leaves, such as texts between tags, are made of words.
        let text = &draft.text[span.start as usize..span.end as usize];
        let words = TextCut::new(text, Unit::Token);
        let is_plain = words.len() == 1 || text.first() == Some(&b'"');
        match is_plain {
            true => found.push((span.start, span.end)),
            false => found.extend((0..words.len()).map(|word| {
                let bytes = words.bytes(word..word + 1);
                (span.start + bytes.start as u32, span.start + bytes.end as u32)
            })),
        }
    }
    between(draft, behind..draft.text.len() as u32, &mut found);
    found
}

/// Adds the words and signs of a stretch, without the blanks around them.
fn between(draft: &Draft, span: Range<u32>, found: &mut Vec<(u32, u32)>) {
    let text = draft.text.get(span.start as usize..span.end as usize).unwrap_or_default();
    for piece in TextCut::pieces(text, Unit::Token) {
        let word = text[piece.clone()].trim_ascii_end();
        if !word.is_empty() {
            let start = span.start + piece.start as u32;
            found.push((start, start + word.len() as u32));
        }
    }
}

/// Takes out windows of tokens that are balanced in their brackets, long ones first, from the end.
#[derive(Clone, Debug)]
pub struct Windows {
    tokens: Rc<Vec<(u32, u32)>>,
    length: usize,
    /// One past the last token of the next window.
    end: usize,
    shortest: usize,
}

impl Windows {
    /// Windows from eight tokens down to two.
    pub fn new(draft: &Draft) -> Self {
        let tokens = Rc::new(tokens(draft));
        Self { end: tokens.len(), tokens, length: LONGEST, shortest: 2 }
    }

    fn window(&self, draft: &Draft) -> Option<(u32, u32)> {
        let alive = |&index: &usize| {
            let (start, end) = self.tokens[index];
            !draft.edits.covers(&(start..end))
        };
        let window: Vec<usize> = (0..self.end).rev().filter(alive).take(self.length).collect();
        let (first, last) = (*window.last()?, *window.first()?);
        if window.len() < self.length || last + 1 != self.end || !self.is_balanced(draft, &window) {
            return None;
        }
        let behind = (last + 1..self.tokens.len()).find(alive);
        let end = behind.map_or(self.tokens[last].1, |behind| self.tokens[behind].0);
        Some((self.tokens[first].0, end))
    }

    fn is_balanced(&self, draft: &Draft, backwards: &[usize]) -> bool {
        let mut depth = 0i32;
        for &index in backwards.iter().rev() {
            let (start, end) = self.tokens[index];
            match &draft.text[start as usize..end as usize] {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return false;
            }
        }
        depth == 0
    }
}

impl Pass for Windows {
    const NAME: &'static str = "windows";

    fn is_doubtful(&self) -> bool {
        true
    }

    fn propose(&mut self, draft: &Draft) -> Option<Vec<Edit>> {
        while self.length >= self.shortest {
            while self.end > 0 {
                let window = self.window(draft);
                self.end -= 1;
                if let Some((start, end)) = window {
                    return Some(vec![draft.cut(start..end)]);
                }
            }
            self.length -= 1;
            self.end = self.tokens.len();
        }
        None
    }
}

/// Takes out single pieces, from the end, whatever the grammar says. What survives this is 1-minimal.
#[derive(Clone, Debug)]
pub struct Singles {
    pieces: Rc<Vec<(u32, u32)>>,
    left: usize,
}

impl Singles {
    /// Every single token.
    pub fn tokens(draft: &Draft) -> Self {
        let pieces = tokens(draft);
        Self { left: pieces.len(), pieces: Rc::new(pieces) }
    }

    /// Every single byte.
    pub fn bytes(draft: &Draft) -> Self {
        let pieces: Vec<(u32, u32)> = (0..draft.text.len() as u32).map(|at| (at, at + 1)).collect();
        Self { left: pieces.len(), pieces: Rc::new(pieces) }
    }
}

impl Pass for Singles {
    const NAME: &'static str = "singles";

    fn is_mended(&self) -> bool {
        false
    }

    fn propose(&mut self, draft: &Draft) -> Option<Vec<Edit>> {
        while self.left > 0 {
            self.left -= 1;
            let (start, end) = self.pieces[self.left];
            if !draft.edits.covers(&(start..end)) {
                return Some(vec![Edit::delete(start..end)]);
            }
        }
        None
    }
}
