//! The session: an oracle over a subject, an executor and a judge.
//!
//! A session tests attempts ahead of their turn, on the assumption that earlier attempts are not decisive, but it
//! *uses* outcomes strictly in the order of the stream. Results, steps and counts of tests are therefore the same for
//! every number of jobs and after every resume.
//!
//! A test whose time ran out beside other tests has no outcome yet. When its turn comes, it runs alone.
//!
//! The stream (`look_ahead`), the use of outcomes (`use_outcome`), jobs (`jobs`) and repeated tests (`retest`) belong
//! here. Running tests (`executor`), judging them (`judge`) and state that outlives a session (`lab`) do not.

mod future_tree;
mod in_flight;
mod jobs;
mod look_ahead;
mod outcome_estimates;
mod retest;
mod run_strategy;
mod use_outcome;

pub use retest::observe;

use crate::compose::Compose;
use crate::digest::Digest;
use crate::events::{Counts, Event};
use crate::executor::Executor;
use crate::judge::Quorum;
use crate::lab::Lab;
use crate::pass_counts::{PassCounts, PassCountsTable};
use crate::results::ResultFiles;
use crate::resume::Origin;
use crate::stop::Stop;
use in_flight::InFlight;
use outcome_estimates::OutcomeEstimates;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use wynot_core::{
    Attempt, Decision, Label, Monotonicity, Oracle, Outcome, Outcomes, Stopped, Strategy,
};
use wynot_subjects::Variant;
use wynot_supervisor::JobId;

/// An oracle for candidates of type `C` that runs tests.
///
/// The work per completion does not grow with the number of jobs in flight: jobs are found by number and by digest, and
/// jobs of an earlier stream are cancelled once, when the next stream begins.
pub struct Session<'s, 'l, C, S, E: Executor> {
    lab: &'s Lab<'l>,
    /// The number of this session in its lab.
    number: u32,
    /// The number of tests of the search before this session.
    tests_before: u64,
    subject: S,
    executor: E,
    spec: Arc<E::Spec>,
    results: &'s ResultFiles,
    /// How many runs decide the outcome of a candidate.
    quorum: Quorum,
    /// The command that must succeed on a variant; without it, every variant is valid.
    validity: Option<Arc<E::Spec>>,
    /// The outcomes of variants for which it must succeed.
    checked: Outcomes,
    /// The variants that were not valid.
    invalid: HashSet<Digest>,
    monotony: Option<Monotonicity>,
    /// The outcomes used so far, by the identity of the candidate.
    decided: HashMap<Digest, Outcome>,
    in_flight: HashMap<JobId, InFlight>,
    /// The jobs in flight that are not cancelled, by the digest of the variant.
    wanted: HashMap<Digest, JobId>,
    counts: Counts,
    passes: PassCountsTable,
    level: usize,
    /// The size of the failing side in bytes.
    size: u64,
    /// The variant that was composed last.
    variant: Variant,
    /// The digest of `variant`, if it still holds that variant.
    composed: Option<Digest>,
    /// How often the job of a variant was lost.
    lost: HashMap<Digest, u32>,
    /// The variants whose jobs were contended. Each is tested alone when the turn of its attempt comes.
    contended: HashSet<Digest>,
    /// The identities of the candidates in `decided` whose tests timed out, where that is not the failure.
    timed_out: HashSet<Digest>,
    /// Those of them that were used after the last step.
    timed_out_since_step: HashSet<Digest>,
    /// The accepted failing candidates, if failure rates are compared.
    accepted: Vec<C>,
    /// The outcomes that have arrived since a strategy took note of them.
    arrived: Vec<(Digest, Outcome)>,
    /// What the outcomes of further tests may be.
    estimates: OutcomeEstimates,
}

impl<'l> Lab<'l> {
    /// Opens a session that tests a subject with an executor and writes the best variants to `results`.
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
            tests_before: self.ended_tests(),
            decided: subject.axioms().into_iter().collect(),
            size: subject.size(),
            subject,
            executor,
            spec: Arc::clone(spec),
            results,
            quorum: self.quorum,
            validity: None,
            checked: Outcomes::NONE,
            invalid: HashSet::new(),
            monotony: None,
            in_flight: HashMap::new(),
            wanted: HashMap::new(),
            counts: Counts::default(),
            passes: PassCountsTable::default(),
            level: 0,
            variant: Variant::default(),
            composed: None,
            lost: HashMap::new(),
            contended: HashSet::new(),
            timed_out: HashSet::new(),
            timed_out_since_step: HashSet::new(),
            accepted: Vec::new(),
            arrived: Vec::new(),
            estimates: OutcomeEstimates::default(),
        }
    }
}

impl<'s, 'l, C, S, E: Executor> Session<'s, 'l, C, S, E> {
    /// The lab of the session.
    pub fn lab(&self) -> &'s Lab<'l> {
        self.lab
    }
}

impl<C: Clone, S: Compose<C>, E: Executor> Session<'_, '_, C, S, E> {
    /// Sets whether the session assumes monotony, and uses the outcomes that it implies instead of testing.
    #[must_use]
    pub fn assuming_monotony(mut self, assumed: bool) -> Self {
        self.monotony = assumed.then(Monotonicity::default);
        self
    }

    /// Sets the command that must succeed on a variant with one of these outcomes; otherwise the outcome is unresolved.
    #[must_use]
    pub fn requiring(mut self, validity: Option<Arc<E::Spec>>, checked: Outcomes) -> Self {
        (self.validity, self.checked) = (validity, checked);
        self
    }

    /// Lets each single run be an outcome, however often other sessions of the search repeat their tests.
    #[must_use]
    pub fn counting_single_runs(mut self) -> Self {
        self.quorum = Quorum::default();
        self
    }

    /// The outcome of a candidate that the session has used, if it has used one.
    pub fn used_outcome(&self, candidate: &C) -> Option<Outcome> {
        self.decided.get(&identity(&self.subject, candidate)).copied()
    }

    /// The counts of tests so far.
    pub fn counts(&self) -> Counts {
        let outcomes = self.lab.outcomes();
        let ahead = outcomes.values().filter(|known| {
            known.used_in.is_none() && known.origin == Origin::ThisRun(self.number)
        });
        Counts { speculative: ahead.count() as u64, ..self.counts }
    }

    /// The number of different candidates whose tests timed out, of those that were used after the last step. What is
    /// proved about the result rests on them.
    pub fn timeouts_since_step(&self) -> u64 {
        self.timed_out_since_step.len() as u64
    }

    /// The accepted failing candidates in order, if failure rates are compared: a later check may reject the last ones.
    pub fn accepted(&self) -> &[C] {
        &self.accepted
    }

    /// The cost and gain of each pass so far.
    pub fn passes(&self) -> &[PassCounts] {
        self.passes.list()
    }

    /// The judge's summary of the last run of a candidate, if it gives one.
    pub fn summary_of(&self, candidate: &C) -> Option<String> {
        let digest = self.subject.digest(candidate, &self.subject.variant(candidate));
        self.lab.outcomes().get(&digest).and_then(|known| known.summary.clone())
    }

    /// The names and places that the unresolved run of a candidate mentioned.
    pub fn mentioned_by(&self, candidate: &C) -> BTreeSet<String> {
        let digest = Digest::of(&self.subject.variant(candidate));
        let outcomes = self.lab.outcomes();
        outcomes.get(&digest).map(|known| known.mentioned.clone()).unwrap_or_default()
    }
}

impl<C, S, E: Executor> Drop for Session<'_, '_, C, S, E> {
    /// Cancels the jobs that are still in flight, so that they do not stand in the way of the next session.
    fn drop(&mut self) {
        self.lab.end_session(self.number, &self.counts);
        for (id, flight) in &self.in_flight {
            if !flight.cancelled {
                // An executor that has failed is noticed by the next session.
                let _ = self.executor.cancel(*id);
            }
        }
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

    fn run<T: Strategy<C>>(&mut self, strategy: T) -> Result<T, Stopped<T, Stop>> {
        self.run_strategy(strategy)
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        self.level = level;
        let unit = self.subject.level_name(level);
        let event = Event::Level { level, unit, deltas };
        self.lab.notify_of(self.number, &event, &self.counts);
    }
}

/// The identity of a candidate: its own, or the digest of its variant.
fn identity<C>(subject: &impl Compose<C>, candidate: &C) -> Digest {
    let digest = || subject.digest(candidate, &subject.variant(candidate));
    subject.identity(candidate).unwrap_or_else(digest)
}
