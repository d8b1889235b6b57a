//! A pass proposes edits; the oracle decides which of them survive.

use crate::{Draft, Edit, Variant};
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
pub fn run<P: Pass, O: Oracle<Variant>>(
    mut pass: P,
    draft: &mut Draft,
    oracle: &mut O,
) -> Result<bool, O::Stop> {
    let mut gained = false;
    loop {
        let now = draft.with(&[]);
        let length = now.len();
        let mut errors = None;
        let mut ahead = pass.clone();
        let shared: &Draft = draft;
        let attempts = std::iter::from_fn(|| {
            loop {
                let edits = ahead.propose(shared)?;
                let variant = shared.with(&edits);
                if !is_simpler(&variant, &now, length) {
                    continue;
                }
                let parse = |variant: &Variant| shared.language.parse(&variant.text()).errors;
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

/// The strict order that makes the whole end: shorter, else earlier in the alphabet. Nothing at all is
/// the passing side.
fn is_simpler(variant: &Variant, now: &Variant, length: usize) -> bool {
    match variant.len() {
        0 => false,
        same if same == length => variant.text() < now.text(),
        other => other < length,
    }
}
