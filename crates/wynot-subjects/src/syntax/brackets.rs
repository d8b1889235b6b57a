//! A parser for texts of unknown syntax, by brackets, lines and words. It accepts every text.

use crate::syntax::line_sections::with_sections;
use crate::syntax::odd_brackets::odd_brackets;
use crate::syntax::tree::{SyntaxTree, TreeBuilder};
use crate::text::cut::TextCut;
use crate::text::unit::Unit;

/// The size below which items and groups of a coarse tree are not nodes of their own.
const COARSE_MIN_BYTES: usize = 24;

/// The number of bytes of the text for each level of groups that a coarse tree may have.
const COARSE_BYTES_PER_LEVEL: usize = 128;

/// The level of detail of a tree of brackets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    /// Whether words are nodes.
    words: bool,
    /// The size below which items and groups are not nodes of their own.
    min_bytes: usize,
    /// The number of nested brackets that form one group.
    stride: usize,
    /// Whether lines that are indented form sections, and brackets in quotes count for nothing.
    sections: bool,
}

impl Detail {
    /// Every bracket, item and word is a node.
    pub(crate) const FINE: Self = Self { words: true, min_bytes: 0, stride: 1, sections: false };

    /// The same, with sections of lines: for languages in which blocks are marked by words.
    pub(crate) const SECTIONS: Self = Self { sections: true, ..Self::FINE };

    /// Coarse enough that the tree needs no more memory than a few copies of the text.
    pub(crate) fn coarse(text: &[u8]) -> Self {
        let max_levels = (text.len() / COARSE_BYTES_PER_LEVEL).max(1);
        Self {
            words: false,
            min_bytes: COARSE_MIN_BYTES,
            stride: depth(text) / max_levels + 1,
            sections: false,
        }
    }
}

/// The depth of nested brackets in a text.
pub(crate) fn depth(text: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut deepest = 0;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The tree of a text whose syntax is not known: brackets; within them items, which are separated by line
/// ends, commas and semicolons; and the words of the items, if the level of detail includes them.
pub(crate) fn parse(text: &[u8], detail: Detail) -> SyntaxTree {
    match detail.sections {
        true => with_sections(text, &flat_tree(text, detail)),
        false => flat_tree(text, detail),
    }
}

/// The tree of brackets and items.
fn flat_tree(text: &[u8], detail: Detail) -> SyntaxTree {
    let mut builder = TreeBuilder::new();
    builder.open("text", "", true, 0..text.len());
    builder.open("item", "", true, 0..text.len());
    let mut closers = Vec::new();
    let odd = if detail.sections { odd_brackets(text) } else { Vec::new() };
    let counts = |at: usize| !odd.get(at).copied().unwrap_or_default();
    // Whether brackets at a depth form a group.
    let is_group = |depth: usize| depth.is_multiple_of(detail.stride);
    for span in TextCut::pieces(text, Unit::Token) {
        let first = text[span.start];
        let first_byte = span.start..span.start + 1;
        match first {
            b'(' | b'[' | b'{' if counts(span.start) => {
                let closer = match first {
                    b'(' => b')',
                    b'[' => b']',
                    _ => b'}',
                };
                closers.push(closer);
                if is_group(closers.len() - 1) {
                    builder.open("group", "", true, span.start..text.len());
                    builder.leaf("open", false, first_byte);
                    builder.open("item", "", true, span.end..text.len());
                }
            }
            _ if closers.last() == Some(&first) && counts(span.start) => {
                closers.pop();
                if !is_group(closers.len()) {
                    continue;
                }
                builder.close_at(span.start);
                builder.leaf("close", false, first_byte.clone());
                if first_byte.end - builder.start() < detail.min_bytes {
                    builder.discard();
                } else {
                    builder.close_at(first_byte.end);
                }
            }
            // Line ends within round and square brackets separate nothing.
            b'\n' if closers.last().is_some_and(|&closer| closer != b'}') => {}
            b',' | b';' | b'\n' if !closers.is_empty() && !is_group(closers.len() - 1) => {}
            b',' | b';' | b'\n' if span.start - builder.start() < detail.min_bytes => {}
            b',' | b';' | b'\n' => {
                builder.close_at(span.start);
                builder.leaf("separator", false, first_byte);
                builder.open("item", "", true, span.end..text.len());
            }
            _ if first.is_ascii_whitespace() || !detail.words => {}
            _ => {
                let blanks = text[span.clone()].iter().rev();
                let trailing = blanks.take_while(|byte| byte.is_ascii_whitespace()).count();
                builder.leaf("word", true, span.start..span.end - trailing);
            }
        }
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_hold_items() {
        let text = b"f(a, b + c)\nx";
        let expected = "[text [item <f>[group [item <a>][item <b><+><c>]]][item <x>]]";
        assert_eq!(parse(text, Detail::FINE).outline(text), expected);
    }

    #[test]
    fn a_million_brackets_are_no_problem() {
        let deep: Vec<u8> = [vec![b'('; 500_000], vec![b')'; 500_000]].concat();
        assert_eq!(depth(&deep), 500_000);
        assert!(parse(&deep, Detail::FINE).nodes().len() > 1_000_000);
        assert!(parse(&deep, Detail::coarse(&deep)).nodes().len() < 70_000);
    }

    #[test]
    fn coarse_trees_keep_small_groups_together() {
        let text = b"[1, [2, 3], 4]\n{a first (long (very long)) line\nand a second, shorter one}";
        let coarse = Detail { words: false, min_bytes: 15, stride: 2, sections: false };
        let expected =
            "[text [item [group <a first (long (very long)) line><and a second, shorter one>]]]";
        let tree = parse(text, coarse);
        assert_eq!(tree.outline(text), expected);
        for id in 0..tree.nodes().len() as u32 {
            assert!(
                tree.span(id).end <= text.len() && tree.node(id).after <= tree.nodes().len() as u32
            );
        }
    }

    /// The sections of a text, each with its lines joined by a slash.
    fn sections(text: &str) -> Vec<String> {
        let tree = parse(text.as_bytes(), Detail::SECTIONS);
        let nodes = 0..tree.nodes().len() as u32;
        let found = nodes.filter(|&id| tree.kind(id) == "section");
        found.map(|id| text[tree.span(id)].trim().replace('\n', "/")).collect()
    }

    #[test]
    fn words_that_follow_deeper_lines_close_sections() {
        let text = "module a\n  always begin\n    b\n  end\n  if c begin\n    d\n  end\nendmodule\nmodule e\n  f\nendmodule\n";
        assert_eq!(
            sections(text),
            [
                "module a/  always begin/    b/  end/  if c begin/    d/  end/endmodule",
                "always begin/    b/  end",
                "if c begin/    d/  end",
                "module e/  f/endmodule",
            ]
        );
        let branches = "if a\n  b\nelse\n  c\nend\nif d\n  e\nelse\n  f\nend\n";
        assert_eq!(sections(branches), ["if a/  b/else/  c/end", "if d/  e/else/  f/end"]);
    }

    #[test]
    fn lines_in_brackets_form_sections_among_themselves() {
        assert_eq!(
            sections("a: {\n  b:\n    c\n  d: (\n e\n )\n}\nf:\n  g\n"),
            ["b:/    c", "f:/  g"]
        );
    }

    #[test]
    fn all_bytes_stay_where_they_are() {
        let text = "a\n\n b\n  c; d\n end\ne [\nf\n]\n\tg\n";
        let (flat, sections) =
            (parse(text.as_bytes(), Detail::FINE), parse(text.as_bytes(), Detail::SECTIONS));
        let leaves = |tree: &SyntaxTree| -> Vec<_> {
            tree.leaves(0).map(|id| tree.span(id)).filter(|span| !span.is_empty()).collect()
        };
        assert_eq!(leaves(&flat), leaves(&sections));
        assert!(sections.nodes().len() > flat.nodes().len());
    }

    #[test]
    fn lines_that_are_deeper_and_deeper_do_no_harm() {
        let text: String = (0..2_000).map(|at| format!("{}a\n", " ".repeat(at))).collect();
        assert!(sections(&text).len() <= 101);
    }
}
