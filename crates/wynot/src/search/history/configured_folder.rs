//! Folders that are made of configurations, as a subject of which nothing is known before the first test.

use wynot_core::{Configuration, Outcome};
use wynot_session::{Compose, Digest};
use wynot_subjects::{Folder, Variant};

/// A subject whose variants are the folders that a function makes of configurations.
pub(super) struct ConfiguredFolder<F> {
    /// The folder of a configuration.
    pub folder: F,
    /// The names of the levels on which configurations are searched.
    pub level_names: Vec<&'static str>,
}

impl<F: Fn(&Configuration) -> Folder> ConfiguredFolder<F> {
    /// A subject that is searched on one level.
    pub(super) fn new(folder: F) -> Self {
        Self { folder, level_names: Vec::new() }
    }
}

impl<F: Fn(&Configuration) -> Folder> Compose<Configuration> for ConfiguredFolder<F> {
    fn identity(&self, _: &Configuration) -> Option<Digest> {
        None
    }

    fn compose(&self, candidate: &Configuration, variant: &mut Variant) {
        *variant = Variant::Folder((self.folder)(candidate));
    }

    fn deltas(&self, candidate: &Configuration) -> u64 {
        candidate.len() as u64
    }

    fn size(&self) -> u64 {
        (self.folder)(&Configuration::empty()).size()
    }

    fn configuration<'c>(&self, candidate: &'c Configuration) -> Option<&'c Configuration> {
        Some(candidate)
    }

    fn level_name(&self, level: usize) -> Option<&'static str> {
        self.level_names.get(level).copied()
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        Vec::new()
    }
}
