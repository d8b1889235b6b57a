//! The search for the change that causes a failure: first among commits, then among the lines of a commit; an audit
//! follows.

use super::audit::{Audit, audit};
use super::change_lines::{isolate, isolate_in_commit, remove_context, removes_single_groups};
use super::deltas::certificate;
use super::engine::Engine;
use super::found::{Found, Status};
use super::history::{NarrowedHistory, narrow_history};
use crate::describe::describe_difference;
use crate::error::Error;
use crate::plan::{Plan, VersionPair};
use crate::request::{AlgorithmOptions, ChangeScope};
use std::path::Path;
use wynot_core::{Configuration, Isolated, Outcome, Stopped};
use wynot_exec::sources::{Commit, patch};
use wynot_session::{Compose, Counts};
use wynot_subjects::{Folder, Subject, Variant};

/// The change that was found between two versions.
#[derive(Debug)]
pub struct ChangesFound {
    /// The commits that introduced the failure, newest last; several if some could not be tested.
    pub commits: Vec<Commit>,
    /// The subject of the last comparison: two neighbouring versions, or the two that were given.
    pub subject: Subject,
    /// The result, as configurations of that subject.
    pub sides: Isolated,
    /// Whether the search among lines was complete.
    pub complete: bool,
    /// The audit of the result, unless the search was stopped before.
    pub audit: Option<Audit>,
    /// The result as a patch for `git apply`.
    pub patch: Vec<u8>,
    /// The versions whose outcomes were decisive, for `git bisect replay`.
    pub bisected: Vec<(String, Outcome)>,
}

impl ChangesFound {
    /// The changes, in words.
    pub fn lines(&self) -> Vec<String> {
        describe_difference(&self.subject, &self.sides)
    }

    /// The commits and the changes, in words.
    pub fn summary(&self) -> Vec<String> {
        let commits = self.commits.iter().map(|Commit { id, author, date, subject, .. }| {
            format!("commit {} by {author} on {date}: {subject}", &id[..id.len().min(12)])
        });
        commits.chain(self.lines()).collect()
    }

    /// A log for `git bisect replay`; empty without a history.
    pub fn bisect_log(&self) -> Vec<u8> {
        let lines = self.bisected.iter().map(|(id, outcome)| match outcome {
            Outcome::Fail => format!("git bisect bad {id}\n"),
            _ => format!("git bisect good {id}\n"),
        });
        match self.bisected.is_empty() {
            true => Vec::new(),
            false => std::iter::once("git bisect start\n".to_owned())
                .chain(lines)
                .collect::<String>()
                .into_bytes(),
        }
    }
}

/// Searches the versions of a plan.
pub(super) fn search_changes(
    plan: &Plan,
    versions: &VersionPair,
    group: Option<ChangeScope>,
    options: &AlgorithmOptions,
    engine: &mut Engine<'_>,
) -> Result<(Found, ChangesFound), Error> {
    let narrowed = match &versions.history {
        Some(history) => narrow_history(history, plan, engine)?,
        None => NarrowedHistory::between(versions.good.clone(), versions.bad.clone()),
    };
    let subject = match plan.subject() {
        // Without a history, the plan has compared the same two trees.
        Subject::Folder(folders) if versions.history.is_none() => Clone::clone(folders),
        _ => versions.compared(&narrowed.passing, &narrowed.failing, group)?.into(),
    };
    let subject = Subject::Folder(subject);
    let NarrowedHistory { commits, bisected, mut counts, stop, .. } = narrowed;
    let lines = match stop {
        Some(stop) => Lines { status: Status::Stopped(stop), ..Lines::all(&subject) },
        None => search_lines(plan, &subject, !commits.is_empty(), options, &mut counts, engine),
    };
    let Lines { sides, mut status, complete, timeouts } = lines;
    let mut audited = None;
    if matches!(status, Status::Minimal) {
        match audit(plan, &subject, &sides, engine) {
            Ok((found, spent)) => {
                counts = counts.and(&spent);
                // It failed during the search: the test is flaky, or depends on products of earlier builds.
                if !found.holds {
                    status = Status::Indeterminate;
                }
                audited = Some(found);
            }
            Err(stop) => status = Status::Stopped(stop),
        }
    }
    let patch = patch_of(&subject, &sides, audited.as_ref(), engine.executor.scratch())?;
    let is_proved = complete && matches!(status, Status::Minimal);
    let found = Found {
        status,
        certificate: is_proved.then(|| {
            certificate(plan.algorithm, options, &subject.level_names()).resting_on(timeouts)
        }),
        failing: subject.variant(&sides.failing),
        passing: subject.variant(&sides.passing),
        deltas: sides.failing.len() as u64,
        sides: None,
        counts,
        passes: Vec::new(),
        rate: None,
    };
    let changes =
        ChangesFound { commits, subject, sides, complete, audit: audited, patch, bisected };
    Ok((found, changes))
}

/// The result of a search among the lines between two trees.
struct Lines {
    sides: Isolated,
    status: Status,
    /// Whether the search was complete.
    complete: bool,
    /// The number of tests after the last step that timed out.
    timeouts: u64,
}

impl Lines {
    /// The whole difference.
    fn all(subject: &Subject) -> Self {
        let failing = Configuration::full(subject.deltas());
        let sides = Isolated { passing: Configuration::empty(), failing };
        Self { sides, status: Status::Minimal, complete: true, timeouts: 0 }
    }
}

/// Searches the lines between two trees, which may be those of one commit.
fn search_lines(
    plan: &Plan,
    subject: &Subject,
    is_commit: bool,
    options: &AlgorithmOptions,
    counts: &mut Counts,
    engine: &mut Engine<'_>,
) -> Lines {
    let all = Lines::all(subject);
    let mut session = engine.session(subject, &plan.results);
    let found = match is_commit && removes_single_groups(options, subject) {
        true => isolate_in_commit(subject, &all.sides, &mut session),
        false => isolate(plan.algorithm, options, subject, &all.sides, &mut session)
            .and_then(|found| remove_context(subject, found, &mut session))
            .map(|found| (found, true)),
    };
    *counts = counts.and(&session.counts());
    let all = Lines { timeouts: session.timeouts_since_step(), ..all };
    match found {
        Ok((sides, complete)) => Lines { sides, complete, ..all },
        Err(Stopped { best, cause }) => {
            Lines { sides: best, status: Status::Stopped(cause), ..all }
        }
    }
}

/// The result as a patch: for the good version if it fails with the change alone, else for the passing side.
fn patch_of(
    subject: &Subject,
    sides: &Isolated,
    audit: Option<&Audit>,
    scratch: &Path,
) -> Result<Vec<u8>, Error> {
    let (old, new) = match audit {
        Some(Audit { alone: Outcome::Fail, .. }) => (Configuration::empty(), sides.difference()),
        _ => (sides.passing.clone(), sides.failing.clone()),
    };
    patch(&tree(subject, &old), &tree(subject, &new), scratch).map_err(Error::usage)
}

fn tree(subject: &Subject, configuration: &Configuration) -> Folder {
    match subject.variant(configuration) {
        Variant::Folder(folder) => folder,
        _ => Folder::default(),
    }
}
