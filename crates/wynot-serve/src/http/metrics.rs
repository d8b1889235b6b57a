//! What is counted, as Prometheus reads it.

use super::api_error::ApiError;
use crate::jobs::job_context::JobContext;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Counts since the start of the server.
#[derive(Debug)]
pub struct Metrics {
    started: Instant,
    /// Requests by the first digit of their status.
    requests: [AtomicU64; 6],
    /// Accepted submissions.
    submissions: AtomicU64,
    /// Watchers that are connected.
    watchers: AtomicU64,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            requests: Default::default(),
            submissions: AtomicU64::new(0),
            watchers: AtomicU64::new(0),
        }
    }
}

/// A watcher that is counted as long as it exists.
#[derive(Debug)]
pub struct CountedWatcher(Arc<Metrics>);

impl CountedWatcher {
    /// Counts one more watcher.
    pub fn new(metrics: &Arc<Metrics>) -> Self {
        metrics.watchers.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(metrics))
    }
}

impl Drop for CountedWatcher {
    fn drop(&mut self) {
        self.0.watchers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counts a response.
    pub fn count_response(&self, status: u16) {
        let class = usize::from(status / 100).min(self.requests.len() - 1);
        self.requests[class].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an accepted submission.
    pub fn count_submission(&self) {
        self.submissions.fetch_add(1, Ordering::Relaxed);
    }

    /// All counts, in the text format of Prometheus.
    pub fn text(&self, context: &JobContext) -> Result<String, ApiError> {
        let mut text = String::new();
        let mut jobs = String::new();
        for (state, count) in context.store.count_states()? {
            // Writing to a string cannot fail.
            let _ = writeln!(jobs, "wynot_jobs{{state=\"{}\"}} {count}", state.name());
        }
        let mut requests = String::new();
        for (class, count) in self.requests.iter().enumerate().skip(1) {
            let count = count.load(Ordering::Relaxed);
            let _ = writeln!(requests, "wynot_requests_total{{status=\"{class}xx\"}} {count}");
        }
        let groups = [
            ("wynot_jobs", "gauge", "Jobs by state.", jobs),
            ("wynot_requests_total", "counter", "Requests by the class of their status.", requests),
        ];
        for (name, kind, help, lines) in groups {
            let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{lines}");
        }
        let values = [
            (
                "wynot_submissions_total",
                "counter",
                "Accepted submissions.",
                self.submissions.load(Ordering::Relaxed),
            ),
            (
                "wynot_watchers",
                "gauge",
                "Watchers that are connected.",
                self.watchers.load(Ordering::Relaxed),
            ),
            (
                "wynot_slots",
                "gauge",
                "Jobs that can run at the same time.",
                context.config.slots as u64,
            ),
            (
                "wynot_uptime_seconds",
                "gauge",
                "Time since the start.",
                self.started.elapsed().as_secs(),
            ),
        ];
        for (name, kind, help, value) in values {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        }
        Ok(text)
    }
}
