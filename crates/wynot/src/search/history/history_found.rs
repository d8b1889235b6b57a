//! The result of a walk back through a history.

use super::blocker::Blocker;
use crate::search::changes::ChangesFound;
use std::collections::BTreeMap;
use wynot_core::Outcome;
use wynot_exec::sources::Commit;

/// What a walk back through a history has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A version passes, and the one after it fails.
    Regression,
    /// All versions that can be tested fail.
    Always,
    /// The search was stopped before it was known.
    Unknown,
}

impl Verdict {
    /// The name in the JSON contract.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Always => "always",
            Self::Unknown => "unknown",
        }
    }
}

/// A version that was tested on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Its place in the row, where the oldest version is 0.
    pub index: usize,
    /// Its object name.
    pub id: String,
    /// Its outcome, with the blockers known at that time.
    pub outcome: Outcome,
    /// The reason of an unresolved outcome.
    pub reason: Option<String>,
    /// The number of lines of the hunks that were applied to it.
    pub patch_lines: usize,
    /// The number of hunks that could not be applied to it.
    pub conflicts: usize,
}

/// A fix that was ported to the version that fails today.
#[derive(Clone, Debug)]
pub struct Fix {
    /// The patch for that version, with which it passes on a clean build; `None` if none was found.
    pub patch: Option<Vec<u8>>,
    /// The number of lines that it changes; an exchanged line is one.
    pub lines: usize,
    /// The revisions at which the fix had to be derived anew, since it did not apply or did not help.
    pub derived_at: Vec<String>,
    /// The newest revision that passes with the fix.
    pub reached: String,
    /// The commit that was made on a new branch, if that was asked for.
    pub commit: Option<String>,
}

/// The search for one blocker, or for the fix of one revision.
#[derive(Clone, Debug)]
pub struct Derivation {
    /// The revision that the patch is for.
    pub id: String,
    /// Its place in the row.
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

/// The result of a walk back through a history.
#[derive(Debug)]
pub struct HistoryFound {
    /// What it has shown.
    pub verdict: Verdict,
    /// The number of versions in the row.
    pub versions: usize,
    /// The oldest version that is known to fail.
    pub oldest_failing: Commit,
    /// The change that introduced the failure, if there is one.
    pub changes: Option<ChangesFound>,
    /// The version that passes, with its blockers.
    pub passing: Option<Commit>,
    /// The blockers, from the newest to the oldest.
    pub blockers: Vec<Blocker>,
    /// The fix for today, if it was searched.
    pub fix: Option<Fix>,
    /// The versions that were tested, in order.
    pub visits: Vec<Visit>,
    /// The patches that were searched, in order.
    pub derivations: Vec<Derivation>,
    /// Why the walk ended where it did, if it is not obvious.
    pub remark: Option<String>,
    /// The number of tests of each part of the search.
    pub parts: PartCounts,
}

/// The number of tests of each part of a search through a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartCounts {
    /// Of versions, on the way back.
    pub walk: u64,
    /// Of patches for versions that could not be tested, and of clean builds of them.
    pub blockers: u64,
    /// Of the last simplification of these patches.
    pub fix_point: u64,
    /// Of the lines of the change that introduced the failure.
    pub lines: u64,
    /// Of the fix for today.
    pub fix: u64,
}

impl PartCounts {
    /// The parts with their names, in order.
    pub fn named(self) -> [(&'static str, u64); 5] {
        let Self { walk, blockers, fix_point, lines, fix } = self;
        [
            ("walk", walk),
            ("blockers", blockers),
            ("fix point", fix_point),
            ("lines", lines),
            ("fix", fix),
        ]
    }
}

impl HistoryFound {
    /// The blockers that the passing version needs.
    pub fn blockers_of_passing(&self) -> usize {
        let passing = self.passing.as_ref().map(|commit| commit.id.as_str());
        self.blockers.iter().filter(|blocker| Some(blocker.to.as_str()) == passing).count()
    }
}
