//! A pass proposes edits; the oracle decides which of them survive.

use crate::{Draft, Edit, Edits};
use wynot_core::{Attempt, Oracle, Outcomes, Part};

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

/// Runs a pass to its end; whether anything was gained.
pub fn run<P: Pass, O: Oracle<Vec<u8>>>(
    mut pass: P,
    draft: &mut Draft,
    oracle: &mut O,
) -> Result<bool, O::Stop> {
    let mut gained = false;
    loop {
        let now = draft.now();
        let mut errors = None;
        let mut ahead = pass.clone();
        let shared: &Draft = draft;
        let attempts = std::iter::from_fn(|| {
            loop {
                let edits = ahead.propose(shared)?;
                let (edits, variant) = shared.with(&edits);
                if !is_simpler(&variant, &now) {
                    continue;
                }
                let parse = |text: &[u8]| shared.language.parse(text).errors;
                let sensible = now.len() > PARSED || !ahead.is_doubtful() || {
                    let before = *errors.get_or_insert_with(|| parse(&now));
                    parse(&variant) <= before
                };
                if sensible {
                    return Some(attempt(P::NAME, variant, edits, ahead.clone()));
                }
            }
        });
        match oracle.first(attempts)? {
            None => return Ok(gained),
            Some(decision) => {
                (draft.edits, pass) = decision.next;
                pass.accept(draft);
                gained = true;
            }
        }
    }
}

fn attempt<P>(
    name: &'static str,
    variant: Vec<u8>,
    edits: Edits,
    pass: P,
) -> Attempt<Vec<u8>, (Edits, P)> {
    Attempt {
        configuration: variant,
        part: Part::Pass { name },
        decisive: Outcomes::FAIL,
        next: (edits, pass),
    }
}

/// The strict order that makes the whole end: shorter, else earlier in the alphabet. Nothing at all is
/// the passing side.
fn is_simpler(variant: &[u8], now: &[u8]) -> bool {
    !variant.is_empty() && (variant.len(), variant) < (now.len(), now)
}
