//! DIMACS, the format of SAT solvers: comments, a header with the number of clauses, and clauses that end
//! with 0.

use crate::syntax::tree::{SyntaxTree, TreeBuilder};
use std::ops::Range;

/// The syntax tree of a formula: comments, the header, clauses and the literals in them.
pub(crate) fn parse(text: &[u8]) -> SyntaxTree {
    let mut builder = TreeBuilder::new();
    builder.open("formula", "", true, 0..text.len());
    let mut in_clause = false;
    for line in lines(text) {
        match text[line.clone()].trim_ascii_start().first() {
            Some(b'c') if !in_clause => builder.leaf("comment", true, line),
            // The field marks the header as a part of the formula, not an element of a list.
            Some(b'p') if !in_clause => {
                builder.open("header", "header", true, line);
                builder.close();
            }
            _ => {
                for word in words(text, line) {
                    if !in_clause {
                        builder.open("clause", "", true, word.start..text.len());
                    }
                    in_clause = &text[word.clone()] != b"0";
                    builder.leaf("literal", in_clause, word.clone());
                    if !in_clause {
                        builder.close_at(word.end);
                    }
                }
            }
        }
    }
    if in_clause {
        builder.error();
    }
    builder.finish()
}

/// The bytes of the header, and the header that matches the clauses. `None` without a header.
pub fn header(text: &[u8]) -> Option<(Range<usize>, Vec<u8>)> {
    let is_header = |line: &Range<usize>| text[line.clone()].starts_with(b"p cnf");
    let header = lines(text).find(is_header)?;
    let (mut clauses, mut highest) = (0u64, 0u64);
    for line in lines(&text[header.end..]) {
        let line = header.end + line.start..header.end + line.end;
        if text[line.clone()].starts_with(b"c") {
            continue;
        }
        for word in words(text, line) {
            let literal = std::str::from_utf8(&text[word]).ok()?.parse::<i64>().ok()?;
            clauses += u64::from(literal == 0);
            highest = highest.max(literal.unsigned_abs());
        }
    }
    Some((header, format!("p cnf {highest} {clauses}").into_bytes()))
}

/// The lines of a text, without their ends.
fn lines(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    text.split(|&byte| byte == b'\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        start..start + line.len()
    })
}

/// The words of a line.
fn words(text: &[u8], line: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = line.start;
    text[line].split(u8::is_ascii_whitespace).filter_map(move |word| {
        let start = at;
        at += word.len() + 1;
        (!word.is_empty()).then_some(start..start + word.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMULA: &[u8] = b"c two clauses\np cnf 3 2\n1 -3\n 0 2 0\n";

    #[test]
    fn clauses_can_share_and_cross_lines() {
        let tree = parse(FORMULA);
        let text = |id| std::str::from_utf8(&FORMULA[tree.span(id)]).unwrap();
        let children: Vec<_> = tree.children(0).map(|id| (tree.kind(id), text(id))).collect();
        let clauses = [("clause", "1 -3\n 0"), ("clause", "2 0")];
        assert_eq!(children[..2], [("comment", "c two clauses"), ("header", "p cnf 3 2")]);
        assert_eq!(children[2..], clauses);
        assert_eq!(tree.errors, 0);
        assert_eq!(parse(b"p cnf 1 1\n1").errors, 1);
        assert_eq!(parse(b"").errors, 0);
    }

    #[test]
    fn the_header_counts_clauses_and_variables() {
        assert_eq!(header(FORMULA), Some((14..23, b"p cnf 3 2".to_vec())));
        assert_eq!(header(b"p cnf 9 9\n1 -2 0"), Some((0..9, b"p cnf 2 1".to_vec())));
        assert_eq!(header(b"p cnf 9 9"), Some((0..9, b"p cnf 0 0".to_vec())));
        assert_eq!(header(b"1 0"), None);
        assert_eq!(header(b"p cnf 1 1\nx 0"), None);
    }
}
