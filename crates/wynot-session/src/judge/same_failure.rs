//! What tells one failure, or one output, from another.

use crate::observation::{Ending, Observation};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What tells one failure from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureSignature {
    ending: Ending,
    /// What it says, without names and numbers.
    said: Option<String>,
}

impl FailureSignature {
    pub(crate) fn of(observation: &Observation) -> Self {
        let said = observation.key_lines().into_iter().next();
        Self { ending: observation.ending, said }
    }

    pub(crate) fn is(&self, observation: &Observation) -> bool {
        let same = match &self.said {
            Some(said) => observation.key_lines().contains(said),
            // It said nothing; what says that something went wrong, as an interpreter does, is another failure.
            None => observation.gist().is_empty(),
        };
        self.ending == observation.ending && same
    }
}

impl fmt::Display for FailureSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.said {
            Some(said) => write!(f, "{} with \"{said}\"", self.ending),
            None => write!(f, "{}", self.ending),
        }
    }
}

/// Identifies what the original printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputDigest {
    stdout: String,
    stderr: String,
}

impl OutputDigest {
    pub(crate) fn of(observation: &Observation) -> Self {
        Self { stdout: observation.stdout.digest(), stderr: observation.stderr.digest() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Output;
    use std::time::Duration;

    fn exiting(stderr: &str) -> Observation {
        let stderr = Output { kept: stderr.into(), total: stderr.len() as u64 };
        let (ending, stdout) = (Ending::Exit(1), Output::default());
        Observation { ending, stdout, stderr, elapsed: Duration::ZERO, crash: None }
    }

    #[test]
    fn a_silent_failure_is_not_one_that_says_what_went_wrong() {
        let silent = FailureSignature::of(&exiting(""));
        assert!(silent.is(&exiting("")) && silent.is(&exiting("done\n")));
        assert!(!silent.is(&exiting("IndentationError: unexpected indent\n")));
        let telling = FailureSignature::of(&exiting("error: wrong product\n"));
        assert!(telling.is(&exiting("error: wrong product\n")) && !telling.is(&exiting("")));
    }
}
