//! The values of objects and their parts as text.

use super::inner_text::inner_text;
use super::member_path::member_path;
use super::object_name::{object_name, owner};
use super::scalar_text::{enumerator, scalar, text};
use crate::decode::{self, is_text, number};
use crate::dwarf::{Kind, TypeId};
use crate::graph::leaf::{Leaf, LeafContent};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::{FoundBy, ObjectId, ObjectOffset};

/// The number of readable bytes from which on a word of unknown meaning is shown as text.
const MIN_READABLE_BYTES: usize = 3;

/// The number of parts that the summary of an object shows.
const MAX_PARTS_IN_SUMMARY: usize = 4;

/// The largest alignment of elements.
const MAX_ALIGNMENT: i128 = 1 << 12;

/// The value of a part.
pub fn value<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, id: ObjectId, leaf: &Leaf) -> String {
    let bytes = graph.bytes(id, leaf);
    if let Some(inner) = inner_text(graph, id, leaf) {
        return text(inner);
    }
    match leaf.content {
        LeafContent::Scalar(of) => scalar(graph.types, of, bytes),
        LeafContent::Bits(of, bits) => {
            let value = decode::bits_of(bits, bytes);
            if let Some(name) = enumerator(graph.types, of, value as i128) {
                return name;
            }
            let sign = bits.count > 0 && value >> (bits.count - 1) & 1 == 1;
            match decode::is_signed(graph.types, of) && sign {
                true => (value as i128 - (1 << bits.count)).to_string(),
                false => value.to_string(),
            }
        }
        LeafContent::Text => text(bytes),
        LeafContent::Tag(of) => variant(graph, of, leaf, id),
        LeafContent::Pointer(_) | LeafContent::Union(..) | LeafContent::Opaque => {
            match graph.target(id, leaf) {
                // An object that is named after this very pointer has no other name.
                Some(target)
                    if target.offset == graph.object(target.object).entry_offset
                        && is_found_by(graph, target.object, id, leaf) =>
                {
                    summary(graph, target.object)
                }
                Some(target) => pointer_target(graph, target),
                None => word_without_target(graph, id, leaf),
            }
        }
    }
}

/// The value of a word that may be a pointer but leads to no object: a number of a union, or an address.
fn word_without_target<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    id: ObjectId,
    leaf: &Leaf,
) -> String {
    let bytes = graph.bytes(id, leaf);
    let pointer = match leaf.content {
        LeafContent::Union(..) => {
            let (_, of) = member_path(graph, id, leaf);
            let known = &graph.types[of];
            let own = bytes.get(..known.size as usize);
            match (&known.kind, own) {
                (Kind::Pointer { .. }, _) => true,
                (Kind::Unknown | Kind::Function | Kind::Union { .. }, _) | (_, None) => false,
                (Kind::Structure { .. } | Kind::Variants { .. } | Kind::Array { .. }, _) => false,
                (_, Some(own)) => return scalar(graph.types, of, own),
            }
        }
        content => matches!(content, LeafContent::Pointer(_)),
    };
    if !pointer && let Some(text) = readable(bytes) {
        return text;
    }
    if let LeafContent::Pointer(to) = leaf.content
        && leaf.unit.is_some_and(|unit| unit.count == Some(0) && !unit.is_table)
        && is_dangling(graph, to, bytes)
    {
        return if is_text(graph.types, to) { "\"\"" } else { "empty" }.to_owned();
    }
    match (number(bytes, false), pointer) {
        (0, true) => "NULL".to_owned(),
        (address, _) => format!("{address:#x}"),
    }
}

/// Whether a pointer holds the number that Rust gives to those of empty vectors: the alignment of their elements.
fn is_dangling<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, to: TypeId, bytes: &[u8]) -> bool {
    let address = number(bytes, false);
    let is_alignment = address.count_ones() == 1 && address <= MAX_ALIGNMENT;
    is_alignment && address <= i128::from(graph.types[to].size.max(1))
}

/// A word of unknown meaning as text, if people can read it.
fn readable(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (text, rest) = bytes.split_at(end);
    let is_text = text.len() >= MIN_READABLE_BYTES
        && text.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ')
        && rest.iter().all(|byte| *byte == 0);
    is_text.then(|| format!("\"{}\"", text.escape_ascii()))
}

fn is_found_by<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    found: ObjectId,
    id: ObjectId,
    by: &Leaf,
) -> bool {
    graph.object(found).found_by == FoundBy::Pointer { object: id, offset: by.offset }
}

/// The value of a pointer: the text or the name of the object that it leads to.
pub fn pointer_target<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, target: ObjectOffset) -> String {
    let object = graph.object(target.object);
    if object.text.is_some() && target.offset == 0 {
        return text(graph.content(target.object));
    }
    let name = object_name(graph, target.object);
    let owner = owner(graph, target.object);
    let size = graph.types[object.of].size;
    let is_element = object.text.is_none() && object.count > 1;
    if is_element && target.offset > 0 && target.offset.checked_rem(size) == Some(0) {
        return format!("&{name}[{}]{owner}", target.offset / size);
    }
    let name = match object.found_by {
        FoundBy::Variable(_) => format!("&{name}"),
        FoundBy::Pointer { .. } => name,
    };
    match target.offset {
        0 => format!("{name}{owner}"),
        offset => format!("{name} + {offset} bytes{owner}"),
    }
}

/// The type of an object and its first numbers and texts.
pub fn summary<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, id: ObjectId) -> String {
    let object = graph.object(id);
    if object.text.is_some() {
        return text(graph.content(id));
    }
    let mut parts = Vec::new();
    graph.leaves(id, &mut |leaf| {
        if leaf.content.may_point() || parts.len() > MAX_PARTS_IN_SUMMARY {
            return;
        }
        let value = value(graph, id, &leaf);
        parts.push(match member_path(graph, id, &leaf).0.strip_prefix('.') {
            Some(member) => format!("{member} = {value}"),
            None => value,
        });
    });
    if parts.len() > MAX_PARTS_IN_SUMMARY {
        parts.truncate(MAX_PARTS_IN_SUMMARY);
        parts.push("...".to_owned());
    }
    let name = &graph.types[object.of].name;
    let count = if object.count > 1 { format!("[{}]", object.count) } else { String::new() };
    format!("{name}{count} {{{}}}", parts.join(", "))
}

fn variant<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    of: TypeId,
    leaf: &Leaf,
    id: ObjectId,
) -> String {
    let bytes = graph.bytes(id, leaf);
    let Kind::Variants { tag: Some(tag), variants, .. } = &graph.types[of].kind else {
        return String::new();
    };
    match decode::active_variant(graph.types, tag.of, variants, bytes) {
        Some(variant) => variant.name.clone(),
        None => number(bytes, false).to_string(),
    }
}
