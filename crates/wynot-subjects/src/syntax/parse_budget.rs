//! The work that a parser may do on a text.
//!
//! A generalized parser recovers from errors by trying many ways to go on at once. On a text that its grammar does not
//! understand it does hundreds of times the usual work, and more than that for every byte of a long text. The budget is
//! a count of what the parser does, never a time: whether a text is parsed must not depend on the load of a machine.
//!
//! The factors come from measurements: texts of the 15 grammars need up to 8 actions per token, are in error for less
//! than half of their actions unless they are short, and read each byte up to 4 times.

use crate::text::cut::TextCut;
use crate::text::unit::Unit;
use std::cell::{Cell, RefCell};
use std::iter::Peekable;
use std::ops::Range;

/// The actions that a parser may take for each token of the text.
const ACTIONS_PER_TOKEN: u64 = 10;

/// The actions that a parser may take for a text of any size.
const FREE_ACTIONS: u64 = 100_000;

/// The actions that a parser may take while it recovers from errors, beyond those that it takes without errors.
const FREE_RECOVERY_ACTIONS: u64 = 50_000;

/// The bytes that a parser may read for each byte of the text.
const READS_PER_BYTE: u64 = 64;

/// The bytes that a parser may read for a text of any size.
const FREE_READS: u64 = 1 << 20;

/// What is left of the work that a parser may do on a text.
pub(crate) struct ParseBudget<'t> {
    /// The tokens of the text that the parser has not come to.
    tokens_ahead: RefCell<Peekable<Box<dyn Iterator<Item = Range<usize>> + 't>>>,
    /// The actions that are left. Each token that the parser comes to adds to it.
    actions: Cell<u64>,
    /// The actions in error that are left. Actions without errors add to it.
    recovery_actions: Cell<u64>,
    /// The bytes to read that are left.
    reads: Cell<u64>,
}

impl<'t> ParseBudget<'t> {
    /// The budget of a text.
    pub(crate) fn new(text: &'t [u8]) -> Self {
        let tokens: Box<dyn Iterator<Item = _>> = Box::new(TextCut::pieces(text, Unit::Token));
        Self {
            tokens_ahead: RefCell::new(tokens.peekable()),
            actions: Cell::new(FREE_ACTIONS),
            recovery_actions: Cell::new(FREE_RECOVERY_ACTIONS),
            reads: Cell::new(FREE_READS + text.len() as u64 * READS_PER_BYTE),
        }
    }

    /// Counts some actions of the parser, which is at an offset of the text, and in error or not.
    pub(crate) fn spend_actions(&self, actions: u64, offset: usize, in_error: bool) {
        let mut tokens = self.tokens_ahead.borrow_mut();
        let mut left = self.actions.get();
        while tokens.next_if(|token| token.start < offset).is_some() {
            left += ACTIONS_PER_TOKEN;
        }
        self.actions.set(left.saturating_sub(actions));
        let left = self.recovery_actions.get();
        self.recovery_actions.set(match in_error {
            true => left.saturating_sub(actions),
            false => left.saturating_add(actions),
        });
    }

    /// Counts some bytes that the parser reads.
    pub(crate) fn spend_reads(&self, bytes: usize) {
        self.reads.set(self.reads.get().saturating_sub(bytes as u64));
    }

    /// Whether one of the counts is used up.
    pub(crate) fn is_used_up(&self) -> bool {
        [&self.actions, &self.recovery_actions, &self.reads].iter().any(|left| left.get() == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_count_uses_the_budget_up() {
        let text = b"a b c";
        let budget = ParseBudget::new(text);
        budget.spend_actions(FREE_ACTIONS - 1, 0, false);
        assert!(!budget.is_used_up());
        budget.spend_actions(1, 0, false);
        assert!(budget.is_used_up());
        let budget = ParseBudget::new(text);
        budget.spend_reads((FREE_READS + 5 * READS_PER_BYTE) as usize - 1);
        assert!(!budget.is_used_up());
        budget.spend_reads(1);
        assert!(budget.is_used_up());
    }

    #[test]
    fn tokens_allow_more_actions_once_each() {
        let budget = ParseBudget::new(b"a b c");
        budget.spend_actions(FREE_ACTIONS - 1, 0, false);
        budget.spend_actions(2 * ACTIONS_PER_TOKEN, 4, false);
        assert!(!budget.is_used_up());
        budget.spend_actions(0, 2, false);
        budget.spend_actions(1, 4, false);
        assert!(budget.is_used_up());
    }

    #[test]
    fn errors_among_much_that_is_understood_are_allowed() {
        let text = vec![b';'; 1_000_000];
        let budget = ParseBudget::new(&text);
        for step in 1..=1_000 {
            budget.spend_actions(600, step * 1_000, false);
            budget.spend_actions(500, step * 1_000, true);
        }
        assert!(!budget.is_used_up());
        budget.spend_actions(FREE_RECOVERY_ACTIONS + 1_000 * 100, 1_000_000, true);
        assert!(budget.is_used_up());
    }
}
