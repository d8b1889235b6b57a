//! The search for the change that causes a failure: among commits, among the lines of a commit, and then an audit.

use super::audit::{Audit, MANY_OTHERS, audit};
use super::change_lines::{KnownAbout, find_cause, is_default, tree, unread_changes};
use super::commit_bisection::{NarrowedHistory, narrow_history};
use super::deciding_changes::Cause;
use super::deltas::certificate;
use super::engine::Engine;
use super::failure_text::failure_text;
use super::found::{Found, Status};
use super::package_sources::package_sources;
use super::patience::Spending;
use super::revert::{Revert, revert};
use super::upgrades::{audit_in_words, find_upgrade, listed};
use super::versions_found::RowConfidence;
use crate::describe::describe_difference;
use crate::error::Error;
use crate::plan::{Plan, VersionPair};
use crate::request::{AlgorithmOptions, ChangeScope};
use std::path::{Path, PathBuf};
use wynot_core::{Configuration, Isolated, Outcome, Stopped};
use wynot_exec::sources::{Commit, patch};
use wynot_session::{Compose, Counts, Stop};
use wynot_subjects::{Folder, Subject, Upgrade};

/// The number of other deciding places that are printed.
const MAX_PLACES_PRINTED: usize = 5;

/// The change that was found between two versions.
#[derive(Debug)]
pub struct ChangesFound {
    /// The commits that introduced the failure, newest last; several if some could not be tested.
    pub commits: Vec<Commit>,
    /// The version to which the patch applies: the one before these commits, or the good one.
    pub applies_to: String,
    /// The subject of the last comparison: two neighbouring versions, or the two that were given.
    pub subject: Subject,
    /// The changes that decide, as a configuration of that subject.
    pub changes: Configuration,
    /// They and those that they need.
    pub alone: Configuration,
    /// Whether none of those that they need can be left out by itself, as far as was shown.
    pub needs_are_least: bool,
    /// Everything but them and those that need them.
    pub without: Configuration,
    /// Other places that decide by themselves, in the order in which a reader should look at them.
    pub also: Vec<Configuration>,
    /// Whether others were added to the first changes that were found, because the bad version still failed.
    pub is_widened: bool,
    /// Whether the search among lines was complete.
    pub complete: bool,
    /// The audit of the result, unless the search was stopped before.
    pub audit: Option<Audit>,
    /// The result as a patch for `git apply`.
    pub patch: Vec<u8>,
    /// The bad version that was given, without the result.
    pub revert: Option<Revert>,
    /// The directories with the sources of both versions of the package, if it is an upgrade and they are here.
    pub sources: Option<[PathBuf; 2]>,
    /// The versions whose outcomes were decisive, for `git bisect replay`.
    pub bisected: Vec<(String, Outcome)>,
    /// How sure the commits are, if the test fails only sometimes.
    pub confidence: Option<RowConfidence>,
}

impl ChangesFound {
    /// The changes, in words. Lines are counted in the version that fails.
    pub fn lines(&self) -> Vec<String> {
        self.lines_of(&self.changes)
    }

    /// Some of the changes between the versions, in words.
    fn lines_of(&self, changes: &Configuration) -> Vec<String> {
        let failing = Configuration::full(self.subject.deltas());
        let passing = failing.difference(changes);
        describe_difference(&self.subject, &Isolated { passing, failing })
    }

    /// The other places that decide by themselves, in words.
    pub fn other_places(&self) -> Vec<Vec<String>> {
        self.also.iter().map(|place| self.lines_of(place)).collect()
    }

    /// The commits and the changes, in words.
    pub fn summary(&self) -> Vec<String> {
        self.commits.iter().map(commit_in_words).chain(self.lines()).collect()
    }

    /// The other changes that the changes need, in words, and their number.
    pub fn needed_lines(&self) -> (Vec<String>, u64) {
        let needed = match (&self.audit, &self.subject) {
            (Some(_), Subject::Folder(_)) => self.needed(),
            _ => Configuration::empty(),
        };
        (self.lines_of(&needed), needed.len() as u64)
    }

    /// The upgrades that cause the failure, and those that they need, if lock files were compared.
    pub fn upgrades(&self) -> Option<[Vec<&Upgrade>; 2]> {
        match &self.subject {
            Subject::Upgrades(upgrades) => {
                // Before the audit, the rest of the failing side may still have upgrades that are not needed.
                let needed = self.audit.as_ref().map(|_| self.needed()).unwrap_or_default();
                Some([&self.changes, &needed].map(|deltas| listed(upgrades, deltas)))
            }
            _ => None,
        }
    }

    /// The sources of both versions of the package, if a single upgrade was found and they are here.
    fn upgraded_sources(&self, plan: &Plan, versions: &VersionPair) -> Option<[PathBuf; 2]> {
        let Subject::Upgrades(subject) = &self.subject else { return None };
        let [found, _] = self.upgrades()?;
        let [upgrade] = found.as_slice() else { return None };
        let project = |name: &str| {
            let path = plan.command.here.join(name);
            match path.is_dir() {
                true => path,
                false => path.parent().unwrap_or(&path).to_owned(),
            }
        };
        let (good, bad) = (project(&versions.names.0), project(&versions.names.1));
        package_sources(subject.kind(), upgrade, [&good, &bad])
    }

    /// The version that fails, and that version without the changes.
    pub(super) fn without_it(&self) -> [Folder; 2] {
        [&Configuration::full(self.subject.deltas()), &self.without]
            .map(|configuration| tree(&self.subject, configuration))
    }

    /// The other changes that the changes need.
    fn needed(&self) -> Configuration {
        self.alone.difference(&self.changes)
    }

    /// The other changes that need the changes.
    fn dependents(&self) -> Configuration {
        let removed = Configuration::full(self.subject.deltas()).difference(&self.without);
        removed.difference(&self.changes)
    }

    /// What the audit and the revert have shown, in a line each.
    pub fn evidence(&self) -> Vec<String> {
        let widened = self.is_widened.then(|| {
            "other lines also cause it: the bad version still failed without the first that was found"
                .to_owned()
        });
        let places = self.other_places().into_iter().take(MAX_PLACES_PRINTED);
        let places = places.map(|lines| {
            let lines: Vec<String> =
                lines.iter().map(|line| line.replacen(": fails ", ": ", 1)).collect();
            format!("decides as well: {}", lines.join("; "))
        });
        let audit = self.audit.as_ref().map(|audit| {
            let words = match &self.subject {
                Subject::Upgrades(upgrades) => {
                    let (needed, dependents) = (self.needed(), self.dependents());
                    let [needed, dependents] =
                        [needed, dependents].map(|others| listed(upgrades, &others));
                    audit_in_words(audit, &needed, &dependents)
                }
                _ => audit.in_words(),
            };
            format!("audit: {words}")
        });
        let function = self.lines_of_function();
        let has_dependents = !self.dependents().is_empty();
        let revert = self.revert.as_ref();
        let revert = revert.map(|revert| format!("revert: {}", revert.in_words(has_dependents)));
        widened.into_iter().chain(places).chain(audit).chain(function).chain(revert).collect()
    }

    /// Whether most of many changes that the changes need are in the same function, in words.
    fn lines_of_function(&self) -> Option<String> {
        let Subject::Folder(folders) = &self.subject else { return None };
        let level = folders.level_names().iter().position(|name| *name == "function")?;
        let needed = self.audit.as_ref().map(|_| self.needed())?;
        let function = folders.levels()[level].around(&self.changes).intersection(&needed).len();
        (needed.len() as u64 >= MANY_OTHERS && function * 2 > needed.len()).then(|| {
            let needed = needed.len();
            format!("{function} of the {needed} changes that it needs are in the same function: read that as a whole")
        })
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

/// A commit, in words.
fn commit_in_words(Commit { id, author, date, subject, .. }: &Commit) -> String {
    format!("commit {} by {author} on {date}: {subject}", &id[..id.len().min(12)])
}

/// Searches the versions of a plan.
pub(super) fn search_changes(
    plan: &Plan,
    versions: &VersionPair,
    group: Option<ChangeScope>,
    options: &AlgorithmOptions,
    spending: Spending,
    engine: &mut Engine<'_>,
) -> Result<(Found, ChangesFound), Error> {
    let narrowed = match &versions.history {
        Some(history) => narrow_history(history, plan, engine)?,
        None => NarrowedHistory::between(versions.good.clone(), versions.bad.clone()),
    };
    if let (None, [commit]) = (&narrowed.stop, narrowed.commits.as_slice()) {
        let commit = commit_in_words(commit);
        engine.lab.remark(&format!("it is {commit}; the search goes on among its changes"));
    }
    let within = Within { narrowed, group, reverts: true };
    search_within(plan, versions, within, options, spending, engine)
}

/// Two trees, in which the search goes on.
pub(super) struct Within {
    pub narrowed: NarrowedHistory,
    pub group: Option<ChangeScope>,
    /// Whether the result is taken out of the bad version that was given.
    pub reverts: bool,
}

/// Searches what is between two trees.
pub(super) fn search_within(
    plan: &Plan,
    versions: &VersionPair,
    within: Within,
    options: &AlgorithmOptions,
    spending: Spending,
    engine: &mut Engine<'_>,
) -> Result<(Found, ChangesFound), Error> {
    let Within { narrowed, group, reverts } = within;
    let subject = subject_between(&narrowed, plan, versions, group)?;
    let NarrowedHistory { commits, passing_id, bisected, mut counts, stop, confidence, .. } =
        narrowed;
    let lines = match stop {
        Some(stop) => Lines::stopped(&subject, stop),
        None => {
            let patience = spending.patience(counts.executed);
            search_lines(plan, &subject, options, patience, &mut counts, engine)
        }
    };
    let Lines { cause, mut status, timeouts } = lines;
    let mut audited = None;
    if matches!(status, Status::Minimal | Status::Stopped(Stop::Undecided(_))) {
        match audit(plan, &subject, &cause, engine) {
            Ok((found, spent)) => {
                counts = counts.and(&spent);
                // It failed during the search: the test is flaky, or depends on products of earlier builds.
                if !found.holds() {
                    status = Status::Indeterminate;
                }
                audited = Some(found);
            }
            Err(stop) => status = Status::Stopped(stop),
        }
    }
    let reverted = match &audited {
        Some(audit) if reverts && audit.without == Outcome::Pass => {
            revert(plan, versions, &subject, &cause, &mut counts, engine)?
        }
        _ => None,
    };
    let applies_to = passing_id.unwrap_or_else(|| versions.names.0.clone());
    let patch = patch_of(&subject, &cause, &applies_to, engine.executor.scratch())?;
    let is_proved = cause.complete && matches!(status, Status::Minimal);
    let found = Found {
        status,
        certificate: is_proved.then(|| {
            certificate(plan.algorithm, options, &subject.level_names()).resting_on(timeouts)
        }),
        failing: subject.variant(&cause.alone),
        passing: subject.variant(&cause.alone.difference(&cause.changes)),
        deltas: cause.changes.len() as u64,
        sides: None,
        counts,
        passes: Vec::new(),
        rate: None,
    };
    let Cause { changes, alone, needs_are_least, without, is_widened, also, .. } = cause;
    let changes = ChangesFound {
        applies_to,
        commits,
        subject,
        changes,
        alone,
        needs_are_least,
        without,
        also,
        is_widened,
        complete: is_proved,
        audit: audited,
        patch,
        revert: reverted,
        sources: None,
        bisected,
        confidence,
    };
    let sources = changes.upgraded_sources(plan, versions);
    Ok((found, ChangesFound { sources, ..changes }))
}

/// The subject of the changes between two trees.
fn subject_between(
    narrowed: &NarrowedHistory,
    plan: &Plan,
    versions: &VersionPair,
    group: Option<ChangeScope>,
) -> Result<Subject, Error> {
    Ok(match plan.subject() {
        // Without a history, the plan has compared the same two trees.
        Subject::Folder(folders) if versions.history.is_none() => {
            Subject::Folder(Clone::clone(folders))
        }
        Subject::Upgrades(upgrades) => Subject::Upgrades(Clone::clone(upgrades)),
        _ => {
            let folders = versions.compared(&narrowed.passing, &narrowed.failing, group)?;
            Subject::Folder(folders.into())
        }
    })
}

/// The result of a search among the lines between two trees.
struct Lines {
    cause: Cause,
    status: Status,
    /// The number of tests after the last step that timed out.
    timeouts: u64,
}

impl Lines {
    /// The result of a search that was stopped before.
    fn stopped(subject: &Subject, stop: Stop) -> Self {
        let (cause, status) = (Cause::everything(subject, false), Status::Stopped(stop));
        Self { cause, status, timeouts: 0 }
    }
}

/// Searches the lines between two trees, which may be those of one commit.
fn search_lines(
    plan: &Plan,
    subject: &Subject,
    options: &AlgorithmOptions,
    patience: usize,
    counts: &mut Counts,
    engine: &mut Engine<'_>,
) -> Lines {
    let known = KnownAbout {
        unread: unread_changes(subject, engine.read.as_ref()),
        failure: failure_text(plan, &engine.printed),
    };
    let clean = engine.clean_spec();
    let name = if matches!(subject, Subject::Upgrades(_)) { "upgrades" } else { "changed lines" };
    engine.begin_part(name, subject, &Configuration::full(subject.deltas()));
    let mut session = engine.session(subject, &plan.results);
    let found = match subject {
        Subject::Upgrades(upgrades) if is_default(options) => {
            find_upgrade(upgrades, subject, patience, &clean, &mut session)
        }
        _ => find_cause(plan.algorithm, options, subject, &known, patience, &clean, &mut session),
    };
    *counts = counts.and(&session.counts());
    let timeouts = session.timeouts_since_step();
    match found {
        Ok(cause) if cause.complete => Lines { cause, status: Status::Minimal, timeouts },
        Ok(cause) => {
            let status = Status::Stopped(Stop::Undecided(patience as u64));
            Lines { cause, status, timeouts }
        }
        Err(Stopped { best, cause }) => {
            Lines { cause: *best, status: Status::Stopped(cause), timeouts }
        }
    }
}

/// The result as a patch, with the changes that it needs. Its first line says to what it applies, which `git apply` skips.
fn patch_of(
    subject: &Subject,
    cause: &Cause,
    applies_to: &str,
    scratch: &Path,
) -> Result<Vec<u8>, Error> {
    let old = tree(subject, &Configuration::empty());
    let patch = patch(&old, &tree(subject, &cause.alone), scratch).map_err(Error::usage)?;
    let heading = format!("With this patch, {applies_to} fails the test.\n\n");
    Ok([heading.as_bytes(), &patch].concat())
}
