//! Entries of maps: nodes of a container that have a key.

use super::leaf::{Leaf, LeafContent};
use super::memory_copy::MemoryCopy;
use super::memory_graph::MemoryGraph;
use super::memory_object::{FoundBy, ObjectId};
use crate::decode::{is_text, pointer};
use crate::dwarf::{Kind, TypeId, Types, is_container_node};

/// The number of bytes up to which a text is a key.
const MAX_KEY_BYTES: u64 = 256;

/// The depth of structures in a node at which the search for its key ends.
const MAX_DEPTH: u32 = 8;

/// An entry of a map.
pub(crate) struct ContainerEntry {
    /// The part that is the key, or leads to it.
    pub key: Leaf,
    /// The bytes of the key.
    pub bytes: Vec<u8>,
    /// The offset of the value in the node.
    pub value_offset: u64,
}

/// The entry that an object is, if it is the node of a map whose keys are numbers or texts.
pub(crate) fn container_entry<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    id: ObjectId,
) -> Option<ContainerEntry> {
    let of = graph.object(id).of;
    if !is_container_node(&graph.types[of].name) {
        return None;
    }
    let (key_offset, value_offset) = pair_offsets(graph.types, of, 0, 0)?;
    let mut key = None;
    graph.leaves(id, &mut |leaf| {
        if leaf.offset == key_offset {
            key.get_or_insert(leaf);
        }
    });
    let key = key?;
    let own = graph.bytes(id, &key);
    let bytes = match key.content {
        LeafContent::Scalar(_) => own.to_vec(),
        LeafContent::Pointer(to) if is_text(graph.types, to) => {
            graph.memory.text(pointer(own)?, MAX_KEY_BYTES)?.to_vec()
        }
        _ => return None,
    };
    Some(ContainerEntry { key, bytes, value_offset })
}

/// The offsets of the key and the value in a node.
fn pair_offsets(types: &Types, of: TypeId, start: u64, depth: u32) -> Option<(u64, u64)> {
    let Kind::Structure { members } = &types[of].kind else { return None };
    if types[of].name.starts_with("std::pair<") {
        let offset = |name: &str| {
            let member = members.iter().find(|member| member.name == name)?;
            Some(start + member.offset)
        };
        return Some((offset("first")?, offset("second")?));
    }
    let mut inner = members.iter().filter(|_| depth < MAX_DEPTH);
    inner.find_map(|member| pair_offsets(types, member.of, start + member.offset, depth + 1))
}

/// The object with the container that a node belongs to, and the offset of the pointer there that leads to the nodes.
pub(crate) fn container_of<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    node: ObjectId,
) -> Option<(ObjectId, u64)> {
    let of = graph.object(node).of;
    let is_inside = |id: ObjectId| {
        let object = graph.object(id).of;
        // Hash tables have an array of pointers to their nodes.
        object == of || matches!(graph.types[object].kind, Kind::Pointer { to } if to == of)
    };
    let mut at = node;
    for _ in 0..graph.objects.len() {
        let FoundBy::Pointer { object, offset } = graph.object(at).found_by else { return None };
        if !is_inside(object) {
            return Some((object, offset));
        }
        at = object;
    }
    None
}
