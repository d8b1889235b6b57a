//! The oracle over a subject, an executor and a judge.
//!
//! A session takes attempts from the algorithm's stream as slots become idle, so later attempts are
//! tested early on the assumption that earlier ones are not decisive. Outcomes are *used* strictly in
//! stream order. Everything that counts or decides happens when an outcome is used; which tests ran
//! ahead, and how long they took, is not seen by the algorithm. Hence the same result, the same steps
//! and the same count of tests for every number of slots, and after every resume.

use crate::executor::{TICK, observe};
use crate::votes::Votes;
use crate::{
    Counts, Digest, Event, Executor, Finished, Journal, Judge, Keeper, Listener, Observation,
    Quorum, Record, Side, Start, Step, Stop, TestRecord, Ticket,
};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use wynot_core::{Attempt, Configuration, Decision, Monotony, Oracle, Outcome, Outcomes, Part};
use wynot_subjects::Subject;

/// How many attempts are looked at ahead of the one that is being waited for.
const LOOKAHEAD: usize = 4096;

/// What bounds a search.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How long a test may take.
    pub timeout: Duration,
    /// How many tests the search may use.
    pub max_tests: Option<u64>,
    /// When it has to end.
    pub deadline: Option<Instant>,
    /// How often each test is asked.
    pub quorum: Quorum,
}

/// Answers an algorithm's questions about a subject by running tests.
pub struct Session<'a, E> {
    subject: &'a Subject,
    executor: &'a mut E,
    judge: &'a Judge,
    journal: &'a mut Journal,
    keeper: &'a Keeper,
    listener: &'a mut dyn Listener,
    interrupt: &'a AtomicBool,
    bounds: Bounds,
    monotony: Option<Monotony>,
    /// Outcomes by the contents of the variant, used or not.
    known: HashMap<Digest, Known>,
    /// Outcomes that were used, by configuration.
    decided: HashMap<Digest, Outcome>,
    /// Tests that run now.
    flights: HashMap<Ticket, Flight>,
    counts: Counts,
    level: usize,
    next_ticket: Ticket,
    variant: Vec<u8>,
    /// The digest of what is in `variant`, where it is known.
    composed: Option<Digest>,
}

/// What the parts of a session are.
pub struct Parts<'a, E> {
    /// What is varied.
    pub subject: &'a Subject,
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
}

/// An outcome and where it comes from.
struct Known {
    outcome: Outcome,
    /// From the journal of an earlier run.
    replayed: bool,
    used: bool,
}

/// A test that runs.
struct Flight {
    digest: Digest,
    bytes: u64,
    votes: Votes,
    /// Kept when the test may have to run again.
    variant: Option<Vec<u8>>,
    cancelled: bool,
}

/// An attempt whose outcome has not been used yet.
struct Pending<N> {
    attempt: Attempt<Configuration, N>,
    identity: Digest,
    /// The digest of the variant, unless the configuration was decided when the attempt came in.
    contents: Option<Digest>,
}

impl<'a, E: Executor> Session<'a, E> {
    /// A session that knows the outcomes of earlier runs.
    pub fn new(parts: Parts<'a, E>, bounds: Bounds, monotony: bool, past: &[Record]) -> Self {
        let mut known = HashMap::new();
        for record in past {
            if let Record::Test(test) = record
                && let Some((digest, outcome)) = test.parsed()
            {
                known.insert(digest, Known { outcome, replayed: true, used: false });
            }
        }
        let axioms = [
            (Configuration::empty(), Outcome::Pass),
            (Configuration::full(parts.subject.deltas()), Outcome::Fail),
        ];
        let decided = axioms.iter().map(|(c, o)| (Digest::of_configuration(c), *o)).collect();
        let Parts { subject, executor, judge, journal, keeper, listener, interrupt } = parts;
        Self {
            subject,
            executor,
            judge,
            journal,
            keeper,
            listener,
            interrupt,
            bounds,
            monotony: monotony.then(Monotony::default),
            known,
            decided,
            flights: HashMap::new(),
            counts: Counts::default(),
            level: 0,
            next_ticket: 0,
            variant: Vec::new(),
            composed: None,
        }
    }

    /// The tests so far.
    pub fn counts(&self) -> Counts {
        let unused = self.known.values().filter(|known| !known.used && !known.replayed).count();
        Counts { speculative: unused as u64, ..self.counts }
    }

    /// Tests a configuration anew, whatever is known about it; whether the outcome is as expected.
    pub fn verify(
        &mut self,
        configuration: &Configuration,
        expected: Outcome,
    ) -> Result<bool, Stop> {
        self.land()?;
        let mut variant = Vec::new();
        self.subject.compose(configuration, &mut variant);
        let mut votes = Votes::default();
        loop {
            let timeout = self.bounds.timeout;
            let seen = observe(self.executor, &variant, timeout, self.interrupt)?;
            if let Some(outcome) = votes.add(self.judge.outcome(&seen)?, self.bounds.quorum) {
                return Ok(outcome == expected);
            }
        }
    }

    /// Cancels all running tests and waits for their end.
    fn land(&mut self) -> Result<(), Stop> {
        let running: Vec<Ticket> = self.flights.keys().copied().collect();
        for ticket in running {
            self.executor.cancel(ticket)?;
        }
        while !self.flights.is_empty() {
            self.wait()?;
        }
        Ok(())
    }

    /// The first attempt in order whose outcome is decisive.
    fn search<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<Configuration, N>>,
    ) -> Result<Option<Decision<Configuration, N>>, Stop> {
        let mut attempts = attempts.fuse();
        let mut window: VecDeque<Pending<N>> = VecDeque::new();
        loop {
            while let Some(front) = window.front() {
                let Some(outcome) = self.use_outcome(front)? else { break };
                let Some(Pending { attempt, .. }) = window.pop_front() else { break };
                if attempt.decisive.contains(outcome) {
                    self.take_step(&attempt, outcome)?;
                    let Attempt { configuration, next, .. } = attempt;
                    return Ok(Some(Decision { configuration, outcome, next }));
                }
            }
            let Some(front) = window.front() else {
                match attempts.next() {
                    Some(attempt) => window.push_back(self.admit(attempt)),
                    None => return Ok(None),
                }
                continue;
            };
            if !self.start(front)? {
                self.make_way(&window)?;
            }
            while self.executor.idle() > 0 && self.may_look_ahead(window.len()) {
                let Some(attempt) = attempts.next() else { break };
                let pending = self.admit(attempt);
                self.start(&pending)?;
                window.push_back(pending);
            }
            self.wait()?;
        }
    }

    /// Whether one more attempt may be tested early, `ahead` being there already.
    fn may_look_ahead(&self, ahead: usize) -> bool {
        let left = self.bounds.max_tests.map(|limit| limit.saturating_sub(self.counts.executed));
        ahead < LOOKAHEAD && left.is_none_or(|left| (ahead as u64) < left)
    }

    /// Looks at an attempt's variant, unless its configuration was decided before.
    fn admit<N>(&mut self, attempt: Attempt<Configuration, N>) -> Pending<N> {
        let identity = Digest::of_configuration(&attempt.configuration);
        let decided = self.decided.contains_key(&identity);
        let contents = (!decided).then(|| self.compose(&attempt.configuration));
        Pending { attempt, identity, contents }
    }

    /// Makes the variant of a configuration and names its contents.
    fn compose(&mut self, configuration: &Configuration) -> Digest {
        self.subject.compose(configuration, &mut self.variant);
        let digest = Digest::of_bytes(&self.variant);
        self.composed = Some(digest);
        digest
    }

    /// Uses the outcome of an attempt whose turn has come; `None` if it is not known yet.
    fn use_outcome<N>(&mut self, pending: &Pending<N>) -> Result<Option<Outcome>, Stop> {
        self.check_bounds()?;
        let configuration = &pending.attempt.configuration;
        let (outcome, repeated) = if let Some(&outcome) = self.decided.get(&pending.identity) {
            self.counts.cached += 1;
            (outcome, true)
        } else if let Some(implied) =
            self.monotony.as_ref().and_then(|monotony| monotony.implied(configuration))
        {
            self.counts.implied += 1;
            self.decided.insert(pending.identity, implied);
            (implied, true)
        } else {
            let limit = self.bounds.max_tests.unwrap_or(u64::MAX);
            if self.counts.executed >= limit {
                return Err(Stop::MaxTests(limit));
            }
            let known = pending.contents.and_then(|digest| self.known.get_mut(&digest));
            let Some(known) = known else { return Ok(None) };
            self.counts.shared += u64::from(known.used);
            self.counts.replayed += u64::from(known.replayed && !known.used);
            known.used = true;
            let outcome = known.outcome;
            self.counts.add(outcome);
            self.decided.insert(pending.identity, outcome);
            if let Some(monotony) = &mut self.monotony {
                monotony.learn(configuration, outcome);
            }
            (outcome, false)
        };
        let part = pending.attempt.part;
        self.listener.on(&Event::Tested { configuration, part, outcome, repeated }, &self.counts);
        Ok(Some(outcome))
    }

    fn check_bounds(&self) -> Result<(), Stop> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        match self.bounds.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stop::MaxTime),
            _ => Ok(()),
        }
    }

    /// Keeps what a decisive test has gained.
    fn take_step<N>(
        &mut self,
        attempt: &Attempt<Configuration, N>,
        outcome: Outcome,
    ) -> Result<(), Stop> {
        let side = match outcome {
            Outcome::Pass => Side::Passing,
            Outcome::Fail | Outcome::Unresolved => Side::Failing,
        };
        let digest = self.compose(&attempt.configuration);
        let known = self.known.get(&digest);
        // A replayed step is behind what an earlier run has already written; an implied one untested.
        if known.is_some_and(|known| !known.replayed) {
            self.keeper.save(side, &self.variant)?;
        }
        let step = Step {
            tests: self.counts.executed,
            side,
            bytes: self.variant.len() as u64,
            deltas: attempt.configuration.len() as u64,
            part: attempt.part.to_string(),
            level: self.level,
        };
        self.listener.on(&Event::Step(&step), &self.counts);
        self.record(&Record::Step(step))
    }

    fn record(&mut self, record: &Record) -> Result<(), Stop> {
        self.journal
            .append(record)
            .map_err(|source| Stop::Write { path: self.journal.path().to_owned(), source })
    }

    /// Starts the test of an attempt if it has to run and can; whether it is under way or settled.
    fn start<N>(&mut self, pending: &Pending<N>) -> Result<bool, Stop> {
        let Some(digest) = pending.contents else { return Ok(true) };
        let flying = |flight: &Flight| flight.digest == digest && !flight.cancelled;
        if self.known.contains_key(&digest) || self.flights.values().any(flying) {
            return Ok(true);
        }
        if self.executor.idle() == 0 {
            return Ok(false);
        }
        if self.composed != Some(digest) {
            self.compose(&pending.attempt.configuration);
        }
        let ticket = self.next_ticket;
        match self.executor.start(ticket, &self.variant, self.bounds.timeout)? {
            Start::NoRoom => return Ok(false),
            Start::Running => self.next_ticket += 1,
        }
        let flight = Flight {
            digest,
            bytes: self.variant.len() as u64,
            votes: Votes::default(),
            variant: (self.bounds.quorum.repeat > 1).then(|| self.variant.clone()),
            cancelled: false,
        };
        self.flights.insert(ticket, flight);
        Ok(true)
    }

    /// Cancels the tests that nobody waits for any more, so that the next one can run.
    fn make_way<N>(&mut self, window: &VecDeque<Pending<N>>) -> Result<(), Stop> {
        let wanted = |digest: Digest| window.iter().any(|p| p.contents == Some(digest));
        for (ticket, flight) in &mut self.flights {
            if !flight.cancelled && !wanted(flight.digest) {
                flight.cancelled = true;
                self.executor.cancel(*ticket)?;
            }
        }
        Ok(())
    }

    /// Waits until a test has ended or a moment has passed, and takes note of outcomes.
    fn wait(&mut self) -> Result<(), Stop> {
        let Some((ticket, finished)) = self.executor.wait(TICK)? else {
            self.listener.on(&Event::Tick, &self.counts);
            return self.check_bounds();
        };
        let Some(mut flight) = self.flights.remove(&ticket) else { return Ok(()) };
        let Finished::Observed(seen) = finished else { return Ok(()) };
        let answer = self.judge.outcome(&seen)?;
        match flight.votes.add(answer, self.bounds.quorum) {
            Some(outcome) => self.learn(&flight, outcome, &seen),
            None if flight.cancelled => Ok(()),
            None => {
                let variant = flight.variant.as_deref().unwrap_or_default();
                let again = self.executor.start(ticket, variant, self.bounds.timeout)?;
                if again == Start::Running {
                    self.flights.insert(ticket, flight);
                }
                Ok(())
            }
        }
    }

    fn learn(&mut self, flight: &Flight, outcome: Outcome, seen: &Observation) -> Result<(), Stop> {
        self.record(&Record::Test(TestRecord {
            digest: flight.digest.to_string(),
            outcome: outcome.to_string(),
            ending: seen.ending,
            micros: seen.elapsed.as_micros() as u64,
            bytes: flight.bytes,
        }))?;
        self.known.insert(flight.digest, Known { outcome, replayed: false, used: false });
        Ok(())
    }
}

impl<E: Executor> Oracle<Configuration> for Session<'_, E> {
    type Stop = Stop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<Configuration, N>>,
    ) -> Result<Option<Decision<Configuration, N>>, Stop> {
        self.search(attempts)
    }

    fn each(
        &mut self,
        configurations: impl Iterator<Item = Configuration>,
    ) -> Result<Vec<Outcome>, Stop> {
        let mut identities = Vec::new();
        let attempts = configurations.map(|configuration| {
            identities.push(Digest::of_configuration(&configuration));
            let part = Part::Subset { index: 1, of: 1 };
            Attempt { configuration, part, decisive: Outcomes::NONE, next: () }
        });
        self.search(attempts)?;
        Ok(identities.iter().map(|identity| self.decided[identity]).collect())
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        self.level = level;
        self.listener.on(&Event::Level { level, deltas }, &self.counts);
    }
}
