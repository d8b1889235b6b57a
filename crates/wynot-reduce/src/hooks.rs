//! Hooks: what a program that embeds the reducer can add to it.

use crate::alterations::Alterations;
use wynot_subjects::Language;

/// A way to end passes early, and the rewriting rules of external tools.
///
/// Hooks change what is proposed. Whether a text fails is decided by the oracle alone.
pub trait Hooks {
    /// Whether the caller wants the reduction to end. Asked often, and between tests: where it holds, parsers and passes
    /// come to an end, and the oracle is expected to stop at the next question.
    fn is_stopped(&self) -> bool {
        false
    }

    /// A text is not understood as one of this language: its brackets and lines are used instead. Called each time that
    /// a parser gives up.
    fn not_understood(&self, language: &Language) {
        let _ = language;
    }

    /// Whether the current pass ends here. Called before each proposal; a request to skip is answered
    /// with `true` once.
    fn skip_pass(&self) -> bool {
        false
    }

    /// What may change besides what is deleted.
    fn alterations(&self) -> Alterations {
        Alterations::ALL
    }

    /// The number of programs that propose smaller texts.
    fn outside_reducers(&self) -> usize {
        0
    }

    /// What a program proposes for a text, after this number of proposals for the text was rejected; programs are counted
    /// from 0. `None` if it has nothing more to propose. Asked only when all outcomes before are known.
    fn outside_proposal(&self, reducer: usize, number: usize, text: &[u8]) -> Option<Vec<u8>> {
        let _ = (reducer, number, text);
        None
    }

    /// The number of rewriting rules that external tools have for a language.
    fn rewriting_rules(&self, language: &Language) -> usize {
        let _ = language;
        0
    }

    /// The text after a rule was applied at one of the places where it matches; rules and places are
    /// counted from 0. `None` if there is no such place.
    fn rewrite(&self, rule: usize, place: usize, text: &[u8]) -> Option<Vec<u8>> {
        let _ = (rule, place, text);
        None
    }
}

/// No pass is skipped, and there are no external tools.
#[derive(Clone, Copy, Debug)]
pub struct NoHooks;

impl Hooks for NoHooks {}
