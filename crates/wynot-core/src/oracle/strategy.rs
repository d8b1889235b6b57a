//! Strategies as values: states that can be copied, so that an oracle can follow each possible outcome of a test.
//!
//! A stream of attempts shows an oracle what is tested next while nothing is decisive. What is tested after a decisive
//! attempt is hidden in the code that asked. A [`Strategy`] shows both: an oracle makes a copy of its state, gives the
//! copy that an attempt was decisive, and sees what would be tested then.

use super::Attempt;
use super::label::Label;
use crate::outcome::{Outcome, Outcomes};

/// A candidate that a strategy would test next.
#[derive(Clone, Debug)]
pub struct Proposal<C> {
    /// The candidate to test.
    pub candidate: C,
    /// How the strategy made the candidate, for display.
    pub label: Label,
    /// The outcomes that change what the strategy does next.
    pub decisive: Outcomes,
    /// What the proposal has in common with others, by which an oracle may estimate its outcome. Answers do not
    /// depend on it.
    pub likeness: Likeness,
}

/// What a proposal has in common with others, as numbers that mean nothing but "equal" and "not equal". Zero stands
/// for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Likeness {
    /// The change itself: the same for the same change to another candidate.
    pub change: u64,
    /// The kind of change, of which there are few.
    pub kind: u64,
    /// Further properties, such as what is changed and how much of it.
    pub properties: [u64; 4],
    /// How many of a hundred such proposals fail, as far as the strategy knows in advance; zero if it does not.
    pub failing_percent: u8,
}

/// What a strategy does next.
#[derive(Clone, Debug)]
pub enum NextStep<C> {
    /// It tests a candidate.
    Test(Proposal<C>),
    /// It has to compute for longer than an oracle should do on suspicion. The next call does that.
    Compute,
    /// It has to ask something outside that remembers what it was asked. It does so in the next call after
    /// [`Strategy::reach`], and only then.
    Ask,
    /// Nothing: it is at its end.
    End,
}

/// A search as a value: what it has found, and what it tests next.
///
/// [`Oracle::run`](super::Oracle::run) runs a strategy to its end. What a strategy proposes depends on nothing but the
/// outcomes that it was told.
pub trait Strategy<C>: Clone {
    /// What comes next. A call after another one says that the outcome of the candidate proposed last was not decisive.
    fn advance(&mut self) -> NextStep<C>;

    /// All outcomes before this state are known: no copy of it that assumes one. What it has to ask outside may be asked in the
    /// next call of [`advance`](Self::advance).
    fn reach(&mut self) {}

    /// The candidate proposed last had this outcome, which is decisive for it.
    fn accept(&mut self, outcome: Outcome);

    /// Takes note of a request from outside to leave something out. Returns whether there was one; the proposal made
    /// last is then withdrawn. An oracle calls this only on the state that has been reached, never on a copy that
    /// assumes an outcome.
    fn interrupt(&mut self) -> bool {
        false
    }

    /// The next proposal of a state that has been reached, as an attempt that leads to the state that makes it.
    fn next_attempt(&mut self) -> Option<Attempt<C, Self>> {
        while self.interrupt() {}
        loop {
            match self.advance() {
                NextStep::Test(Proposal { candidate, label, decisive, .. }) => {
                    return Some(Attempt { candidate, label, decisive, next: self.clone() });
                }
                NextStep::Compute => {}
                NextStep::Ask => self.reach(),
                NextStep::End => return None,
            }
        }
    }
}
