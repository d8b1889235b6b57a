//! A pass proposes edits; the oracle decides which of them survive.

use crate::{Assistant, Draft, Edit, Edits, Variant};
use wynot_core::{Attempt, Decision, Label, Oracle, Outcomes};

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

    /// Whether what the edits make necessary comes with them. What is proved is about single deletions.
    fn is_mended(&self) -> bool {
        true
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
    /// Whether all it had to propose was tried; else somebody wanted it to end, or it did not pay.
    pub whole: bool,
}

/// How long a pass may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Until it has nothing more to propose.
    Endless,
    /// For some tests, and some more for each part of the text that it takes off.
    WhileItPays,
}

/// How many tests a pass has before it must have gained something, and how many more it gets for each
/// hundredth of the text.
const TESTS: usize = 16;
const TESTS_PER_PERCENT: usize = 8;

impl Patience {
    /// How many tests a pass may take in all after it has brought a text from one size to another.
    fn tests(self, before: usize, now: usize) -> usize {
        match self {
            Self::Endless => usize::MAX,
            Self::WhileItPays => {
                TESTS + before.saturating_sub(now) * 100 * TESTS_PER_PERCENT / before.max(1)
            }
        }
    }
}

/// Runs a pass to its end.
pub fn run<P: Pass, O: Oracle<Variant>>(
    mut pass: P,
    draft: &mut Draft,
    patience: Patience,
    assistant: &dyn Assistant,
    oracle: &mut O,
) -> Result<Ran, O::Stop> {
    let mut ran = Ran { gained: false, whole: true };
    let before = draft.with(&[]).len();
    let mut spent = 0;
    loop {
        let left = patience.tests(before, draft.with(&[]).len()).saturating_sub(spent);
        match step(&pass, draft, left, assistant, oracle)? {
            Step::Accepted { edits, next, tests, skipped } => {
                spent += tests;
                (draft.edits, pass) = (edits, next);
                pass.accept(draft);
                ran.gained = true;
                if skipped {
                    return Ok(Ran { whole: false, ..ran });
                }
            }
            Step::Exhausted => return Ok(ran),
            Step::Skipped => return Ok(Ran { whole: false, ..ran }),
        }
    }
}

/// How far a pass comes with the present draft.
pub enum Step<P> {
    /// These edits keep the failure, and the pass goes on from there.
    Accepted {
        /// All edits so far.
        edits: Edits,
        /// The pass as it is now.
        next: P,
        /// How many proposals it took.
        tests: usize,
        /// Whether somebody wants the pass to end all the same.
        skipped: bool,
    },
    /// Nothing that it proposes does.
    Exhausted,
    /// It ended before all was tried.
    Skipped,
}

/// The first of some proposals that keeps the failure.
pub fn step<P: Pass, O: Oracle<Variant>>(
    pass: &P,
    draft: &Draft,
    most: usize,
    assistant: &dyn Assistant,
    oracle: &mut O,
) -> Result<Step<P>, O::Stop> {
    let now = draft.with(&[]);
    let length = now.len();
    let parse = |variant: &Variant| draft.language.parse(&variant.text()).errors;
    let mut errors = None;
    let mut exhausted = false;
    let mut skipped = false;
    let mut proposed = 0;
    let mut ahead = pass.clone();
    let attempts = std::iter::from_fn(|| {
        loop {
            exhausted = proposed == most;
            skipped |= assistant.skips();
            if exhausted || skipped {
                return None;
            }
            let mut edits = ahead.propose(draft)?;
            if ahead.is_mended() {
                edits = draft.mended(edits);
            }
            let variant = draft.with(&edits);
            if !is_simpler(&variant, &now, length) {
                continue;
            }
            let sensible = length > PARSED || !ahead.is_doubtful() || {
                let before = *errors.get_or_insert_with(|| parse(&now));
                parse(&variant) <= before
            };
            if sensible {
                proposed += 1;
                return Some(Attempt {
                    next: (variant.edits.clone(), ahead.clone(), proposed),
                    candidate: variant,
                    label: Label::new(P::NAME),
                    decisive: Outcomes::FAIL,
                });
            }
        }
    });
    let decision = oracle.first(attempts)?;
    Ok(match decision {
        Some(Decision { next: (edits, next, tests), .. }) => {
            Step::Accepted { edits, next, tests, skipped }
        }
        None if exhausted || skipped => Step::Skipped,
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
