//! A parser of S-expressions. It accepts every text and counts what does not match.

use crate::syntax::tree::{SyntaxTree, TreeBuilder};

/// The syntax tree of S-expressions: lists, atoms, strings and comments.
pub(crate) fn parse(text: &[u8]) -> SyntaxTree {
    let mut builder = TreeBuilder::new();
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
                let end = at + length_until(rest, |byte| byte == b'\n');
                builder.leaf("comment", true, at..end);
                at = end;
            }
            quote @ (b'"' | b'|') => {
                let end = at + quoted_length(rest, quote);
                builder.leaf(if quote == b'"' { "string" } else { "atom" }, true, at..end);
                at = end;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let stops = |byte: u8| byte.is_ascii_whitespace() || b"();\"|".contains(&byte);
                let end = at + length_until(rest, stops);
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

/// The number of bytes before the first one at which `stops` holds.
fn length_until(text: &[u8], stops: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|&byte| stops(byte)).unwrap_or(text.len())
}

/// The length of a quoted text at the start, with its quotes.
fn quoted_length(text: &[u8], quote: u8) -> usize {
    text[1..].iter().position(|&byte| byte == quote).map_or(text.len(), |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s_expressions_nest() {
        let text = b"(a \"b)\" (c |d e|)) ; end\nf";
        let tree = parse(text);
        let expected = "[source [list <a><\"b)\">[list <c><|d e|>]]<; end><f>]";
        assert_eq!(tree.outline(text), expected);
        assert_eq!(tree.errors, 0);
        assert_eq!(parse(b"(a))").errors, 1);
        assert_eq!(parse(b"((").errors, 2);
    }

    #[test]
    fn half_a_million_levels_are_no_problem() {
        let deep: Vec<u8> = [vec![b'('; 500_000], vec![b')'; 500_000]].concat();
        assert_eq!(parse(&deep).errors, 0);
    }
}
