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
use crate::events::{Counts, Event, Listener};
use crate::executor::JobId;
use crate::journal::Journal;
use crate::judge::{Abort, Judge, Quorum};
use crate::other_crashes::CrashCollection;
use crate::record::Record;
use crate::stop::Stop;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wynot_core::Outcome;
use wynot_subjects::Variant;

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
    pub timeout: Duration,
    /// How many runs decide the outcome of a variant.
    pub quorum: Quorum,
}

/// Opens sessions for one subject after another, and holds the state they share.
pub struct Lab<'l> {
    pub(crate) judge: &'l dyn Judge,
    pub(crate) budget: Budget,
    pub(crate) timeout: Duration,
    pub(crate) quorum: Quorum,
    /// Whether outcomes of an earlier run were loaded.
    pub(crate) resumed: bool,
    journal: Mutex<Journal>,
    outcomes: Mutex<HashMap<Digest, KnownOutcome>>,
    listener: Mutex<Box<dyn Listener + Send + 'l>>,
    crashes: Mutex<CrashCollection>,
    stop: Arc<AtomicBool>,
    next_session: AtomicU32,
    next_job: AtomicU64,
}

/// A known outcome and its origin.
#[derive(Clone, Debug)]
pub(crate) struct KnownOutcome {
    /// The outcome, or the test's request to abort the search.
    pub outcome: Result<Outcome, Abort>,
    pub origin: Origin,
    /// The first session that used the outcome.
    pub used_in: Option<u32>,
    /// Whether a second series of runs has confirmed it (only where failure rates are compared).
    pub confirmed: bool,
    /// The name of the observed crash, if any.
    pub crash: Option<String>,
    /// The judge's summary of the run, if it gives one.
    pub summary: Option<String>,
}

/// The origin of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The journal of an earlier run.
    EarlierRun,
    /// A test of this run, in the session with this number.
    ThisRun(u32),
}

impl KnownOutcome {
    pub(crate) fn new(outcome: Result<Outcome, Abort>, origin: Origin) -> Self {
        Self { outcome, origin, used_in: None, confirmed: false, crash: None, summary: None }
    }

    /// Whether the outcome costs this session no test, because an earlier run or another session has paid for it.
    pub(crate) fn is_free_for(&self, session: u32) -> bool {
        self.origin == Origin::EarlierRun || self.used_in.is_some_and(|first| first != session)
    }
}

impl<'l> Lab<'l> {
    /// Creates a lab that knows the outcomes of earlier runs.
    pub fn new(parts: LabParts<'l>) -> Self {
        let mut outcomes = HashMap::new();
        for record in parts.past {
            if let Record::Test(test) = record
                && let Some((digest, outcome)) = test.parse()
            {
                let (crash, summary) = (test.crash.clone(), test.summary.clone());
                let known = KnownOutcome::new(Ok(outcome), Origin::EarlierRun);
                outcomes.insert(digest, KnownOutcome { crash, summary, ..known });
            }
        }
        Self {
            judge: parts.judge,
            budget: parts.budget,
            timeout: parts.timeout,
            quorum: parts.quorum,
            resumed: !outcomes.is_empty(),
            journal: Mutex::new(parts.journal),
            outcomes: Mutex::new(outcomes),
            listener: Mutex::new(parts.listener),
            crashes: Mutex::new(parts.crashes),
            stop: parts.stop,
            next_session: AtomicU32::new(0),
            next_job: AtomicU64::new(0),
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

    /// Hands a remark to the listener.
    pub fn remark(&self, text: &str) {
        self.notify(&Event::Remark(text), &Counts::default());
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

    pub(crate) fn notify(&self, event: &Event<'_>, counts: &Counts) {
        lock(&self.listener).on(event, counts);
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
