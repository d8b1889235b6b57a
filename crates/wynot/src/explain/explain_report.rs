//! The report of an explanation.

use super::runs::ComparedRuns;
use std::path::PathBuf;
use std::time::Duration;
use wynot_session::Stop;
use wynot_state::CauseEffectChain;
use wynot_state::dwarf::Program;
use wynot_state::process::RunEnd;

/// The report of an explanation that has ended.
pub struct ExplainReport {
    /// The two runs that were compared.
    pub runs: ComparedRuns,
    /// The program that both runs execute.
    pub program: Program,
    /// The chain, as far as it was found.
    pub chain: CauseEffectChain<Stop>,
    /// How the passing run ends without experiments.
    pub passing: RunEnd,
    /// How the failing run ends without experiments.
    pub failing: RunEnd,
    /// How the failing run ends at random addresses, in words, if it ends differently there.
    pub uncontrolled: Option<String>,
    /// The directory of the session.
    pub session: PathBuf,
    /// The number of experiments.
    pub tests: u64,
    /// How long the search took.
    pub elapsed: Duration,
}
