//! Reduces a text: the passes in their order, by the answers of an oracle.

use crate::hooks::{Hooks, NoHooks};
use crate::pass::run_pass::{PassRun, RunUntil};
use crate::pass_order::Extent;
use crate::passes::{single_bytes, single_tokens};
use crate::reduction::Reduction;
use crate::swept_atoms::{Atom, SweptAtoms};
use crate::text::binary_text::is_binary;
use crate::text::draft::TextDraft;
use crate::text::parsed_text::ParsedText;
use wynot_core::{Attempt, Oracle, Proposal, Stopped};
use wynot_subjects::Language;

/// A reduced text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReducedText {
    /// The text, which fails.
    pub text: Vec<u8>,
    /// The kinds of atoms in which it is 1-minimal.
    pub swept: SweptAtoms,
}

/// Reduces a text that fails to a smaller one that fails.
///
/// If the oracle stops early, the error holds the smallest failing text that was found until then.
pub fn reduce<O: Oracle<TextDraft>>(
    text: &[u8],
    language: &'static Language,
    hooks: &dyn Hooks,
    oracle: &mut O,
) -> Result<ReducedText, Stopped<Vec<u8>, O::Stop>> {
    reduce_to(Extent::Full, text, language, hooks, oracle)
}

/// Runs only the passes that remove much, and proves nothing: for one text among others that may go later.
pub fn reduce_coarsely<O: Oracle<TextDraft>>(
    text: &[u8],
    language: &'static Language,
    hooks: &dyn Hooks,
    oracle: &mut O,
) -> Result<ReducedText, Stopped<Vec<u8>, O::Stop>> {
    reduce_to(Extent::Coarse, text, language, hooks, oracle)
}

/// Reduces a text, and keeps the best text when the oracle stops.
fn reduce_to<O: Oracle<TextDraft>>(
    extent: Extent,
    text: &[u8],
    language: &'static Language,
    hooks: &dyn Hooks,
    oracle: &mut O,
) -> Result<ReducedText, Stopped<Vec<u8>, O::Stop>> {
    let is_binary = is_binary(text);
    let parsed = match is_binary {
        true => ParsedText::binary(text.to_vec(), language),
        false => ParsedText::new(text.to_vec(), language, hooks),
    };
    match oracle.run(Reduction::new(parsed, is_binary, extent, hooks)) {
        Ok(end) => {
            let (text, swept) = end.finish();
            Ok(ReducedText { text, swept })
        }
        Err(Stopped { best, cause }) => Err(Stopped { best: best.finish().0, cause }),
    }
}

/// Tries to refute that a failing text is 1-minimal in some atoms: a smaller text that fails too.
pub fn refute<O: Oracle<TextDraft>>(
    text: &[u8],
    language: &'static Language,
    swept: &SweptAtoms,
    oracle: &mut O,
) -> Result<Option<Vec<u8>>, O::Stop> {
    let parsed = ParsedText::new(text.to_vec(), language, &NoHooks);
    let tokens = swept.contains(Atom::Token).then(|| single_tokens(&parsed));
    let bytes = swept.contains(Atom::Byte).then(|| single_bytes(&parsed));
    for singles in tokens.into_iter().chain(bytes) {
        let mut run = PassRun::new(Box::new(singles), &parsed, RunUntil::Exhausted);
        let attempts = std::iter::from_fn(|| {
            let Proposal { candidate, label, decisive, .. } = run.propose(&parsed, &NoHooks)?;
            Some(Attempt { candidate, label, decisive, next: () })
        });
        if let Some(decision) = oracle.first(attempts)? {
            return Ok(Some(decision.candidate.text()));
        }
    }
    Ok(None)
}
