//! What a search has arrived at.

use wynot_core::Isolated;
use wynot_session::judge::Rate;
use wynot_session::{Certificate, Counts, EndStatus, Observation, PassCounts, Stop};
use wynot_subjects::Variant;

/// How a search ended.
#[derive(Debug)]
pub enum Status {
    /// Everything was tried, and the result was tested once more.
    Minimal,
    /// The test contradicted itself about the result.
    Indeterminate,
    /// Something ended the search early.
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
    /// What is proved about the result, if nothing ended the search early.
    pub certificate: Option<Certificate>,
    /// The failing side.
    pub failing: Variant,
    /// The passing side.
    pub passing: Variant,
    /// How many deltas the failing side has.
    pub deltas: u64,
    /// Both sides as configurations, where the search was over deltas.
    pub sides: Option<Isolated>,
    /// The last run of the failing side.
    pub last_run: Option<Observation>,
    /// The tests.
    pub counts: Counts,
    /// What each pass has cost and gained.
    pub passes: Vec<PassCounts>,
    /// How often the failing side fails, if that was measured.
    pub rate: Option<Rate>,
}
