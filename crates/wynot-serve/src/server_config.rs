//! What an administrator decides about a server.

use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The settings of a server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The address at which it listens.
    pub listen: SocketAddr,
    /// The directory with everything that must not be lost: the database and the jobs.
    pub data: PathBuf,
    /// The program of jobs, which is `wynot` itself.
    pub program: PathBuf,
    /// The number of jobs that run at the same time.
    pub slots: usize,
    /// The number of tests of a job that run at the same time.
    pub tests_per_job: usize,
    /// What a job may use.
    pub limits: JobLimits,
    /// How long jobs are kept after their end; `None` for ever.
    pub keep: Option<Duration>,
    /// The most bytes of a submission.
    pub max_upload_bytes: u64,
    /// The most jobs of one submitter that wait at the same time.
    pub max_queued: u64,
    /// The most submissions of one submitter in a second, on average.
    pub submissions_per_second: u32,
    /// The user and group of jobs, if the server may change them.
    pub job_user: Option<(u32, u32)>,
    /// The address at which browsers reach the server, for links in webhooks, such as `https://wynot.example`.
    pub public_url: Option<String>,
    /// Whether limits that this system cannot enforce are left out.
    pub is_partial: bool,
}

/// Where a server reports what happens, as JSON objects with an `event`.
#[derive(Clone)]
pub struct ServerLog(Arc<dyn Fn(&Value) + Send + Sync>);

impl ServerLog {
    /// A log whose entries are given to a function.
    pub fn new(write: impl Fn(&Value) + Send + Sync + 'static) -> Self {
        Self(Arc::new(write))
    }

    /// Adds an entry.
    pub fn add(&self, entry: &Value) {
        (self.0)(entry);
    }

    /// Adds an error, with what was attempted.
    pub fn add_error(&self, attempt: &str, error: &dyn std::error::Error) {
        self.add(&json!({"event": "error", "message": format!("{attempt}: {error}")}));
    }
}

/// What one job may use, all its processes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobLimits {
    /// The memory, in bytes.
    pub memory: u64,
    /// The number of processes.
    pub processes: u64,
    /// The processor time per second, in hundredths of a processor.
    pub cpu_percent: u64,
    /// The size of all its files, in bytes.
    pub disk: u64,
    /// The time from its start to its end.
    pub time: Duration,
}
