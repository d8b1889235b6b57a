//! A job: a submission, its state, and its result.

use super::submission::Submission;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

/// The name of a job, by which pages and directories are found.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct JobCode(String);

/// The letters of job codes: none that look alike, so that a code can be read out.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// The length of a job code: 50 bits, so that codes cannot be guessed.
const CODE_LENGTH: usize = 10;

impl JobCode {
    /// A new code, which no other job has.
    pub fn random() -> Self {
        let letter = |byte: u8| char::from(LETTERS[usize::from(byte) % LETTERS.len()]);
        Self(random_bytes::<CODE_LENGTH>().into_iter().map(letter).collect())
    }

    /// The code as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Bytes that nobody can predict.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // Without randomness there are no tokens and no codes; Linux always has it once it has started.
    getrandom::fill(&mut bytes).expect("the system provides random bytes");
    bytes
}

impl FromStr for JobCode {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let is_code = text.len() == CODE_LENGTH && text.bytes().all(|byte| LETTERS.contains(&byte));
        if is_code { Ok(Self(text.to_owned())) } else { Err(()) }
    }
}

impl fmt::Display for JobCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The states of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// It waits for a slot.
    Queued,
    /// Its process runs.
    Running,
    /// It ended with a result.
    Done,
    /// It ended without a result.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl JobState {
    /// All states.
    pub const ALL: [Self; 5] =
        [Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Cancelled];

    /// The name of the state, as in the database and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The state of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether the job will not change any more, unless it is retried.
    pub fn is_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

/// A job as the database has it.
#[derive(Clone, Debug)]
pub struct ServedJob {
    /// Its number, which grows with each submission.
    pub number: i64,
    /// Its code.
    pub code: JobCode,
    /// What was submitted.
    pub submission: Submission,
    /// The version of the environment that it uses.
    pub environment_version: Option<i64>,
    /// Its state.
    pub state: JobState,
    /// When it was submitted, in milliseconds since 1970, as all times here.
    pub submitted: i64,
    /// When it was started last.
    pub started: Option<i64>,
    /// When it ended.
    pub ended: Option<i64>,
    /// How often it was started.
    pub attempts: i64,
    /// The name of the token that submitted it, if one was used.
    pub submitter: Option<String>,
    /// The exit code of its process.
    pub exit: Option<i32>,
    /// Why it failed, or what else there is to say about its end.
    pub message: Option<String>,
    /// The object that `wynot --json` has printed.
    pub result: Option<Value>,
    /// The identity of the failure, which is the same for jobs about the same crash.
    pub failure: Option<String>,
    /// Whether a user wants it to end.
    pub is_cancelled: bool,
}

/// The present time.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_back_and_nothing_else_is_one() {
        let code = JobCode::random();
        assert_eq!(code.as_str().parse::<JobCode>().unwrap(), code);
        for wrong in ["", "abc", "../../../x", "abcdefghj/", "ABCDEFGHJK", "abcdefghjkm"] {
            assert!(wrong.parse::<JobCode>().is_err(), "{wrong}");
        }
    }
}
