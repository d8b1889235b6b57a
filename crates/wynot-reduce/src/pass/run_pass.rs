//! A pass at work: turns proposals of edits into drafts to test, and applies those that keep the failure.

use crate::hooks::Hooks;
use crate::pass::AnyPass;
use crate::pass::likeness::likeness;
use crate::text::consequences::Consequences;
use crate::text::draft::TextDraft;
use crate::text::edit::{Edit, Edits};
use crate::text::parsed_text::ParsedText;
use crate::text::plainness::is_plainer;
use std::cell::OnceCell;
use std::rc::Rc;
use wynot_core::{Label, Likeness, Outcomes, Proposal};

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

/// A pass at work on a text. The accepted edits are added to the text, which is not parsed anew.
#[derive(Clone)]
pub struct PassRun<'h> {
    pass: Box<dyn AnyPass + 'h>,
    until: RunUntil,
    /// The size of the text before the pass.
    size_before: usize,
    /// The size of the text with all accepted edits.
    size: usize,
    /// The number of places in the current text that do not match the grammar, once they were counted; `None` if the
    /// text is not parsed by the grammar.
    errors: Option<Option<u32>>,
    /// The number of proposals so far.
    proposals: usize,
    /// All accepted edits and those proposed last.
    proposed: Edits,
    gained: bool,
    cut_short: bool,
    /// What edits can lead to, once it was needed.
    consequences: Rc<OnceCell<Consequences>>,
}

impl<'h> PassRun<'h> {
    /// Starts a pass.
    pub fn new(pass: Box<dyn AnyPass + 'h>, parsed: &ParsedText, until: RunUntil) -> Self {
        let size = parsed.current().view_len();
        Self {
            pass,
            until,
            size_before: size,
            size,
            errors: None,
            proposals: 0,
            proposed: Edits::default(),
            gained: false,
            cut_short: false,
            consequences: Rc::default(),
        }
    }

    /// The next draft to test, if those since the last accepted one were not accepted; `None` when the pass is at its
    /// end.
    pub fn propose(
        &mut self,
        parsed: &ParsedText,
        hooks: &dyn Hooks,
    ) -> Option<Proposal<TextDraft>> {
        loop {
            let limit = self.until.max_proposals(self.size_before, self.size);
            if self.cut_short || self.proposals >= limit || hooks.is_stopped() {
                self.cut_short = true;
                return None;
            }
            let mut edits = self.pass.propose(parsed)?;
            if self.pass.repairs_text() {
                edits = parsed.with_header_repaired(self.with_consequences(edits, parsed));
            }
            let draft = parsed.with_edits(&edits);
            if self.is_simpler(&draft, parsed) && self.is_worth_a_test(&draft, parsed) {
                self.proposals += 1;
                self.proposed = draft.edits().clone();
                return Some(Proposal {
                    likeness: self.likeness(&draft, &edits, parsed),
                    candidate: draft,
                    label: Label::new(self.pass.name()),
                    decisive: Outcomes::FAIL,
                });
            }
        }
    }

    /// The draft proposed last keeps the failure.
    pub fn accept(&mut self, parsed: &mut ParsedText) {
        parsed.edits = std::mem::take(&mut self.proposed);
        self.size = parsed.current().view_len();
        self.errors = None;
        self.gained = true;
        self.pass.accept(parsed);
    }

    /// Whether the next proposal comes from outside.
    pub fn asks_outside(&self) -> bool {
        self.pass.asks_outside()
    }

    /// Ends the pass before all its proposals were tried.
    pub fn cut_short(&mut self) {
        self.cut_short = true;
    }

    /// What the pass has achieved, when it is at its end.
    pub fn result(&self) -> PassResult {
        PassResult { gained: self.gained, complete: !self.cut_short }
    }

    /// Edits with what must change with them, where the language demands that.
    fn with_consequences(&self, edits: Vec<Edit>, parsed: &ParsedText) -> Vec<Edit> {
        if parsed.language.missing_value.is_none() {
            return edits;
        }
        self.consequences.get_or_init(|| Consequences::of(parsed)).with(parsed, edits)
    }

    fn likeness(&self, draft: &TextDraft, edits: &[Edit], parsed: &ParsedText) -> Likeness {
        let (operation, node) = self.pass.kind_of_proposal(parsed);
        likeness((self.pass.name(), operation, node), edits, draft.view_len()..self.size, parsed)
    }

    /// Whether a draft is shorter than the current text or, at the same length, plainer.
    /// This order is strict, so every reduction ends. Of views with as many bytes, the encoded texts are compared. The
    /// empty text is known to pass.
    fn is_simpler(&self, draft: &TextDraft, parsed: &ParsedText) -> bool {
        match draft.view_len() {
            0 => false,
            _ if self.pass.may_grow() => draft.text() != parsed.current_text(),
            same if same == self.size => is_plainer(&draft.text(), &parsed.current_text()),
            other => other < self.size,
        }
    }

    /// Whether the grammar reports no more errors in a draft than in the current text, where the pass asks for that.
    fn is_worth_a_test(&mut self, draft: &TextDraft, parsed: &ParsedText) -> bool {
        if self.size > MAX_SYNTAX_CHECK_BYTES || !self.pass.checks_syntax() {
            return true;
        }
        let count_errors = |draft: &TextDraft| parsed.count_errors(&draft.text());
        let before = *self.errors.get_or_insert_with(|| count_errors(&parsed.current()));
        count_errors(draft) <= before
    }
}
