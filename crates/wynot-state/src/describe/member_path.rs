//! The path from a value to one of its parts: `.fld[1].rtx`.

use super::inner_text::inner_text;
use super::union_member::best_fitting_member;
use super::value_part::ValuePart;
use crate::decode::{ReadBytes, active_variant};
use crate::dwarf::{Kind, Member, TypeId, Types};
use crate::graph::leaf::{Leaf, LeafContent};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::ObjectId;

/// The path from one of the values of an object to one of its parts, and the type of the part.
pub(crate) fn member_path<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    id: ObjectId,
    leaf: &Leaf,
) -> (String, TypeId) {
    let object = graph.object(id);
    let size = graph.types[object.of].size.max(1);
    let first = object.first_value(size).unwrap_or(0);
    let base = match object.count {
        0 | 1 => 0,
        _ => first + leaf.offset.saturating_sub(first) / size * size,
    };
    let content = graph.content(id);
    let read = |at: u64, length: u64| {
        let at = usize::try_from(base + at).ok()?;
        content.get(at..at.checked_add(length as usize)?)
    };
    let target = graph.target(id, leaf).map(|target| graph.object(target.object).of);
    let bytes = graph.bytes(id, leaf);
    let is_inner_text = inner_text(graph, id, leaf).is_some();
    let part = ValuePart { types: graph.types, leaf, bytes, target, is_inner_text };
    path_to(&part, object.of, leaf.offset - base, &read)
}

/// The path from a value of a type to a part at an offset of it.
fn path_to(
    part: &ValuePart<'_>,
    of: TypeId,
    offset: u64,
    read: &ReadBytes<'_>,
) -> (String, TypeId) {
    let types = part.types;
    let mut text = String::new();
    let (mut of, mut offset, mut base) = (of, offset, 0);
    loop {
        let member = match &types[of].kind {
            Kind::Array { of: element, .. } => {
                let size = types[*element].size;
                if matches!(part.leaf.content, LeafContent::Text) || size == 0 {
                    return (text, of);
                }
                text.push_str(&format!("[{}]", offset / size));
                base += offset / size * size;
                (of, offset) = (*element, offset % size);
                continue;
            }
            Kind::Structure { members } => {
                part.member(members, offset).or_else(|| part.flexible_member(members, offset))
            }
            Kind::Union { .. } if part.is_inner_text => return (text, of),
            Kind::Union { members } => best_fitting_member(part, members, offset),
            Kind::Variants { tag, shared, variants } => {
                if matches!(part.leaf.content, LeafContent::Tag(tagged) if tagged == of) {
                    return (text, of);
                }
                let active = match tag {
                    Some(tag) => read(base + tag.offset, types[tag.of].size)
                        .and_then(|value| active_variant(types, tag.of, variants, value)),
                    None => variants.first(),
                };
                let inside = active.map_or(&[][..], |variant| &variant.members);
                part.member(shared, offset).or_else(|| part.member(inside, offset))
            }
            _ => return (text, of),
        };
        let Some(Member { name, offset: start, of: inner, .. }) = member else {
            return (text, of);
        };
        // A base class is a member with the name of its type, which programmers leave out.
        if !name.is_empty() && *name != types[*inner].name && !is_internal(types, of, name) {
            text.push('.');
            text.push_str(name);
        }
        base += start;
        (of, offset) = (*inner, offset - start);
    }
}

/// Whether a member is internal to a container of a standard library, so that programmers do not write it.
fn is_internal(types: &Types, of: TypeId, member: &str) -> bool {
    const RUST_CONTAINERS: [&str; 10] = [
        "std::collections::hash::",
        "hashbrown::",
        "alloc::vec::",
        "alloc::raw_vec::",
        "alloc::string::",
        "alloc::boxed::",
        "core::ptr::",
        "core::num::",
        "std::ffi::",
        "std::sys::",
    ];
    const MEMBERS: [&str; 10] = [
        "data_ptr",
        "_M_impl",
        "_M_start",
        "_M_dataplus",
        "_M_p",
        "_M_t",
        "_M_head_impl",
        "_M_storage",
        "_M_refcount",
        "_M_pi",
    ];
    let owner = &types[of].name;
    MEMBERS.contains(&member)
        || (RUST_CONTAINERS.iter().any(|container| owner.starts_with(container))
            && !matches!(member, "len" | "cap" | "items" | "bucket_mask" | "growth_left"))
}
