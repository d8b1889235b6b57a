//! Repeated tests: of results, and of candidates of flaky tests.

use super::Session;
use super::jobs::{MAX_SUBMISSIONS, MAX_WAIT};
use crate::compose::Compose;
use crate::digest::Digest;
use crate::executor::{Completion, Executor, ExecutorError, Job, JobId, Submitted};
use crate::judge::{Rate, Votes};
use crate::observation::{Ending, Observation};
use crate::record::{Record, TestRecord};
use crate::resume::Origin;
use crate::stop::Stop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use wynot_core::Outcome;
use wynot_subjects::Variant;

/// Why a candidate of a flaky test is unresolved.
const TOO_RARE: &str = "fails too rarely";

impl<C: Clone, S: Compose<C>, E: Executor> Session<'_, '_, C, S, E> {
    /// Tests a candidate again, even if its outcome is known. Returns whether the outcome is as expected.
    pub fn verify(&mut self, candidate: &C, expected: Outcome) -> Result<bool, Stop> {
        Ok(self.retest(candidate)? == expected)
    }

    /// Tests a candidate again, even if its outcome is known.
    pub fn retest(&mut self, candidate: &C) -> Result<Outcome, Stop> {
        self.drain()?;
        let variant = Arc::new(self.subject.variant(candidate));
        Ok(self.test_until_decided(&variant)?.0)
    }

    /// Runs the test of a variant until its outcome is decided.
    fn test_until_decided(
        &mut self,
        variant: &Arc<Variant>,
    ) -> Result<(Outcome, Observation), Stop> {
        let mut votes = Votes::default();
        loop {
            let observation = self.observe(variant)?;
            let run_outcome = self.lab.judge.outcome(&observation)?;
            if let Some(outcome) = votes.add(run_outcome, self.lab.quorum) {
                return Ok((outcome, observation));
            }
        }
    }

    fn observe(&mut self, variant: &Arc<Variant>) -> Result<Observation, Stop> {
        let job = Job {
            id: self.lab.next_job(),
            spec: Arc::clone(&self.spec),
            variant: Arc::clone(variant),
            digest: Digest::of(variant),
            timeout: self.lab.timeout,
        };
        observe_job(&mut self.executor, job, || self.lab.is_stopped())
    }

    /// The outcome of a variant that belongs to no candidate, from the known outcomes or by a new test.
    pub fn outcome_of(&mut self, variant: Variant) -> Result<Outcome, Stop> {
        let digest = Digest::of(&variant);
        self.check_limits()?;
        if let Some(known) = self.lab.outcomes().get_mut(&digest) {
            let outcome = known.outcome?;
            if known.used_in.is_none() {
                known.used_in = Some(self.number);
                self.counts.add(outcome);
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
        let (outcome, observation) = self.test_until_decided(&variant)?;
        self.counts.add(outcome);
        self.record_outcome(digest, variant.size(), outcome, &observation)?;
        if let Some(known) = self.lab.outcomes().get_mut(&digest) {
            known.used_in = Some(self.number);
        }
        Ok(outcome)
    }

    /// Measures the failure rate of a candidate in `runs` runs.
    pub fn rate(&mut self, candidate: &C, runs: u32) -> Result<Rate, Stop> {
        self.drain()?;
        let variant = Arc::new(self.subject.variant(candidate));
        let mut fails = 0;
        for _ in 0..runs {
            let observation = self.observe(&variant)?;
            fails += u32::from(self.lab.judge.outcome(&observation)? == Outcome::Fail);
        }
        Ok(Rate { fails, runs })
    }

    /// Confirms by a second series of runs that a flaky candidate fails at the usual rate. Among many candidates that
    /// fail too rarely, a few are accepted by chance.
    pub(super) fn is_confirmed(&mut self, candidate: &C, outcome: Outcome) -> Result<bool, Stop> {
        if outcome != Outcome::Fail || !self.lab.quorum.is_rate() {
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
        let confirmed = self.verify(candidate, Outcome::Fail)?;
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
                summary: None,
                failure: None,
            }))?;
        }
        Ok(confirmed)
    }
}

/// Runs one test outside of any session and waits for its observation.
pub fn observe<E: Executor>(
    executor: &mut E,
    spec: &Arc<E::Spec>,
    variant: Variant,
    timeout: Duration,
    stop: &AtomicBool,
) -> Result<Observation, Stop> {
    let digest = Digest::of(&variant);
    let variant = Arc::new(variant);
    let job = Job { id: JobId(u64::MAX), spec: Arc::clone(spec), variant, digest, timeout };
    observe_job(executor, job, || stop.load(Ordering::Relaxed))
}

/// Submits a job, resubmits it if it is lost, and waits for its observation.
fn observe_job<E: Executor>(
    executor: &mut E,
    job: Job<E::Spec>,
    is_stopped: impl Fn() -> bool,
) -> Result<Observation, Stop> {
    let Job { id, spec, variant, digest, timeout } = job;
    let mut lost = 0;
    loop {
        let (spec, variant) = (Arc::clone(&spec), Arc::clone(&variant));
        let job = Job { id, spec, variant, digest, timeout };
        if executor.submit(job)? == Submitted::NoSpace {
            // Jobs of an earlier session may still be in flight; without them, the executor accepts the job or fails.
            if is_stopped() {
                return Err(Stop::Interrupted);
            }
            executor.wait(Instant::now() + MAX_WAIT)?;
            continue;
        }
        loop {
            match executor.wait(Instant::now() + MAX_WAIT)? {
                Some((done, Completion::Observed(observation))) if done == id => {
                    return Ok(observation);
                }
                Some((done, Completion::Lost(reason))) if done == id => {
                    lost += 1;
                    if lost >= MAX_SUBMISSIONS {
                        return Err(ExecutorError::Lost { times: lost, reason }.into());
                    }
                    break;
                }
                _ if is_stopped() => return Err(Stop::Interrupted),
                _ => {}
            }
        }
    }
}
