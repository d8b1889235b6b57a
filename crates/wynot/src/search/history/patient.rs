//! A session that gives up after a number of unresolved tests.

use wynot_core::{Attempt, Decision, Oracle, Outcome};
use wynot_session::{Compose, Executor, Session, Stop};

/// A session that stops with [`Stop::Undecided`] after a number of tests that were unresolved.
pub(super) struct Patient<'p, S> {
    session: &'p mut S,
    /// The number of unresolved tests at which it stops.
    limit: u64,
    patience: u64,
}

impl<'p, 's, 'l, C: Clone, S: Compose<C>, E: Executor> Patient<'p, Session<'s, 'l, C, S, E>> {
    /// Allows a number of further unresolved tests.
    pub(super) fn new(session: &'p mut Session<'s, 'l, C, S, E>, patience: usize) -> Self {
        let patience = patience as u64;
        let limit = session.counts().unresolved.saturating_add(patience);
        Self { session, limit, patience }
    }

    fn check(&self) -> Result<(), Stop> {
        match self.session.counts().unresolved < self.limit {
            true => Ok(()),
            false => Err(Stop::Undecided(self.patience)),
        }
    }
}

impl<C: Clone, S: Compose<C>, E: Executor> Oracle<C> for Patient<'_, Session<'_, '_, C, S, E>> {
    type Stop = Stop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, Stop> {
        self.check()?;
        self.session.first(attempts)
    }

    fn each(&mut self, candidates: impl Iterator<Item = C>) -> Result<Vec<Outcome>, Stop> {
        self.check()?;
        self.session.each(candidates)
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        self.session.enter(level, deltas);
    }
}
