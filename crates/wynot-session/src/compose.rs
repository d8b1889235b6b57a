//! From candidates, which strategies propose, to variants, which tests are given.

use crate::digest::Digest;
use wynot_core::{Configuration, Outcome};
use wynot_reduce::{FolderDraft, TextDraft};
use wynot_subjects::{Folder, Subject, Variant};

/// Makes variants of candidates.
pub trait Compose<C> {
    /// The digest by which a candidate counts as a test of its own; `None` if it counts by the contents of its
    /// variant.
    fn identity(&self, candidate: &C) -> Option<Digest>;

    /// Composes the variant of a candidate in the memory of `variant`.
    fn compose(&self, candidate: &C, variant: &mut Variant);

    /// How many deltas a candidate has.
    fn deltas(&self, candidate: &C) -> u64;

    /// The variant of a candidate.
    fn variant(&self, candidate: &C) -> Variant {
        let mut variant = Variant::default();
        self.compose(candidate, &mut variant);
        variant
    }

    /// The size of the original.
    fn size(&self) -> u64;

    /// The configuration that a candidate is, if it is one.
    fn configuration<'c>(&self, candidate: &'c C) -> Option<&'c Configuration>;

    /// The outcomes that are known without a test, by identity: those of the two sides.
    fn axioms(&self) -> Vec<(Digest, Outcome)>;

    /// The name of the deltas of a level, such as `line`.
    fn level_name(&self, level: usize) -> Option<&'static str> {
        let _ = level;
        None
    }

    /// What distinguishes this subject from others of the same search, for traces: a place in a program, for instance.
    fn question(&self) -> Option<&str> {
        None
    }
}

impl<C, S: Compose<C>> Compose<C> for &S {
    fn identity(&self, candidate: &C) -> Option<Digest> {
        (**self).identity(candidate)
    }

    fn compose(&self, candidate: &C, variant: &mut Variant) {
        (**self).compose(candidate, variant);
    }

    fn deltas(&self, candidate: &C) -> u64 {
        (**self).deltas(candidate)
    }

    fn size(&self) -> u64 {
        (**self).size()
    }

    fn configuration<'c>(&self, candidate: &'c C) -> Option<&'c Configuration> {
        (**self).configuration(candidate)
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        (**self).axioms()
    }

    fn level_name(&self, level: usize) -> Option<&'static str> {
        (**self).level_name(level)
    }

    fn question(&self) -> Option<&str> {
        (**self).question()
    }
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

    fn level_name(&self, level: usize) -> Option<&'static str> {
        self.level_names().get(level).copied()
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        let full = Configuration::full(Self::deltas(self));
        vec![
            (Digest::of_configuration(&Configuration::empty()), Outcome::Pass),
            (Digest::of_configuration(&full), Outcome::Fail),
        ]
    }
}

/// Candidates of the default reducer for one text.
#[derive(Debug)]
pub struct Texts<'a> {
    /// The text that fails.
    pub original: &'a [u8],
}

impl Compose<TextDraft> for Texts<'_> {
    fn identity(&self, _: &TextDraft) -> Option<Digest> {
        None
    }

    fn compose(&self, candidate: &TextDraft, variant: &mut Variant) {
        candidate.write(variant.make_bytes());
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
    /// The files that are there besides and do not vary.
    pub fixed: &'a Folder,
}

impl Compose<FolderDraft> for Files<'_> {
    fn identity(&self, _: &FolderDraft) -> Option<Digest> {
        None
    }

    fn compose(&self, candidate: &FolderDraft, variant: &mut Variant) {
        let folder = candidate.folder();
        *variant = Variant::Folder(match self.fixed.is_empty() {
            true => folder,
            false => self.fixed.overlay(&folder),
        });
    }

    fn deltas(&self, candidate: &FolderDraft) -> u64 {
        candidate.folder().file_count()
    }

    fn size(&self) -> u64 {
        self.original.size() + self.fixed.size()
    }

    fn configuration<'c>(&self, _: &'c FolderDraft) -> Option<&'c Configuration> {
        None
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        let with = |folder: &Folder| Digest::of(&Variant::Folder(self.fixed.overlay(folder)));
        vec![(with(&Folder::default()), Outcome::Pass), (with(self.original), Outcome::Fail)]
    }
}
