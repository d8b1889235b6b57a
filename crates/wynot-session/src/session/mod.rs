//! One search with its journal: the oracle over a subject, an executor and a judge.
//!
//! A session takes attempts from the algorithm's stream as the executor has capacity, so later attempts are
//! tested early on the assumption that earlier ones are not decisive. Outcomes are *used* strictly in stream
//! order. Everything that counts or decides happens when an outcome is used; the algorithm sees neither which tests
//! ran ahead nor how long they took. Hence the same result, the same steps and the same count of tests for every
//! number of jobs, and after every resume.
//!
//! The work per completion does not grow with the number of jobs in flight: jobs are found by number and by digest,
//! and jobs of an earlier question are cancelled once, when the next question begins.
//!
//! Here: the search through a stream (`look_ahead`), the use of outcomes in order (`use_outcome`), jobs and their
//! completions (`jobs`), tests that are run again (`retest`). Not here: running tests (an executor does), judging them
//! (`judge`), what later sessions need (`lab`).

mod in_flight;
mod jobs;
mod look_ahead;
mod retest;
mod use_outcome;

pub use retest::observe;

use crate::compose::Compose;
use crate::digest::Digest;
use crate::events::{Counts, Event};
use crate::executor::{Executor, JobId};
use crate::lab::{Lab, Origin};
use crate::pass_counts::{PassCounts, PassCountsTable};
use crate::results::ResultFiles;
use crate::stop::Stop;
use in_flight::InFlight;
use std::collections::HashMap;
use std::sync::Arc;
use wynot_core::{Attempt, Decision, Label, Monotonicity, Oracle, Outcome, Outcomes};
use wynot_subjects::Variant;

/// Answers an algorithm's questions about candidates of type `C` by running tests.
pub struct Session<'s, 'l, C, S, E: Executor> {
    lab: &'s Lab<'l>,
    /// The number of this session in its lab.
    number: u32,
    subject: S,
    executor: E,
    spec: Arc<E::Spec>,
    results: &'s ResultFiles,
    monotony: Option<Monotonicity>,
    /// Outcomes that were used, by configuration.
    decided: HashMap<Digest, Outcome>,
    in_flight: HashMap<JobId, InFlight>,
    /// The jobs in flight that are still wanted, by the digest of the variant.
    wanted: HashMap<Digest, JobId>,
    counts: Counts,
    passes: PassCountsTable,
    level: usize,
    /// The size of the failing side.
    size: u64,
    variant: Variant,
    /// The digest of what is in `variant`, where it is known.
    composed: Option<Digest>,
    /// Variants whose memory is used again.
    spare: Vec<Variant>,
    /// The candidates that were accepted, where rates are compared.
    accepted: Vec<C>,
}

impl<'l> Lab<'l> {
    /// A session about a subject, which runs its tests by an executor and keeps its best in `results`.
    pub fn session<'s, C: Clone, S: Compose<C>, E: Executor>(
        &'s self,
        subject: S,
        executor: E,
        spec: &Arc<E::Spec>,
        results: &'s ResultFiles,
    ) -> Session<'s, 'l, C, S, E> {
        Session {
            lab: self,
            number: self.next_session(),
            decided: subject.axioms().into_iter().collect(),
            size: subject.size(),
            subject,
            executor,
            spec: Arc::clone(spec),
            results,
            monotony: None,
            in_flight: HashMap::new(),
            wanted: HashMap::new(),
            counts: Counts::default(),
            passes: PassCountsTable::default(),
            level: 0,
            variant: Variant::default(),
            composed: None,
            spare: Vec::new(),
            accepted: Vec::new(),
        }
    }
}

impl<C: Clone, S: Compose<C>, E: Executor> Session<'_, '_, C, S, E> {
    /// The same session, which takes over outcomes that monotony implies instead of testing.
    #[must_use]
    pub fn assuming_monotony(mut self, assumed: bool) -> Self {
        self.monotony = assumed.then(Monotonicity::default);
        self
    }

    /// The tests so far.
    pub fn counts(&self) -> Counts {
        let outcomes = self.lab.outcomes();
        let ahead = outcomes.values().filter(|known| {
            known.used_in.is_none() && known.origin == Origin::ThisRun(self.number)
        });
        Counts { speculative: ahead.count() as u64, ..self.counts }
    }

    /// The candidates that were accepted, where they may have to be taken back.
    pub fn accepted(&self) -> &[C] {
        &self.accepted
    }

    /// What each pass has cost and gained so far.
    pub fn passes(&self) -> &[PassCounts] {
        self.passes.list()
    }

    /// How the last run of a candidate ended, in words, where the judge says so.
    pub fn summary_of(&self, candidate: &C) -> Option<String> {
        let digest = Digest::of(&self.subject.variant(candidate));
        self.lab.outcomes().get(&digest).and_then(|known| known.summary.clone())
    }
}

impl<C: Clone, S: Compose<C>, E: Executor> Oracle<C> for Session<'_, '_, C, S, E> {
    type Stop = Stop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, Stop> {
        self.search(attempts)
    }

    fn each(&mut self, candidates: impl Iterator<Item = C>) -> Result<Vec<Outcome>, Stop> {
        let candidates: Vec<C> = candidates.collect();
        let identities: Vec<Digest> =
            candidates.iter().map(|candidate| identity(&self.subject, candidate)).collect();
        let label = Label::new("subset").numbered(1, 1);
        let attempts = candidates.into_iter().map(|candidate| Attempt {
            candidate,
            label,
            decisive: Outcomes::NONE,
            next: (),
        });
        self.search(attempts)?;
        Ok(identities.iter().map(|identity| self.decided[identity]).collect())
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        self.level = level;
        let unit = self.subject.level_name(level);
        self.lab.notify(&Event::Level { level, unit, deltas }, &self.counts);
    }
}

fn identity<C>(subject: &impl Compose<C>, candidate: &C) -> Digest {
    subject.identity(candidate).unwrap_or_else(|| Digest::of(&subject.variant(candidate)))
}
