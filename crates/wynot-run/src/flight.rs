//! Tests that run, and what is known of those that have.

use crate::collection::crash_name;
use crate::executor::TICK;
use crate::votes::Votes;
use crate::{
    Abort, Compose, Digest, Event, Executor, Finished, Observation, Record, Session, Start, Stop,
    TestRecord,
};
use wynot_core::{Attempt, Outcome};
use wynot_subjects::Variant;

/// An outcome and where it comes from.
pub(crate) struct Known {
    /// What the judge said, or that the test asked to end everything.
    pub outcome: Result<Outcome, Abort>,
    /// From the journal of an earlier run.
    pub replayed: bool,
    pub used: bool,
    /// Whether it was asked again, where rates are compared.
    pub confirmed: bool,
    /// The crash that was seen, if any.
    pub crash: Option<String>,
}

impl Known {
    pub(crate) fn new(outcome: Result<Outcome, Abort>, replayed: bool) -> Self {
        Self { outcome, replayed, used: false, confirmed: false, crash: None }
    }
}

/// A test that runs.
pub(crate) struct Flight {
    pub digest: Digest,
    pub bytes: u64,
    pub votes: Votes,
    /// Kept when the test may have to run again.
    pub variant: Option<Variant>,
    pub cancelled: bool,
}

/// An attempt whose outcome has not been used yet.
pub(crate) struct Pending<C, N> {
    pub attempt: Attempt<C, N>,
    pub identity: Digest,
    /// The digest of the variant, unless the candidate was decided when the attempt came in.
    pub contents: Option<Digest>,
}

impl<C: Clone, S: Compose<C>, E: Executor> Session<'_, C, S, E> {
    /// Starts the test of an attempt if it has to run and can; whether it is under way or settled.
    pub(crate) fn start<N>(&mut self, pending: &Pending<C, N>) -> Result<bool, Stop> {
        let Some(digest) = pending.contents else { return Ok(true) };
        let flying = |flight: &Flight| flight.digest == digest && !flight.cancelled;
        if self.known.contains_key(&digest) || self.flights.values().any(flying) {
            return Ok(true);
        }
        if self.executor.idle() == 0 {
            return Ok(false);
        }
        if self.composed != Some(digest) {
            self.compose(&pending.attempt.candidate);
        }
        let ticket = self.next_ticket;
        match self.executor.start(ticket, &self.variant, self.bounds.timeout)? {
            Start::NoRoom => return Ok(false),
            Start::Running => self.next_ticket += 1,
        }
        let flight = Flight {
            digest,
            bytes: self.variant.size(),
            votes: Votes::default(),
            variant: (!self.bounds.quorum.is_plain()).then(|| self.variant.clone()),
            cancelled: false,
        };
        self.flights.insert(ticket, flight);
        Ok(true)
    }

    /// Cancels the tests that nobody wants any more.
    pub(crate) fn cancel_unless(&mut self, wanted: impl Fn(Digest) -> bool) -> Result<(), Stop> {
        for (ticket, flight) in &mut self.flights {
            if !flight.cancelled && !wanted(flight.digest) {
                flight.cancelled = true;
                self.executor.cancel(*ticket)?;
            }
        }
        Ok(())
    }

    /// Waits until a test has ended or a moment has passed, and takes note of outcomes.
    pub(crate) fn wait(&mut self) -> Result<(), Stop> {
        let Some((ticket, finished)) = self.executor.wait(TICK)? else {
            self.listener.on(&Event::Tick, &self.counts);
            return self.check_bounds();
        };
        let Some(mut flight) = self.flights.remove(&ticket) else { return Ok(()) };
        let Finished::Observed(seen) = finished else { return Ok(()) };
        let answer = match self.judge.outcome(&seen) {
            Ok(answer) => answer,
            // A test that only ran ahead must not end the run: whether it is needed is seen later.
            Err(abort) => {
                let known = Known::new(Err(abort), false);
                self.known.entry(flight.digest).or_insert(known);
                return Ok(());
            }
        };
        match flight.votes.add(answer, self.bounds.quorum) {
            Some(outcome) => self.learn(&flight, outcome, &seen),
            None if flight.cancelled => Ok(()),
            None => {
                let Some(variant) = &flight.variant else { return Ok(()) };
                let again = self.executor.start(ticket, variant, self.bounds.timeout)?;
                if again == Start::Running {
                    self.flights.insert(ticket, flight);
                }
                Ok(())
            }
        }
    }

    pub(crate) fn learn(
        &mut self,
        flight: &Flight,
        outcome: Outcome,
        seen: &Observation,
    ) -> Result<(), Stop> {
        let crash = seen.crash.as_ref().and_then(crash_name);
        self.record(&Record::Test(TestRecord {
            digest: flight.digest.to_string(),
            outcome: outcome.to_string(),
            ending: seen.ending,
            micros: seen.elapsed.as_micros() as u64,
            bytes: flight.bytes,
            crash: crash.clone(),
            reason: (outcome == Outcome::Unresolved).then(|| seen.reason().to_owned()),
        }))?;
        let known = Known { crash, ..Known::new(Ok(outcome), false) };
        self.known.entry(flight.digest).or_insert(known);
        Ok(())
    }
}
