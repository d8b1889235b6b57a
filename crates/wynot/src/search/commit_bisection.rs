//! The search among commits: from a history to two neighbouring versions, of which the older passes and the newer fails.

use super::engine::Engine;
use super::row_bisection::bisect_by_runs;
use super::versions_found::RowConfidence;
use crate::error::Error;
use crate::plan::{Plan, VersionHistory};
use wynot_core::{Gap, Outcome, Stopped, bisect};
use wynot_exec::sources::{Commit, CommitRow, Repository};
use wynot_session::{Compose, Counts, Executor, Session, Stop};
use wynot_subjects::{Folder, Variant};

/// A passing and a failing tree, as close as the history allows.
pub(super) struct NarrowedHistory {
    pub passing: Folder,
    pub failing: Folder,
    /// The revision of the passing tree, if it has one.
    pub passing_id: Option<String>,
    /// The commits between them, newest last.
    pub commits: Vec<Commit>,
    /// The versions whose outcomes were decisive.
    pub bisected: Vec<(String, Outcome)>,
    pub counts: Counts,
    pub stop: Option<Stop>,
    /// How sure the answer is, if the test fails only sometimes.
    pub confidence: Option<RowConfidence>,
}

impl NarrowedHistory {
    /// Two trees without a history.
    pub(super) fn between(passing: Folder, failing: Folder) -> Self {
        let (commits, bisected, counts) = (Vec::new(), Vec::new(), Counts::default());
        let (passing_id, stop, confidence) = (None, None, None);
        Self { passing, failing, passing_id, commits, bisected, counts, stop, confidence }
    }
}

/// Narrows a history to two neighbouring versions.
///
/// The search bisects a path on which each version is a parent of the next. If a merge introduced the failure, the search
/// continues along the merged branch. A flaky test is run until the answer is probable enough. Versions that are not
/// descendants of the good one are never tested: they may lack a fix and fail for that reason.
pub(super) fn narrow_history(
    history: &VersionHistory,
    plan: &Plan,
    engine: &mut Engine<'_>,
) -> Result<NarrowedHistory, Error> {
    let repository = &history.repository;
    let mut row = history.row.clone();
    let mut counts = Counts::default();
    let mut bisected = Vec::new();
    let mut confidence: Option<RowConfidence> = None;
    loop {
        let versions = CommitRow::new(repository, &row);
        engine.lab.begin_part("commits", "commit", row.len() as u64 - 1, 0);
        let flaky = engine
            .rate
            .map(|rate| bisect_by_runs(&versions, row.len(), rate, plan.confidence, engine));
        let mut session = engine.session(&versions, &plan.results);
        let whole = Gap { passing: 0, failing: row.len() - 1 };
        let (gap, stop) = match flaky {
            Some(found) => {
                let short: Vec<String> =
                    row.iter().map(|id| id.chars().take(12).collect()).collect();
                let reached = RowConfidence::of(&found.posterior, &short);
                confidence = Some(match confidence {
                    Some(earlier) => earlier.and(reached),
                    None => reached,
                });
                counts = counts.and(&found.counts);
                (found.posterior.located().gap, found.stop)
            }
            None => match bisect(whole, &mut session) {
                Ok(gap) => (gap, None),
                Err(Stopped { best, cause }) => (best, Some(cause)),
            },
        };
        bisected.push((row[gap.passing].clone(), Outcome::Pass));
        bisected.push((row[gap.failing].clone(), Outcome::Fail));
        let commit = |version: usize| repository.commit(&row[version]).map_err(Error::usage);
        let commits: Vec<Commit> =
            (gap.passing + 1..=gap.failing).map(commit).collect::<Result<_, _>>()?;
        let merged = match (&stop, commits.as_slice()) {
            (None, [only]) => {
                let branches = merged_branches(repository, &row[gap.passing], only)?;
                find_failing_branch(branches, &mut session)
            }
            _ => Ok(None),
        };
        counts = counts.and(&session.counts());
        drop(session);
        let passing = versions.tree(gap.passing);
        let failing = versions.tree(gap.failing);
        if let Some(error) = versions.failure() {
            return Err(Error::usage(error));
        }
        match merged {
            Ok(Some(branch)) => row = branch,
            merged => {
                let stop = merged.err().or(stop);
                let passing_id = Some(row[gap.passing].clone());
                return Ok(NarrowedHistory {
                    passing,
                    failing,
                    passing_id,
                    commits,
                    bisected,
                    counts,
                    stop,
                    confidence,
                });
            }
        }
    }
}

/// The versions of a branch, with the trees of its base and its tip.
pub(super) struct Branch {
    pub row: Vec<String>,
    base: Folder,
    tip: Folder,
}

/// The branches that a merge has merged, each from its merge base with a passing version.
pub(super) fn merged_branches(
    repository: &Repository,
    passing: &str,
    merge: &Commit,
) -> Result<Vec<Branch>, Error> {
    let mut branches = Vec::new();
    for parent in merge.parents.iter().filter(|&parent| parent != passing) {
        // A branch without a common ancestor has no base that could pass.
        let Ok(base) = repository.merge_base(passing, parent) else { continue };
        let after = repository.path(&base, parent).map_err(Error::usage)?;
        if after.is_empty() {
            continue;
        }
        let (base_tree, tip) = (repository.tree(&base), repository.tree(parent));
        let row = std::iter::once(base).chain(after).collect();
        let (base, tip) = (base_tree.map_err(Error::usage)?, tip.map_err(Error::usage)?);
        branches.push(Branch { row, base, tip });
    }
    Ok(branches)
}

/// The versions of the first branch whose base passes and whose tip fails.
fn find_failing_branch<C: Clone, S: Compose<C>, E: Executor>(
    branches: Vec<Branch>,
    session: &mut Session<'_, '_, C, S, E>,
) -> Result<Option<Vec<String>>, Stop> {
    for Branch { row, base, tip } in branches {
        if session.outcome_of(Variant::Folder(base))? == Outcome::Pass
            && session.outcome_of(Variant::Folder(tip))? == Outcome::Fail
        {
            return Ok(Some(row));
        }
    }
    Ok(None)
}
