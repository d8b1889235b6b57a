//! The records of a journal.

use crate::answer_record::AnswerRecord;
use crate::certificate::{Certificate, EndStatus};
use crate::chain_record::ChainRecord;
use crate::digest::Digest;
use crate::events::{Counts, SearchPart, Step};
use crate::history_record::HistoryRecord;
use crate::judge::{Judge, JudgeRecord, ObservedFailure, Rate};
use crate::other_crashes::crash_name;
use crate::pass_counts::PassCounts;
use crate::proposal_record::ProposalRecord;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use wynot_core::Outcome;
use wynot_supervisor::{Ending, Observation};

/// The number of lines of standard error that reports show.
const MAX_EXCERPT_LINES: usize = 24;

/// The version of the journal format.
pub const JOURNAL_SCHEMA: u32 = 5;

/// One line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Record {
    /// The first line: the format, and the digest of everything that outcomes depend on.
    Session {
        /// The version of the format.
        schema: u32,
        /// The digest of everything that outcomes depend on.
        key: String,
    },
    /// The results of the first runs, of the original and of the passing side.
    FirstRuns {
        /// The judge that the first runs determined.
        judge: Box<JudgeRecord>,
        /// The timeout of the tests in milliseconds.
        timeout_ms: u64,
        /// The timeout of the tests after their builds, if it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_after_build_ms: Option<u64>,
        /// The run of the original.
        original: RunSummary,
        /// The run of the passing side; `None` if no passing side is known.
        passing: Option<RunSummary>,
        /// Whether the outcome of the passing side is Pass, which only some searches require.
        passes: bool,
        /// The failure rate of the original, if it was measured.
        #[serde(default)]
        rate: Option<Rate>,
        /// Whether crashes are detected because the failure can only be recognised by its backtrace.
        #[serde(default)]
        traced: bool,
        /// The time that the run of the original has used, in milliseconds.
        #[serde(default)]
        cost_ms: u64,
        /// The files of the varying folder that one of the runs has read, if that is known.
        #[serde(default)]
        read: Option<BTreeSet<String>>,
    },
    /// A process starts or resumes the search.
    Run(RunRecord),
    /// The outcome of a test.
    Test(TestRecord),
    /// A part of the search begins.
    Part(SearchPart),
    /// A decisive test of this run.
    Step(Step),
    /// A proposal of an outside reducer.
    Proposal(ProposalRecord),
    /// The search has ended.
    End(EndRecord),
    /// An explanation has ended, which is the end of its run.
    Chain(Box<ChainRecord>),
}

/// The purpose and inputs of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The verb: `reduce` or `isolate`.
    pub command: String,
    /// The algorithm: ddmin, dd or ddmax.
    pub algorithm: String,
    /// The units of the deltas, from coarse to fine.
    pub units: String,
    /// The name of the input.
    pub input: String,
    /// The test command as the user typed it.
    pub test: Vec<String>,
    /// A description of the judge.
    pub reading: String,
    /// The size of the original in bytes.
    pub bytes: u64,
    /// The number of deltas.
    pub deltas: u64,
    /// The beginning of the original.
    pub excerpt: String,
    /// The command line for a later resume; `None` if it is not valid Unicode.
    // Format 2 has another name for it; with it, sessions of that format are found, and refused with the reason.
    #[serde(alias = "again")]
    pub command_line: Option<CommandLine>,
}

/// The command line of wynot and its directory. It allows a session to be resumed and verified from any directory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommandLine {
    /// The arguments of wynot.
    pub arguments: Vec<String>,
    /// The directory in which wynot was started.
    pub directory: String,
    /// The absolute path of the failing side.
    pub output: String,
}

/// A test and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestRecord {
    /// The digest of the variant.
    pub digest: String,
    /// The outcome: `pass`, `fail` or `unresolved`.
    pub outcome: String,
    /// How the last run of the test ended.
    pub ending: Ending,
    /// The duration of the last run in microseconds.
    pub micros: u64,
    /// The size of the variant in bytes.
    pub bytes: u64,
    /// The name of the crash, if crash detection is on and found one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<String>,
    /// The reason of an unresolved outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The names and places that an unresolved run mentioned, if the search learns from them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub mentioned: BTreeSet<String>,
    /// The judge's summary of the run, if it gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The failure that the run showed, if the outcome is Fail and the judge describes failures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ObservedFailure>,
}

/// A summary of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// How the run ended.
    pub ending: Ending,
    /// The duration of the run in microseconds.
    pub micros: u64,
    /// The last lines of standard error.
    pub stderr: Vec<String>,
    /// More of its last lines, for reports: they begin with one that is no mark below code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excerpt: Vec<String>,
    /// The name of the crash, if crash detection is on and found one.
    #[serde(default)]
    pub crash: Option<String>,
    /// The failure that the run showed.
    #[serde(default)]
    pub failure: Option<ObservedFailure>,
}

impl RunSummary {
    /// The summary of a run, with its failure as a judge sees it.
    pub fn judged(observation: &Observation, judge: &dyn Judge) -> Self {
        Self { failure: judge.failure(observation), ..Self::from(observation) }
    }
}

impl From<&Observation> for RunSummary {
    fn from(observation: &Observation) -> Self {
        Self {
            ending: observation.ending,
            micros: observation.elapsed.as_micros() as u64,
            stderr: observation.stderr.last_lines(5),
            excerpt: excerpt(observation.stderr.last_lines(MAX_EXCERPT_LINES)),
            crash: observation.crash.as_ref().and_then(crash_name),
            failure: None,
        }
    }
}

/// The lines from the beginning of the last traceback on, if it is there, or else from the first line that is no mark below
/// code, such as `^^^^` below an expression.
fn excerpt(mut lines: Vec<String>) -> Vec<String> {
    let is_mark = |line: &String| line.chars().all(|c| matches!(c, '^' | '~' | ' ' | '|' | '-'));
    let traceback = lines.iter().rposition(|line| line.starts_with("Traceback "));
    let start = traceback.or_else(|| lines.iter().position(|line| !is_mark(line)));
    lines.split_off(start.unwrap_or(0))
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndRecord {
    /// How the search ended.
    pub status: EndStatus,
    /// What is proved about the result, if anything.
    pub certificate: Option<Certificate>,
    /// The counts of tests.
    pub tests: Counts,
    /// The size of the failing side in bytes.
    pub bytes: u64,
    /// The number of deltas of the failing side.
    pub deltas: u64,
    /// The number of deltas in which the two sides differ, when isolating.
    pub difference: Option<u64>,
    /// The duration of the search in seconds.
    pub seconds: f64,
    /// The beginning of the failing side.
    pub failing: String,
    /// The beginning of the passing side, when isolating.
    pub passing: Option<String>,
    /// Descriptions of the isolated changes, when isolating.
    pub changes: Vec<String>,
    /// The digest of the failing side.
    pub result: String,
    /// The deltas of the failing and of the passing side as ranges, if candidates were configurations.
    pub sides: Option<[Vec<(u32, u32)>; 2]>,
    /// The cost and gain of each pass.
    pub passes: Vec<PassCounts>,
    /// The failure rate of the result, if it was measured.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// The failure that the result shows, if it is known.
    #[serde(default)]
    pub failure: Option<ObservedFailure>,
    /// The reasons why tests were unresolved, with the number of tests for each.
    #[serde(default)]
    pub unresolved: BTreeMap<String, u64>,
    /// The walk back through a history, if the search was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Box<HistoryRecord>>,
    /// The answer in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerRecord>,
}

impl TestRecord {
    /// Parses the digest and the outcome.
    pub(crate) fn parse(&self) -> Option<(Digest, Outcome)> {
        let outcome = match self.outcome.as_str() {
            "pass" => Outcome::Pass,
            "fail" => Outcome::Fail,
            "unresolved" => Outcome::Unresolved,
            _ => return None,
        };
        Some((Digest::parse(&self.digest)?, outcome))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_of_standard_error_begins_with_a_line_of_its_own() {
        let lines = |text: &str| excerpt(text.lines().map(str::to_owned).collect()).join("/");
        assert_eq!(lines("    ^^^^^^\n  File \"a.py\"\nKeyError"), "  File \"a.py\"/KeyError");
        assert_eq!(lines("warning\nTraceback (most\n  x\n  ~^~"), "Traceback (most/  x/  ~^~");
        assert_eq!((lines("a\nb"), lines("")), ("a/b".to_owned(), String::new()));
    }
}
