//! Shortens blanks and line ends to what keeps words apart.

use crate::pass::by_halves::ByHalves;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;

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
        // A line end, and one blank for each block around what follows it.
        let depth = parsed.language.body.map_or(0, |_| block_depth(parsed, end));
        return std::iter::once(b'\n').chain(std::iter::repeat_n(b' ', depth)).collect();
    }
    match (before, after) {
        (Some(before), Some(after)) if is_word(before) && is_word(after) => vec![b' '],
        _ => Vec::new(),
    }
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
