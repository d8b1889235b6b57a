//! The names of entries of Rust's hash tables: `prices["pear"]`.

use super::scalar_text::{scalar, text};
use crate::dwarf::Kind;
use crate::graph::leaf::{Leaf, LeafContent};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::ObjectId;
use std::ops::Range;

/// The member of an entry that is its key, and the one that is its value.
const ENTRY_MEMBERS: (&str, &str) = ("__0", ".__1");

/// The expression for a part of a hash table, whose own expression is `name`; `path` leads from an entry to the part. `None` if the
/// object is no hash table.
pub(super) fn table_entry<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    id: ObjectId,
    leaf: &Leaf,
    name: &str,
    path: &str,
) -> Option<String> {
    let object = graph.object(id);
    let first = object.first_value(graph.types[object.of].size)?;
    if leaf.offset >= object.entry_offset {
        let bytes = leaf.offset - object.entry_offset;
        return Some(format!("control bytes {bytes} to {} of {name}", bytes + leaf.size));
    }
    let size = graph.types[object.of].size.max(1);
    let index = leaf.offset.saturating_sub(first) / size;
    let entry = first + index * size;
    let key = key_text(graph, id, entry).unwrap_or_else(|| index.to_string());
    let rest = path.strip_prefix(ENTRY_MEMBERS.1).unwrap_or(path);
    Some(match name.starts_with('*') {
        true => format!("({name})[{key}]{rest}"),
        false => format!("{name}[{key}]{rest}"),
    })
}

/// The key of the entry at an offset, if it is a number or a text.
fn key_text<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, id: ObjectId, entry: u64) -> Option<String> {
    let Kind::Structure { members } = &graph.types[graph.object(id).of].kind else { return None };
    let key = members.iter().find(|member| member.name == ENTRY_MEMBERS.0)?;
    let start = entry + key.offset;
    let range: Range<u64> = start..start + graph.types[key.of].size;
    let (mut key_text, mut key_number) = (None, None);
    graph.leaves(id, &mut |leaf| {
        if !range.contains(&leaf.offset) {
            return;
        }
        match leaf.content {
            LeafContent::Scalar(of) if key_number.is_none() => {
                key_number = Some(scalar(graph.types, of, graph.bytes(id, &leaf)));
            }
            LeafContent::Pointer(_) if key_text.is_none() => {
                let target = graph.target(id, &leaf).map(|target| target.object);
                let length = target.and_then(|object| graph.object(object).text);
                let stored = leaf.unit.and_then(|unit| unit.count);
                key_text = target.zip(length).map(|(object, length)| {
                    let content = graph.content(object);
                    let length = stored.unwrap_or(length.length) as usize;
                    text(content.get(..length).unwrap_or(content))
                });
            }
            _ => {}
        }
    });
    key_text.or(key_number)
}
