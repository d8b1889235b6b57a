//! The record of a walk back through a history, for reports.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A walk back through a history. Versions are numbered from 0, the oldest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRecord {
    /// What it has shown: `regression`, `always` or `unknown`.
    pub verdict: String,
    /// The number of versions.
    pub versions: usize,
    /// The oldest version known to fail.
    pub failing: VersionRecord,
    /// The version that passes, with its blockers.
    pub passing: Option<VersionRecord>,
    /// The versions that were tested, in order.
    pub visits: Vec<VisitRecord>,
    /// The blockers, from the newest to the oldest.
    pub blockers: Vec<BlockerRecord>,
    /// The patches that were searched, in order.
    pub derivations: Vec<DerivationRecord>,
    /// The number of changed lines of the fix for the newest version, if there is one; an exchanged line is one.
    pub fix_lines: Option<usize>,
    /// The fix for the newest version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix_patch: Option<String>,
    /// The number of tests of each part of the search, in order.
    pub tests_by_part: Vec<(String, u64)>,
}

/// A version of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionRecord {
    /// Its object name.
    pub id: String,
    /// Its author date in ISO 8601 format.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

/// A version that was tested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisitRecord {
    /// Its number.
    pub index: usize,
    /// Its object name.
    pub id: String,
    /// Its outcome: `pass`, `fail` or `unresolved`.
    pub outcome: String,
    /// The reason of an unresolved outcome.
    pub reason: Option<String>,
    /// The number of lines of the patches that it was tested with.
    pub patch_lines: usize,
    /// The number of hunks that could not be applied to it.
    pub conflicts: usize,
}

/// Something that stands in the way of testing old versions, and its patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockerRecord {
    /// The error that the patch mends.
    pub name: String,
    /// The newest and the oldest version that need the patch, by their numbers.
    pub interval: [usize; 2],
    /// The same versions by their object names.
    pub ids: [String; 2],
    /// The number of lines of the patch.
    pub lines: usize,
    /// The number of tests that the search for the patch took.
    pub tests: u64,
    /// The patch.
    pub patch: String,
}

/// The search for one patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DerivationRecord {
    /// The version that the patch is for.
    pub index: usize,
    /// Whether it is part of the fix, and not a blocker.
    pub is_fix: bool,
    /// The number of changed lines before and after.
    pub lines: [usize; 2],
    /// The number of tests.
    pub tests: u64,
    /// The reasons of unresolved tests.
    pub reasons: BTreeMap<String, u64>,
}
