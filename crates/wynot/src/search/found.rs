//! The result of a search.

use wynot_core::Isolated;
use wynot_session::judge::Rate;
use wynot_session::{Certificate, Counts, EndStatus, PassCounts, Stop};
use wynot_subjects::Variant;

/// How a search ended.
#[derive(Debug)]
pub enum Status {
    /// The search was complete, and the result was confirmed.
    Minimal,
    /// The test contradicted itself about the result.
    Indeterminate,
    /// The search was stopped early.
    Stopped(Stop),
}

impl Status {
    /// The status without its reason.
    pub fn kind(&self) -> EndStatus {
        match self {
            Self::Minimal => EndStatus::Minimal,
            Self::Indeterminate => EndStatus::Indeterminate,
            Self::Stopped(_) => EndStatus::Stopped,
        }
    }
}

/// The result of a search, or of a part of it.
#[derive(Debug)]
pub struct Found {
    /// How the search ended.
    pub status: Status,
    /// What is proved about the result; `None` if the search was stopped early.
    pub certificate: Option<Certificate>,
    /// The failing side.
    pub failing: Variant,
    /// The passing side.
    pub passing: Variant,
    /// The number of deltas of the failing side.
    pub deltas: u64,
    /// Both sides as configurations, if the search was over deltas.
    pub sides: Option<Isolated>,
    /// The counts of tests.
    pub counts: Counts,
    /// The tests and gains of each pass.
    pub passes: Vec<PassCounts>,
    /// How often the failing side fails, if that was measured.
    pub rate: Option<Rate>,
}
