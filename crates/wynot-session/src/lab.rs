//! What outlives a question: the owner of everything that one session after another needs.
//!
//! A search may consist of several parts: one cause after the other, commits and then the lines of one of them, the
//! search and then its audit, many places of a running program. Each part is a session about a subject of its
//! own. The lab holds what they share: the judge, all known outcomes, the journal, the budget, the listener and the
//! stop flag. So a later part knows what the earlier ones have found out, and limits hold over all of them.
//!
//! A lab can be shared by threads, each with a session and an executor of its own.

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

/// What a lab is made of.
pub struct LabParts<'l> {
    /// Turns observations into outcomes.
    pub judge: &'l dyn Judge,
    /// Keeps outcomes on disk.
    pub journal: Journal,
    /// What the journal held before, from earlier runs.
    pub past: &'l [Record],
    /// The limits of the whole search.
    pub budget: Budget,
    /// Receives the events of all sessions.
    pub listener: Box<dyn Listener + Send + 'l>,
    /// Raised when the search has to stop.
    pub stop: Arc<AtomicBool>,
    /// Keeps crashes other than the one that is searched for.
    pub crashes: CrashCollection,
    /// How long a test may take.
    pub timeout: Duration,
    /// How often each variant is tested.
    pub quorum: Quorum,
}

/// Hands out sessions for one subject after another, and remembers for all of them.
pub struct Lab<'l> {
    pub(crate) judge: &'l dyn Judge,
    pub(crate) budget: Budget,
    pub(crate) timeout: Duration,
    pub(crate) quorum: Quorum,
    /// Whether outcomes of an earlier run are known.
    pub(crate) resumed: bool,
    journal: Mutex<Journal>,
    outcomes: Mutex<HashMap<Digest, KnownOutcome>>,
    listener: Mutex<Box<dyn Listener + Send + 'l>>,
    crashes: Mutex<CrashCollection>,
    stop: Arc<AtomicBool>,
    next_session: AtomicU32,
    next_job: AtomicU64,
}

/// An outcome that is known, and where it comes from.
#[derive(Clone, Debug)]
pub(crate) struct KnownOutcome {
    /// The judge's answer, or the request of the test to end everything.
    pub outcome: Result<Outcome, Abort>,
    pub origin: Origin,
    /// The session that has used it first.
    pub used_in: Option<u32>,
    /// Whether it was tested a second time, where rates are compared.
    pub confirmed: bool,
    /// The crash that was seen, if any.
    pub crash: Option<String>,
    /// How the run ended, in words, where the judge says so.
    pub summary: Option<String>,
}

/// Where an outcome was found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// In the journal of an earlier run.
    EarlierRun,
    /// By a test of this run, in the session with this number.
    ThisRun(u32),
}

impl KnownOutcome {
    pub(crate) fn new(outcome: Result<Outcome, Abort>, origin: Origin) -> Self {
        Self { outcome, origin, used_in: None, confirmed: false, crash: None, summary: None }
    }

    /// Whether a session gets it without spending a test: an earlier run or an earlier session has spent it.
    pub(crate) fn is_free_for(&self, session: u32) -> bool {
        self.origin == Origin::EarlierRun || self.used_in.is_some_and(|first| first != session)
    }
}

impl<'l> Lab<'l> {
    /// A lab that knows the outcomes of earlier runs.
    pub fn new(parts: LabParts<'l>) -> Self {
        let mut outcomes = HashMap::new();
        for record in parts.past {
            if let Record::Test(test) = record
                && let Some((digest, outcome)) = test.parsed()
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

    /// The crashes other than the one that is searched for, as far as they are collected.
    pub fn crashes(&self) -> CrashCollection {
        locked(&self.crashes).clone()
    }

    /// Adds a record to the journal.
    pub fn record(&self, record: &Record) -> Result<(), Stop> {
        let mut journal = locked(&self.journal);
        journal
            .append(record)
            .map_err(|source| Stop::Write { path: journal.path().to_owned(), source })
    }

    /// Hands a remark to the listener.
    pub fn remark(&self, text: &str) {
        self.notify(&Event::Remark(text), &Counts::default());
    }

    /// Gives the journal back, when all sessions have ended.
    pub fn into_journal(self) -> Journal {
        self.journal.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the search has to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn outcomes(&self) -> MutexGuard<'_, HashMap<Digest, KnownOutcome>> {
        locked(&self.outcomes)
    }

    pub(crate) fn notify(&self, event: &Event<'_>, counts: &Counts) {
        locked(&self.listener).on(event, counts);
    }

    /// The number of the next session.
    pub(crate) fn next_session(&self) -> u32 {
        self.next_session.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn next_job(&self) -> JobId {
        JobId(self.next_job.fetch_add(1, Ordering::Relaxed))
    }

    /// Keeps a variant that crashes in another way, if it is new or smaller than the one that is kept.
    pub(crate) fn collect_crash(
        &self,
        crash: &str,
        variant: impl FnOnce() -> Variant,
    ) -> Result<(), Stop> {
        let mut crashes = locked(&self.crashes);
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

/// Locks, also after a panic of another thread: each critical section here leaves its value whole.
fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
