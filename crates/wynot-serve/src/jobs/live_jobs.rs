//! The present state of jobs, for their watchers.
//!
//! The thread of a running job reads the events of its process, keeps a [`LiveView`] of them, and notifies watchers. A watcher
//! then reads the events themselves from the file, from the place up to which it has read: so nothing is missed by a
//! watcher that comes late or comes back, and a watcher of a job that does nothing costs nothing.

use crate::store::JobCode;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The most points of a curve; beyond that, every second one is left out.
const MAX_CURVE_POINTS: usize = 400;

/// All jobs that are watched or that run.
#[derive(Debug, Default)]
pub struct LiveJobs(Mutex<HashMap<JobCode, Arc<LiveJob>>>);

/// A job that is watched or that runs.
#[derive(Debug)]
pub struct LiveJob {
    view: Mutex<LiveView>,
    changes: watch::Sender<u64>,
}

/// What is known about a running job.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LiveView {
    /// The number of the attempt that the events belong to.
    pub attempt: i64,
    /// The number of bytes of the events that are part of this view.
    pub events_bytes: u64,
    /// The number of tests.
    pub tests: u64,
    /// The number of tests with each outcome.
    pub outcomes: OutcomeCounts,
    /// The size of the best result so far.
    pub bytes: Option<u64>,
    /// What is being tried.
    pub part: String,
    /// The last remark about the search.
    pub remark: Option<String>,
    /// The time since the start of the attempt.
    pub seconds: f64,
    /// The size after each number of tests.
    pub curve: Vec<(u64, u64)>,
}

/// The number of tests with each outcome.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct OutcomeCounts {
    /// Tests that failed in the same way.
    pub fail: u64,
    /// Tests that passed.
    pub pass: u64,
    /// Other tests.
    pub unresolved: u64,
}

impl LiveJobs {
    /// A job, for watching it or for running it.
    pub fn job(&self, code: &JobCode) -> Arc<LiveJob> {
        let mut jobs = lock(&self.0);
        Arc::clone(jobs.entry(code.clone()).or_insert_with(|| {
            Arc::new(LiveJob { view: Mutex::default(), changes: watch::Sender::new(0) })
        }))
    }

    /// The present state of a job, if it is watched or runs.
    pub fn view(&self, code: &JobCode) -> Option<LiveView> {
        lock(&self.0).get(code).map(|job| job.view())
    }

    /// Notifies the watchers of a job that it has ended, and forgets it.
    pub fn end(&self, code: &JobCode) {
        let job = lock(&self.0).remove(code);
        if let Some(job) = job {
            job.notify();
        }
    }

    /// Notifies the watchers of a job that its state has changed.
    pub fn notify(&self, code: &JobCode) {
        let job = lock(&self.0).get(code).cloned();
        if let Some(job) = job {
            job.notify();
        }
    }

    /// Forgets jobs that nobody watches and that do not run.
    pub fn forget_unwatched(&self) {
        lock(&self.0).retain(|_, job| Arc::strong_count(job) > 1);
    }
}

impl LiveJob {
    /// Notices changes from now on.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// What is known now.
    pub fn view(&self) -> LiveView {
        lock(&self.view).clone()
    }

    /// Starts the view of an attempt.
    pub fn start(&self, attempt: i64) {
        *lock(&self.view) = LiveView { attempt, ..LiveView::default() };
        self.notify();
    }

    /// Adds complete lines of events.
    pub fn add(&self, lines: &[u8]) {
        let mut view = lock(&self.view);
        view.events_bytes += lines.len() as u64;
        for line in lines.split(|byte| *byte == b'\n') {
            if let Ok(event) = serde_json::from_slice::<Value>(line) {
                view.add(&event);
            }
        }
        drop(view);
        self.notify();
    }

    fn notify(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}

impl LiveView {
    fn add(&mut self, event: &Value) {
        let number = |name: &str| event[name].as_u64();
        if let Some(tests) = number("tests") {
            self.tests = self.tests.max(tests);
        }
        if let Some(seconds) = event["seconds"].as_f64() {
            self.seconds = seconds;
        }
        if let Some(part) = event["part"].as_str() {
            part.clone_into(&mut self.part);
        }
        match event["event"].as_str().unwrap_or_default() {
            "tested" if event["cached"] != true => match event["outcome"].as_str() {
                Some("fail") => self.outcomes.fail += 1,
                Some("pass") => self.outcomes.pass += 1,
                _ => self.outcomes.unresolved += 1,
            },
            "step" if event["side"] != "passing" => {
                if let Some(bytes) = number("bytes") {
                    self.bytes = Some(bytes);
                    self.add_to_curve(bytes);
                }
            }
            "remark" | "place" => {
                let text = event["text"].as_str().or(event["place"].as_str());
                self.remark = text.map(str::to_owned).or(self.remark.take());
            }
            _ => {}
        }
    }

    fn add_to_curve(&mut self, bytes: u64) {
        self.curve.push((self.tests, bytes));
        if self.curve.len() > MAX_CURVE_POINTS {
            let mut index = 0;
            self.curve.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_follows_the_events() {
        let jobs = LiveJobs::default();
        let code = JobCode::random();
        let job = jobs.job(&code);
        let changes = job.watch();
        job.start(2);
        let lines = b"{\"event\":\"tested\",\"outcome\":\"fail\",\"tests\":1,\"cached\":false,\"part\":\"bodies\"}\n\
            {\"event\":\"step\",\"side\":\"failing\",\"bytes\":40,\"tests\":1}\nnot json\n";
        job.add(lines);
        assert!(changes.has_changed().unwrap());
        let view = jobs.view(&code).unwrap();
        assert_eq!((view.attempt, view.tests, view.bytes), (2, 1, Some(40)));
        assert_eq!((view.outcomes.fail, view.part.as_str()), (1, "bodies"));
        assert_eq!(
            (view.curve.as_slice(), view.events_bytes),
            (&[(1, 40)][..], lines.len() as u64)
        );
        jobs.end(&code);
        assert!(jobs.view(&code).is_none());
    }

    #[test]
    fn curves_stay_small() {
        let mut view = LiveView::default();
        for tests in 0..10_000 {
            view.tests = tests;
            view.add_to_curve(20_000 - tests);
        }
        assert!(view.curve.len() <= MAX_CURVE_POINTS);
        assert_eq!(view.curve[0], (0, 20_000));
    }
}
