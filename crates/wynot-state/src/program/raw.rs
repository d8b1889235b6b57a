//! Types as compilers write them: once for every unit, with other names and qualifiers for each.

use super::attributes::EntryId;
use super::types::{Bits, Kind};

/// A name, and what it is inside of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Named<'a> {
    pub(super) scope: ScopeId,
    pub(super) name: Option<&'a [u8]>,
}

/// What names are inside of: namespaces, modules, classes. The first one is around everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ScopeId(u32);

/// All scopes, each with the one around it, and with a number for all of their names.
#[derive(Debug, Default)]
pub(super) struct Scopes<'a>(Vec<(Named<'a>, u64)>);

/// No programmer writes longer names than with so many parts.
const PARTS: usize = 32;

impl<'a> Scopes<'a> {
    /// A scope inside another one.
    pub(super) fn add(&mut self, scope: ScopeId, name: &'a [u8]) -> ScopeId {
        let named = Named { scope, name: Some(name) };
        self.0.push((named, self.hash(named)));
        ScopeId(u32::try_from(self.0.len()).unwrap_or(0))
    }

    /// Adds other scopes, and says what they are called from now on.
    pub(super) fn append(&mut self, others: Self) -> Moved {
        let moved = Moved(u32::try_from(self.0.len()).unwrap_or(0));
        self.0.extend(others.0.into_iter().map(|(mut named, hash)| {
            named.scope = moved.of(named.scope);
            (named, hash)
        }));
        moved
    }

    fn get(&self, scope: ScopeId) -> Option<(Named<'a>, u64)> {
        self.0.get((scope.0 as usize).checked_sub(1)?).copied()
    }

    /// A name with all that it is inside of, as programmers write it.
    pub(super) fn qualified(&self, named: Named<'a>) -> String {
        let mut parts = vec![String::from_utf8_lossy(named.name.unwrap_or_default())];
        let mut scope = named.scope;
        while let Some((around, _)) = self.get(scope).filter(|_| parts.len() < PARTS) {
            parts.push(String::from_utf8_lossy(around.name.unwrap_or_default()));
            scope = around.scope;
        }
        parts.reverse();
        parts.join("::")
    }

    /// Mixes a name with all that it is inside of into a number.
    pub(super) fn hash(&self, named: Named<'a>) -> u64 {
        let around = self.get(named.scope).map_or(1, |(_, hash)| hash);
        hash_bytes(around, named.name.unwrap_or_default())
    }
}

/// How scopes are called after they were added to others.
#[derive(Clone, Copy)]
pub(super) struct Moved(u32);

impl Moved {
    pub(super) fn of(self, scope: ScopeId) -> ScopeId {
        if scope == ScopeId::default() { scope } else { ScopeId(scope.0 + self.0) }
    }
}

/// A type as it was written in one place.
#[derive(Debug)]
pub(super) struct Raw<'a> {
    pub(super) at: EntryId,
    pub(super) named: Named<'a>,
    /// What stands before the name in C: `struct`, `union`, `enum`, or nothing. Pointers have their sign,
    /// and arrays of Rust have [`RUST_ARRAY`].
    pub(super) keyword: &'static str,
    pub(super) size: Option<u64>,
    pub(super) form: Form<'a>,
}

/// The keyword of arrays that are written `[T; 3]`.
pub(super) const RUST_ARRAY: &str = "[;]";

/// What kinds of types there are. Other types are known by their entries.
#[derive(Debug)]
pub(super) enum Form<'a> {
    /// Has no parts.
    Simple(Kind),
    /// Another name of a type, or a type with a qualifier; `named` if it is a name of its own.
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
        open: bool,
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
    /// Structures, classes and enums with contents; `variants` of the latter only.
    Structure {
        members: Vec<RawMember<'a>>,
        variants: Option<Box<Variants<'a>>>,
    },
    Union {
        members: Vec<RawMember<'a>>,
    },
    /// What it is made of is said elsewhere, or nowhere.
    Declared,
}

/// A member as it was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawMember<'a> {
    pub(super) name: &'a [u8],
    /// Whether it is a base class: it is called like its type.
    pub(super) base: bool,
    pub(super) offset: u64,
    pub(super) of: Option<EntryId>,
    pub(super) bits: Option<Bits>,
}

/// The part of a type that is one of several.
#[derive(Debug, Default)]
pub(super) struct Variants<'a> {
    pub(super) tag: Option<RawMember<'a>>,
    pub(super) variants: Vec<RawVariant<'a>>,
}

/// One of several forms.
#[derive(Debug)]
pub(super) struct RawVariant<'a> {
    /// Which value of the tag stands for it; of the one that stands for all others there is none.
    pub(super) tag: Option<i128>,
    pub(super) members: Vec<RawMember<'a>>,
}

/// Mixes a number into a hash. It is the same everywhere and always, which hashes of the standard library
/// are not, so types have the same numbers in all runs.
pub(super) fn mix(hash: u64, value: u64) -> u64 {
    let mut mixed = (hash ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^= mixed >> 32;
    mixed = mixed.wrapping_add(hash.rotate_left(23)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 29)
}

/// Mixes bytes into a hash.
pub(super) fn hash_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let mut hash = mix(hash, bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash, u64::from_le_bytes(word));
    }
    hash
}
