//! An oracle for searches that look for another outcome than Fail.

use super::{Attempt, Decision, Oracle};
use crate::outcome::{Outcome, Outcomes};

/// An oracle to which some outcomes are sought: they are Fail to the algorithm in front of it, and all others are Pass.
///
/// With it, an algorithm that simplifies what fails also simplifies what passes, or what can be tested at all:
///
/// ```
/// use wynot_core::{Configuration, Memo, Outcome, Outcomes, Sought, gather};
///
/// // A program builds only with the change 20, and then passes.
/// let tests = Memo::of(|c: &Configuration| match c.contains(20) {
///     true => Outcome::Pass,
///     false => Outcome::Unresolved,
/// });
/// let mut oracle = Sought::new(tests, Outcomes::RESOLVED);
/// let needed = gather(Configuration::full(31), &mut oracle).unwrap();
/// assert_eq!(needed, Configuration::from([20]));
/// assert!(oracle.decided().iter().all(|(_, outcome)| *outcome != Outcome::Fail));
/// ```
#[derive(Debug)]
pub struct Sought<O, C> {
    oracle: O,
    sought: Outcomes,
    decided: Vec<(C, Outcome)>,
}

impl<O: Oracle<C>, C> Sought<O, C> {
    /// Seeks outcomes of an oracle.
    pub fn new(oracle: O, sought: Outcomes) -> Self {
        Self { oracle, sought, decided: Vec::new() }
    }

    /// The candidates that were decisive, with their true outcomes, in the order of the search.
    pub fn decided(&self) -> &[(C, Outcome)] {
        &self.decided
    }

    /// The oracle behind this one.
    pub fn get_mut(&mut self) -> &mut O {
        &mut self.oracle
    }

    fn seen_as(&self, outcome: Outcome) -> Outcome {
        Outcome::fails_if(self.sought.contains(outcome))
    }
}

/// The true outcomes that are decisive for an attempt, if some outcomes are sought.
fn true_outcomes(decisive: Outcomes, sought: Outcomes) -> Outcomes {
    let part = |outcome, set| if decisive.contains(outcome) { set } else { Outcomes::NONE };
    part(Outcome::Fail, sought).union(part(Outcome::Pass, sought.complement()))
}

impl<C: Clone, O: Oracle<C>> Oracle<C> for Sought<O, C> {
    type Stop = O::Stop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, O::Stop> {
        let sought = self.sought;
        let attempts = attempts.map(|attempt| {
            let decisive = true_outcomes(attempt.decisive, sought);
            Attempt { decisive, ..attempt }
        });
        let decision = self.oracle.first(attempts)?;
        Ok(decision.map(|decision| {
            self.decided.push((decision.candidate.clone(), decision.outcome));
            Decision { outcome: self.seen_as(decision.outcome), ..decision }
        }))
    }

    fn each(&mut self, candidates: impl Iterator<Item = C>) -> Result<Vec<Outcome>, O::Stop> {
        let outcomes = self.oracle.each(candidates)?;
        Ok(outcomes.into_iter().map(|outcome| self.seen_as(outcome)).collect())
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        self.oracle.enter(level, deltas);
    }
}
