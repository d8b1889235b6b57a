//! Repeated tests: of results, and of candidates of flaky tests.

use super::Session;
use super::in_flight::Pending;
use super::jobs::{MAX_SUBMISSIONS, MAX_WAIT};
use crate::budget::Budget;
use crate::compose::Compose;
use crate::digest::Digest;
use crate::events::Event;
use crate::executor::{Completion, Executor, ExecutorError, Job, Submitted};
use crate::judge::{Rate, Votes};
use crate::record::{Record, TestRecord};
use crate::resume::Origin;
use crate::stop::Stop;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use wynot_core::Outcome;
use wynot_subjects::Variant;
use wynot_supervisor::{Ending, JobId, Observation, Timeout};

/// Why a candidate of a flaky test is unresolved.
const TOO_RARE: &str = "fails too rarely";

/// The number of runs of a test whose time is near to a limit.
const MAX_RUNS_NEAR_LIMIT: u32 = 3;

impl<C: Clone, S: Compose<C>, E: Executor> Session<'_, '_, C, S, E> {
    /// Tests a result again, even if its outcome is known. Returns whether the outcome is as expected. If a series of runs of
    /// a flaky test contradicts the series before, which happens by chance, a third one decides.
    pub fn verify(&mut self, candidate: &C, expected: Outcome) -> Result<bool, Stop> {
        let is_as_expected = self.retest(candidate)?.0 == expected;
        match !is_as_expected && self.quorum.is_rate() {
            true => Ok(self.retest(candidate)?.0 == expected),
            false => Ok(is_as_expected),
        }
    }

    /// Tests a candidate again, even if its outcome is known.
    pub fn retest(&mut self, candidate: &C) -> Result<(Outcome, Observation), Stop> {
        self.drain()?;
        let variant = Arc::new(self.subject.variant(candidate));
        let digest = self.subject.digest(candidate, &variant);
        let spec = Arc::clone(&self.spec);
        self.test_until_decided(&spec, &variant, digest, &Budget::default())
    }

    /// The outcome of a candidate in another test than that of the search, such as one on a clean build. It is in the journal
    /// apart from that of the search, and the test counts as one of the search.
    pub fn test_as(&mut self, spec: &Arc<E::Spec>, candidate: &C) -> Result<Outcome, Stop> {
        let variant = self.subject.variant(candidate);
        let digest = self.subject.digest(candidate, &variant).of_other_test();
        self.known_or_tested(spec, variant, digest)
    }

    /// Runs the test of a variant, whose outcome has this digest, until it is decided, or the budget is used up.
    fn test_until_decided(
        &mut self,
        spec: &Arc<E::Spec>,
        variant: &Arc<Variant>,
        digest: Digest,
        budget: &Budget,
    ) -> Result<(Outcome, Observation), Stop> {
        let mut votes = Votes::default();
        loop {
            let observation = self.observe_at_rest(spec, variant, digest, budget)?;
            let mut run_outcome = self.lab.judge.outcome(&observation)?;
            if let Some(validity) = self.validity.clone().filter(|_| self.is_checked(run_outcome)) {
                let check = self.observe_with(&validity, variant, digest, budget)?;
                run_outcome = self.checked_outcome(run_outcome, digest, &check);
            }
            self.count_run();
            if let Some(outcome) = votes.add(run_outcome, self.quorum) {
                return Ok((outcome, observation));
            }
        }
    }

    /// Runs a test alone. If its outcome depends on the load of the machine, it is run again, and the run that took least
    /// counts: load adds to the time of a test and takes nothing away.
    fn observe_at_rest(
        &mut self,
        spec: &Arc<E::Spec>,
        variant: &Arc<Variant>,
        digest: Digest,
        budget: &Budget,
    ) -> Result<Observation, Stop> {
        let mut least = self.observe_with(spec, variant, digest, budget)?;
        for _ in 1..MAX_RUNS_NEAR_LIMIT {
            if !self.lab.judge.depends_on_load(&least) {
                break;
            }
            let next = self.observe_with(spec, variant, digest, budget)?;
            if next.time_after_build() < least.time_after_build() {
                least = next;
            }
        }
        Ok(least)
    }

    fn observe(
        &mut self,
        variant: &Arc<Variant>,
        digest: Digest,
        budget: &Budget,
    ) -> Result<Observation, Stop> {
        let spec = Arc::clone(&self.spec);
        self.observe_with(&spec, variant, digest, budget)
    }

    fn observe_with(
        &mut self,
        spec: &Arc<E::Spec>,
        variant: &Arc<Variant>,
        digest: Digest,
        budget: &Budget,
    ) -> Result<Observation, Stop> {
        let job = Job {
            id: self.lab.next_job(),
            spec: Arc::clone(spec),
            variant: Arc::clone(variant),
            digest,
            timeout: self.lab.timeout,
            alone: true,
        };
        let (lab, number, counts, size) = (self.lab, self.number, &self.counts, self.size);
        let started = Instant::now();
        observe_job(&mut self.executor, job, || {
            let event = Event::Tick { running: 1, longest: started.elapsed() };
            lab.notify_of(number, &event, counts);
            if lab.is_stopped() { Err(Stop::Interrupted) } else { budget.check(size) }
        })
    }

    /// Whether the test of an attempt was contended and has not run alone since.
    pub(super) fn is_contended<N>(&self, pending: &Pending<C, N>) -> bool {
        pending.contents.is_some_and(|digest| self.contended.contains(&digest))
    }

    /// Tests the attempt whose turn it is while no other test runs, and records the outcome.
    pub(super) fn test_alone<N>(&mut self, pending: &Pending<C, N>) -> Result<(), Stop> {
        // The other jobs are probably needed as well, so they are not cancelled.
        self.wait_for_all()?;
        let variant = Arc::new(self.subject.variant(&pending.attempt.candidate));
        let lab = self.lab;
        let digest = self.subject.digest(&pending.attempt.candidate, &variant);
        let spec = Arc::clone(&self.spec);
        let (outcome, observation) =
            self.test_until_decided(&spec, &variant, digest, &lab.budget)?;
        self.contended.remove(&digest);
        self.record_outcome(digest, variant.size(), outcome, &observation)
    }

    /// The outcome of a variant that belongs to no candidate, from the known outcomes or by a new test.
    pub fn outcome_of(&mut self, variant: Variant) -> Result<Outcome, Stop> {
        let (spec, digest) = (Arc::clone(&self.spec), Digest::of(&variant));
        self.known_or_tested(&spec, variant, digest)
    }

    /// The outcome of a variant that is known by a digest, or by a new test.
    fn known_or_tested(
        &mut self,
        spec: &Arc<E::Spec>,
        variant: Variant,
        digest: Digest,
    ) -> Result<Outcome, Stop> {
        self.check_limits()?;
        if let Some(known) = self.lab.outcomes().get_mut(&digest) {
            let outcome = known.outcome?;
            if known.used_in.is_none() {
                known.used_in = Some(self.number);
                self.counts.add(outcome, known.timed_out);
                self.counts.replayed += u64::from(known.origin == Origin::EarlierRun);
            }
            return Ok(outcome);
        }
        self.drain()?;
        if self.lab.budget.tests_left() == Some(0) {
            return Err(Stop::MaxTests(self.lab.budget.max_tests.unwrap_or_default()));
        }
        self.lab.budget.spend_test();
        let variant = Arc::new(variant);
        let (outcome, observation) =
            self.test_until_decided(spec, &variant, digest, &Budget::default())?;
        self.record_outcome(digest, variant.size(), outcome, &observation)?;
        if let Some(known) = self.lab.outcomes().get_mut(&digest) {
            known.used_in = Some(self.number);
            self.counts.add(outcome, known.timed_out);
        }
        Ok(outcome)
    }

    /// Measures the failure rate of a candidate in `runs` runs.
    pub fn rate(&mut self, candidate: &C, runs: u32) -> Result<Rate, Stop> {
        self.drain()?;
        let variant = Arc::new(self.subject.variant(candidate));
        let digest = self.subject.digest(candidate, &variant);
        let mut fails = 0;
        for _ in 0..runs {
            let observation = self.observe(&variant, digest, &Budget::default())?;
            self.count_run();
            fails += u32::from(self.lab.judge.outcome(&observation)? == Outcome::Fail);
        }
        Ok(Rate { fails, runs })
    }

    /// Confirms by a second series of runs that a flaky candidate fails at the usual rate. Among many candidates that
    /// fail too rarely, a few are accepted by chance.
    pub(super) fn is_confirmed(&mut self, candidate: &C, outcome: Outcome) -> Result<bool, Stop> {
        if outcome != Outcome::Fail || !self.quorum.is_rate() {
            return Ok(true);
        }
        let digest = self.compose(candidate);
        let needs_no_test = self
            .lab
            .outcomes()
            .get(&digest)
            .is_none_or(|known| known.confirmed || known.origin == Origin::EarlierRun);
        if needs_no_test {
            return Ok(true);
        }
        let confirmed = self.retest(candidate)?.0 == Outcome::Fail;
        if let Some(known) = self.lab.outcomes().get_mut(&digest) {
            known.confirmed = true;
            if !confirmed {
                known.outcome = Ok(Outcome::Unresolved);
                known.reason = Some(TOO_RARE.to_owned());
            }
        }
        if !confirmed {
            let identity = self.subject.identity(candidate).unwrap_or(digest);
            self.decided.insert(identity, Outcome::Unresolved);
            self.lab.record(&Record::Test(TestRecord {
                digest: digest.to_string(),
                outcome: Outcome::Unresolved.to_string(),
                ending: Ending::Exit(0),
                micros: 0,
                bytes: self.subject.variant(candidate).size(),
                crash: None,
                reason: Some(TOO_RARE.to_owned()),
                mentioned: BTreeSet::new(),
                summary: None,
                failure: None,
            }))?;
        }
        Ok(confirmed)
    }
}

/// Runs one test alone, outside of any session, and waits for its observation, or until `check_limits` fails.
pub fn observe<E: Executor>(
    executor: &mut E,
    spec: &Arc<E::Spec>,
    variant: Variant,
    timeout: Timeout,
    check_limits: impl Fn() -> Result<(), Stop>,
) -> Result<Observation, Stop> {
    let digest = Digest::of(&variant);
    let variant = Arc::new(variant);
    let (id, spec) = (JobId(u64::MAX), Arc::clone(spec));
    let job = Job { id, spec, variant, digest, timeout, alone: true };
    observe_job(executor, job, check_limits)
}

/// Submits a job that runs alone, resubmits it if it is lost, and waits for its observation.
fn observe_job<E: Executor>(
    executor: &mut E,
    job: Job<E::Spec>,
    check_limits: impl Fn() -> Result<(), Stop>,
) -> Result<Observation, Stop> {
    let Job { id, spec, variant, digest, timeout, alone } = job;
    let mut lost = 0;
    loop {
        let (spec, variant) = (Arc::clone(&spec), Arc::clone(&variant));
        let job = Job { id, spec, variant, digest, timeout, alone };
        if executor.submit(job)? == Submitted::NoSpace {
            // Jobs of an earlier session may still be in flight; without them, the executor accepts the job or fails.
            check_limits()?;
            executor.wait(Instant::now() + MAX_WAIT)?;
            continue;
        }
        loop {
            match executor.wait(Instant::now() + MAX_WAIT)? {
                Some((done, Completion::Observed(observation))) if done == id => {
                    return Ok(*observation);
                }
                Some((done, Completion::Lost(reason))) if done == id => {
                    lost += 1;
                    if lost >= MAX_SUBMISSIONS {
                        return Err(ExecutorError::Lost { times: lost, reason }.into());
                    }
                    break;
                }
                _ => {
                    if let Err(stop) = check_limits() {
                        executor.cancel(id)?;
                        return Err(stop);
                    }
                }
            }
        }
    }
}
