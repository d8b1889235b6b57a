//! Types as compilers declare them: once in every unit, with other names and qualifiers in each.

use super::scope::ScopedName;
use crate::dwarf::read::attributes::EntryId;
use crate::dwarf::types::{Bits, Kind};

/// A type as one entry declares it.
#[derive(Debug)]
pub(in crate::dwarf::read) struct DeclaredType<'a> {
    /// The entry.
    pub(in crate::dwarf::read) at: EntryId,
    pub(in crate::dwarf::read) name: ScopedName<'a>,
    /// The keyword before the name in C: `struct`, `union`, `enum`, or nothing. Pointers have their sign here, and
    /// arrays of Rust have [`RUST_ARRAY`].
    pub(in crate::dwarf::read) keyword: &'static str,
    pub(in crate::dwarf::read) size: Option<u64>,
    pub(in crate::dwarf::read) kind: DeclaredKind<'a>,
}

/// The keyword of arrays whose names have the form `[T; 3]`.
pub(in crate::dwarf::read) const RUST_ARRAY: &str = "[;]";

/// The kind of a declared type. Other types are referred to by their entries.
#[derive(Debug)]
pub(in crate::dwarf::read) enum DeclaredKind<'a> {
    /// A type that refers to no others.
    Simple(Kind),
    /// Another name of a type (`named`), or the type with a qualifier such as `const`.
    Alias {
        of: Option<EntryId>,
        named: bool,
    },
    Pointer {
        to: Option<EntryId>,
    },
    Function {
        result: Option<EntryId>,
        parameters: Vec<Option<EntryId>>,
        variadic: bool,
    },
    Array {
        of: Option<EntryId>,
        count: Option<u64>,
    },
    Enumeration {
        of: Option<EntryId>,
        signed: bool,
        names: Vec<(i128, &'a [u8])>,
    },
    /// A structure or class; with `variants`, a tagged union.
    Structure {
        members: Vec<DeclaredMember<'a>>,
        variants: Option<Box<DeclaredVariants<'a>>>,
    },
    Union {
        members: Vec<DeclaredMember<'a>>,
    },
    /// A type that is defined elsewhere, or nowhere.
    Incomplete,
}

/// A member as its entry declares it.
#[derive(Clone, Copy, Debug)]
pub(in crate::dwarf::read) struct DeclaredMember<'a> {
    pub(in crate::dwarf::read) name: &'a [u8],
    /// Whether it is a base class, which is named after its type.
    pub(in crate::dwarf::read) base: bool,
    pub(in crate::dwarf::read) offset: u64,
    pub(in crate::dwarf::read) of: Option<EntryId>,
    pub(in crate::dwarf::read) bits: Option<Bits>,
}

/// The variants of a tagged union.
#[derive(Debug, Default)]
pub(in crate::dwarf::read) struct DeclaredVariants<'a> {
    pub(in crate::dwarf::read) tag: Option<DeclaredMember<'a>>,
    pub(in crate::dwarf::read) variants: Vec<DeclaredVariant<'a>>,
}

/// A variant of a tagged union.
#[derive(Debug)]
pub(in crate::dwarf::read) struct DeclaredVariant<'a> {
    /// The tag that selects the variant; none for the variant that all other tags select.
    pub(in crate::dwarf::read) tag: Option<i128>,
    pub(in crate::dwarf::read) members: Vec<DeclaredMember<'a>>,
}
