//! Composition: from candidates, which strategies propose, to variants, which tests get.

use crate::digest::Digest;
use wynot_core::{Configuration, Outcome};
use wynot_reduce::{FolderDraft, TextDraft};
use wynot_subjects::{Folder, Subject, Variant};

/// Composes the variants of candidates.
pub trait Compose<C> {
    /// The digest that identifies a candidate; `None` if the contents of its variant identify it.
    ///
    /// Candidates with different identities count as different tests, even if their variants are equal.
    fn identity(&self, candidate: &C) -> Option<Digest>;

    /// Composes the variant of a candidate into `variant`, whose memory is reused.
    fn compose(&self, candidate: &C, variant: &mut Variant);

    /// The number of deltas in a candidate.
    fn deltas(&self, candidate: &C) -> u64;

    /// Composes the variant of a candidate into new memory.
    fn variant(&self, candidate: &C) -> Variant {
        let mut variant = Variant::default();
        self.compose(candidate, &mut variant);
        variant
    }

    /// The digest by which the outcome of a candidate with this variant is known. Where tests of equal variants are kept
    /// apart, it is not that of the variant.
    fn digest(&self, candidate: &C, variant: &Variant) -> Digest {
        let _ = candidate;
        Digest::of(variant)
    }

    /// The name of the version that a candidate stands for, if it is one of a row.
    fn version(&self, candidate: &C) -> Option<&str> {
        let _ = candidate;
        None
    }

    /// The size of the original in bytes.
    fn size(&self) -> u64;

    /// The candidate as a configuration, if it is one.
    fn configuration<'c>(&self, candidate: &'c C) -> Option<&'c Configuration>;

    /// The outcomes that need no test, by identity: those of the two sides.
    fn axioms(&self) -> Vec<(Digest, Outcome)>;

    /// The name of the deltas of a level, such as `line`.
    fn level_name(&self, level: usize) -> Option<&'static str> {
        let _ = level;
        None
    }

    /// A name that distinguishes this subject from others of the same search in traces, such as a location in a
    /// program.
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

    fn digest(&self, candidate: &C, variant: &Variant) -> Digest {
        (**self).digest(candidate, variant)
    }

    fn version(&self, candidate: &C) -> Option<&str> {
        (**self).version(candidate)
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

/// Composes the drafts of one text.
#[derive(Debug)]
pub struct Texts<'a> {
    /// The failing text.
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

/// Composes the drafts of a folder, together with files that do not vary.
#[derive(Debug)]
pub struct Files<'a> {
    /// The failing folder.
    pub original: &'a Folder,
    /// The files that every variant also contains.
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
        let digest = |folder: &Folder| Digest::of(&Variant::Folder(self.fixed.overlay(folder)));
        vec![(digest(&Folder::default()), Outcome::Pass), (digest(self.original), Outcome::Fail)]
    }
}
