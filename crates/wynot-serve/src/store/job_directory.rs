//! The directory of one job: where its files are.

use std::path::{Path, PathBuf};

/// The directory of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobDirectory(PathBuf);

impl JobDirectory {
    /// The directory at a path, whether it exists or not.
    pub fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// What was submitted.
    pub fn work(&self) -> PathBuf {
        self.0.join("work")
    }

    /// Results and the report.
    pub fn out(&self) -> PathBuf {
        self.0.join("out")
    }

    /// The journal.
    pub fn session(&self) -> PathBuf {
        self.0.join("out").join("session")
    }

    /// Temporary files.
    pub fn tmp(&self) -> PathBuf {
        self.0.join("tmp")
    }

    /// Events, messages and result objects.
    pub fn logs(&self) -> PathBuf {
        self.0.join("logs")
    }

    /// The events of an attempt, one JSON object on each line.
    pub fn events(&self, attempt: i64) -> PathBuf {
        self.logs().join(format!("events-{attempt}.jsonl"))
    }

    /// The messages of an attempt.
    pub fn messages(&self, attempt: i64) -> PathBuf {
        self.logs().join(format!("messages-{attempt}.txt"))
    }

    /// The result object of an attempt.
    pub fn result(&self, attempt: i64) -> PathBuf {
        self.logs().join(format!("result-{attempt}.json"))
    }

    /// The report.
    pub fn report(&self) -> PathBuf {
        self.out().join("report.html")
    }
}
