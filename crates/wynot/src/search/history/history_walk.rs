//! A walk back through a history: what it is given, what it has found so far, and where it ends.

use super::blocker::{Blocker, Layer};
use super::history_found::{Derivation, PartCounts, Visit};
use super::patched_row::PatchedRow;
use super::visits::Visits;
use crate::error::Error;
use crate::plan::{CarriedFiles, Plan};
use crate::search::engine::Engine;
use wynot_core::{Pace, Reached, Stopped, walk_back};
use wynot_exec::sources::Repository;
use wynot_report::number::count;
use wynot_session::{Counts, Stop};
use wynot_subjects::{Folder, HunkFate};

/// A row of versions that is walked back through.
pub(super) struct Walk<'w, 'e> {
    pub plan: &'w Plan,
    pub repository: &'w Repository,
    pub carried: CarriedFiles,
    /// The commits, the oldest first.
    pub ids: Vec<String>,
    /// Whether the commits are those of a merged branch.
    pub is_branch: bool,
    /// Whether one version is tested after the other.
    pub linear: bool,
    pub flat: bool,
    /// The number of unresolved tests that the search for one patch may have.
    pub patience: usize,
    pub engine: &'w mut Engine<'e>,
    pub blockers: Vec<Blocker>,
    /// The layers of the blockers, in the order in which they are applied.
    pub layers: Vec<Layer>,
    pub visits: Vec<Visit>,
    pub derivations: Vec<Derivation>,
    pub counts: Counts,
    pub parts: PartCounts,
}

/// Where a walk has ended.
pub(super) struct WalkEnd {
    /// The oldest version known to fail.
    pub failing: usize,
    /// The version before it, if it passes.
    pub passing: Option<usize>,
    /// The versions as they were tested, the passing one first.
    pub sides: Option<[Folder; 2]>,
    pub stop: Option<Stop>,
    pub remark: Option<String>,
    /// Whether the failing version brought what fails: older ones do not have it.
    pub came_with: bool,
}

impl Walk<'_, '_> {
    /// The versions with the layers of the blockers so far.
    pub(super) fn row(&self) -> PatchedRow<'_> {
        PatchedRow::new(self.repository, &self.ids, &self.carried, self.layers.clone())
    }

    /// Walks back without deriving patches.
    pub(super) fn walk_only(&mut self, failing: usize) -> Result<Result<Reached, Stop>, Error> {
        let row = PatchedRow::new(self.repository, &self.ids, &self.carried, self.layers.clone());
        let session = self.engine.session(&row, &self.plan.results);
        let mut visits = Visits::new(session, &row);
        let reached = walk_back(failing, 0, Pace::Galloping(1), &mut visits);
        let (_, counts) = visits.finish();
        self.counts = self.counts.and(&counts);
        self.parts.walk += counts.executed;
        match row.failure() {
            Some(error) => Err(Error::unexpected(&error)),
            None => Ok(reached.map_err(|Stopped { cause, .. }| cause)),
        }
    }

    /// The blockers so far, in words.
    pub(super) fn in_words(&self) -> String {
        let lines: usize = self.blockers.iter().map(|blocker| blocker.lines).sum();
        match self.blockers.len() as u64 {
            0 => "no blocker".to_owned(),
            blockers => {
                format!("{} of {}", count(blockers, "blocker"), count(lines as u64, "line"))
            }
        }
    }

    /// The interval of each blocker: from the version at which it was found back to the oldest one that it applies to.
    pub(super) fn end_intervals(&mut self, oldest: usize) {
        let layers: Vec<Layer> =
            self.blockers.iter().map(|blocker| blocker.derived.layer()).collect();
        let row = PatchedRow::new(self.repository, &self.ids, &self.carried, layers);
        for (layer, blocker) in self.blockers.iter_mut().enumerate() {
            // Those of a merged branch have no place in the row.
            if self.ids.get(blocker.derived.index) != Some(&blocker.from) {
                continue;
            }
            let is_applied = |index: usize| {
                let fates = row.patched(index).fates;
                fates[layer].iter().any(|fate| matches!(fate, HunkFate::Applied(_)))
            };
            // Versions need not be tested for this, but reading all of them would take long.
            let (mut applied, mut older) = (blocker.derived.index, oldest);
            if is_applied(oldest) {
                applied = oldest;
            }
            while applied > older + 1 {
                let middle = older.midpoint(applied);
                match is_applied(middle) {
                    true => applied = middle,
                    false => older = middle,
                }
            }
            blocker.to = self.ids[applied].clone();
            blocker.interval[1] = applied;
        }
    }

    /// Extends the intervals of blockers whose patch is in a version of a merged branch.
    pub(super) fn extend_intervals(&mut self, version: &Folder, id: &str) {
        for (blocker, layer) in self.blockers.iter_mut().zip(&self.layers) {
            let fates = layer.added_to(version).fates;
            if !fates.is_empty() && fates.iter().all(|fate| *fate == HunkFate::Present) {
                id.clone_into(&mut blocker.to);
            }
        }
    }
}
