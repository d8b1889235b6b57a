//! By what objects of two states are recognised as the same: variables by name, entries of maps by key, others by a
//! content that occurs once.

use super::content_hash::ContentHashes;
use crate::dwarf::TypeId;
use crate::graph::container_entry::container_entry;
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::{ObjectId, RootVariable, VariableScope};
use std::collections::HashMap;

/// The objects whose content hash occurs only once, by that hash.
pub(super) fn unique(hashes: &ContentHashes, ids: &[ObjectId]) -> HashMap<u64, ObjectId> {
    let mut found: HashMap<u64, Option<ObjectId>> = HashMap::new();
    for id in ids {
        found.entry(hashes.hash(*id)).and_modify(|seen| *seen = None).or_insert(Some(*id));
    }
    found.into_iter().filter_map(|(hash, id)| Some((hash, id?))).collect()
}

/// The variables of a state, each by its scope, its name and its number among those with the same name.
pub(super) fn variables<'g, M: MemoryCopy>(
    graph: &'g MemoryGraph<'_, M>,
) -> impl Iterator<Item = ((&'g VariableScope, &'g str, u32), ObjectId)> {
    let mut seen: HashMap<(&VariableScope, &str), u32> = HashMap::new();
    graph.roots.iter().filter_map(move |RootVariable { name, address, scope, .. }| {
        let number = seen.entry((scope, name.as_str())).or_default();
        *number += 1;
        let position = graph.position(*address).filter(|position| position.offset == 0)?;
        Some(((scope, name.as_str(), *number), position.object))
    })
}

/// An entry of a map: the variable that leads to it, the type of the node, and the key.
pub(super) type EntryKey<'g> = (&'g VariableScope, &'g str, TypeId, Vec<u8>);

/// The entries of maps by their keys; none for those that occur more than once.
pub(super) fn entries<'g, M: MemoryCopy>(
    graph: &'g MemoryGraph<'_, M>,
) -> HashMap<EntryKey<'g>, Option<ObjectId>> {
    let mut found = HashMap::new();
    for id in graph.ids() {
        let root = graph.roots.get(graph.variable_of(id) as usize);
        if let (Some(entry), Some(root)) = (container_entry(graph, id), root) {
            let key = (&root.scope, root.name.as_str(), graph.object(id).of, entry.bytes);
            found.entry(key).and_modify(|seen| *seen = None).or_insert(Some(id));
        }
    }
    found
}
