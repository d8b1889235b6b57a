//! The search for the change that introduced a failure, where no good version is known: iterative delta debugging.
//!
//! After Artho, *Iterative Delta Debugging*. The walk back ([`history_walk`], [`walk_search`]) tests versions ([`patched_row`]), each with the
//! blockers that it needs ([`blocker`]), and keeps which ones ([`visits`]). Where a stretch of versions cannot be tested, the
//! least patch is derived at its border ([`mending`], [`border`], with [`configured_folder`], [`patient`]
//! and [`clean_tests`]). At the end, blockers are simplified once
//! more ([`fix_point`]), the lines of the change are searched as for `wynot changes`, and the fix is carried to today
//! ([`forward_port`]); [`walk_record`] is what reports get of it. Hunks and how they are carried belong to `wynot-subjects`, and the order of the walk to `wynot-core`.

mod blocker;
mod border;
mod clean_tests;
mod configured_folder;
mod fix_point;
mod forward_port;
mod history_found;
mod history_walk;
mod mending;
mod patched_row;
mod patient;
mod visits;
mod walk_record;
mod walk_search;

use super::changes::{Within, search_within};
use super::commit_bisection::{NarrowedHistory, merged_branches};
use super::engine::Engine;
use super::found::{Found, Status};
use super::patience::Spending;
use crate::error::Error;
use crate::plan::{Plan, VersionHistory, VersionPair};
use crate::request::{AlgorithmOptions, HistoryOptions};
use border::outcome_of;
use forward_port::port_fix;
use history_walk::{Walk, WalkEnd};
use wynot_core::Outcome;
use wynot_exec::sources::Commit;
use wynot_session::{Counts, Stop};
use wynot_subjects::Variant;

pub(super) use walk_record::record;

pub use blocker::Blocker;
pub use history_found::{Derivation, Fix, HistoryFound, PartCounts, Verdict, Visit};

/// What a search through a history needs.
pub(super) struct HistorySearch<'a> {
    pub plan: &'a Plan,
    pub versions: &'a VersionPair,
    pub history: &'a VersionHistory,
    pub options: &'a HistoryOptions,
    pub algorithm: &'a AlgorithmOptions,
    pub spending: Spending,
}

impl HistorySearch<'_> {
    /// Walks back through the history, finds the change that introduced the failure, and ports the fix forward.
    pub(super) fn run(&self, engine: &mut Engine<'_>) -> Result<(Found, HistoryFound), Error> {
        let mut walk = self.walk(self.history.row.clone(), engine);
        let newest = walk.ids.len() - 1;
        let mut end = walk.run(newest, None)?;
        let main = end.failing;
        let mut commits = vec![walk.ids[end.failing].clone()];
        let mut passing_id = end.passing.map(|passing| walk.ids[passing].clone());
        if end.stop.is_none()
            && self.options.fix_point
            && let Some(passing) = end.passing
        {
            let layers = walk.layers.clone();
            end.stop = fix_point::drop_unneeded(&mut walk, [passing, end.failing])?;
            if end.stop.is_none() {
                let row = walk.row();
                end.sides = Some([passing, end.failing].map(|index| row.patched(index).folder));
            }
            // Newer versions may need what these two do not.
            walk.layers = layers;
        }
        let mut is_merged = false;
        let first_parent = end.failing.checked_sub(1).filter(|_| end.came_with);
        let mut before = passing_id.clone().or(first_parent.map(|index| walk.ids[index].clone()));
        while let (None, Some(older)) = (&end.stop, before)
            && let Some((ids, branch_end)) =
                self.failing_branch(&mut walk, &older, &commits[0], end.came_with)?
        {
            commits = vec![ids[branch_end.failing].clone()];
            passing_id = branch_end.passing.map(|passing| ids[passing].clone());
            before = passing_id.clone();
            end = branch_end;
            is_merged = true;
        }
        walk.end_intervals(if is_merged { main } else { end.passing.unwrap_or(end.failing) });
        if let (true, Some([passing, _]), Some(id)) = (is_merged, &end.sides, &passing_id) {
            walk.extend_intervals(passing, id);
        }
        self.conclude(walk, end, main, commits.remove(0), passing_id)
    }

    /// A walk through a row of commits.
    fn walk<'w, 'e>(&'w self, ids: Vec<String>, engine: &'w mut Engine<'e>) -> Walk<'w, 'e> {
        let carried = match &engine.read {
            Some(read) => self.history.carried.with_tests(read, &self.versions.bad),
            None => self.history.carried.clone(),
        };
        Walk {
            plan: self.plan,
            repository: &self.history.repository,
            carried,
            ids,
            is_branch: false,
            linear: self.options.linear,
            flat: self.options.flat,
            patience: self.spending.patience(0),
            engine,
            blockers: Vec::new(),
            layers: Vec::new(),
            visits: Vec::new(),
            derivations: Vec::new(),
            counts: Counts::default(),
            parts: PartCounts::default(),
        }
    }

    /// If a merge introduced the failure, and one of the merged branches fails by itself although its base passes, or does
    /// not have what fails either: the commits of the branch, and where the walk through them has ended.
    fn failing_branch(
        &self,
        walk: &mut Walk<'_, '_>,
        older: &str,
        failing: &str,
        came_with: bool,
    ) -> Result<Option<(Vec<String>, WalkEnd)>, Error> {
        let commit = walk.repository.commit(failing).map_err(Error::usage)?;
        if commit.parents.len() < 2 {
            return Ok(None);
        }
        for branch in merged_branches(walk.repository, older, &commit)? {
            let blockers = walk.blockers.len();
            let mut layers = walk.layers.clone();
            layers.iter_mut().for_each(|layer| layer.newest = None);
            let (ids, layers) = (
                std::mem::replace(&mut walk.ids, branch.row),
                std::mem::replace(&mut walk.layers, layers),
            );
            let ends = {
                let row = patched_row::PatchedRow::new(
                    walk.repository,
                    &walk.ids,
                    &walk.carried,
                    walk.layers.clone(),
                );
                let last = walk.ids.len() - 1;
                let mut session = walk.engine.session(&row, &walk.plan.results);
                let ends = outcome_of(&0, &mut session)
                    .and_then(|base| Ok((base, outcome_of(&last, &mut session)?)));
                walk.counts = walk.counts.and(&session.counts());
                walk.parts.walk += session.counts().executed;
                ends
            };
            let found = match ends {
                Ok((base, Outcome::Fail)) if base == Outcome::Pass || came_with => {
                    let last = walk.ids.len() - 1;
                    walk.is_branch = true;
                    let end = walk.run(last, (base == Outcome::Pass).then_some(0))?;
                    walk.is_branch = false;
                    (base == Outcome::Pass || end.came_with).then_some(end)
                }
                _ => None,
            };
            let row = std::mem::replace(&mut walk.ids, ids);
            walk.layers = layers;
            if let Some(end) = found {
                return Ok(Some((row, end)));
            }
            walk.blockers.truncate(blockers);
        }
        Ok(None)
    }

    /// Searches the lines of the change, and ports the fix to today.
    fn conclude(
        &self,
        mut walk: Walk<'_, '_>,
        end: WalkEnd,
        main: usize,
        failing_id: String,
        passing_id: Option<String>,
    ) -> Result<(Found, HistoryFound), Error> {
        let commit = |id: &str| walk.repository.commit(id).map_err(Error::usage);
        let oldest_failing = commit(&failing_id)?;
        let passing = passing_id.as_deref().map(commit).transpose()?;
        let WalkEnd { sides, stop, remark, came_with, .. } = end;
        let mut fix = None;
        let (found, changes) = match (sides, stop) {
            (Some([older, newer]), None) => {
                let narrowed = NarrowedHistory {
                    passing_id,
                    commits: vec![oldest_failing.clone()],
                    counts: walk.counts,
                    ..NarrowedHistory::between(older, newer)
                };
                let before = narrowed.counts.executed;
                let within = Within { narrowed, group: None, reverts: false };
                let id = &failing_id[..failing_id.len().min(12)];
                walk.engine.lab.place(&format!("lines of {id}"));
                let (mut found, changes) = search_within(
                    self.plan,
                    self.versions,
                    within,
                    self.algorithm,
                    self.spending,
                    walk.engine,
                )?;
                walk.parts.lines = found.counts.executed - before;
                if !matches!(found.status, Status::Stopped(_)) {
                    walk.counts = Counts::default();
                    let [fails, passes] = changes.without_it();
                    match port_fix(&mut walk, main, [&fails, &passes])? {
                        Ok(ported) => fix = Some(self.on_branch(ported, &oldest_failing, &walk)?),
                        Err(stop) => found.status = Status::Stopped(stop),
                    }
                    found.counts = found.counts.and(&walk.counts);
                }
                (found, Some(changes))
            }
            (_, stop) => (self.without_change(&walk, stop), None),
        };
        let until = self.options.until.as_ref().filter(|_| changes.is_none() && !came_with);
        let until = until.map(|until| format!("versions before {until} were not tested"));
        let remark = remark.or(until);
        let verdict = match (&changes, &found.status) {
            (Some(_), _) => Verdict::Regression,
            (None, _) if came_with => Verdict::Regression,
            (None, Status::Stopped(_)) => Verdict::Unknown,
            (None, _) => Verdict::Always,
        };
        let Walk { blockers, visits, derivations, ids, parts, .. } = walk;
        Ok((
            found,
            HistoryFound {
                verdict,
                versions: ids.len(),
                oldest_failing,
                changes,
                passing,
                blockers,
                fix,
                visits,
                derivations,
                remark,
                parts,
            },
        ))
    }

    /// A fix, with the commit of it on a new branch if that is asked for.
    fn on_branch(&self, fix: Fix, cause: &Commit, walk: &Walk<'_, '_>) -> Result<Fix, Error> {
        let (Some(branch), Some(patch)) = (&self.options.branch, &fix.patch) else {
            return Ok(fix);
        };
        let short = &cause.id[..cause.id.len().min(12)];
        let message = format!(
            "Fix a failure that {short} introduced\n\nThe change in question: {}\nFound by wynot history. It makes one test pass; nothing else is known about it.",
            cause.subject
        );
        let newest = &walk.ids[walk.ids.len() - 1];
        let scratch = walk.engine.executor.scratch();
        let commit = walk.repository.commit_patch(branch, newest, patch, &message, scratch);
        Ok(Fix { commit: Some(commit.map_err(Error::usage)?), ..fix })
    }

    /// The result of a search that has found no change.
    fn without_change(&self, walk: &Walk<'_, '_>, stop: Option<Stop>) -> Found {
        Found {
            status: stop.map_or(Status::Minimal, Status::Stopped),
            certificate: None,
            failing: Variant::Folder(self.versions.bad.clone()),
            passing: Variant::default(),
            deltas: 0,
            sides: None,
            counts: walk.counts,
            passes: Vec::new(),
            rate: None,
        }
    }
}
