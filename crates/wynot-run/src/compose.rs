//! From what an algorithm thinks about to what is tested.

use crate::Digest;
use wynot_core::{Configuration, Outcome};
use wynot_reduce::{FolderDraft, TextDraft};
use wynot_subjects::{Artefact, Circumstances, Folder};

/// Makes variants of candidates.
pub trait Compose<C> {
    /// By what a candidate is counted as a test of its own; `None` if by the contents of its variant.
    fn identity(&self, candidate: &C) -> Option<Digest>;

    /// Writes the variant in place of what is in `variant`.
    fn compose(&self, candidate: &C, variant: &mut Artefact);

    /// How many deltas it has.
    fn deltas(&self, candidate: &C) -> u64;

    /// The variant by itself.
    fn artefact(&self, candidate: &C) -> Artefact {
        let mut variant = Artefact::default();
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

impl Compose<Configuration> for Circumstances {
    fn identity(&self, candidate: &Configuration) -> Option<Digest> {
        Some(Digest::of_configuration(candidate))
    }

    fn compose(&self, candidate: &Configuration, variant: &mut Artefact) {
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

impl Compose<TextDraft> for Texts<'_> {
    fn identity(&self, _: &TextDraft) -> Option<Digest> {
        None
    }

    fn compose(&self, candidate: &TextDraft, variant: &mut Artefact) {
        candidate.write(variant.as_file());
    }

    fn deltas(&self, candidate: &TextDraft) -> u64 {
        candidate.len() as u64
    }

    fn size(&self) -> u64 {
        self.original.len() as u64
    }

    fn configuration<'c>(&self, _: &'c TextDraft) -> Option<&'c Configuration> {
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

impl Compose<FolderDraft> for Files<'_> {
    fn identity(&self, _: &FolderDraft) -> Option<Digest> {
        None
    }

    fn compose(&self, candidate: &FolderDraft, variant: &mut Artefact) {
        let folder = candidate.folder();
        *variant = Artefact::Folder(match self.fixed.is_empty() {
            true => folder,
            false => self.fixed.and(&folder),
        });
    }

    fn deltas(&self, candidate: &FolderDraft) -> u64 {
        candidate.folder().files()
    }

    fn size(&self) -> u64 {
        self.original.size() + self.fixed.size()
    }

    fn configuration<'c>(&self, _: &'c FolderDraft) -> Option<&'c Configuration> {
        None
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        let with = |folder: &Folder| Digest::of(&Artefact::Folder(self.fixed.and(folder)));
        vec![(with(&Folder::default()), Outcome::Pass), (with(self.original), Outcome::Fail)]
    }
}
