//! The smallest parts of an object, which cannot be divided further.

use crate::dwarf::{Bits, TypeId};

/// A part of an object that cannot be divided further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The offset from the start of the object, in bytes.
    pub offset: u64,
    /// The size in bytes.
    pub size: u64,
    /// What kind of content it has.
    pub content: LeafContent,
    /// The unit that the part belongs to, if it is meaningless without other parts.
    pub unit: Option<LeafUnit>,
}

/// Parts that are meaningless without each other: a pointer and the number of values it leads to, as in
/// slices and vectors, or a union and the tag that selects one of its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafUnit {
    /// The offset of the unit in the object, in bytes.
    pub start: u64,
    /// The number of values that the unit's pointer leads to, if it is stored.
    pub count: Option<u64>,
    /// Whether the unit is a hash table, whose pointer leads behind its values.
    pub is_table: bool,
}

/// The kind of content of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafContent {
    /// A number, a boolean, a character or an enumerator of this type.
    Scalar(TypeId),
    /// Some bits of a number.
    Bits(TypeId, Bits),
    /// The address of a value of this type.
    Pointer(TypeId),
    /// Text in an array of characters.
    Text,
    /// The tag that says which variant of this type the rest is.
    Tag(TypeId),
    /// A word of a union of this type, at this offset in it; which member is in use is not known.
    Union(TypeId, u64),
    /// A word of unknown type, which may be a pointer.
    Opaque,
}

impl LeafContent {
    /// Whether the part is a pointer or could be one.
    pub fn may_point(self) -> bool {
        matches!(self, Self::Pointer(_) | Self::Union(..) | Self::Opaque)
    }
}
