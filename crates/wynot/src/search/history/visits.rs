//! The versions that a walk tests.

use super::history_found::Visit;
use super::patched_row::PatchedRow;
use crate::test_executor::TestExecutor;
use wynot_core::{Attempt, Decision, Oracle, Outcome};
use wynot_session::{Counts, Digest, Session, Stop};
use wynot_subjects::Variant;

/// A session that keeps which versions were tested.
pub(super) struct Visits<'r, 's, 'l> {
    session: Session<'s, 'l, usize, &'s PatchedRow<'s>, &'s mut TestExecutor>,
    row: &'r PatchedRow<'r>,
    seen: Vec<Visit>,
}

impl<'r, 's, 'l> Visits<'r, 's, 'l> {
    pub(super) fn new(
        session: Session<'s, 'l, usize, &'s PatchedRow<'s>, &'s mut TestExecutor>,
        row: &'r PatchedRow<'r>,
    ) -> Self {
        Self { session, row, seen: Vec::new() }
    }

    /// The versions that were tested, and the number of tests.
    pub(super) fn finish(self) -> (Vec<Visit>, Counts) {
        (self.seen, self.session.counts())
    }

    /// The names that the unresolved run of a version has mentioned.
    pub(super) fn names_mentioned_by(&self, index: usize) -> Vec<String> {
        let mentioned = self.session.mentioned_by(&index);
        mentioned.into_iter().filter(|name| name.len() > 2 && !name.contains([':', '/'])).collect()
    }

    fn note(&mut self, index: usize, outcome: Outcome) {
        let version = self.row.patched(index);
        let lab = self.session.lab();
        let unresolved = lab.unresolved(Digest::of(&Variant::Folder(version.folder.clone())));
        let visit = Visit {
            index,
            id: self.row.id(index).to_owned(),
            outcome,
            reason: unresolved.map(|known| known.reason),
            patch_lines: self.row.lines_applied(&version),
            conflicts: version.conflicts(),
        };
        if !self.seen.contains(&visit) {
            self.seen.push(visit);
        }
    }
}

impl Oracle<usize> for Visits<'_, '_, '_> {
    type Stop = Stop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<usize, N>>,
    ) -> Result<Option<Decision<usize, N>>, Stop> {
        let mut proposed = Vec::new();
        let attempts = attempts.inspect(|attempt| proposed.push(attempt.candidate));
        let decision = self.session.first(attempts);
        // Some were proposed ahead of their turn, and have no outcome that was used.
        for index in proposed {
            if let Some(outcome) = self.session.used_outcome(&index) {
                self.note(index, outcome);
            }
        }
        decision
    }

    fn each(&mut self, candidates: impl Iterator<Item = usize>) -> Result<Vec<Outcome>, Stop> {
        self.session.each(candidates)
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        self.session.enter(level, deltas);
    }
}
