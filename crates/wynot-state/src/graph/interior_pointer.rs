//! What a pointer into the middle of an object says about the object.

use super::memory_copy::MemoryCopy;
use super::memory_graph::MemoryGraph;
use super::memory_object::{MemoryObject, ObjectOffset};
use crate::dwarf::{Kind, Member, TypeId, Types};

/// The number of members from which on two structures have a header in common.
const MIN_MEMBERS_IN_COMMON: usize = 2;

/// The depth of nested types to which a value is searched.
const MAX_TYPE_DEPTH: u32 = 16;

/// A pointer with a type into the middle of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InteriorPointer {
    /// The position that it leads to.
    pub to: ObjectOffset,
    /// The type that it points to.
    pub of: TypeId,
}

/// What a type has at an offset, compared with the type of a pointer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum InteriorContent {
    /// A value of another type.
    Other,
    /// Bytes whose meaning is not known: they can be anything.
    Raw,
    /// A value of the pointer's type.
    Same,
    /// A value of another type, in an array whose length was guessed.
    Guess,
}

/// Whether values of a type are large enough, and known well enough, to divide a block.
pub(crate) fn divides(types: &Types, of: TypeId) -> bool {
    types[of].size > 0
        && matches!(
            types[of].kind,
            Kind::Structure { .. }
                | Kind::Union { .. }
                | Kind::Variants { .. }
                | Kind::Pointer { .. }
        )
}

impl InteriorPointer {
    /// What the object has where the pointer leads to.
    pub fn content<M: MemoryCopy>(&self, graph: &MemoryGraph<'_, M>) -> InteriorContent {
        let object = graph.object(self.to.object);
        let offset = self.to.offset;
        let types = graph.types;
        if let Some(text) = object.text {
            // Bytes of a known number are a buffer, and what follows a text is not part of it.
            let is_raw = !text.ended || offset >= text.size();
            return if is_raw { InteriorContent::Raw } else { InteriorContent::Other };
        }
        if object.entry_offset > 0 {
            // What a hash table consists of is known.
            return InteriorContent::Same;
        }
        let each = types[object.of].size;
        let flexible = graph.layouts.flexible_array(object.of).filter(|_| object.on_heap);
        if let Some((_, element)) = flexible.filter(|(start, _)| offset >= *start) {
            let start = flexible.map_or(0, |(start, _)| start);
            return match types[element].size {
                0 | 1 => InteriorContent::Raw,
                size => content_at(types, element, (offset - start) % size, self.of, 0),
            };
        }
        if each == 0 || offset >= each.saturating_mul(object.count) {
            return InteriorContent::Raw;
        }
        let content = content_at(types, object.of, offset % each, self.of, 0);
        match content == InteriorContent::Other && is_guessed(object, each, offset) {
            true => InteriorContent::Guess,
            false => content,
        }
    }
}

/// Whether an offset lies in a value that only a guess has put there.
fn is_guessed(object: &MemoryObject, each: u64, offset: u64) -> bool {
    object.count_is_guess && offset >= each
}

/// Whether a value of a type starts with a value of another type, as a derived class with its base class, or with
/// the same members, as structures in C that have a header in common.
pub(crate) fn starts_with(types: &Types, of: TypeId, wanted: TypeId) -> bool {
    content_at(types, of, 0, wanted, 0) == InteriorContent::Same
        || starts_with_members(types, of, wanted)
}

/// Whether a structure starts with all members of another one.
fn starts_with_members(types: &Types, of: TypeId, wanted: TypeId) -> bool {
    let (Kind::Structure { members }, Kind::Structure { members: header }) =
        (&types[of].kind, &types[wanted].kind)
    else {
        return false;
    };
    header.len() >= MIN_MEMBERS_IN_COMMON && members.starts_with(header)
}

/// What a value of a type has at an offset, compared with another type.
fn content_at(
    types: &Types,
    of: TypeId,
    offset: u64,
    wanted: TypeId,
    depth: u32,
) -> InteriorContent {
    if depth > MAX_TYPE_DEPTH || (offset == 0 && of == wanted) {
        return InteriorContent::Same;
    }
    let inside = |member: &Member| {
        let at = offset.checked_sub(member.offset).filter(|at| *at < types[member.of].size);
        at.filter(|_| member.bits.is_none())
            .map(|at| content_at(types, member.of, at, wanted, depth + 1))
    };
    match &types[of].kind {
        Kind::Array { of: element, .. } => match types[*element].size {
            0 => InteriorContent::Raw,
            1 => match types[*element].kind {
                Kind::Boolean => InteriorContent::Other,
                _ => InteriorContent::Raw,
            },
            size => content_at(types, *element, offset % size, wanted, depth + 1),
        },
        Kind::Structure { members } | Kind::Union { members } => {
            members.iter().filter_map(inside).max().unwrap_or(InteriorContent::Other)
        }
        // Which variant is in use, and what it holds, is not checked.
        Kind::Variants { .. } => InteriorContent::Same,
        Kind::Unknown => InteriorContent::Raw,
        _ => InteriorContent::Other,
    }
}
