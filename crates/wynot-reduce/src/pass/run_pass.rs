//! Runs a pass: turns its proposals into attempts and applies those that keep the failure.

use crate::hooks::Hooks;
use crate::pass::Pass;
use crate::text::draft::TextDraft;
use crate::text::edit::Edits;
use crate::text::parsed_text::ParsedText;
use wynot_core::{Attempt, Decision, Label, Oracle, Outcomes};

/// Texts with more bytes than this are not parsed to check the syntax of a draft: it would take longer
/// than a test.
const MAX_SYNTAX_CHECK_BYTES: usize = 16 << 10;

/// The number of proposals that an unprofitable pass may test.
const FREE_PROPOSALS: usize = 16;

/// The number of further proposals that a pass may test for each percent of the text that it removes.
const PROPOSALS_PER_PERCENT: usize = 8;

/// What a pass has achieved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassResult {
    /// Whether any proposal was accepted.
    pub gained: bool,
    /// Whether all proposals were tried: the pass was neither skipped nor ended as unprofitable.
    pub complete: bool,
}

/// When a pass ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunUntil {
    /// When it has nothing more to propose.
    Exhausted,
    /// When it has tested more proposals than what it has removed is worth.
    Unprofitable,
}

impl RunUntil {
    /// The number of proposals that a pass may test in all after it has brought a text from one size to
    /// another.
    fn max_proposals(self, size_before: usize, size_now: usize) -> usize {
        match self {
            Self::Exhausted => usize::MAX,
            Self::Unprofitable => {
                let removed = size_before.saturating_sub(size_now);
                FREE_PROPOSALS + removed * 100 * PROPOSALS_PER_PERCENT / size_before.max(1)
            }
        }
    }
}

/// Runs a pass to its end. The accepted edits are added to `parsed`, which is not parsed anew.
pub fn run_pass<P: Pass, O: Oracle<TextDraft>>(
    mut pass: P,
    parsed: &mut ParsedText,
    until: RunUntil,
    hooks: &dyn Hooks,
    oracle: &mut O,
) -> Result<PassResult, O::Stop> {
    let mut gained = false;
    let size_before = parsed.with_edits(&[]).len();
    let mut spent = 0;
    loop {
        let size_now = parsed.with_edits(&[]).len();
        let max_proposals = until.max_proposals(size_before, size_now).saturating_sub(spent);
        match next_accepted(&pass, parsed, max_proposals, hooks, oracle)? {
            PassStep::Accepted { edits, next, proposals, skipped } => {
                spent += proposals;
                (parsed.edits, pass) = (edits, next);
                pass.accept(parsed);
                gained = true;
                if skipped {
                    return Ok(PassResult { gained, complete: false });
                }
            }
            PassStep::Exhausted => return Ok(PassResult { gained, complete: true }),
            PassStep::CutShort => return Ok(PassResult { gained, complete: false }),
        }
    }
}

/// How far a pass gets with the current text.
pub enum PassStep<P> {
    /// A proposal keeps the failure.
    Accepted {
        /// All accepted edits, those of the proposal included.
        edits: Edits,
        /// The pass after this proposal.
        next: P,
        /// The number of proposals up to this one.
        proposals: usize,
        /// Whether the pass is to be skipped from here on.
        skipped: bool,
    },
    /// No proposal keeps the failure.
    Exhausted,
    /// The pass ended before all its proposals were tried.
    CutShort,
}

/// The first of at most `max_proposals` proposals that keeps the failure.
pub fn next_accepted<P: Pass, O: Oracle<TextDraft>>(
    pass: &P,
    parsed: &ParsedText,
    max_proposals: usize,
    hooks: &dyn Hooks,
    oracle: &mut O,
) -> Result<PassStep<P>, O::Stop> {
    let current = parsed.with_edits(&[]);
    let length = current.len();
    let count_errors = |draft: &TextDraft| parsed.count_errors(&draft.text());
    let mut current_errors = None;
    let mut at_limit = false;
    let mut skipped = false;
    let mut proposals = 0;
    let mut ahead = pass.clone();
    let attempts = std::iter::from_fn(|| {
        loop {
            at_limit = proposals == max_proposals;
            skipped |= hooks.skip_pass() || hooks.is_stopped();
            if at_limit || skipped {
                return None;
            }
            let mut edits = ahead.propose(parsed)?;
            if ahead.repairs_header() {
                edits = parsed.with_header_repaired(edits);
            }
            let draft = parsed.with_edits(&edits);
            if !is_simpler(&draft, &current, length) {
                continue;
            }
            let is_worth_a_test = length > MAX_SYNTAX_CHECK_BYTES || !ahead.checks_syntax() || {
                let before = *current_errors.get_or_insert_with(|| count_errors(&current));
                count_errors(&draft) <= before
            };
            if is_worth_a_test {
                proposals += 1;
                return Some(Attempt {
                    next: (draft.edits().clone(), ahead.clone(), proposals),
                    candidate: draft,
                    label: Label::new(ahead.name()),
                    decisive: Outcomes::FAIL,
                });
            }
        }
    });
    let decision = oracle.first(attempts)?;
    Ok(match decision {
        Some(Decision { next: (edits, next, proposals), .. }) => {
            PassStep::Accepted { edits, next, proposals, skipped }
        }
        None if at_limit || skipped => PassStep::CutShort,
        None => PassStep::Exhausted,
    })
}

/// Whether a draft is shorter than the current text or, at the same length, comes earlier in the alphabet.
/// This order is strict, so every reduction ends. The empty text is known to pass.
fn is_simpler(draft: &TextDraft, current: &TextDraft, length: usize) -> bool {
    match draft.len() {
        0 => false,
        same if same == length => draft.text() < current.text(),
        other => other < length,
    }
}
