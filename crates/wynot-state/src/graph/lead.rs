//! Words that lead, or may lead, from one object to another.

use super::memory_object::{FoundBy, ObjectId};
use crate::dwarf::TypeId;

/// A word that may be a pointer.
pub(crate) struct PossiblePointer {
    /// The object that contains it.
    pub object: ObjectId,
    /// Its offset in that object.
    pub offset: u64,
    pub address: u64,
    /// The type that it points to, if it is known to be a pointer.
    pub pointee: Option<TypeId>,
}

/// A word that may lead to an object.
pub(crate) struct Lead {
    /// The address of the object.
    pub address: u64,
    /// The offset of the address that the word holds.
    pub entry_offset: u64,
    pub to: Pointee,
    /// The number of values there, if it is stored.
    pub count: Option<u64>,
    pub found_by: FoundBy,
}

/// What a word points to, as far as the types say.
#[derive(Clone, Copy)]
pub(crate) enum Pointee {
    /// One or several values of this type.
    Of(TypeId),
    /// A value of one of several types, if this word of a union is a pointer.
    Union(TypeId, u64),
    /// A value of any type, if the word is a pointer.
    Any,
}
