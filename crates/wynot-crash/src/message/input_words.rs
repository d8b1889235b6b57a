//! The words of an input, from which messages take names.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The words of an input. Only hashes of them are kept, since an input may be large.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputWords {
    hashes: HashSet<u64>,
    /// Whether quotations in messages must be the same, since no input can have changed them.
    keeps_quotations: bool,
}

impl InputWords {
    /// The words of the parts of an input: its files, or the words of a call.
    pub fn of(parts: &[&[u8]]) -> Self {
        let words = parts.iter().flat_map(|part| part.split(|byte| !is_part_of_name(*byte)));
        let hashes = words.filter(|word| !word.is_empty()).map(hash).collect();
        Self { hashes, keeps_quotations: false }
    }

    /// No words, where quotations in messages must be the same.
    pub fn keeping_quotations() -> Self {
        Self { hashes: HashSet::new(), keeps_quotations: true }
    }

    /// Whether quotations in messages must be the same.
    pub fn keeps_quotations(&self) -> bool {
        self.keeps_quotations
    }

    /// Whether all names in a word occur in the input: `a` and `b` of `a.b`.
    pub(super) fn contain(&self, word: &str) -> bool {
        let mut names = names_of(word).peekable();
        names.peek().is_some() && names.all(|name| self.contain_name(name))
    }

    /// Whether a word can stand for another one that was renamed: each of its names is one of the other word, or is short
    /// or new, as the names that a reduction gives are. Another name of the input is something else.
    pub(super) fn is_renamed(&self, word: &str, original: &str) -> bool {
        names_of(word).all(|name| {
            names_of(original).any(|known| known == name)
                || is_short(name)
                || !self.contain_name(name)
        })
    }

    fn contain_name(&self, name: &str) -> bool {
        self.hashes.contains(&hash(name.as_bytes()))
    }
}

/// The number of characters of a short name.
const MAX_SHORT_NAME: usize = 2;

/// Whether a name is as short as those that a reduction gives.
fn is_short(name: &str) -> bool {
    name.chars().count() <= MAX_SHORT_NAME
}

/// Whether a word is what a reduction makes of another one: it is short, or the other one without some characters.
pub(super) fn is_shortened(word: &str, original: &str) -> bool {
    let mut rest = original.chars();
    is_short(word) || word.chars().all(|c| rest.any(|other| other == c))
}

/// The names in a word: its parts that contain letters.
fn names_of(word: &str) -> impl Iterator<Item = &str> {
    let parts = word.split(|c: char| c.is_ascii() && !is_part_of_name(c as u8));
    parts.filter(|part| part.chars().any(char::is_alphabetic))
}

fn is_part_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn hash(word: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_and_short_names_may_replace_others() {
        let words = InputWords::of(&[b"log(add_observer, i)", b"int"]);
        assert!(words.contain("int log(int)") && !words.contain("other") && !words.contain("3"));
        assert!(words.is_renamed("log", "log") && words.is_renamed("i", "log"));
        assert!(words.is_renamed("int aa(int)", "int log(int)"));
        assert!(words.is_renamed("fresh", "log") && !words.is_renamed("add_observer", "log"));
    }
}
