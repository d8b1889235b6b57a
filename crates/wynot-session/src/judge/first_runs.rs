//! The reasons for which the first runs give nothing to search for.

use super::exit_meaning::Abort;
use wynot_core::Outcome;
use wynot_crash::BacktraceTooShort;

/// Why the first runs give nothing to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FirstRunsError {
    /// Both sides exit 0.
    #[error(
        "the test succeeds on the original and on the passing side, so it does not tell them apart"
    )]
    BothSucceed,
    /// The original does not show the failure that was asked for.
    #[error("the failure does not reproduce: the test says '{seen}' about the original")]
    OriginalDoesNotFail {
        /// What the test says instead.
        seen: Outcome,
    },
    /// Both sides fail alike.
    #[error(
        "the passing side (the empty input, unless you gave one) ends like the original, so it is not clear what the failure is"
    )]
    PassingSideFails,
    /// Crashes are to be compared, and there is none.
    #[error("the original does not crash: there is no signal, and no report of a crash is printed")]
    NoCrash,
    /// Crashes are to be compared, and that of the original is not known.
    #[error(transparent)]
    NotKnown(#[from] BacktraceTooShort),
    /// With all of what may prevent the failure, the test does not pass.
    #[error("the failure is not prevented: with all of it, the test does not pass")]
    NothingPrevents,
    /// The test wants to stop.
    #[error(transparent)]
    Abort(#[from] Abort),
}
