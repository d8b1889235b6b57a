//! Submitting and cancelling jobs, and handling their completions.

use super::Session;
use super::in_flight::{InFlight, Pending};
use crate::compose::Compose;
use crate::digest::Digest;
use crate::events::Event;
use crate::executor::{Completion, Executor, ExecutorError, Job, Submitted};
use crate::judge::Votes;
use crate::other_crashes::crash_name;
use crate::record::{Record, TestRecord};
use crate::resume::{KnownOutcome, Origin};
use crate::stop::Stop;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wynot_core::Outcome;
use wynot_subjects::Variant;
use wynot_supervisor::JobId;
use wynot_supervisor::{Ending, Observation};

/// The longest wait before limits and the stop flag are checked.
pub(super) const MAX_WAIT: Duration = Duration::from_millis(100);

/// The number of submissions after which a lost job ends the search.
pub(super) const MAX_SUBMISSIONS: u32 = 4;

/// Why a variant that fails is unresolved if the command that checks its validity does not succeed.
const NOT_VALID: &str = "not valid";

impl<C: Clone, S: Compose<C>, E: Executor> Session<'_, '_, C, S, E> {
    /// Submits the test of an attempt unless its outcome is known, its job is in flight, or it must run alone. Returns
    /// `false` if the executor has no capacity or no space for it.
    pub(super) fn start<N>(&mut self, pending: &Pending<C, N>) -> Result<bool, Stop> {
        let Some(digest) = pending.contents else { return Ok(true) };
        let is_started = self.wanted.contains_key(&digest) || self.contended.contains(&digest);
        if is_started || self.lab.outcomes().contains_key(&digest) {
            return Ok(true);
        }
        if self.executor.capacity() == 0 {
            return Ok(false);
        }
        if self.composed != Some(digest) {
            self.compose(&pending.attempt.candidate);
        }
        self.composed = None;
        let bytes = self.variant.size();
        let variant = Arc::new(std::mem::take(&mut self.variant));
        // A variant is large, and only flaky tests and checks of validity need it more than once.
        let is_needed_again = !self.quorum.is_plain() || self.validity.is_some();
        let kept = is_needed_again.then(|| Arc::clone(&variant));
        let (votes, cancelled, checked) = (Votes::default(), false, None);
        let started = Instant::now();
        let job_state =
            InFlight { digest, bytes, votes, variant: kept, cancelled, checked, started };
        let id = self.lab.next_job();
        let is_accepted = self.submit(id, job_state, Arc::clone(&variant))?;
        // An executor that has written the variant to a file needs its memory no longer.
        if let Ok(variant) = Arc::try_unwrap(variant) {
            self.variant = variant;
            self.composed = Some(digest);
        }
        Ok(is_accepted)
    }

    /// Submits a job. Returns whether the executor accepted it.
    fn submit(
        &mut self,
        id: JobId,
        job_state: InFlight,
        variant: Arc<Variant>,
    ) -> Result<bool, Stop> {
        let (digest, timeout) = (job_state.digest, self.lab.timeout);
        let spec = match (&job_state.checked, &self.validity) {
            (Some(_), Some(validity)) => Arc::clone(validity),
            _ => Arc::clone(&self.spec),
        };
        let job = Job { id, spec, variant, digest, timeout, alone: false };
        let is_accepted = self.executor.submit(job)? == Submitted::Accepted;
        if is_accepted {
            self.wanted.insert(digest, id);
            self.in_flight.insert(id, job_state);
        }
        Ok(is_accepted)
    }

    /// Cancels the jobs whose outcomes are no longer wanted.
    pub(super) fn cancel_unless(&mut self, is_wanted: impl Fn(Digest) -> bool) -> Result<(), Stop> {
        for (id, job_state) in &mut self.in_flight {
            if !job_state.cancelled && !is_wanted(job_state.digest) {
                job_state.cancelled = true;
                self.wanted.remove(&job_state.digest);
                self.executor.cancel(*id)?;
            }
        }
        Ok(())
    }

    /// Cancels all jobs and waits until they have ended.
    pub(super) fn drain(&mut self) -> Result<(), Stop> {
        self.cancel_unless(|_| false)?;
        self.wait_for_all()
    }

    /// Waits until all jobs have ended.
    pub(super) fn wait_for_all(&mut self) -> Result<(), Stop> {
        while !self.in_flight.is_empty() {
            self.wait()?;
        }
        Ok(())
    }

    /// Waits until a job completes, or [`MAX_WAIT`] has passed, and handles the completion.
    pub(super) fn wait(&mut self) -> Result<(), Stop> {
        let Some((id, completion)) = self.executor.wait(Instant::now() + MAX_WAIT)? else {
            if let Some(remark) = self.executor.remark() {
                self.lab.remark(&remark);
            }
            self.notify_of_waiting();
            return self.check_limits();
        };
        self.complete(id, completion)
    }

    /// Says to the listener how many tests run, and for how long.
    fn notify_of_waiting(&self) {
        let running = self.in_flight.values().filter(|job_state| !job_state.cancelled);
        let longest = running.clone().map(|job_state| job_state.started.elapsed()).max();
        let longest = longest.unwrap_or_default();
        let event = Event::Tick { running: running.count(), longest };
        self.lab.notify_of(self.number, &event, &self.counts);
    }

    /// Handles the completion of a job that has already ended, if there is one.
    pub(super) fn collect(&mut self) -> Result<bool, Stop> {
        let completed = self.executor.wait(Instant::now())?;
        completed.map_or(Ok(false), |(id, completion)| self.complete(id, completion).map(|()| true))
    }

    /// Handles the completion of a job.
    fn complete(&mut self, id: JobId, completion: Completion) -> Result<(), Stop> {
        let Some(job_state) = self.in_flight.remove(&id) else { return Ok(()) };
        if !job_state.cancelled {
            self.wanted.remove(&job_state.digest);
        }
        match completion {
            Completion::Cancelled => Ok(()),
            Completion::Contended => {
                self.contended.insert(job_state.digest);
                Ok(())
            }
            Completion::Lost(_) if job_state.cancelled => Ok(()),
            // The attempt is still pending; when its turn comes, its test is submitted again.
            Completion::Lost(reason) => {
                let times = self.lost.entry(job_state.digest).or_default();
                *times += 1;
                match *times {
                    times @ MAX_SUBMISSIONS.. => Err(ExecutorError::Lost { times, reason }.into()),
                    _ => Ok(()),
                }
            }
            Completion::Observed(observation) => {
                self.handle_observation(id, job_state, *observation)
            }
        }
    }

    /// Judges an observation, and resubmits the job if a single run does not decide the outcome, or if the validity of its
    /// variant has to be checked.
    fn handle_observation(
        &mut self,
        id: JobId,
        mut job_state: InFlight,
        observation: Observation,
    ) -> Result<(), Stop> {
        let (run_outcome, observation) = match job_state.checked.take() {
            Some((outcome, checked)) => {
                (self.checked_outcome(outcome, job_state.digest, &observation), checked)
            }
            // Beside other tests, it may have taken longer than alone.
            None if self.lab.judge.depends_on_load(&observation) => {
                self.contended.insert(job_state.digest);
                return Ok(());
            }
            None => match self.lab.judge.outcome(&observation) {
                Ok(outcome) if self.is_checked(outcome) => {
                    job_state.checked = Some((outcome, observation));
                    return self.submit_again(id, job_state);
                }
                Ok(outcome) => (outcome, observation),
                // The test may have run ahead of its turn; the request to abort counts only when the outcome is used.
                Err(abort) => {
                    let known = KnownOutcome::new(Err(abort), Origin::ThisRun(self.number));
                    self.lab.outcomes().entry(job_state.digest).or_insert(known);
                    return Ok(());
                }
            },
        };
        self.count_run();
        match job_state.votes.add(run_outcome, self.quorum) {
            Some(outcome) => {
                self.record_outcome(job_state.digest, job_state.bytes, outcome, &observation)
            }
            None => self.submit_again(id, job_state),
        }
    }

    /// Submits a job once more, unless it was cancelled. If the executor does not accept it, the attempt is still pending.
    fn submit_again(&mut self, id: JobId, job_state: InFlight) -> Result<(), Stop> {
        match job_state.variant.clone().filter(|_| !job_state.cancelled) {
            Some(variant) => self.submit(id, job_state, variant).map(drop),
            None => Ok(()),
        }
    }

    /// Counts a run, if a test may be more than one.
    pub(super) fn count_run(&self) {
        if !self.quorum.is_plain() {
            self.lab.count_run();
        }
    }

    /// Whether the validity of a variant with this outcome is checked.
    pub(super) fn is_checked(&self, outcome: Outcome) -> bool {
        self.validity.is_some() && self.checked.contains(outcome)
    }

    /// The outcome of a run, given the run of the command that checks the validity of its variant.
    pub(super) fn checked_outcome(
        &mut self,
        outcome: Outcome,
        digest: Digest,
        check: &Observation,
    ) -> Outcome {
        if check.ending == Ending::Exit(0) {
            return outcome;
        }
        self.invalid.insert(digest);
        Outcome::Unresolved
    }

    /// Records an outcome in the journal and in the lab.
    pub(super) fn record_outcome(
        &mut self,
        digest: Digest,
        bytes: u64,
        outcome: Outcome,
        observation: &Observation,
    ) -> Result<(), Stop> {
        let crash = observation.crash.as_ref().and_then(crash_name);
        let summary = self.lab.judge.summary(observation);
        let fails = outcome == Outcome::Fail;
        let failure = fails.then(|| self.lab.judge.failure(observation)).flatten();
        let is_unresolved = outcome == Outcome::Unresolved;
        let reason = match self.invalid.contains(&digest) {
            true => NOT_VALID,
            false => self.lab.judge.reason(observation),
        };
        let reason = is_unresolved.then(|| reason.to_owned());
        let mentioned = match is_unresolved {
            true => self.lab.judge.mentioned(observation),
            false => BTreeSet::new(),
        };
        self.lab.record(&Record::Test(TestRecord {
            digest: digest.to_string(),
            outcome: outcome.to_string(),
            ending: observation.ending,
            micros: observation.elapsed.as_micros() as u64,
            bytes,
            crash: crash.clone(),
            reason: reason.clone(),
            mentioned: mentioned.clone(),
            summary: summary.clone(),
            failure: failure.clone(),
        }))?;
        let known = KnownOutcome::new(Ok(outcome), Origin::ThisRun(self.number));
        let timed_out = observation.ending.leaves_failure_open(outcome);
        let known = KnownOutcome { timed_out, crash, summary, failure, reason, mentioned, ..known };
        self.lab.outcomes().entry(digest).or_insert(known);
        self.arrived.push((digest, outcome));
        Ok(())
    }
}
