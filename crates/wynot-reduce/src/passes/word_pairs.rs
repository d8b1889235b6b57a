//! Deletes what stands between a word that opens a block and the word that closes it, with both or without them, in short texts
//! without a grammar.

use crate::pass::one_by_one::OneByOne;
use crate::text::parsed_text::ParsedText;
use crate::text::tokens::token_spans;
use std::ops::Range;

/// The number of words before a closing one that may be its opening one.
const MAX_OPENING_WORDS: usize = 6;

/// Words that open blocks which `end` closes in some language.
const OPENING_WORDS: &[&str] = &[
    "begin",
    "case",
    "class",
    "def",
    "do",
    "else",
    "for",
    "fork",
    "function",
    "if",
    "loop",
    "module",
    "proc",
    "program",
    "record",
    "repeat",
    "select",
    "sig",
    "struct",
    "subroutine",
    "task",
    "then",
    "try",
    "type",
    "unless",
    "while",
];

/// Words that close what one other word opens. Others begin with `end`.
const CLOSING_WORDS: &[(&str, &str)] =
    &[("fi", "if"), ("done", "do"), ("esac", "case"), ("until", "repeat"), ("join", "fork")];

/// Tries each closing word with the opening words before it, the pairs that are far apart first.
pub fn word_pairs(parsed: &ParsedText) -> OneByOne {
    if !parsed.language.has_lexical_definitions || !parsed.is_short() {
        return OneByOne::empty("word pairs");
    }
    let tokens: Vec<Range<u32>> =
        token_spans(parsed).into_iter().map(|(start, end)| start..end).collect();
    let word = |token: &Range<u32>| {
        parsed.text[token.start as usize..token.end as usize].to_ascii_lowercase()
    };
    let words: Vec<Vec<u8>> = tokens.iter().map(word).collect();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (close, closing) in words.iter().enumerate() {
        let before = (0..close).rev().filter(|&open| opens(&words[open], closing));
        pairs.extend(before.take(MAX_OPENING_WORDS).map(|open| (open, close)));
    }
    pairs.sort_by_key(|&(open, close)| (std::cmp::Reverse(close - open), open));
    let mut proposals = Vec::new();
    for &(open, close) in &pairs {
        let (first, last) = (tokens[open].clone(), tokens[close].clone());
        proposals.push(vec![parsed.delete(first.start..last.end)]);
        proposals.push(vec![parsed.delete(first.end..last.start)]);
        proposals.push(vec![parsed.delete(first), parsed.delete(last)]);
    }
    OneByOne::new("word pairs", proposals)
}

/// Whether a word may open what another one closes. Both are in small letters.
fn opens(opening: &[u8], closing: &[u8]) -> bool {
    let known = CLOSING_WORDS.iter().find(|(word, _)| word.as_bytes() == closing);
    match (closing.strip_prefix(b"end"), known) {
        (_, Some((_, opens))) => opens.as_bytes() == opening,
        (Some(b""), _) => OPENING_WORDS.iter().any(|word| word.as_bytes() == opening),
        (Some(rest), _) => rest.strip_prefix(b"_").unwrap_or(rest) == opening,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    fn tried(text: &str) -> Vec<String> {
        let parsed = parse("text", text);
        proposals(word_pairs(&parsed), &parsed)
    }

    #[test]
    fn words_go_in_pairs() {
        let verilog = tried("module a;begin case(a)0:begin b end endcase end endmodule");
        assert!(verilog.contains(&"module a;begin  end endmodule".to_owned()), "{verilog:?}");
        assert!(verilog.contains(&"module a;begin case(a)0: b  endcase end endmodule".to_owned()));
        assert!(tried("if a;then b;fi;c").contains(&";c".to_owned()));
        assert_eq!(tried("ending end").len(), 0);
    }
}
