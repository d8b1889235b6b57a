//! Asking again: results, and what flaky tests said.

use crate::executor::observe;
use crate::flight::Flight;
use crate::votes::Votes;
use crate::{
    Compose, Digest, Ending, Executor, Observation, Rate, Record, Session, Stop, TestRecord,
};
use wynot_core::Outcome;
use wynot_subjects::Variant;

impl<C: Clone, S: Compose<C>, E: Executor> Session<'_, C, S, E> {
    /// Tests a candidate anew, whatever is known about it; whether the outcome is as expected, and what
    /// the last run showed.
    pub fn verify(
        &mut self,
        candidate: &C,
        expected: Outcome,
    ) -> Result<(bool, Observation), Stop> {
        let (outcome, seen) = self.ask_anew(candidate)?;
        Ok((outcome == expected, seen))
    }

    /// Tests a candidate anew, whatever is known about it.
    pub fn ask_anew(&mut self, candidate: &C) -> Result<(Outcome, Observation), Stop> {
        self.land()?;
        let variant = self.subject.artefact(candidate);
        self.ask(&variant)
    }

    /// Runs a test as often as it takes.
    fn ask(&mut self, variant: &Variant) -> Result<(Outcome, Observation), Stop> {
        let mut votes = Votes::default();
        loop {
            let seen = observe(self.executor, variant, self.bounds.timeout, self.interrupt)?;
            if let Some(outcome) = votes.add(self.judge.outcome(&seen)?, self.bounds.quorum) {
                return Ok((outcome, seen));
            }
        }
    }

    /// The outcome of something that is no candidate, by what is known or a new test.
    pub fn outcome_of(&mut self, variant: &Variant) -> Result<Outcome, Stop> {
        let digest = Digest::of(variant);
        if let Some(known) = self.known.get(&digest) {
            return Ok(known.outcome?);
        }
        self.land()?;
        let (outcome, seen) = self.ask(variant)?;
        self.counts.add(outcome);
        let (bytes, votes) = (variant.size(), Votes::default());
        let flight = Flight { digest, bytes, votes, variant: None, cancelled: false };
        self.learn(&flight, outcome, &seen)?;
        Ok(outcome)
    }

    /// How often a candidate fails, in so many runs.
    pub fn rate(&mut self, candidate: &C, runs: u32) -> Result<Rate, Stop> {
        self.land()?;
        let variant = self.subject.artefact(candidate);
        let mut fails = 0;
        for _ in 0..runs {
            let seen = observe(self.executor, &variant, self.bounds.timeout, self.interrupt)?;
            fails += u32::from(self.judge.outcome(&seen)? == Outcome::Fail);
        }
        Ok(Rate { fails, runs })
    }

    /// Whether a flaky candidate that seems to fail as often as usual does so when it is asked again. Of
    /// many that fail too rarely, some are lucky once.
    pub(crate) fn is_confirmed(&mut self, candidate: &C, outcome: Outcome) -> Result<bool, Stop> {
        if outcome != Outcome::Fail || !self.bounds.quorum.is_rate() {
            return Ok(true);
        }
        let digest = self.compose(candidate);
        if self.known.get(&digest).is_none_or(|known| known.replayed || known.confirmed) {
            return Ok(true);
        }
        let confirmed = self.verify(candidate, Outcome::Fail)?.0;
        let Some(known) = self.known.get_mut(&digest) else { return Ok(confirmed) };
        known.confirmed = true;
        if !confirmed {
            known.outcome = Ok(Outcome::Unresolved);
            let identity = self.subject.identity(candidate).unwrap_or(digest);
            self.decided.insert(identity, Outcome::Unresolved);
            self.record(&Record::Test(TestRecord {
                digest: digest.to_string(),
                outcome: Outcome::Unresolved.to_string(),
                ending: Ending::Exit(0),
                micros: 0,
                bytes: self.subject.artefact(candidate).size(),
                crash: None,
                reason: Some("fails too rarely".to_owned()),
            }))?;
        }
        Ok(confirmed)
    }
}
