//! What tells one failure, or one output, from another.

use crate::{Ending, Observation};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What tells one failure from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    ending: Ending,
    /// What it says, without names and numbers.
    said: Option<String>,
}

impl Signature {
    pub(crate) fn of(observation: &Observation) -> Self {
        let said = observation.key_lines().into_iter().next();
        Self { ending: observation.ending, said }
    }

    pub(crate) fn is(&self, observation: &Observation) -> bool {
        let said = self.said.as_ref();
        let same = said.is_none_or(|said| observation.key_lines().contains(said));
        self.ending == observation.ending && same
    }
}

impl fmt::Display for Signature {
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
