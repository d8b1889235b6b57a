//! Who stands by during a reduction: people at the keyboard, and tools that know a language better.

use wynot_subjects::Language;

/// Is asked while a reduction runs. What it answers never decides whether a text fails; it only changes
/// what is proposed.
pub trait Assistant {
    /// Whether the present pass is to end here. Asked before each proposal; a wish counts once.
    fn skips(&self) -> bool {
        false
    }

    /// How many rewriting rules of tools outside are at hand for a language.
    fn rules(&self, language: &Language) -> usize {
        let _ = language;
        0
    }

    /// A text after a rule was applied at one of its places, both counted from 0; `None` where there is
    /// no such place.
    fn rewrite(&self, rule: usize, place: usize, text: &[u8]) -> Option<Vec<u8>> {
        let _ = (rule, place, text);
        None
    }
}

/// Nobody stands by.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Assistant for Alone {}
