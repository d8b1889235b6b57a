//! What is proved about a result.

use std::collections::BTreeSet;

/// A kind of piece that is removed from a result one at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// A file, a link or an empty directory of a folder.
    File,
    /// A word or a sign of a text.
    Token,
    /// A byte of a text.
    Byte,
}

/// The proof that a result is 1-minimal: the kinds of atoms of which every single one was removed by
/// itself, and no removal kept the failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate(BTreeSet<Atom>);

impl Certificate {
    /// Whether no single atom of a kind can be removed.
    pub fn covers(&self, atom: Atom) -> bool {
        self.0.contains(&atom)
    }

    /// Whether nothing is proved.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The kinds of atoms it covers, from the largest to the smallest.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.0.iter().copied()
    }

    /// What both certificates prove.
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).copied().collect())
    }

    /// This certificate, and that no single atom of another kind can be removed.
    pub fn and(mut self, atom: Atom) -> Self {
        self.0.insert(atom);
        self
    }
}

impl FromIterator<Atom> for Certificate {
    fn from_iter<I: IntoIterator<Item = Atom>>(atoms: I) -> Self {
        Self(atoms.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_prove_together_what_each_of_them_proves() {
        let all: Certificate = [Atom::Byte, Atom::Token].into_iter().collect();
        let tokens: Certificate = [Atom::Token].into_iter().collect();
        let both = all.intersection(&tokens).and(Atom::File);
        assert_eq!(both.atoms().collect::<Vec<_>>(), [Atom::File, Atom::Token]);
        assert!(!both.covers(Atom::Byte) && !both.is_empty());
        assert!(Certificate::default().is_empty());
    }
}
