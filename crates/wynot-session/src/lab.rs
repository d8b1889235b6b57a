//! The state that all sessions of a search share.
//!
//! A search may consist of several parts: one cause after another, commits and then the lines of one commit, the search
//! and then its audit, many locations in a running program. Each part is a session with its own subject. The lab holds
//! what the sessions share: the judge, all known outcomes, the journal, the budget, the listener and the stop flag. A
//! later session therefore reuses the outcomes of earlier ones, and the limits apply to the search as a whole.
//!
//! Threads can share a lab, each with its own session and executor.

use crate::budget::Budget;
use crate::digest::Digest;
use crate::events::{Counts, Event, Listener, SearchPart};
use crate::files::{Durability, SyncPace};
use crate::journal::Journal;
use crate::judge::{Judge, ObservedFailure, Quorum};
use crate::other_crashes::CrashCollection;
use crate::record::Record;
use crate::resume::{KnownOutcome, known_outcomes};
use crate::stop::Stop;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use wynot_subjects::Variant;
use wynot_supervisor::{JobId, Timeout};

/// The parts of a new lab.
pub struct LabParts<'l> {
    /// The judge that turns observations into outcomes.
    pub judge: &'l dyn Judge,
    /// The journal that records outcomes.
    pub journal: Journal,
    /// The records of earlier runs in the journal.
    pub past: &'l [Record],
    /// The limits of the whole search.
    pub budget: Budget,
    /// The receiver of the events of all sessions.
    pub listener: Box<dyn Listener + Send + 'l>,
    /// The flag that stops the search when it is set.
    pub stop: Arc<AtomicBool>,
    /// The collection of crashes other than the one under search.
    pub crashes: CrashCollection,
    /// The time limit of each test.
    pub timeout: Timeout,
    /// How many runs decide the outcome of a variant.
    pub quorum: Quorum,
}

/// Why a test was unresolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedTest {
    /// The reason, such as "did not build".
    pub reason: String,
    /// The message of the test, if it has one.
    pub message: Option<String>,
}

/// Opens sessions for one subject after another, and holds the state they share.
pub struct Lab<'l> {
    pub(crate) judge: &'l dyn Judge,
    pub(crate) budget: Budget,
    pub(crate) timeout: Timeout,
    pub(crate) quorum: Quorum,
    /// Whether outcomes of an earlier run were loaded.
    pub(crate) resumed: bool,
    journal: Mutex<Journal>,
    sync_pace: Mutex<SyncPace>,
    outcomes: Mutex<HashMap<Digest, KnownOutcome>>,
    listener: Mutex<Box<dyn Listener + Send + 'l>>,
    crashes: Mutex<CrashCollection>,
    stop: Arc<AtomicBool>,
    next_session: AtomicU32,
    next_job: AtomicU64,
    /// The counts of the sessions that have ended, and of each one that is open.
    counts: Mutex<(Counts, BTreeMap<u32, Counts>)>,
    /// The runs of tests that run more than once each.
    runs: AtomicU64,
}

impl<'l> Lab<'l> {
    /// Creates a lab that knows the outcomes of earlier runs.
    pub fn new(parts: LabParts<'l>) -> Self {
        let outcomes = known_outcomes(parts.past);
        Self {
            judge: parts.judge,
            budget: parts.budget,
            timeout: parts.timeout,
            quorum: parts.quorum,
            resumed: !outcomes.is_empty(),
            journal: Mutex::new(parts.journal),
            sync_pace: Mutex::default(),
            outcomes: Mutex::new(outcomes),
            listener: Mutex::new(parts.listener),
            crashes: Mutex::new(parts.crashes),
            stop: parts.stop,
            next_session: AtomicU32::new(0),
            next_job: AtomicU64::new(0),
            counts: Mutex::default(),
            runs: AtomicU64::new(0),
        }
    }

    /// The crashes collected so far, other than the one under search.
    pub fn crashes(&self) -> CrashCollection {
        lock(&self.crashes).clone()
    }

    /// Appends a record to the journal.
    pub fn record(&self, record: &Record) -> Result<(), Stop> {
        let mut journal = lock(&self.journal);
        journal
            .append(record)
            .map_err(|source| Stop::Write { path: journal.path().to_owned(), source })
    }

    /// Whether an accepted step is on the disk at once: if that has not been so for some time.
    pub(crate) fn durability_of_step(&self) -> (Durability, Instant) {
        let started = Instant::now();
        (lock(&self.sync_pace).durability(started), started)
    }

    /// Appends the record of an accepted step, whose result was written with this durability since a time.
    pub(crate) fn record_step(
        &self,
        step: &Record,
        (durability, started): (Durability, Instant),
    ) -> Result<(), Stop> {
        self.record(step)?;
        if durability == Durability::Synced {
            let journal = lock(&self.journal);
            journal
                .sync()
                .map_err(|source| Stop::Write { path: journal.path().to_owned(), source })?;
            lock(&self.sync_pace).synced(started, Instant::now());
        }
        Ok(())
    }

    /// The number of distinct tests whose outcomes the sessions have used.
    pub fn used_tests(&self) -> u64 {
        self.outcomes().values().filter(|known| known.used_in.is_some()).count() as u64
    }

    /// The failure that the test of a variant showed, if it failed and the judge describes failures.
    pub fn failure_of(&self, variant: Digest) -> Option<ObservedFailure> {
        self.outcomes().get(&variant).and_then(|known| known.failure.clone())
    }

    /// Why the test of a variant was unresolved, if it was.
    pub fn unresolved(&self, variant: Digest) -> Option<UnresolvedTest> {
        let outcomes = self.outcomes();
        let known = outcomes.get(&variant)?;
        let reason = known.reason.clone()?;
        Some(UnresolvedTest { reason, message: known.summary.clone() })
    }

    /// The reasons why used outcomes are unresolved, with the number of tests for each.
    pub fn unresolved_reasons(&self) -> BTreeMap<String, u64> {
        let mut reasons = BTreeMap::new();
        for known in self.outcomes().values().filter(|known| known.used_in.is_some()) {
            if let Some(reason) = &known.reason {
                *reasons.entry(reason.clone()).or_default() += 1;
            }
        }
        reasons
    }

    /// Says to the listener where the search stands.
    pub fn place(&self, text: &str) {
        self.notify(&Event::Place(text));
    }

    /// Hands a remark to the listener.
    pub fn remark(&self, text: &str) {
        self.notify(&Event::Remark(text));
    }

    /// Begins a part of the search, which the steps that follow belong to.
    pub fn begin_part(&self, name: &str, noun: &str, deltas: u64, bytes: u64) {
        let (name, noun) = (name.to_owned(), noun.to_owned());
        let part = SearchPart { name, noun, tests: self.counts().executed, deltas, bytes };
        self.notify(&Event::Part(&part));
        // A journal that cannot be written ends the search at its next outcome.
        let _ = self.record(&Record::Part(part));
    }

    /// The number of runs of tests that run more than once each; 0 if each test is a single run.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    pub(crate) fn count_run(&self) {
        self.runs.fetch_add(1, Ordering::Relaxed);
    }

    /// The counts of all sessions so far.
    fn counts(&self) -> Counts {
        let counts = lock(&self.counts);
        let sum = counts.1.values().fold(counts.0, Counts::and);
        Counts { runs: self.runs(), ..sum }
    }

    /// The number of tests of the sessions that have ended.
    pub(crate) fn ended_tests(&self) -> u64 {
        lock(&self.counts).0.executed
    }

    /// Takes over the counts of a session that has ended.
    pub(crate) fn end_session(&self, number: u32, counts: &Counts) {
        let mut all = lock(&self.counts);
        all.1.remove(&number);
        all.0 = all.0.and(counts);
    }

    /// Returns the journal when all sessions have ended.
    pub fn into_journal(self) -> Journal {
        self.journal.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the stop flag is set.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn outcomes(&self) -> MutexGuard<'_, HashMap<Digest, KnownOutcome>> {
        lock(&self.outcomes)
    }

    /// Hands an event to the listener, with the counts of all sessions so far.
    fn notify(&self, event: &Event<'_>) {
        let counts = self.counts();
        lock(&self.listener).on(event, &counts);
    }

    /// Hands an event of a session to the listener, with the counts of all sessions so far.
    pub(crate) fn notify_of(&self, session: u32, event: &Event<'_>, counts: &Counts) {
        lock(&self.counts).1.insert(session, *counts);
        self.notify(event);
    }

    /// The number of the next session.
    pub(crate) fn next_session(&self) -> u32 {
        self.next_session.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn next_job(&self) -> JobId {
        JobId(self.next_job.fetch_add(1, Ordering::Relaxed))
    }

    /// Adds a variant to the crash collection if its crash is new there, or if it is smaller than the variant kept for
    /// that crash.
    pub(crate) fn collect_crash(
        &self,
        crash: &str,
        variant: impl FnOnce() -> Variant,
    ) -> Result<(), Stop> {
        let mut crashes = lock(&self.crashes);
        if !crashes.is_collecting() {
            return Ok(());
        }
        let variant = variant();
        if !crashes.lacks(crash, variant.size()) {
            return Ok(());
        }
        let path = crashes.directory().map(PathBuf::from).unwrap_or_default();
        crashes.add(crash, &variant).map_err(|source| Stop::Write { path, source })
    }
}

/// Locks a mutex, even if another thread has panicked: no critical section here can leave its value inconsistent.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
