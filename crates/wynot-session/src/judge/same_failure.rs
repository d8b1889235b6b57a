//! Signatures that distinguish failures and outputs.

use crate::observation::{Ending, Observation};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The signature of a failure: its ending and its first error message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureSignature {
    ending: Ending,
    /// The first error message, without names and numbers.
    #[serde(rename = "said")]
    message: Option<String>,
}

impl FailureSignature {
    /// The signature of an observation.
    pub(crate) fn of(observation: &Observation) -> Self {
        let message = observation.key_lines().into_iter().next();
        Self { ending: observation.ending, message }
    }

    /// Whether an observation shows this failure.
    pub(crate) fn is(&self, observation: &Observation) -> bool {
        let has_same_message = match &self.message {
            Some(message) => observation.key_lines().contains(message),
            // The original printed no message; an error message, of an interpreter for instance, is another failure.
            None => observation.gist().is_empty(),
        };
        self.ending == observation.ending && has_same_message
    }
}

impl fmt::Display for FailureSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.message {
            Some(message) => write!(f, "{} with \"{message}\"", self.ending),
            None => write!(f, "{}", self.ending),
        }
    }
}

/// The digest of both output streams of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputDigest {
    stdout: String,
    stderr: String,
}

impl OutputDigest {
    /// The digest of the output of an observation.
    pub(crate) fn of(observation: &Observation) -> Self {
        Self { stdout: observation.stdout.digest(), stderr: observation.stderr.digest() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Output;
    use std::time::Duration;

    fn observation(stderr: &str) -> Observation {
        let stderr = Output { kept: stderr.into(), total: stderr.len() as u64 };
        let (ending, stdout) = (Ending::Exit(1), Output::default());
        let zero = Duration::ZERO;
        Observation { ending, stdout, stderr, elapsed: zero, cpu: zero, waited: zero, crash: None }
    }

    #[test]
    fn a_failure_with_a_message_differs_from_a_silent_one() {
        let silent = FailureSignature::of(&observation(""));
        assert!(silent.is(&observation("")) && silent.is(&observation("done\n")));
        assert!(!silent.is(&observation("IndentationError: unexpected indent\n")));
        let with_message = FailureSignature::of(&observation("error: wrong product\n"));
        assert!(
            with_message.is(&observation("error: wrong product\n"))
                && !with_message.is(&observation(""))
        );
    }
}
