//! Which type a block has where the types of pointers to it disagree.
//!
//! The largest type wins at first, since structures start with others in C and in classes. But a single pointer
//! may be left over from what the memory held before. If more pointers agree on another type, which is no part
//! of that one, they decide.

use super::interior_pointer::starts_with;
use super::memory_copy::MemoryCopy;
use super::memory_graph::MemoryGraph;
use super::memory_object::ObjectId;
use crate::decode::is_text;
use crate::dwarf::TypeId;
use std::collections::BTreeMap;

/// The number of pointers that must agree on another type.
const MIN_AGREEING_POINTERS: usize = 2;

/// The types of the blocks that have another type than most pointers to them say, by address. `starts` are the
/// blocks that typed pointers lead to, each with the type of the pointer.
pub(crate) fn agreed_types<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    starts: Vec<(ObjectId, TypeId)>,
) -> BTreeMap<u64, TypeId> {
    let types = graph.types;
    let mut votes: BTreeMap<ObjectId, BTreeMap<TypeId, usize>> = BTreeMap::new();
    // Blocks on whose type all agree are most of them.
    let is_as_said = |id: ObjectId, of: TypeId| {
        graph.object(id).of == of && graph.object(id).text.is_some() == is_text(types, of)
    };
    for (id, of) in &starts {
        if !is_as_said(*id, *of) {
            votes.entry(*id).or_default();
        }
    }
    for (id, of) in starts {
        if let Some(votes) = votes.get_mut(&id) {
            *votes.entry(of).or_default() += 1;
        }
    }
    let mut agreed = BTreeMap::new();
    for (id, votes) in votes {
        let object = graph.object(id);
        // A part of the object's type, such as a base class, does not contradict it.
        let own: usize = votes
            .iter()
            .filter(|(of, _)| is_as_said(id, **of) || starts_with(types, object.of, **of))
            .map(|(_, count)| count)
            .sum();
        let fits = |of: TypeId| types[of].size > 0 && types[of].size <= object.size;
        let others = votes
            .iter()
            .filter(|(of, _)| fits(**of) && !starts_with(types, object.of, **of))
            .max_by_key(|(of, count)| (**count, types[**of].size, std::cmp::Reverse(**of)));
        if let Some((of, count)) = others
            && *count > own.max(MIN_AGREEING_POINTERS - 1)
        {
            agreed.insert(object.address, *of);
        }
    }
    agreed
}
