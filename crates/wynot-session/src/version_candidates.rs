//! Versions of a row as candidates, and their single runs where one run does not decide.

use crate::compose::Compose;
use crate::digest::Digest;
use wynot_core::{Configuration, Outcome, VersionRun};
use wynot_subjects::{Variant, VersionRow};

/// A candidate is the index of a version.
impl Compose<usize> for VersionRow {
    fn identity(&self, _: &usize) -> Option<Digest> {
        None
    }

    fn compose(&self, index: &usize, variant: &mut Variant) {
        *variant = Self::variant(self, *index);
    }

    fn deltas(&self, index: &usize) -> u64 {
        *index as u64
    }

    fn version(&self, index: &usize) -> Option<&str> {
        Some(&self.names()[*index])
    }

    fn size(&self) -> u64 {
        Self::variant(self, self.names().len() - 1).size()
    }

    fn configuration<'c>(&self, _: &'c usize) -> Option<&'c Configuration> {
        None
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        let digest = |index| Digest::of(&Self::variant(self, index));
        vec![(digest(0), Outcome::Pass), (digest(self.names().len() - 1), Outcome::Fail)]
    }
}

/// The runs of the versions of a row. Each run is a test of its own, so that the journal has its outcome.
#[derive(Debug)]
pub struct SingleRuns<'a, S> {
    /// The row.
    pub row: &'a S,
}

impl<S: Compose<usize>> Compose<VersionRun> for SingleRuns<'_, S> {
    fn identity(&self, _: &VersionRun) -> Option<Digest> {
        None
    }

    fn compose(&self, candidate: &VersionRun, variant: &mut Variant) {
        self.row.compose(&candidate.version, variant);
    }

    fn deltas(&self, candidate: &VersionRun) -> u64 {
        self.row.deltas(&candidate.version)
    }

    fn digest(&self, candidate: &VersionRun, variant: &Variant) -> Digest {
        self.row.digest(&candidate.version, variant).of_run(candidate.run)
    }

    fn version(&self, candidate: &VersionRun) -> Option<&str> {
        self.row.version(&candidate.version)
    }

    fn size(&self) -> u64 {
        self.row.size()
    }

    fn configuration<'c>(&self, _: &'c VersionRun) -> Option<&'c Configuration> {
        None
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        Vec::new()
    }
}
