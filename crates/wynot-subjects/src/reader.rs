//! Readers of our own, for S-expressions and for text of unknown syntax. They never fail.

use crate::tree::Builder;
use crate::{Cut, Tree, Unit};

/// The tree of S-expressions: lists, atoms, comments.
pub(crate) fn s_expressions(text: &[u8]) -> Tree {
    let mut builder = Builder::new();
    builder.open("source", "", true, 0..text.len());
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        match rest[0] {
            b'(' => {
                builder.open("list", "", true, at..text.len());
                builder.leaf("(", false, at..at + 1);
                at += 1;
            }
            b')' => {
                builder.leaf(")", false, at..at + 1);
                at += 1;
                if builder.depth() > 1 {
                    builder.close_at(at);
                } else {
                    builder.error();
                }
            }
            b';' => {
                let end = at + until(rest, |byte| byte == b'\n');
                builder.leaf("comment", true, at..end);
                at = end;
            }
            quote @ (b'"' | b'|') => {
                let end = at + quoted(rest, quote);
                builder.leaf(if quote == b'"' { "string" } else { "atom" }, true, at..end);
                at = end;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let stops = |byte: u8| byte.is_ascii_whitespace() || b"();\"|".contains(&byte);
                let end = at + until(rest, stops);
                builder.leaf("atom", true, at..end);
                at = end;
            }
        }
    }
    while builder.depth() > 1 {
        builder.error();
        builder.close();
    }
    builder.finish()
}

/// How fine a tree of brackets is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grain {
    /// Whether words are nodes.
    words: bool,
    /// Items and groups of less than this many bytes are part of what is around them.
    least: usize,
    /// Of brackets within each other, so many are taken together.
    stride: usize,
}

impl Grain {
    /// Everything is a node.
    pub(crate) const FINE: Self = Self { words: true, least: 0, stride: 1 };

    /// As coarse as it takes for the tree to need less room than a few copies of the text.
    pub(crate) fn coarse(text: &[u8]) -> Self {
        let levels = text.len() / 128;
        Self { words: false, least: 24, stride: depth(text) / levels.max(1) + 1 }
    }
}

/// How many brackets are around a place at most.
pub(crate) fn depth(text: &[u8]) -> usize {
    let mut now = 0usize;
    let mut most = 0;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => now += 1,
            b')' | b']' | b'}' => now = now.saturating_sub(1),
            _ => {}
        }
        most = most.max(now);
    }
    most
}

/// The tree of a text whose syntax is not known: brackets, and within them what stands on a line or
/// between commas and semicolons; and the words in that, if they are wanted.
pub(crate) fn brackets(text: &[u8], grain: Grain) -> Tree {
    let mut builder = Builder::new();
    builder.open("text", "", true, 0..text.len());
    builder.open("item", "", true, 0..text.len());
    let mut closers = Vec::new();
    // Whether there is a group for the brackets at a depth.
    let seen = |depth: usize| depth.is_multiple_of(grain.stride);
    for span in Cut::pieces(text, Unit::Token) {
        let first = text[span.start];
        let sign = span.start..span.start + 1;
        match first {
            b'(' | b'[' | b'{' => {
                let closer = match first {
                    b'(' => b')',
                    b'[' => b']',
                    _ => b'}',
                };
                closers.push(closer);
                if seen(closers.len() - 1) {
                    builder.open("group", "", true, span.start..text.len());
                    builder.leaf("open", false, sign);
                    builder.open("item", "", true, span.end..text.len());
                }
            }
            _ if closers.last() == Some(&first) => {
                closers.pop();
                if !seen(closers.len()) {
                    continue;
                }
                builder.close_at(span.start);
                builder.leaf("close", false, sign.clone());
                if sign.end - builder.start() < grain.least {
                    builder.discard();
                } else {
                    builder.close_at(sign.end);
                }
            }
            // Within round and square brackets, lines do not matter.
            b'\n' if closers.last().is_some_and(|&closer| closer != b'}') => {}
            b',' | b';' | b'\n' if !closers.is_empty() && !seen(closers.len() - 1) => {}
            b',' | b';' | b'\n' if span.start - builder.start() < grain.least => {}
            b',' | b';' | b'\n' => {
                builder.close_at(span.start);
                builder.leaf("separator", false, sign);
                builder.open("item", "", true, span.end..text.len());
            }
            _ if first.is_ascii_whitespace() || !grain.words => {}
            _ => {
                let blanks = text[span.clone()].iter().rev();
                let trailing = blanks.take_while(|byte| byte.is_ascii_whitespace()).count();
                builder.leaf("word", true, span.start..span.end - trailing);
            }
        }
    }
    builder.finish()
}

fn until(text: &[u8], stops: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|&byte| stops(byte)).unwrap_or(text.len())
}

/// The length of a quoted text, with its quotes.
fn quoted(text: &[u8], quote: u8) -> usize {
    text[1..].iter().position(|&byte| byte == quote).map_or(text.len(), |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(tree: &Tree, text: &[u8]) -> String {
        let mut shape = String::new();
        let mut ends: Vec<u32> = Vec::new();
        for id in 0..tree.nodes().len() as u32 {
            while ends.last() == Some(&id) {
                ends.pop();
                shape.push(']');
            }
            if !tree.is_named(id) {
                continue;
            }
            if tree.is_leaf(id) {
                shape.push_str(&format!("<{}>", String::from_utf8_lossy(&text[tree.span(id)])));
            } else {
                shape.push_str(&format!("[{} ", tree.kind(id)));
                ends.push(tree.node(id).after);
            }
        }
        shape.push_str(&"]".repeat(ends.len()));
        shape
    }

    #[test]
    fn s_expressions_nest() {
        let text = b"(a \"b)\" (c |d e|)) ; end\nf";
        let tree = s_expressions(text);
        let expected = "[source [list <a><\"b)\">[list <c><|d e|>]]<; end><f>]";
        assert_eq!(shape(&tree, text), expected);
        assert_eq!(tree.errors, 0);
        assert_eq!(s_expressions(b"(a))").errors, 1);
        assert_eq!(s_expressions(b"((").errors, 2);
    }

    #[test]
    fn brackets_hold_items() {
        let text = b"f(a, b + c)\nx";
        let expected = "[text [item <f>[group [item <a>][item <b><+><c>]]][item <x>]]";
        assert_eq!(shape(&brackets(text, Grain::FINE), text), expected);
    }

    #[test]
    fn a_million_brackets_are_no_problem() {
        let deep: Vec<u8> = [vec![b'('; 500_000], vec![b')'; 500_000]].concat();
        assert_eq!(s_expressions(&deep).errors, 0);
        assert_eq!(depth(&deep), 500_000);
        assert!(brackets(&deep, Grain::FINE).nodes().len() > 1_000_000);
        assert!(brackets(&deep, Grain::coarse(&deep)).nodes().len() < 70_000);
    }

    #[test]
    fn coarse_trees_leave_small_things_together() {
        let text = b"[1, [2, 3], 4]\n{a first (long (very long)) line\nand a second, shorter one}";
        let coarse = Grain { words: false, least: 15, stride: 2 };
        let expected =
            "[text [item [group <a first (long (very long)) line><and a second, shorter one>]]]";
        let tree = brackets(text, coarse);
        assert_eq!(shape(&tree, text), expected);
        for id in 0..tree.nodes().len() as u32 {
            assert!(
                tree.span(id).end <= text.len() && tree.node(id).after <= tree.nodes().len() as u32
            );
        }
    }
}
