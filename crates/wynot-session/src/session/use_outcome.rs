//! Using outcomes in the order of the stream: counting tests, deciding candidates, recording steps.

use super::Session;
use super::in_flight::Pending;
use crate::compose::Compose;
use crate::events::{Event, Side, Step};
use crate::executor::Executor;
use crate::record::Record;
use crate::resume::Origin;
use crate::stop::Stop;
use wynot_core::{Attempt, Outcome};
use wynot_subjects::Variant;

impl<C: Clone, S: Compose<C>, E: Executor> Session<'_, '_, C, S, E> {
    /// Uses the outcome of the attempt whose turn it is; `None` if the outcome is not known yet.
    pub(super) fn use_outcome<N>(
        &mut self,
        pending: &Pending<C, N>,
    ) -> Result<Option<Outcome>, Stop> {
        self.check_limits()?;
        let candidate = &pending.attempt.candidate;
        let configuration = self.subject.configuration(candidate);
        let implied = || self.monotony.as_ref().zip(configuration).and_then(|(m, c)| m.implied(c));
        let (outcome, repeated) = if let Some(&outcome) = self.decided.get(&pending.identity) {
            self.counts.cached += 1;
            (outcome, true)
        } else if let Some(implied) = implied() {
            self.counts.implied += 1;
            self.decided.insert(pending.identity, implied);
            (implied, true)
        } else {
            match self.use_tested_outcome(pending)? {
                Some(outcome) => (outcome, false),
                None => return Ok(None),
            }
        };
        if self.timed_out.contains(&pending.identity) {
            self.timed_out_since_step.insert(pending.identity);
        }
        let label = pending.attempt.label;
        if !repeated {
            self.passes.count_test(label);
        }
        let size = self.subject.deltas(candidate);
        let question = self.subject.question();
        let version = self.subject.version(candidate);
        let event =
            Event::Tested { question, configuration, version, size, label, outcome, repeated };
        self.lab.notify_of(self.number, &event, &self.counts);
        Ok(Some(outcome))
    }

    /// Uses an outcome that the lab knows, and counts its test; `None` if the outcome is not known yet.
    fn use_tested_outcome<N>(&mut self, pending: &Pending<C, N>) -> Result<Option<Outcome>, Stop> {
        let lab = self.lab;
        let mut outcomes = lab.outcomes();
        let mut known = pending.contents.and_then(|digest| outcomes.get_mut(&digest));
        let is_free = known.as_ref().is_some_and(|known| known.is_free_for(self.number));
        if !is_free && lab.budget.tests_left() == Some(0) {
            return Err(Stop::MaxTests(lab.budget.max_tests.unwrap_or_default()));
        }
        let Some(known) = &mut known else { return Ok(None) };
        let outcome = known.outcome?;
        self.counts.shared += u64::from(known.used_in.is_some());
        let is_replayed = known.origin == Origin::EarlierRun && known.used_in.is_none();
        self.counts.replayed += u64::from(is_replayed);
        known.used_in.get_or_insert(self.number);
        let (crash, timed_out) = (known.crash.clone(), known.timed_out);
        drop(outcomes);
        if !is_free {
            lab.budget.spend_test();
        }
        self.counts.add(outcome, timed_out);
        self.decided.insert(pending.identity, outcome);
        if timed_out {
            self.timed_out.insert(pending.identity);
        }
        let candidate = &pending.attempt.candidate;
        if let Some(configuration) = self.subject.configuration(candidate)
            && let Some(monotony) = &mut self.monotony
        {
            monotony.learn(configuration, outcome);
        }
        if let Some(crash) = crash {
            lab.collect_crash(&crash, || self.subject.variant(candidate))?;
        }
        Ok(Some(outcome))
    }

    /// Stops the session if the stop flag is set or the budget is used up.
    pub(super) fn check_limits(&self) -> Result<(), Stop> {
        match self.lab.is_stopped() {
            true => Err(Stop::Interrupted),
            false => self.lab.budget.check(self.size),
        }
    }

    /// Records a decisive test: writes the result, and adds the step to the journal. A test without an outcome may be
    /// decisive for what is tested next, but replaces no side.
    pub(super) fn record_step<N>(
        &mut self,
        attempt: &Attempt<C, N>,
        outcome: Outcome,
    ) -> Result<(), Stop> {
        let side = match outcome {
            Outcome::Pass => Side::Passing,
            Outcome::Fail => Side::Failing,
            // The strategy goes on from it, but the result stays as it is.
            Outcome::Unresolved => return Ok(()),
        };
        self.timed_out_since_step.clear();
        let digest = self.compose(&attempt.candidate);
        let tested = self.lab.outcomes().get(&digest).cloned();
        let tested = tested.filter(|known| known.outcome == Ok(outcome));
        let durability = self.lab.durability_of_step();
        // A text may grow for a while, in the hope that more of it can go; the smallest one stays on disk.
        let grows = side == Side::Failing
            && matches!(self.variant, Variant::Bytes(_))
            && self.variant.size() > self.size;
        // An implied outcome was not tested, so its variant is not written. A resumed run may still be behind the
        // result on disk, because the earlier run may have taken another path (a pass was skipped).
        match tested.map(|known| known.origin).filter(|_| !grows) {
            Some(Origin::ThisRun(_)) if !self.lab.resumed => {
                self.results.save(side, &self.variant, durability.0)?
            }
            Some(_) => self.results.save_if_better(side, &self.variant, durability.0)?,
            None => {}
        }
        let step = Step {
            tests: self.tests_before + self.counts.executed,
            side,
            bytes: self.variant.size(),
            deltas: self.subject.deltas(&attempt.candidate),
            part: attempt.label.to_string(),
            level: self.level,
        };
        if side == Side::Failing {
            if !grows {
                self.size = step.bytes;
            }
            if self.quorum.is_rate() {
                self.accepted.push(attempt.candidate.clone());
            }
            self.passes.count_gain(attempt.label, self.subject.size(), step.bytes);
        }
        let event = Event::Step { step: &step, variant: &self.variant };
        self.lab.notify_of(self.number, &event, &self.counts);
        self.lab.record_step(&Record::Step(step), durability)
    }
}
