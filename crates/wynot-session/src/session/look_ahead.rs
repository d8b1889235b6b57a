//! The search through a stream of attempts, with tests that run ahead of their turn.
//!
//! The session takes attempts from the stream as long as the executor has capacity, and keeps them in a window until
//! their turn comes. Only the attempt at the front of the window can be decisive. If its test was contended, the session
//! lets the other jobs end and tests it alone.

use super::Session;
use super::in_flight::Pending;
use crate::compose::Compose;
use crate::digest::Digest;
use crate::executor::Executor;
use crate::stop::Stop;
use std::collections::{HashSet, VecDeque};
use wynot_core::{Attempt, Decision};

/// The maximum number of attempts in the window.
pub(super) const MAX_ATTEMPTS_AHEAD: usize = 4096;

impl<C: Clone, S: Compose<C>, E: Executor> Session<'_, '_, C, S, E> {
    /// Finds the first attempt of the stream whose outcome is decisive.
    pub(super) fn search<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, Stop> {
        self.arrived.clear();
        let mut attempts = attempts.fuse();
        let mut window: VecDeque<Pending<C, N>> = VecDeque::new();
        let mut is_first_wait = true;
        loop {
            while let Some(front) = window.front() {
                let Some(outcome) = self.use_outcome(front)? else { break };
                let Some(Pending { attempt, .. }) = window.pop_front() else { break };
                if attempt.decisive.contains(outcome) {
                    if !self.is_confirmed(&attempt.candidate, outcome)? {
                        continue;
                    }
                    self.record_step(&attempt, outcome)?;
                    let Attempt { candidate, next, .. } = attempt;
                    return Ok(Some(Decision { candidate, outcome, next }));
                }
            }
            let Some(front) = window.front() else {
                match attempts.next() {
                    Some(attempt) => window.push_back(self.admit(attempt)),
                    // A strategy that sees the stop flag proposes nothing more, which proves nothing.
                    None if self.lab.is_stopped() => return Err(Stop::Interrupted),
                    None => return Ok(None),
                }
                continue;
            };
            let must_be_alone = self.is_contended(front);
            let mut accepted = !must_be_alone && self.start(front)?;
            while accepted && self.executor.capacity() > 0 && self.may_look_ahead(window.len()) {
                let Some(attempt) = attempts.next() else { break };
                let pending = self.admit(attempt);
                accepted = self.start(&pending)?;
                window.push_back(pending);
            }
            if std::mem::take(&mut is_first_wait) {
                // Jobs of an earlier stream would only delay this one.
                let digests: HashSet<Digest> = window.iter().filter_map(|p| p.contents).collect();
                self.cancel_unless(|digest| digests.contains(&digest))?;
            }
            match window.front() {
                Some(front) if must_be_alone => self.test_alone(front)?,
                _ => self.wait()?,
            }
        }
    }

    /// Whether one more attempt may be tested early when the window has `ahead` attempts.
    pub(super) fn may_look_ahead(&self, ahead: usize) -> bool {
        let left = self.lab.budget.tests_left();
        ahead < MAX_ATTEMPTS_AHEAD && left.is_none_or(|left| (ahead as u64) < left)
    }

    /// Composes the variant of an attempt, unless its candidate is already decided.
    pub(super) fn admit<N>(&mut self, attempt: Attempt<C, N>) -> Pending<C, N> {
        let candidate = &attempt.candidate;
        let identity = self.subject.identity(candidate);
        let decided = identity.is_some_and(|identity| self.decided.contains_key(&identity));
        let contents = (!decided).then(|| self.compose(candidate));
        let identity = identity.or(contents).expect("a candidate has an identity or contents");
        Pending { attempt, identity, contents }
    }

    /// Composes the variant of a candidate and returns its digest.
    pub(super) fn compose(&mut self, candidate: &C) -> Digest {
        self.subject.compose(candidate, &mut self.variant);
        let digest = self.subject.digest(candidate, &self.variant);
        self.composed = Some(digest);
        digest
    }
}
