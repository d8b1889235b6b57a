//! The records of a journal.

use crate::certificate::{Certificate, EndStatus};
use crate::digest::Digest;
use crate::events::{Counts, Step};
use crate::judge::{JudgeRecord, Rate};
use crate::observation::{Ending, Observation};
use crate::other_crashes::crash_name;
use crate::pass_counts::PassCounts;
use serde::{Deserialize, Serialize};
use wynot_core::Outcome;

/// The version of the format of journals.
pub const JOURNAL_SCHEMA: u32 = 3;

/// One line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Record {
    /// The first line: the format, and what the outcomes depend on.
    Session {
        /// The version of the format.
        schema: u32,
        /// The digest of everything that outcomes depend on.
        key: String,
    },
    /// What the first runs showed, of the original and of the passing side.
    FirstRuns {
        /// How to judge.
        judge: JudgeRecord,
        /// The timeout of the tests in milliseconds.
        timeout_ms: u64,
        /// The original.
        original: RunSummary,
        /// The passing side.
        passing: RunSummary,
        /// Whether the passing side really passes, which only some searches need.
        passes: bool,
        /// How often the original fails, if that was measured.
        #[serde(default)]
        rate: Option<Rate>,
    },
    /// A process begins or goes on.
    Run(RunRecord),
    /// An outcome.
    Test(TestRecord),
    /// A decisive test of this run.
    Step(Step),
    /// The run has come to an end of its own.
    End(EndRecord),
}

/// What a run sets out to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The verb: `reduce` or `isolate`.
    pub command: String,
    /// ddmin, dd or ddmax.
    pub algorithm: String,
    /// The units, coarse to fine.
    pub units: String,
    /// The input's name.
    pub input: String,
    /// The test, as typed.
    pub test: Vec<String>,
    /// How outcomes are judged, in words.
    pub reading: String,
    /// The size of the original.
    pub bytes: u64,
    /// How many deltas there are.
    pub deltas: u64,
    /// The beginning of the original.
    pub excerpt: String,
    /// How to run it again, unless something that was typed is no Unicode.
    pub command_line: Option<CommandLine>,
}

/// What was typed, and where. With this a session can be resumed and verified from anywhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommandLine {
    /// The arguments of wynot.
    pub arguments: Vec<String>,
    /// The directory.
    pub directory: String,
    /// Where the failing side goes, as an absolute path.
    pub output: String,
}

/// A test and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestRecord {
    /// The digest of the variant.
    pub digest: String,
    /// What the judge said: `pass`, `fail` or `unresolved`.
    pub outcome: String,
    /// How the last run of the test ended.
    pub ending: Ending,
    /// How long it took.
    pub micros: u64,
    /// The size of the variant.
    pub bytes: u64,
    /// The crash that was seen, where crashes are looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<String>,
    /// Why the outcome is unresolved, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How the run ended, in words, where the judge says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// A run of one side, in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// How it ended.
    pub ending: Ending,
    /// How long it took.
    pub micros: u64,
    /// The last lines on standard error.
    pub stderr: Vec<String>,
    /// What went wrong, in the test's words.
    pub gist: Option<String>,
    /// The crash that was seen, where crashes are looked at.
    #[serde(default)]
    pub crash: Option<String>,
}

impl From<&Observation> for RunSummary {
    fn from(observation: &Observation) -> Self {
        Self {
            ending: observation.ending,
            micros: observation.elapsed.as_micros() as u64,
            stderr: observation.stderr.last_lines(5),
            gist: observation.gist().into_iter().next(),
            crash: observation.crash.as_ref().and_then(crash_name),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndRecord {
    /// How the search ended.
    pub status: EndStatus,
    /// What is proved about the result, if anything.
    pub certificate: Option<Certificate>,
    /// The tests.
    pub tests: Counts,
    /// The size of the failing side.
    pub bytes: u64,
    /// How many deltas it has.
    pub deltas: u64,
    /// How many deltas the two sides differ in, when isolating.
    pub difference: Option<u64>,
    /// Seconds from start to end.
    pub seconds: f64,
    /// The beginning of the failing side.
    pub failing: String,
    /// The beginning of the passing side, when isolating.
    pub passing: Option<String>,
    /// The changes that decide, in words, when isolating.
    pub changes: Vec<String>,
    /// The digest of the failing side.
    pub result: String,
    /// The deltas of the failing and of the passing side, as runs, where the search was over deltas.
    pub sides: Option<[Vec<(u32, u32)>; 2]>,
    /// What each pass has cost and gained.
    pub passes: Vec<PassCounts>,
    /// How often the result fails, if that was measured.
    #[serde(default)]
    pub rate: Option<Rate>,
}

impl TestRecord {
    /// The digest and the outcome, if they can be read.
    pub(crate) fn parsed(&self) -> Option<(Digest, Outcome)> {
        let outcome = match self.outcome.as_str() {
            "pass" => Outcome::Pass,
            "fail" => Outcome::Fail,
            "unresolved" => Outcome::Unresolved,
            _ => return None,
        };
        Some((Digest::parse(&self.digest)?, outcome))
    }
}
