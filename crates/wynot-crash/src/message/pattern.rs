//! The pattern of a message: what a message has to say to be the same.

use super::input_words::{InputWords, is_shortened};
use super::message_words::{Word, constant_words};
use serde::{Deserialize, Serialize};

/// The number of constant words with which a message is distinctive, whatever names it mentions without quotation marks.
const DISTINCTIVE_WORDS: usize = 3;

/// The pattern of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessagePattern {
    words: Vec<PatternWord>,
}

/// What stands at one place of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PatternWord {
    /// This word.
    Constant(String),
    /// This name of the input, or one that it was renamed to.
    Name(String),
    /// This quotation, but for digits.
    Quotation(String),
    /// Any word or quotation.
    Any,
}

impl MessagePattern {
    /// The pattern of a line.
    pub(crate) fn of_line(line: &str, input: &InputWords) -> Self {
        Self::of_words(&constant_words(line), input)
    }

    /// The pattern of some words.
    pub(crate) fn of_words(words: &[Word], input: &InputWords) -> Self {
        let is_plain_name = |word: &&Word| !word.is_quoted && input.contain(&word.printed);
        let plain = words.iter().filter(|word| !word.is_quoted).count();
        // Where the input contains most of the words, as prose does, only words that look like names are names.
        let is_prose = words.iter().filter(is_plain_name).count() * 2 > plain;
        let is_name = |word: &Word| {
            let looks_like_it = word.is_quoted || !is_prose || looks_like_name(&word.printed);
            looks_like_it && input.contain(&word.printed)
        };
        let is_constant = |word: &&Word| !word.is_quoted && !is_name(word);
        let is_distinctive = words.iter().filter(is_constant).count() >= DISTINCTIVE_WORDS;
        let pattern_word = |word: &Word| match (word.is_quoted, is_name(word)) {
            // The directories of a test differ from run to run.
            (true, false) if input.keeps_quotations() && !word.printed.starts_with('/') => {
                PatternWord::Quotation(without_digits(&word.printed))
            }
            (true, false) => PatternWord::Any,
            (false, true) if is_distinctive => PatternWord::Any,
            (_, true) => PatternWord::Name(word.printed.clone()),
            (false, false) => PatternWord::Constant(word.constant.clone()),
        };
        Self { words: words.iter().map(pattern_word).collect() }
    }

    /// Whether a line matches; `input` is the input of the original.
    pub(crate) fn matches_line(&self, line: &str, input: &InputWords) -> bool {
        self.matches_words(&constant_words(line), input)
    }

    /// Whether some words match; `input` is the input of the original.
    pub(crate) fn matches_words(&self, words: &[Word], input: &InputWords) -> bool {
        let is_same = |(wanted, word): (&PatternWord, &Word)| match wanted {
            PatternWord::Constant(constant) => *constant == word.constant,
            PatternWord::Name(name) if word.is_quoted => input.is_renamed(&word.printed, name),
            PatternWord::Name(name) => is_shortened(&word.printed, name),
            PatternWord::Quotation(text) => {
                word.is_quoted && *text == without_digits(&word.printed)
            }
            PatternWord::Any => true,
        };
        self.words.len() == words.len() && self.words.iter().zip(words).all(is_same)
    }

    /// Whether the pattern has no word that a message must contain.
    pub(crate) fn is_empty(&self) -> bool {
        !self.words.iter().any(|word| matches!(word, PatternWord::Constant(_)))
    }
}

/// A text without its digits, which may depend on the run.
fn without_digits(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Whether a word looks like a name in a program rather than like a word of prose.
fn looks_like_name(word: &str) -> bool {
    let inner_capital = word.chars().skip(1).any(char::is_uppercase);
    inner_capital || word.contains(|c: char| c.is_ascii_digit() || "_.$".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(input: &str, original: &str, other: &str) -> bool {
        let input = InputWords::of(&[input.as_bytes()]);
        MessagePattern::of_line(original, &input).matches_line(other, &input)
    }

    #[test]
    fn names_of_the_input_can_be_renamed_but_not_exchanged() {
        let input = "total_price := apples * 3";
        let original = "x.go:3:5: undefined: total_price";
        assert!(matches(input, original, "x.go:1:1: undefined: a"));
        assert!(!matches(input, original, "x.go:1:1: undefined: apples"));
        assert!(!matches(input, original, "x.go:1:1: unused: a"));
        assert!(!matches(input, original, "x.go:1:1: undefined: a and b"));
        let quoted = "error: undefined method `total_price' for #<T:0x00f3>";
        assert!(matches(input, quoted, "error: undefined method `a' for #<T:0x77ab>"));
        assert!(!matches(input, quoted, "error: undefined method `apples' for #<T:0x77ab>"));
        assert!(matches(input, "error: no 'other' thing", "error: no 'x y' thing"));
    }

    #[test]
    fn quotations_can_be_kept() {
        let kept = InputWords::keeping_quotations();
        let original = "AttributeError: 'set' object has no attribute 'issupserset'";
        let pattern = MessagePattern::of_line(original, &kept);
        assert!(pattern.matches_line(original, &kept));
        let other = "AttributeError: 'set' object has no attribute '_included'";
        assert!(!pattern.matches_line(other, &kept));
        assert!(matches("", original, other));
        let pattern = MessagePattern::of_line("cannot open '/tmp/wynot-a/x'", &kept);
        assert!(pattern.matches_line("cannot open '/tmp/wynot-b/x'", &kept));
    }

    #[test]
    fn a_word_outside_of_quotation_marks_can_only_become_shorter() {
        let original = "cannot read null";
        assert!(!matches("null", original, "cannot read undefined"));
        assert!(matches("null", original, "cannot read a"));
        // Unless the other words are distinctive.
        let original = "List does not implement Stringer";
        assert!(matches("List Stringer int a", original, "int does not implement a"));
        assert!(matches("nothing", "error: nothing", "error: thing"));
    }

    #[test]
    fn prose_does_not_make_a_pattern_match_everything() {
        let input = "An invalid table row in a document is a fooBar.";
        assert!(matches(input, "invalid table row in fooBar", "invalid table row in b"));
        assert!(!matches(input, "invalid table row in fooBar", "missing list item in barFoo"));
    }
}
