//! A delta between two states: the smallest difference that can be applied on its own.

use crate::dwarf::Bits;
use crate::graph::leaf::Leaf;
use crate::graph::memory_object::{ObjectId, ObjectOffset};

/// An indivisible difference: one value, or an object that exists in one state only, with all pointers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDelta {
    /// The changes that belong together; at least one.
    pub changes: Vec<PartChange>,
}

/// A part of an object of the passing state that gets the value of the failing state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartChange {
    /// The position of the part in the passing state.
    pub at: ObjectOffset,
    /// The part.
    pub leaf: Leaf,
    /// The object of the failing state that the value is taken from.
    pub from: ObjectId,
    /// The value that is written.
    pub value: NewValue,
}

/// The value that a change writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewValue {
    /// The bytes of the failing state.
    Bytes(Vec<u8>),
    /// Some bits of these bytes; the others stay as they are.
    Bits(Bits, Vec<u8>),
    /// Nothing: the block is freed after all other changes.
    Freed,
    /// The address of an object of the passing state.
    Existing(ObjectOffset),
    /// The address of an object that only the failing state has, which must be created.
    Created(ObjectOffset),
}
