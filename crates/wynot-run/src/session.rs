//! The oracle over a subject, an executor and a judge.
//!
//! A session takes attempts from the algorithm's stream as slots become idle, so later attempts are
//! tested early on the assumption that earlier ones are not decisive. Outcomes are *used* strictly in
//! stream order. Everything that counts or decides happens when an outcome is used; which tests ran
//! ahead, and how long they took, is not seen by the algorithm. Hence the same result, the same steps
//! and the same count of tests for every number of slots, and after every resume.

use crate::collection::Collection;
use crate::flight::{Flight, Known, Pending};
use crate::tally::{Tallies, Tally};
use crate::{
    Bounds, Compose, Counts, Digest, Event, Executor, Journal, Judge, Keeper, Listener, Record,
    Side, Step, Stop, Ticket,
};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use wynot_core::{Attempt, Decision, Label, Monotonicity, Oracle, Outcome, Outcomes};
use wynot_subjects::Variant;

/// How many attempts are looked at ahead of the one that is being waited for.
const LOOKAHEAD: usize = 4096;

/// Answers an algorithm's questions about candidates of type `C` by running tests.
pub struct Session<'a, C, S, E> {
    pub(crate) subject: &'a S,
    pub(crate) executor: &'a mut E,
    pub(crate) judge: &'a Judge,
    pub(crate) journal: &'a mut Journal,
    pub(crate) keeper: &'a Keeper,
    pub(crate) listener: &'a mut dyn Listener,
    pub(crate) interrupt: &'a AtomicBool,
    pub(crate) collection: &'a mut Collection,
    pub(crate) bounds: Bounds,
    pub(crate) monotony: Option<Monotonicity>,
    /// Outcomes by the contents of the variant, used or not.
    pub(crate) known: HashMap<Digest, Known>,
    /// Outcomes that were used, by configuration.
    pub(crate) decided: HashMap<Digest, Outcome>,
    /// Tests that run now.
    pub(crate) flights: HashMap<Ticket, Flight>,
    /// Whether outcomes of an earlier run are known.
    pub(crate) resumed: bool,
    pub(crate) counts: Counts,
    pub(crate) tallies: Tallies,
    pub(crate) level: usize,
    /// The size of the failing side.
    pub(crate) size: u64,
    pub(crate) next_ticket: Ticket,
    pub(crate) variant: Variant,
    /// The digest of what is in `variant`, where it is known.
    pub(crate) composed: Option<Digest>,
    /// The candidates that were accepted, where rates are compared.
    pub(crate) accepted: Vec<C>,
}

/// What the parts of a session are.
pub struct Parts<'a, S, E> {
    /// Who makes variants of candidates.
    pub subject: &'a S,
    /// Who runs the tests.
    pub executor: &'a mut E,
    /// Who says what they mean.
    pub judge: &'a Judge,
    /// Where outcomes are kept.
    pub journal: &'a mut Journal,
    /// Where results are kept.
    pub keeper: &'a Keeper,
    /// Who watches.
    pub listener: &'a mut dyn Listener,
    /// Set when the search has to stop.
    pub interrupt: &'a AtomicBool,
    /// Where other crashes are kept.
    pub collection: &'a mut Collection,
}

impl<'a, C: Clone, S: Compose<C>, E: Executor> Session<'a, C, S, E> {
    /// A session that knows the outcomes of earlier runs, and that of the original: the failure.
    pub fn new(parts: Parts<'a, S, E>, bounds: Bounds, monotony: bool, past: &[Record]) -> Self {
        let mut known = HashMap::new();
        for record in past {
            if let Record::Test(test) = record
                && let Some((digest, outcome)) = test.parsed()
            {
                let crash = test.crash.clone();
                known.insert(digest, Known { crash, ..Known::new(Ok(outcome), true) });
            }
        }
        let decided = parts.subject.axioms().into_iter().collect();
        let Parts { subject, executor, judge, journal, keeper, listener, interrupt, collection } =
            parts;
        Self {
            subject,
            executor,
            judge,
            journal,
            keeper,
            listener,
            interrupt,
            collection,
            bounds,
            monotony: monotony.then(Monotonicity::default),
            resumed: !known.is_empty(),
            known,
            decided,
            flights: HashMap::new(),
            counts: Counts::default(),
            tallies: Tallies::default(),
            level: 0,
            size: subject.size(),
            next_ticket: 0,
            variant: Variant::default(),
            composed: None,
            accepted: Vec::new(),
        }
    }

    /// The tests so far.
    pub fn counts(&self) -> Counts {
        let unused = self.known.values().filter(|known| !known.used && !known.replayed).count();
        Counts { speculative: unused as u64, ..self.counts }
    }

    /// The candidates that were accepted, where they may have to be taken back.
    pub fn accepted(&self) -> &[C] {
        &self.accepted
    }

    /// What each pass has cost and gained so far.
    pub fn tallies(&self) -> &[Tally] {
        self.tallies.list()
    }

    /// Cancels all running tests and waits for their end.
    pub(crate) fn land(&mut self) -> Result<(), Stop> {
        self.cancel_unless(|_| false)?;
        while !self.flights.is_empty() {
            self.wait()?;
        }
        Ok(())
    }

    /// The first attempt in order whose outcome is decisive.
    fn search<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, Stop> {
        let mut attempts = attempts.fuse();
        let mut window: VecDeque<Pending<C, N>> = VecDeque::new();
        loop {
            while let Some(front) = window.front() {
                let Some(outcome) = self.use_outcome(front)? else { break };
                let Some(Pending { attempt, .. }) = window.pop_front() else { break };
                if attempt.decisive.contains(outcome) {
                    if !self.is_confirmed(&attempt.candidate, outcome)? {
                        continue;
                    }
                    self.take_step(&attempt, outcome)?;
                    let Attempt { candidate, next, .. } = attempt;
                    return Ok(Some(Decision { candidate, outcome, next }));
                }
            }
            let Some(front) = window.front() else {
                match attempts.next() {
                    Some(attempt) => window.push_back(self.admit(attempt)),
                    None => return Ok(None),
                }
                continue;
            };
            let mut room = self.start(front)?;
            while room && self.executor.idle() > 0 && self.may_look_ahead(window.len()) {
                let Some(attempt) = attempts.next() else { break };
                let pending = self.admit(attempt);
                room = self.start(&pending)?;
                window.push_back(pending);
            }
            // What ran ahead for another question only stands in the way of this one.
            self.cancel_unless(|digest| window.iter().any(|p| p.contents == Some(digest)))?;
            self.wait()?;
        }
    }

    /// Whether one more attempt may be tested early, `ahead` being there already.
    fn may_look_ahead(&self, ahead: usize) -> bool {
        let left = self.bounds.tests_left(self.counts.executed - self.counts.replayed);
        ahead < LOOKAHEAD && left.is_none_or(|left| (ahead as u64) < left)
    }

    /// Looks at an attempt's variant, unless the candidate was decided before.
    fn admit<N>(&mut self, attempt: Attempt<C, N>) -> Pending<C, N> {
        let candidate = &attempt.candidate;
        let identity = self.subject.identity(candidate);
        let decided = identity.is_some_and(|identity| self.decided.contains_key(&identity));
        let contents = (!decided).then(|| self.compose(candidate));
        let identity = identity.or(contents).expect("a candidate has an identity or contents");
        Pending { attempt, identity, contents }
    }

    /// Makes the variant of a candidate and names its contents.
    pub(crate) fn compose(&mut self, candidate: &C) -> Digest {
        self.subject.compose(candidate, &mut self.variant);
        let digest = Digest::of(&self.variant);
        self.composed = Some(digest);
        digest
    }

    /// Uses the outcome of an attempt whose turn has come; `None` if it is not known yet.
    fn use_outcome<N>(&mut self, pending: &Pending<C, N>) -> Result<Option<Outcome>, Stop> {
        self.check_bounds()?;
        let configuration = self.subject.configuration(&pending.attempt.candidate);
        let (outcome, repeated) = if let Some(&outcome) = self.decided.get(&pending.identity) {
            self.counts.cached += 1;
            (outcome, true)
        } else if let Some(implied) =
            self.monotony.as_ref().zip(configuration).and_then(|(known, c)| known.implied(c))
        {
            self.counts.implied += 1;
            self.decided.insert(pending.identity, implied);
            (implied, true)
        } else {
            let left = self.bounds.tests_left(self.counts.executed - self.counts.replayed);
            let known = pending.contents.and_then(|digest| self.known.get(&digest));
            let replayed = known.is_some_and(|known| known.replayed);
            if left == Some(0) && !replayed {
                return Err(Stop::MaxTests(self.bounds.max_tests.unwrap_or_default()));
            }
            let known = pending.contents.and_then(|digest| self.known.get_mut(&digest));
            let Some(known) = known else { return Ok(None) };
            let outcome = known.outcome?;
            self.counts.shared += u64::from(known.used);
            self.counts.replayed += u64::from(known.replayed && !known.used);
            known.used = true;
            let crash = known.crash.clone();
            self.counts.add(outcome);
            self.decided.insert(pending.identity, outcome);
            if let (Some(monotony), Some(configuration)) = (&mut self.monotony, configuration) {
                monotony.learn(configuration, outcome);
            }
            if let Some(crash) = crash {
                self.collect(&crash, &pending.attempt.candidate)?;
            }
            (outcome, false)
        };
        let label = pending.attempt.label;
        if !repeated {
            self.tallies.tested(label);
        }
        let size = self.subject.deltas(&pending.attempt.candidate);
        let event = Event::Tested { configuration, size, label, outcome, repeated };
        self.listener.on(&event, &self.counts);
        Ok(Some(outcome))
    }

    /// Keeps a candidate that crashes in another way.
    fn collect(&mut self, crash: &str, candidate: &C) -> Result<(), Stop> {
        let variant = self.subject.artefact(candidate);
        if !self.collection.lacks(crash, variant.size()) {
            return Ok(());
        }
        self.collection.add(crash, &variant).map_err(|source| {
            let path = self.collection.place.clone().unwrap_or_default().0;
            Stop::Write { path, source }
        })
    }

    pub(crate) fn check_bounds(&self) -> Result<(), Stop> {
        match self.interrupt.load(Ordering::Relaxed) {
            true => Err(Stop::Interrupted),
            false => self.bounds.check(self.size),
        }
    }

    /// Keeps what a decisive test has gained.
    fn take_step<N>(&mut self, attempt: &Attempt<C, N>, outcome: Outcome) -> Result<(), Stop> {
        let side = match outcome {
            Outcome::Pass => Side::Passing,
            Outcome::Fail | Outcome::Unresolved => Side::Failing,
        };
        let digest = self.compose(&attempt.candidate);
        let known = self.known.get(&digest);
        // What monotony implied has not been tested; a run that goes on may be behind what is there,
        // since the one before may have gone another way (a pass was skipped).
        match known.filter(|known| known.outcome == Ok(outcome)).map(|known| known.replayed) {
            Some(false) if !self.resumed => self.keeper.save(side, &self.variant)?,
            Some(_) => self.keeper.save_if_better(side, &self.variant)?,
            None => {}
        }
        let step = Step {
            tests: self.counts.executed,
            side,
            bytes: self.variant.size(),
            deltas: self.subject.deltas(&attempt.candidate),
            part: attempt.label.to_string(),
            level: self.level,
        };
        if side == Side::Failing {
            self.size = step.bytes;
            if self.bounds.quorum.is_rate() {
                self.accepted.push(attempt.candidate.clone());
            }
            self.tallies.gained(attempt.label, self.subject.size(), step.bytes);
        }
        self.listener.on(&Event::Step { step: &step, variant: &self.variant }, &self.counts);
        self.record(&Record::Step(step))
    }

    pub(crate) fn record(&mut self, record: &Record) -> Result<(), Stop> {
        self.journal
            .append(record)
            .map_err(|source| Stop::Write { path: self.journal.path().to_owned(), source })
    }
}

impl<C: Clone, S: Compose<C>, E: Executor> Oracle<C> for Session<'_, C, S, E> {
    type Stop = Stop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, Stop> {
        self.search(attempts)
    }

    fn each(&mut self, candidates: impl Iterator<Item = C>) -> Result<Vec<Outcome>, Stop> {
        let mut identities = Vec::new();
        let subject = self.subject;
        let attempts = candidates.map(|candidate| {
            identities.push(identity(subject, &candidate));
            let label = Label::new("subset").numbered(1, 1);
            Attempt { candidate, label, decisive: Outcomes::NONE, next: () }
        });
        self.search(attempts)?;
        Ok(identities.iter().map(|identity| self.decided[identity]).collect())
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        self.level = level;
        self.listener.on(&Event::Level { level, deltas }, &self.counts);
    }
}

fn identity<C>(subject: &impl Compose<C>, candidate: &C) -> Digest {
    subject.identity(candidate).unwrap_or_else(|| Digest::of(&subject.artefact(candidate)))
}
