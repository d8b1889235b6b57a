//! Shortens blanks and line ends to what keeps words apart.

use crate::pass::by_halves::ByHalves;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// Shortens all blanks, then halves of them.
pub fn blanks(parsed: &ParsedText) -> ByHalves {
    let text = &parsed.text;
    let mut edits = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let start = at;
        while at < text.len() && text[at].is_ascii_whitespace() {
            at += 1;
        }
        let needed = needed_blanks(parsed, start, at);
        if needed.len() < at - start {
            edits.push(Edit::replace(start as u32..at as u32, needed));
        }
    }
    ByHalves::new("blanks", edits)
}

/// The blanks that have to remain of those from `start` to `end`.
fn needed_blanks(parsed: &ParsedText, start: usize, end: usize) -> Vec<u8> {
    let text = &parsed.text;
    let has_line_end = text[start..end].contains(&b'\n');
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let before = start.checked_sub(1).map(|at| &text[at]);
    let after = text.get(end);
    if start == 0 || end == text.len() {
        return Vec::new();
    }
    let line = text[..start].rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_directive = line.trim_ascii_start().starts_with(b"#") || after == Some(&b'#');
    if has_line_end && is_directive {
        return vec![b'\n'];
    }
    if has_line_end && parsed.language.is_layout_sensitive {
        if is_single_statement(parsed, end) && before == Some(&b':') {
            return Vec::new();
        }
        // A line end, and one blank for each block around what follows it.
        let depth = parsed.language.body.map_or(0, |_| block_depth(parsed, end));
        return std::iter::once(b'\n').chain(std::iter::repeat_n(b' ', depth)).collect();
    }
    match (before, after) {
        (Some(before), Some(after)) if is_word(before) && is_word(after) => vec![b' '],
        _ => Vec::new(),
    }
}

/// Whether a block begins at a position that is one statement without a block of its own.
fn is_single_statement(parsed: &ParsedText, at: usize) -> bool {
    let tree = &parsed.tree;
    let begins = |id: &NodeId| tree.kind(*id) == "block" && tree.node(*id).start as usize == at;
    parsed.node_ids().find(begins).is_some_and(|block| {
        let statements = tree.children(block).filter(|&child| tree.is_named(child)).count();
        let has_lines = parsed.text_of(block).contains(&b'\n');
        statements == 1 && !has_lines && tree.children(block).all(|id| !is_compound(parsed, id))
    })
}

/// Whether a statement has a block, so that it needs a line of its own.
fn is_compound(parsed: &ParsedText, statement: NodeId) -> bool {
    let tree = &parsed.tree;
    (statement..tree.node(statement).after).any(|id| tree.kind(id) == "block")
}

/// The number of blocks around a position.
fn block_depth(parsed: &ParsedText, at: usize) -> usize {
    let tree = &parsed.tree;
    let at = at as u32;
    let mut depth = 0;
    let mut next = Some(0);
    while let Some(id) = next {
        let node = tree.node(id);
        if tree.kind(id) == "block" && node.start <= at {
            depth += 1;
        }
        next = tree.children(id).find(|&child| {
            let node = tree.node(child);
            node.start <= at && at < node.end
        });
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn a_single_statement_joins_its_header() {
        let parsed = parse(
            "python",
            "class a:\n  def f():\n    if b:\n      c\n    else:\n      d\n      e\n",
        );
        let tried = proposals(blanks(&parsed), &parsed);
        assert_eq!(tried[0], "class a:\n def f():\n  if b:c\n  else:\n   d\n   e");
    }
}
