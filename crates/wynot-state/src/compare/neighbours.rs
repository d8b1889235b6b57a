//! Objects of one state only that can be inserted or removed only together.

use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::ObjectId;
use std::collections::HashMap;

/// Groups of objects that exist in one state only and point to each other, such as neighbours in a doubly
/// linked list. None of them can be inserted without the others. A union-find forest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    /// For each object that is not the first of its group, one that comes before it.
    before: HashMap<ObjectId, ObjectId>,
}

impl Neighbours {
    /// Finds the groups among the objects that exist in one state only.
    pub fn of<M: MemoryCopy>(
        graph: &MemoryGraph<'_, M>,
        is_unmatched: &dyn Fn(ObjectId) -> bool,
    ) -> Self {
        let mut found = Self::default();
        for id in graph.ids().filter(|id| is_unmatched(*id)) {
            for edge in graph.edges(id) {
                let other = edge.to.object;
                // Each pair occurs in both orders.
                if other < id && is_unmatched(other) && points_to_same_type(graph, other, id) {
                    found.join(other, id);
                }
            }
        }
        found
    }

    /// The first object of an object's group.
    pub fn first(&self, id: ObjectId) -> ObjectId {
        let mut first = id;
        while let Some(before) = self.before.get(&first) {
            first = *before;
        }
        first
    }

    fn join(&mut self, one: ObjectId, other: ObjectId) {
        let (one, other) = (self.compress(one), self.compress(other));
        if one != other {
            self.before.insert(one.max(other), one.min(other));
        }
    }

    /// The first object of the group, to which all objects on the way then lead directly.
    fn compress(&mut self, id: ObjectId) -> ObjectId {
        let first = self.first(id);
        let mut next = id;
        while next != first {
            let Some(before) = self.before.insert(next, first) else { break };
            next = before;
        }
        first
    }
}

/// Whether an object points to another one of the same type.
fn points_to_same_type<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    from: ObjectId,
    to: ObjectId,
) -> bool {
    graph.object(from).of == graph.object(to).of
        && graph.edges(from).iter().any(|edge| edge.to.object == to)
}
