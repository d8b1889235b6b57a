//! Deletes comments, and the lines by which a preprocessor says where the text comes from.

use crate::pass::by_halves::ByHalves;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::ops::Range;

/// Deletes all comments, then halves of them.
pub fn comments(parsed: &ParsedText) -> ByHalves {
    let comments = parsed.node_ids().filter(|&id| parsed.tree.kind(id).contains("comment"));
    ByHalves::new("comments", comments.map(|id| Edit::delete(parsed.span(id))).collect())
}

/// Deletes all markers of lines (`# 12 "file.h" 3`), then halves of them: they stand between and inside of declarations, where no
/// grammar expects them.
pub fn line_markers(parsed: &ParsedText) -> ByHalves {
    let has_markers = parsed.language.has_preprocessor;
    let lines = if has_markers { marker_lines(&parsed.text) } else { Vec::new() };
    ByHalves::new("line markers", lines.into_iter().map(Edit::delete).collect())
}

/// The lines that are markers, without their ends.
fn marker_lines(text: &[u8]) -> Vec<Range<u32>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split(|&byte| byte == b'\n') {
        if let [b'#', b' ', b'0'..=b'9', ..] = line {
            lines.push(start as u32..(start + line.len()) as u32);
        }
        start += line.len() + 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn markers_of_lines_go_first() {
        let text = "# 0 \"x.c\"\nint a;\n# 7 \"y.h\" 3\n#define B 1\n# define C\nint b;";
        let parsed = parse("c", text);
        let tried = proposals(line_markers(&parsed), &parsed);
        assert_eq!(tried[0], "\nint a;\n\n#define B 1\n# define C\nint b;");
        let parsed = parse("python", "# 1 is a number\nx = 1\n");
        assert!(proposals(line_markers(&parsed), &parsed).is_empty());
    }
}
