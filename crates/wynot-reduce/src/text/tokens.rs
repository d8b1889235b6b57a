//! The tokens of a text: the leaves of its tree, and words and signs where the tree has no leaves.

use crate::text::parsed_text::ParsedText;
use std::ops::Range;
use wynot_subjects::{TextCut, Unit};

/// The spans of all tokens, in order: start and end.
pub fn token_spans(parsed: &ParsedText) -> Vec<(u32, u32)> {
    let leaves = parsed.node_ids().filter(|&id| parsed.tree.is_leaf(id));
    let spans = leaves.map(|id| parsed.span(id)).filter(|span| !span.is_empty());
    let mut found = Vec::new();
    let mut covered = 0;
    for span in spans {
        // Text between leaves belongs to no node: it is hidden, or left out of a coarse tree.
        push_words(parsed, covered..span.start, &mut found);
        covered = span.end;
        // Long leaves, such as texts between tags, consist of words.
        let text = &parsed.text[span.start as usize..span.end as usize];
        let words = TextCut::new(text, Unit::Token);
        let is_single = words.len() == 1 || text.first() == Some(&b'"');
        match is_single {
            true => found.push((span.start, span.end)),
            false => found.extend((0..words.len()).map(|word| {
                let bytes = words.bytes(word..word + 1);
                (span.start + bytes.start as u32, span.start + bytes.end as u32)
            })),
        }
    }
    push_words(parsed, covered..parsed.text.len() as u32, &mut found);
    found
}

/// Appends the words and signs of a span, without the blanks around them.
fn push_words(parsed: &ParsedText, span: Range<u32>, found: &mut Vec<(u32, u32)>) {
    let text = parsed.text.get(span.start as usize..span.end as usize).unwrap_or_default();
    for piece in TextCut::pieces(text, Unit::Token) {
        let word = text[piece.clone()].trim_ascii_end();
        if !word.is_empty() {
            let start = span.start + piece.start as u32;
            found.push((start, start + word.len() as u32));
        }
    }
}
