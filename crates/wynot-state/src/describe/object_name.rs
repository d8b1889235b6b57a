//! The names of objects and their parts: C expressions such as `list->next->value`.

use super::member_path::member_path;
use super::scalar_text::{scalar, text};
use super::table_entry::table_entry;
use crate::graph::container_entry::{container_entry, container_of};
use crate::graph::leaf::{Leaf, LeafContent};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::{FoundBy, INNERMOST_LEVEL, ObjectId, VariableScope};

/// The number of pointers up to which a name is written in full.
const MAX_POINTERS_IN_NAME: u32 = 8;

/// The number of equal pointers in a row from which on they are counted instead of written.
const MIN_COUNTED_POINTERS: u32 = 4;

/// The members of containers that lead to their nodes, or contain those that do.
const CONTAINER_MEMBERS: [&str; 5] =
    ["_M_h.", "_M_header", "_M_buckets", "_M_before_begin", "_M_single_bucket"];

/// The expression for a part of an object: `list->next->value`.
pub fn expression<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, id: ObjectId, leaf: &Leaf) -> String {
    expression_within(graph, id, leaf, MAX_POINTERS_IN_NAME)
}

/// The variable that an object is the content of, or the pointer that leads to it.
pub fn object_name<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, id: ObjectId) -> String {
    name_within(graph, id, MAX_POINTERS_IN_NAME)
}

/// The function whose variable an object is named after, as ` of FUNCTION`; nothing for the innermost one and
/// for globals.
pub fn owner<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, id: ObjectId) -> String {
    let root = graph.roots.get(graph.variable_of(id) as usize);
    let Some(function) = root.and_then(|root| root.scope.outer_function()) else {
        return String::new();
    };
    let innermost = VariableScope::Frame { level: INNERMOST_LEVEL, function: function.to_owned() };
    match graph.roots.iter().any(|root| root.scope == innermost) {
        true => format!(" of an outer {function}"),
        false => format!(" of {function}"),
    }
}

/// The same as [`expression`], with at most this number of pointers.
fn expression_within<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    id: ObjectId,
    leaf: &Leaf,
    pointers: u32,
) -> String {
    let object = graph.object(id);
    let name = name_within(graph, id, pointers);
    if matches!(object.found_by, FoundBy::Variable(_)) {
        return format!("{name}{}", member_path(graph, id, leaf).0);
    }
    let size = graph.types[object.of].size;
    if object.text.is_some() {
        return match leaf.content {
            LeafContent::Text => name,
            _ => format!("bytes {} to {} of {name}", leaf.offset, leaf.offset + leaf.size),
        };
    }
    let is_beyond = leaf.offset >= size.saturating_mul(object.count);
    if object.entry_offset > 0 {
        let (path, _) = member_path(graph, id, leaf);
        return table_entry(graph, id, leaf, &name, &path).unwrap_or(name);
    }
    if size == 0 || (is_beyond && !is_in_flexible_array(graph, id, leaf)) {
        return format!("word {} of *{name}", leaf.offset / graph.layouts.word());
    }
    let (path, _) = member_path(graph, id, leaf);
    if let Some(entry) = entry_expression(graph, id, leaf, &path, pointers) {
        return entry;
    }
    // An array whose length was guessed often is a single structure.
    let count = if object.count_is_guess && leaf.offset < size { 1 } else { object.count };
    match (count, path.strip_prefix('.')) {
        (1, Some(member)) => format!("{name}->{member}"),
        _ if object.count != count && !path.starts_with('.') => format!("{name}[0]{path}"),
        (1, None) if path.is_empty() => format!("*{name}"),
        (1, None) => format!("(*{name}){path}"),
        _ => format!("{name}[{}]{path}", leaf.offset / size),
    }
}

/// The same as [`object_name`], with at most this number of pointers; a run of equal ones counts as one.
fn name_within<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, id: ObjectId, pointers: u32) -> String {
    let path = graph.path(id);
    let (object, offset) = match graph.object(id).found_by {
        FoundBy::Variable(index) => return graph.roots[index as usize].name.clone(),
        FoundBy::Pointer { object, offset } => (object, offset),
    };
    if pointers == 0 {
        let root = &graph.roots[path.variable as usize].name;
        return format!("{root}{{... {} pointers}}", path.depth);
    }
    let Some(pointer) = graph.pointer_at(object, offset) else {
        return format!("*{}", name_within(graph, object, pointers - 1));
    };
    let (member, _) = member_path(graph, object, &pointer);
    match member.strip_prefix('.') {
        Some(member) if path.run >= MIN_COUNTED_POINTERS => {
            let before = name_within(graph, path.start, pointers - 1);
            format!("{before}{{->{member} {} times}}", path.run)
        }
        _ => expression_within(graph, object, &pointer, pointers - 1),
    }
}

/// The expression for a part of an entry of a map: `prices["pear"]`, `items[3].price`.
fn entry_expression<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    id: ObjectId,
    leaf: &Leaf,
    path: &str,
    pointers: u32,
) -> Option<String> {
    let entry = container_entry(graph, id)?;
    let rest = match path.strip_prefix(".second") {
        Some(rest) if leaf.offset >= entry.value_offset => rest,
        _ if leaf.offset >= entry.key.offset => path,
        // Pointers to other nodes, and what the container knows about this one.
        _ => return None,
    };
    let (container, offset) = container_of(graph, id)?;
    let pointer = graph.pointer_at(container, offset)?;
    let whole = expression_within(graph, container, &pointer, pointers.checked_sub(1)?);
    let name = CONTAINER_MEMBERS.iter().find_map(|member| whole.rsplit_once(member))?.0;
    let name = match name.strip_suffix("->") {
        Some(pointer) => format!("(*{pointer})"),
        None => name.trim_end_matches('.').to_owned(),
    };
    let key = match entry.key.content {
        LeafContent::Pointer(_) => text(&entry.bytes),
        LeafContent::Scalar(of) => scalar(graph.types, of, &entry.bytes),
        _ => return None,
    };
    Some(format!("{name}[{key}]{rest}"))
}

/// Whether a part belongs to the flexible array member of an object.
fn is_in_flexible_array<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    id: ObjectId,
    leaf: &Leaf,
) -> bool {
    let object = graph.object(id);
    let array = graph.layouts.flexible_array(object.of).filter(|_| object.on_heap);
    array.is_some_and(|(start, _)| leaf.offset >= start && leaf.content != LeafContent::Opaque)
}
