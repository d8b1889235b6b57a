//! Porting a fix forward: from the version in which the failure came to the one that fails today.
//!
//! The fix is carried hunk by hunk. If the newest version does not pass with it, the first version that does not pass is
//! searched for, and the fix for it is derived from its predecessor, which does. All of these together may take as many tests
//! as the search for one patch.

use super::blocker::Layer;
use super::border::{PatchSearch, outcome_of};
use super::clean_tests::test_clean;
use super::history_found::Fix;
use super::history_walk::Walk;
use super::patched_row::PatchedRow;
use crate::error::Error;
use wynot_core::{Gap, Outcome, Outcomes, Reached, Stopped, bisect_testable};
use wynot_exec::sources::patch;
use wynot_session::{Compose, Executor, Session, Stop};
use wynot_subjects::{Folder, Hunk, hunks_between};

/// The number of lines from which on a fix that was carried is simplified for the newest version.
const MIN_LINES_TO_SIMPLIFY: usize = 3;

/// Ports a fix, which is the difference between a failing and a passing version at `start`, to the newest version of a walk.
pub(super) fn port_fix(
    walk: &mut Walk<'_, '_>,
    start: usize,
    [failing, passing]: [&Folder; 2],
) -> Result<Result<Fix, Stop>, Error> {
    let newest = walk.ids.len() - 1;
    let (mut fix, mut at) = (fix_between(failing, passing), start);
    let mut derived_at = Vec::new();
    let mut patience = walk.patience;
    loop {
        let border = match newest_passing(walk, &fix, at, newest)? {
            Ok(border) => border,
            Err(stop) => return Ok(Err(stop)),
        };
        let Some((passing, failing)) = border else { break };
        if patience == 0 || passing == failing {
            let (lines, reached) = (changed_lines(&fix.hunks), walk.ids[passing].clone());
            return Ok(Ok(Fix { patch: None, lines, derived_at, reached, commit: None }));
        }
        let [unfixed, partly_fixed, fixed] = {
            let plain = walk.row();
            let row = with_fix(walk, &fix);
            [
                plain.patched(failing).folder,
                row.patched(failing).folder,
                row.patched(passing).folder,
            ]
        };
        let search = PatchSearch { sought: Outcomes::PASS, patience, flat: walk.flat };
        match walk.find_patch(failing, [&partly_fixed, &fixed], search, true)? {
            Ok(found) => {
                patience = patience.saturating_sub(found.counts.executed as usize);
                fix = fix_between(&unfixed, &found.folder);
            }
            Err(stop) => return Ok(Err(stop)),
        }
        derived_at.push(walk.ids[failing].clone());
        at = failing;
    }
    finish(walk, &fix, derived_at)
}

/// Simplifies a fix for the newest version, and tests it on a clean build.
fn finish(
    walk: &mut Walk<'_, '_>,
    fix: &Layer,
    derived_at: Vec<String>,
) -> Result<Result<Fix, Stop>, Error> {
    let newest = walk.ids.len() - 1;
    let unfixed = walk.row().patched(newest).folder;
    let mut fixed = with_fix(walk, fix).patched(newest).folder;
    if lines(&fix.hunks) >= MIN_LINES_TO_SIMPLIFY {
        let search =
            PatchSearch { sought: Outcomes::PASS, patience: walk.patience, flat: walk.flat };
        match walk.find_patch(newest, [&unfixed, &fixed], search, true)? {
            Ok(found) => fixed = found.folder,
            Err(stop) => return Ok(Err(stop)),
        }
    }
    walk.parts.fix += 1;
    let outcome = match test_clean(walk.plan, &fixed, &mut walk.counts, walk.engine) {
        Ok(outcome) => outcome,
        Err(stop) => return Ok(Err(stop)),
    };
    let reached = walk.ids[newest].clone();
    let lines = changed_lines(&hunks_between(&unfixed, &fixed));
    let scratch = walk.engine.executor.scratch().to_owned();
    let patch = match outcome {
        Outcome::Pass => Some(patch(&unfixed, &fixed, &scratch).map_err(Error::usage)?),
        _ => None,
    };
    Ok(Ok(Fix { patch, lines, derived_at, reached, commit: None }))
}

/// The versions of a walk with a fix.
fn with_fix<'r>(walk: &'r Walk<'_, '_>, fix: &Layer) -> PatchedRow<'r> {
    let mut layers = walk.layers.clone();
    layers.push(fix.clone());
    PatchedRow::new(walk.repository, &walk.ids, &walk.carried, layers)
}

/// A version that passes with a fix, and the next one, which does not; `None` if the newest one passes.
fn newest_passing(
    walk: &mut Walk<'_, '_>,
    fix: &Layer,
    at: usize,
    newest: usize,
) -> Result<Result<Option<(usize, usize)>, Stop>, Error> {
    let mut layers = walk.layers.clone();
    layers.push(fix.clone());
    let row = PatchedRow::new(walk.repository, &walk.ids, &walk.carried, layers);
    let mut session = walk.engine.session(&row, &walk.plan.results);
    let border = find_border_of_fix(at, newest, &mut session);
    walk.counts = walk.counts.and(&session.counts());
    walk.parts.fix += session.counts().executed;
    match row.failure() {
        Some(error) => Err(Error::unexpected(&error)),
        None => Ok(border),
    }
}

/// Searches for a version that passes and whose successor does not. Versions that cannot be tested are passed over, unless
/// there are too many of them.
fn find_border_of_fix<S: Compose<usize>, E: Executor>(
    at: usize,
    newest: usize,
    session: &mut Session<'_, '_, usize, S, E>,
) -> Result<Option<(usize, usize)>, Stop> {
    if outcome_of(&newest, session)? == Outcome::Pass {
        return Ok(None);
    }
    if at == newest {
        return Ok(Some((at, newest)));
    }
    let gap = Gap { passing: at, failing: newest };
    let (mut passing, mut failing) = match bisect_testable(gap, session) {
        Ok(Reached::Passing(Gap { passing, failing })) => (passing, failing),
        Ok(Reached::Unresolved { unresolved, .. }) => (at, unresolved),
        Ok(Reached::Oldest) => (at, newest),
        Err(Stopped { cause, .. }) => return Err(cause),
    };
    while failing - passing > 1 {
        let middle = passing.midpoint(failing);
        match outcome_of(&middle, session)? {
            Outcome::Pass => passing = middle,
            Outcome::Fail | Outcome::Unresolved => failing = middle,
        }
    }
    Ok(Some((passing, failing)))
}

/// The number of changed lines of some hunks, where an exchanged line is one.
fn changed_lines(hunks: &[Hunk]) -> usize {
    hunks.iter().map(Hunk::changed_lines).sum()
}

/// The number of lines of some hunks.
fn lines(hunks: &[Hunk]) -> usize {
    hunks.iter().map(Hunk::lines).sum()
}

/// The hunks that turn a failing version into a passing one.
fn fix_between(failing: &Folder, passing: &Folder) -> Layer {
    let hunks = hunks_between(failing, passing).into();
    Layer { hunks, origin: failing.clone(), newest: None }
}
