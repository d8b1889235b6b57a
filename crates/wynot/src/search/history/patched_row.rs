//! The versions of a history with the blockers that each of them needs, as a subject.

use super::blocker::Layer;
use crate::plan::CarriedFiles;
use std::cell::RefCell;
use std::collections::HashMap;
use wynot_core::{Configuration, Outcome};
use wynot_exec::sources::{CommitRow, GitError, Repository};
use wynot_session::{Compose, Digest};
use wynot_subjects::{Folder, HunkFate, Variant};

/// The number of versions that are kept in memory.
const MAX_VERSIONS: usize = 256;

/// A row of commits, the oldest first, each with the files that all of them get and with those of some layers of hunks that
/// it is old enough for. A candidate is an index.
pub(super) struct PatchedRow<'a> {
    row: CommitRow<'a>,
    ids: &'a [String],
    carried: &'a CarriedFiles,
    layers: Vec<Layer>,
    versions: RefCell<HashMap<usize, PatchedVersion>>,
}

/// A version with the hunks that it got.
#[derive(Clone, Debug)]
pub(super) struct PatchedVersion {
    pub folder: Folder,
    /// What became of the hunks of each layer; empty for layers that the version is too new for.
    pub fates: Vec<Vec<HunkFate>>,
}

impl PatchedVersion {
    /// The number of hunks that could not be applied.
    pub(super) fn conflicts(&self) -> usize {
        self.fates.iter().flatten().filter(|fate| **fate == HunkFate::Conflict).count()
    }
}

impl<'a> PatchedRow<'a> {
    /// The versions of a row with layers of hunks, which are applied in order.
    pub(super) fn new(
        repository: &'a Repository,
        ids: &'a [String],
        carried: &'a CarriedFiles,
        layers: Vec<Layer>,
    ) -> Self {
        let (row, versions) = (CommitRow::new(repository, ids), RefCell::default());
        Self { row, ids, carried, layers, versions }
    }

    /// The first error while reading a commit, if there was one.
    pub(super) fn failure(&self) -> Option<GitError> {
        self.row.failure()
    }

    /// The version at an index.
    pub(super) fn patched(&self, index: usize) -> PatchedVersion {
        if let Some(known) = self.versions.borrow().get(&index) {
            return known.clone();
        }
        let mut folder = self.unpatched(index);
        let mut fates = Vec::new();
        for layer in &self.layers {
            if !layer.applies_to(index) {
                fates.push(Vec::new());
                continue;
            }
            let applied = layer.added_to(&folder);
            folder = applied.folder;
            fates.push(applied.fates);
        }
        let version = PatchedVersion { folder, fates };
        let mut versions = self.versions.borrow_mut();
        if versions.len() >= MAX_VERSIONS {
            versions.clear();
        }
        versions.insert(index, version.clone());
        version
    }

    /// The version at an index without hunks.
    pub(super) fn unpatched(&self, index: usize) -> Folder {
        self.carried.added_to(&self.row.tree(index))
    }

    /// The object name of the commit at an index.
    pub(super) fn id(&self, index: usize) -> &'a str {
        &self.ids[index]
    }

    /// The number of lines of the hunks that a version got.
    pub(super) fn lines_applied(&self, version: &PatchedVersion) -> usize {
        let layers = self.layers.iter().zip(&version.fates);
        let hunks = layers.flat_map(|(layer, fates)| layer.hunks.iter().zip(fates));
        let applied = hunks.filter(|(_, fate)| matches!(fate, HunkFate::Applied(_)));
        applied.map(|(hunk, _)| hunk.lines()).sum()
    }
}

impl Compose<usize> for PatchedRow<'_> {
    fn identity(&self, _: &usize) -> Option<Digest> {
        None
    }

    fn compose(&self, index: &usize, variant: &mut Variant) {
        *variant = Variant::Folder(self.patched(*index).folder);
    }

    fn deltas(&self, index: &usize) -> u64 {
        *index as u64
    }

    fn version(&self, index: &usize) -> Option<&str> {
        Some(&self.ids[*index])
    }

    fn size(&self) -> u64 {
        self.patched(self.ids.len() - 1).folder.size()
    }

    fn configuration<'c>(&self, _: &'c usize) -> Option<&'c Configuration> {
        None
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        Vec::new()
    }
}
