//! A part of a value together with its bytes, and the member that it belongs to.

use crate::dwarf::{Kind, Member, TypeId, Types};
use crate::graph::leaf::{Leaf, LeafContent};

/// A part of a value, with its bytes.
pub(crate) struct ValuePart<'p> {
    pub types: &'p Types,
    pub leaf: &'p Leaf,
    pub bytes: &'p [u8],
    /// The type of the object that it points to.
    pub target: Option<TypeId>,
    /// Whether it belongs to a short text that is a part of the value.
    pub is_inner_text: bool,
}

impl ValuePart<'_> {
    /// The member that the part belongs to.
    pub fn member<'m>(&self, members: &'m [Member], offset: u64) -> Option<&'m Member> {
        members.iter().find(|member| self.is_in(member, offset))
    }

    /// The flexible array member of a structure, if the part belongs to it.
    pub fn flexible_member<'m>(&self, members: &'m [Member], offset: u64) -> Option<&'m Member> {
        let last = members.iter().max_by_key(|member| member.offset)?;
        let is_array = matches!(self.types[last.of].kind, Kind::Array { .. });
        (is_array && offset >= last.offset).then_some(last)
    }

    fn is_in(&self, member: &Member, offset: u64) -> bool {
        // The end is compared as well: empty base classes share their offset with other members.
        let end = member.offset + self.types[member.of].size;
        match (self.leaf.content, member.bits) {
            (LeafContent::Bits(_, bits), Some(own)) => own == bits && offset == member.offset,
            (_, Some(_)) => false,
            _ => offset >= member.offset && offset + self.leaf.size <= end,
        }
    }
}
