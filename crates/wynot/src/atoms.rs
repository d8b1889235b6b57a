//! The names of the atoms that certificates are about.

use wynot_reduce::Atom;

/// All atoms, in the order in which certificates name them.
pub(crate) fn atoms() -> impl Iterator<Item = Atom> {
    [Atom::File, Atom::Token, Atom::Byte].into_iter()
}

/// The name of an atom in certificates.
pub(crate) fn atom_name(atom: Atom) -> &'static str {
    match atom {
        Atom::File => "file",
        Atom::Token => "token",
        Atom::Byte => "byte",
    }
}
