//! The result of a walk as a record of the journal, for reports.

use super::blocker::Blocker;
use super::history_found::{Derivation, HistoryFound, Visit};
use wynot_exec::sources::Commit;
use wynot_session::{BlockerRecord, DerivationRecord, HistoryRecord, VersionRecord, VisitRecord};

/// The record of a walk.
pub(in crate::search) fn record(found: &HistoryFound) -> HistoryRecord {
    HistoryRecord {
        verdict: found.verdict.name().to_owned(),
        versions: found.versions,
        failing: version(&found.oldest_failing),
        passing: found.passing.as_ref().map(version),
        visits: found.visits.iter().map(visit).collect(),
        blockers: found.blockers.iter().map(blocker).collect(),
        derivations: found.derivations.iter().map(derivation).collect(),
        fix_lines: found.fix.as_ref().filter(|fix| fix.patch.is_some()).map(|fix| fix.lines),
        fix_patch: fix_patch(found),
        tests_by_part: found.parts.named().map(|(part, tests)| (part.to_owned(), tests)).to_vec(),
    }
}

/// The fix, if there is one.
fn fix_patch(found: &HistoryFound) -> Option<String> {
    let patch = found.fix.as_ref()?.patch.as_ref()?;
    Some(String::from_utf8_lossy(patch).into_owned())
}

fn version(commit: &Commit) -> VersionRecord {
    let Commit { id, date, subject, .. } = commit.clone();
    VersionRecord { id, date, subject }
}

fn visit(visit: &Visit) -> VisitRecord {
    VisitRecord {
        index: visit.index,
        id: visit.id.clone(),
        outcome: visit.outcome.to_string(),
        reason: visit.reason.clone(),
        patch_lines: visit.patch_lines,
        conflicts: visit.conflicts,
    }
}

fn blocker(blocker: &Blocker) -> BlockerRecord {
    BlockerRecord {
        name: blocker.name.clone(),
        interval: blocker.interval,
        ids: [blocker.from.clone(), blocker.to.clone()],
        lines: blocker.lines,
        tests: blocker.tests,
        patch: String::from_utf8_lossy(&blocker.patch).into_owned(),
    }
}

fn derivation(derivation: &Derivation) -> DerivationRecord {
    DerivationRecord {
        index: derivation.index,
        is_fix: derivation.is_fix,
        lines: derivation.lines,
        tests: derivation.tests,
        reasons: derivation.reasons.clone(),
    }
}
