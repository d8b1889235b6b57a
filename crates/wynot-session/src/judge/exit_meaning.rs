//! The meaning of exit codes and signals.

use serde::{Deserialize, Serialize};
use std::fmt;
use wynot_core::Outcome;
use wynot_supervisor::Ending;

/// The outcome that each exit code or signal stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExitMeaning {
    /// The test is the failing program itself: this ending is Fail, exit 0 is Pass, everything else is Unresolved.
    Failure(Ending),
    /// The test is an interestingness script: exit 0 is Fail, 125 is Unresolved, other codes are Pass.
    Interesting,
    /// The codes of `git bisect run`: 0 is Pass, 125 is Unresolved, 1-127 is Fail, anything else aborts.
    Bisect,
}

impl ExitMeaning {
    /// Guesses the meaning by the first runs, of the original and of the passing side; `None` if both exit with 0. An
    /// original that exits with 0 while the passing side does not is tested by an interestingness script.
    pub(crate) fn guess(original: Ending, passing: Ending) -> Option<Self> {
        match (original, passing) {
            (Ending::Exit(0), Ending::Exit(0)) => None,
            (Ending::Exit(0), _) => Some(Self::Interesting),
            (failure, _) => Some(Self::Failure(failure)),
        }
    }

    /// The outcome of an ending.
    pub(crate) fn outcome(self, ending: Ending) -> Result<Outcome, Abort> {
        Ok(match (self, ending) {
            (_, Ending::Exit(125)) => Outcome::Unresolved,
            (Self::Failure(failure), seen) if failure == seen => Outcome::Fail,
            (Self::Failure(_), Ending::Exit(0)) => Outcome::Pass,
            (Self::Interesting, Ending::Exit(0)) => Outcome::Fail,
            (Self::Interesting, Ending::Exit(_)) => Outcome::Pass,
            (Self::Bisect, Ending::Exit(0)) => Outcome::Pass,
            (Self::Bisect, Ending::Exit(1..=127)) => Outcome::Fail,
            (Self::Bisect, Ending::Exit(_) | Ending::Signal(_)) => return Err(Abort { ending }),
            _ => Outcome::Unresolved,
        })
    }
}

impl fmt::Display for ExitMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failure(ending) => {
                write!(f, "{ending} is the failure, exit 0 passes, anything else is unresolved")
            }
            Self::Interesting => f.write_str(
                "exit 0 means that the failure is there, 125 unresolved, any other code that it is not there: the \
                 test is taken for an interestingness script",
            ),
            Self::Bisect => f.write_str(
                "exit codes as for git bisect run: 0 passes, 125 is unresolved, 1-127 is the failure",
            ),
        }
    }
}

/// The test's request to end the whole search, as by codes above 127 in `git bisect run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the test ended with {ending}, which asks to abort the whole run (as for git bisect run)")]
pub struct Abort {
    /// How the test ended.
    pub ending: Ending,
}
