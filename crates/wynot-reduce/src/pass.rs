//! A pass proposes edits; the oracle decides which of them survive.

use crate::{Assistant, Draft, Edit, Edits, Variant};
use wynot_core::{Attempt, Decision, Oracle, Outcomes, Part};

/// Below this many bytes a variant is parsed to see whether an edit makes sense.
const PARSED: usize = 16 << 10;

/// Proposes edits, one after the other.
///
/// Each proposal is made on the assumption that those since the last accepted one have failed. So a
/// copy of a pass can run ahead, and its proposals are a stream of attempts.
pub trait Pass: Clone {
    /// What people see.
    const NAME: &'static str;

    /// Whether the edits proposed last are left out if the grammar understands the text less well after
    /// them than before. Taking out elements of lists hardly ever breaks a text, and grammars err.
    fn is_doubtful(&self) -> bool {
        false
    }

    /// The next edits to try together.
    fn propose(&mut self, draft: &Draft) -> Option<Vec<Edit>>;

    /// The edits proposed last were accepted and are part of the draft now.
    fn accept(&mut self, draft: &Draft) {
        let _ = draft;
    }
}

/// How a pass went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Whether anything was gained.
    pub gained: bool,
    /// Whether all it had to propose was tried; else somebody wanted it to end.
    pub whole: bool,
}

/// Runs a pass to its end.
pub fn run<P: Pass, O: Oracle<Variant>>(
    mut pass: P,
    draft: &mut Draft,
    assistant: &dyn Assistant,
    oracle: &mut O,
) -> Result<Ran, O::Stop> {
    let mut ran = Ran { gained: false, whole: true };
    loop {
        match step(&pass, draft, assistant, oracle)? {
            Step::Accepted(edits, next) => {
                (draft.edits, pass) = (edits, next);
                pass.accept(draft);
                ran.gained = true;
            }
            Step::Exhausted => return Ok(ran),
            Step::Skipped => return Ok(Ran { whole: false, ..ran }),
        }
    }
}

/// How far a pass comes with the present draft.
pub enum Step<P> {
    /// These edits keep the failure, and the pass goes on from there.
    Accepted(Edits, P),
    /// Nothing that it proposes does.
    Exhausted,
    /// Somebody wanted it to end before all was tried.
    Skipped,
}

/// The first proposal that keeps the failure.
pub fn step<P: Pass, O: Oracle<Variant>>(
    pass: &P,
    draft: &Draft,
    assistant: &dyn Assistant,
    oracle: &mut O,
) -> Result<Step<P>, O::Stop> {
    let now = draft.with(&[]);
    let length = now.len();
    let parse = |variant: &Variant| draft.language.parse(&variant.text()).errors;
    let mut errors = None;
    let mut skipped = false;
    let mut ahead = pass.clone();
    let attempts = std::iter::from_fn(|| {
        loop {
            skipped |= assistant.skips();
            if skipped {
                return None;
            }
            let edits = draft.mended(ahead.propose(draft)?);
            let variant = draft.with(&edits);
            if !is_simpler(&variant, &now, length) {
                continue;
            }
            let sensible = length > PARSED || !ahead.is_doubtful() || {
                let before = *errors.get_or_insert_with(|| parse(&now));
                parse(&variant) <= before
            };
            if sensible {
                return Some(Attempt {
                    next: (variant.edits.clone(), ahead.clone()),
                    configuration: variant,
                    part: Part::Pass { name: P::NAME },
                    decisive: Outcomes::FAIL,
                });
            }
        }
    });
    let decision = oracle.first(attempts)?;
    Ok(match decision {
        Some(Decision { next: (edits, pass), .. }) => Step::Accepted(edits, pass),
        None if skipped => Step::Skipped,
        None => Step::Exhausted,
    })
}

/// The strict order that makes the whole end: shorter, else earlier in the alphabet. Nothing at all is
/// the passing side.
fn is_simpler(variant: &Variant, now: &Variant, length: usize) -> bool {
    match variant.len() {
        0 => false,
        same if same == length => variant.text() < now.text(),
        other => other < length,
    }
}
