//! Objects that come together or not at all.

use crate::graph::{Graph, ObjectId};
use crate::memory::Memory;
use std::collections::HashMap;

/// Objects that are there on one side only, and point to each other: some neighbours in a list with
/// pointers in both directions. None of them can be inserted without the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    /// For objects that are not the first one of their neighbours, one that comes before them.
    before: HashMap<ObjectId, ObjectId>,
}

impl Neighbours {
    /// Finds those among some objects.
    pub fn of<M: Memory>(graph: &Graph<'_, M>, is_alone: &dyn Fn(ObjectId) -> bool) -> Self {
        let mut found = Self::default();
        for id in graph.ids().filter(|id| is_alone(*id)) {
            for edge in graph.edges(id) {
                let other = edge.to.object;
                // Each pair is met from both sides.
                if other < id && is_alone(other) && is_neighbour(graph, other, id) {
                    found.join(other, id);
                }
            }
        }
        found
    }

    /// The first one of an object and its neighbours.
    pub fn first(&self, id: ObjectId) -> ObjectId {
        let mut first = id;
        while let Some(before) = self.before.get(&first) {
            first = *before;
        }
        first
    }

    fn join(&mut self, one: ObjectId, other: ObjectId) {
        let (one, other) = (self.shortened(one), self.shortened(other));
        if one != other {
            self.before.insert(one.max(other), one.min(other));
        }
    }

    /// The first one, which is then found in a step from all on the way.
    fn shortened(&mut self, id: ObjectId) -> ObjectId {
        let first = self.first(id);
        let mut next = id;
        while next != first {
            let Some(before) = self.before.insert(next, first) else { break };
            next = before;
        }
        first
    }
}

/// Whether an object of the same type points to another one.
fn is_neighbour<M: Memory>(graph: &Graph<'_, M>, from: ObjectId, to: ObjectId) -> bool {
    graph.object(from).of == graph.object(to).of
        && graph.edges(from).iter().any(|edge| edge.to.object == to)
}
