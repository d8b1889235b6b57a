//! From what an algorithm thinks about to what is tested.

use crate::Digest;
use wynot_core::{Configuration, Outcome};
use wynot_reduce::{FolderVariant, Variant as DraftVariant};
use wynot_subjects::{Folder, Subject, Variant};

/// Makes variants of candidates.
pub trait Compose<C> {
    /// By what a candidate is counted as a test of its own; `None` if by the contents of its variant.
    fn identity(&self, candidate: &C) -> Option<Digest>;

    /// Writes the variant in place of what is in `variant`.
    fn compose(&self, candidate: &C, variant: &mut Variant);

    /// How many deltas it has.
    fn deltas(&self, candidate: &C) -> u64;

    /// The variant by itself.
    fn artefact(&self, candidate: &C) -> Variant {
        let mut variant = Variant::default();
        self.compose(candidate, &mut variant);
        variant
    }

    /// The size of the original.
    fn size(&self) -> u64;

    /// The set of deltas it stands for, if it is one.
    fn configuration<'c>(&self, candidate: &'c C) -> Option<&'c Configuration>;

    /// What is known without a test: the outcomes of the two sides, by identity.
    fn axioms(&self) -> Vec<(Digest, Outcome)>;
}

impl Compose<Configuration> for Subject {
    fn identity(&self, candidate: &Configuration) -> Option<Digest> {
        Some(Digest::of_configuration(candidate))
    }

    fn compose(&self, candidate: &Configuration, variant: &mut Variant) {
        Self::compose(self, candidate, variant);
    }

    fn deltas(&self, candidate: &Configuration) -> u64 {
        candidate.len() as u64
    }

    fn size(&self) -> u64 {
        Self::size(self)
    }

    fn configuration<'c>(&self, candidate: &'c Configuration) -> Option<&'c Configuration> {
        Some(candidate)
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        let full = Configuration::full(Self::deltas(self));
        vec![
            (Digest::of_configuration(&Configuration::empty()), Outcome::Pass),
            (Digest::of_configuration(&full), Outcome::Fail),
        ]
    }
}

/// Candidates of the default reducer: edits of a text.
#[derive(Debug)]
pub struct Texts<'a> {
    /// The text that fails.
    pub original: &'a [u8],
}

impl Compose<DraftVariant> for Texts<'_> {
    fn identity(&self, _: &DraftVariant) -> Option<Digest> {
        None
    }

    fn compose(&self, candidate: &DraftVariant, variant: &mut Variant) {
        candidate.write(variant.make_bytes());
    }

    fn deltas(&self, candidate: &DraftVariant) -> u64 {
        candidate.len() as u64
    }

    fn size(&self) -> u64 {
        self.original.len() as u64
    }

    fn configuration<'c>(&self, _: &'c DraftVariant) -> Option<&'c Configuration> {
        None
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        vec![
            (Digest::of_bytes(&[]), Outcome::Pass),
            (Digest::of_bytes(self.original), Outcome::Fail),
        ]
    }
}

/// Candidates of the default reducer for folders, among files that stay.
#[derive(Debug)]
pub struct Files<'a> {
    /// The folder that fails.
    pub original: &'a Folder,
    /// What is there besides, and does not vary.
    pub fixed: &'a Folder,
}

impl Compose<FolderVariant> for Files<'_> {
    fn identity(&self, _: &FolderVariant) -> Option<Digest> {
        None
    }

    fn compose(&self, candidate: &FolderVariant, variant: &mut Variant) {
        let folder = candidate.folder();
        *variant = Variant::Folder(match self.fixed.is_empty() {
            true => folder,
            false => self.fixed.overlay(&folder),
        });
    }

    fn deltas(&self, candidate: &FolderVariant) -> u64 {
        candidate.folder().file_count()
    }

    fn size(&self) -> u64 {
        self.original.size() + self.fixed.size()
    }

    fn configuration<'c>(&self, _: &'c FolderVariant) -> Option<&'c Configuration> {
        None
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        let with = |folder: &Folder| Digest::of(&Variant::Folder(self.fixed.overlay(folder)));
        vec![(with(&Folder::default()), Outcome::Pass), (with(self.original), Outcome::Fail)]
    }
}
