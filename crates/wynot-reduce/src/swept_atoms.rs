//! What is proved about a result: the kinds of atoms that were swept.

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

/// The kinds of atoms in which a result is 1-minimal: every single atom of these kinds was removed by
/// itself, and no removal kept the failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SweptAtoms(BTreeSet<Atom>);

impl SweptAtoms {
    /// Whether no single atom of a kind can be removed.
    pub fn contains(&self, atom: Atom) -> bool {
        self.0.contains(&atom)
    }

    /// Whether nothing is proved.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The kinds of atoms, from the largest to the smallest.
    pub fn iter(&self) -> impl Iterator<Item = Atom> + '_ {
        self.0.iter().copied()
    }

    /// The kinds of atoms that were swept in both of two results.
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).copied().collect())
    }

    /// These kinds of atoms and one more.
    #[must_use]
    pub fn with(mut self, atom: Atom) -> Self {
        self.0.insert(atom);
        self
    }
}

impl FromIterator<Atom> for SweptAtoms {
    fn from_iter<I: IntoIterator<Item = Atom>>(atoms: I) -> Self {
        Self(atoms.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_files_only_what_was_swept_in_all_of_them_counts() {
        let both: SweptAtoms = [Atom::Byte, Atom::Token].into_iter().collect();
        let tokens: SweptAtoms = [Atom::Token].into_iter().collect();
        let folder = both.intersection(&tokens).with(Atom::File);
        assert_eq!(folder.iter().collect::<Vec<_>>(), [Atom::File, Atom::Token]);
        assert!(!folder.contains(Atom::Byte) && !folder.is_empty());
        assert!(SweptAtoms::default().is_empty());
    }
}
