//! The reasons why a search cannot start after the first runs.

use super::exit_meaning::Abort;
use wynot_core::Outcome;
use wynot_crash::BacktraceTooShort;

/// Why a search cannot start after the first runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FirstRunsError {
    /// Both sides exit 0.
    #[error(
        "the test succeeds on the original and on the passing side, so it does not tell them apart"
    )]
    BothSucceed,
    /// The original does not fail as the criteria require.
    #[error("the failure does not reproduce: the test says '{seen}' about the original")]
    OriginalDoesNotFail {
        /// The outcome of the original.
        seen: Outcome,
    },
    /// A measurement of the original is too near to its limit.
    #[error(
        "the original uses {measured}, which is too near to the limit of {condition}: it must exceed it by a quarter, for memory by 2 %"
    )]
    NearLimit {
        /// The measurement in words.
        measured: String,
        /// The condition.
        condition: String,
    },
    /// There is no limit between the original and the passing side.
    #[error(
        "{condition}: the original uses {original}, the passing side {passing}, so there is no clear limit between them; give one, such as 'seconds>2' or 'memory>1G'"
    )]
    NoLimit {
        /// The condition.
        condition: String,
        /// The measurement of the original in words.
        original: String,
        /// The measurement of the passing side in words.
        passing: String,
    },
    /// Both sides fail in the same way.
    #[error("the passing side ends like the original, so it is not clear what the failure is")]
    PassingSideFails,
    /// Crashes are compared, but the original does not crash.
    #[error(
        "the original does not crash: it dies by no signal, and its output contains no crash report"
    )]
    NoCrash,
    /// Crashes are compared, but the backtrace of the original's crash is incomplete.
    #[error(transparent)]
    NotKnown(#[from] BacktraceTooShort),
    /// The test does not pass although everything that might prevent the failure is present.
    #[error(
        "the failure is not prevented: the test does not pass even with everything that may prevent it"
    )]
    NothingPrevents,
    /// The test requested the end of the search.
    #[error(transparent)]
    Abort(#[from] Abort),
}
