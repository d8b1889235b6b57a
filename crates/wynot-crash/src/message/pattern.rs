//! The pattern of a message: what a message has to say to be the same.

use super::words::{Word, constant_words};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The pattern of a message. Words that are names of the input stand for any word, because a reduction may
/// rename them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagePattern {
    /// The words in order; `None` stands for any word.
    words: Vec<Option<String>>,
}

impl MessagePattern {
    /// The pattern of a line, given the parts of the input from which the line may take names.
    pub(crate) fn of_line(line: &str, input: &[&[u8]]) -> Self {
        Self::of_words(&constant_words(line), input)
    }

    /// The pattern of some words.
    pub(crate) fn of_words(words: &[Word], input: &[&[u8]]) -> Self {
        let names = names_in(input, words);
        let is_any = |word: &Word| names.contains(word.printed.as_str());
        // Where the input contains most of the words, as prose does, only words that look like names are names.
        let is_prose = words.iter().filter(|word| is_any(word)).count() * 2 > words.len();
        let is_name = |word: &Word| is_any(word) && (!is_prose || looks_like_name(&word.printed));
        let pattern = words.iter().map(|word| (!is_name(word)).then(|| word.constant.clone()));
        Self { words: pattern.collect() }
    }

    /// Whether a line matches.
    pub(crate) fn matches_line(&self, line: &str) -> bool {
        self.matches_words(&constant_words(line))
    }

    /// Whether some words match.
    pub(crate) fn matches_words(&self, words: &[Word]) -> bool {
        let is_same = |(wanted, word): (&Option<String>, &Word)| {
            wanted.as_ref().is_none_or(|wanted| *wanted == word.constant)
        };
        self.words.len() == words.len() && self.words.iter().zip(words).all(is_same)
    }

    /// Whether the pattern has no word that a message must contain.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().flatten().next().is_none()
    }
}

/// Whether a word looks like a name in a program rather than like a word of prose.
fn looks_like_name(word: &str) -> bool {
    let inner_capital = word.chars().skip(1).any(char::is_uppercase);
    inner_capital || word.contains(|c: char| c.is_ascii_digit() || "_.$".contains(c))
}

/// The words that occur in the input.
fn names_in<'w>(input: &[&[u8]], words: &'w [Word]) -> HashSet<&'w str> {
    let mut missing: HashSet<&[u8]> =
        words.iter().flat_map(|word| parts_of(&word.printed)).map(str::as_bytes).collect();
    for part in input.iter().flat_map(|bytes| bytes.split(|byte| !is_part_of_name(*byte))) {
        missing.remove(part);
    }
    let is_found = |word: &&str| {
        let mut parts = parts_of(word).peekable();
        parts.peek().is_some() && parts.all(|part| !missing.contains(part.as_bytes()))
    };
    words.iter().map(|word| word.printed.as_str()).filter(is_found).collect()
}

/// The parts of a word that can be names: `a` and `b` of `a.b`.
fn parts_of(word: &str) -> impl Iterator<Item = &str> {
    let parts = word.split(|c: char| c.is_ascii() && !is_part_of_name(c as u8));
    parts.filter(|part| part.chars().any(char::is_alphabetic))
}

fn is_part_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_input_stand_for_any_word() {
        let input: &[&[u8]] = &[b"total_price := apples * 3"];
        let pattern = MessagePattern::of_line("x.go:3:5: undefined: total_price", input);
        assert!(pattern.matches_line("x.go:1:1: undefined: a"));
        assert!(!pattern.matches_line("x.go:1:1: unused: a"));
        assert!(!pattern.matches_line("x.go:1:1: undefined: a and b"));
    }

    #[test]
    fn prose_does_not_make_a_pattern_match_everything() {
        let input: &[&[u8]] = &[b"An invalid table row in a document is a fooBar."];
        let pattern = MessagePattern::of_line("invalid table row in fooBar", input);
        assert!(pattern.matches_line("invalid table row in barFoo"));
        assert!(!pattern.matches_line("missing list item in barFoo"));
    }
}
