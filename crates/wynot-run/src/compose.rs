//! From what an algorithm thinks about to the bytes that are tested.

use crate::Digest;
use wynot_core::{Configuration, Outcome};
use wynot_reduce::Variant;
use wynot_subjects::Subject;

/// Makes variants of candidates.
pub trait Compose<C> {
    /// By what a candidate is counted as a test of its own; `None` if by the contents of its variant.
    fn identity(&self, candidate: &C) -> Option<Digest>;

    /// Writes the variant in place of what is in `variant`.
    fn compose(&self, candidate: &C, variant: &mut Vec<u8>);

    /// How many deltas it has.
    fn deltas(&self, candidate: &C) -> u64;

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

    fn compose(&self, candidate: &Configuration, variant: &mut Vec<u8>) {
        Self::compose(self, candidate, variant);
    }

    fn deltas(&self, candidate: &Configuration) -> u64 {
        candidate.len() as u64
    }

    fn size(&self) -> u64 {
        self.original().len() as u64
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

impl Compose<Variant> for Texts<'_> {
    fn identity(&self, _: &Variant) -> Option<Digest> {
        None
    }

    fn compose(&self, candidate: &Variant, variant: &mut Vec<u8>) {
        candidate.write(variant);
    }

    fn deltas(&self, candidate: &Variant) -> u64 {
        candidate.len() as u64
    }

    fn size(&self) -> u64 {
        self.original.len() as u64
    }

    fn configuration<'c>(&self, _: &'c Variant) -> Option<&'c Configuration> {
        None
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        vec![
            (Digest::of_bytes(&[]), Outcome::Pass),
            (Digest::of_bytes(self.original), Outcome::Fail),
        ]
    }
}
