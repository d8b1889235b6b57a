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

/// The tree of a text whose syntax is not known: brackets, and within them what stands on a line or
/// between commas and semicolons; and the words in that, if they are wanted.
pub(crate) fn brackets(text: &[u8], words: bool) -> Tree {
    let mut builder = Builder::new();
    builder.open("text", "", true, 0..text.len());
    builder.open("item", "", true, 0..text.len());
    let tokens = Cut::new(text, Unit::Token);
    let mut closers = Vec::new();
    for token in 0..tokens.len() {
        let span = tokens.bytes(token..token + 1);
        let first = text[span.start];
        let sign = span.start..span.start + 1;
        match first {
            b'(' | b'[' | b'{' => {
                closers.push(match first {
                    b'(' => b')',
                    b'[' => b']',
                    _ => b'}',
                });
                builder.open("group", "", true, span.start..text.len());
                builder.leaf("open", false, sign);
                builder.open("item", "", true, span.end..text.len());
            }
            _ if closers.last() == Some(&first) => {
                closers.pop();
                builder.close_at(span.start);
                builder.leaf("close", false, sign.clone());
                builder.close_at(sign.end);
            }
            // Within round and square brackets, lines do not matter.
            b'\n' if closers.last().is_some_and(|&closer| closer != b'}') => {}
            b',' | b';' | b'\n' => {
                builder.close_at(span.start);
                builder.leaf("separator", false, sign);
                builder.open("item", "", true, span.end..text.len());
            }
            _ if first.is_ascii_whitespace() || !words => {}
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
        assert_eq!(shape(&brackets(text, true), text), expected);
    }

    #[test]
    fn a_million_brackets_are_no_problem() {
        let deep: Vec<u8> = [vec![b'('; 500_000], vec![b')'; 500_000]].concat();
        assert_eq!(s_expressions(&deep).errors, 0);
        assert!(brackets(&deep, false).nodes().len() > 1_000_000);
    }
}
