//! The pointers that objects are named after.

use crate::graph::{Found, Graph, ObjectId};
use crate::memory::Memory;

/// Names every object after the pointer on the shortest path to it, from the innermost function on. What
/// only looks like a pointer has no name of its own, so that paths over known pointers are preferred,
/// however long.
pub(crate) fn find_shortest<M: Memory>(graph: &mut Graph<'_, M>) {
    let mut found = vec![None; graph.objects.len()];
    let mut order: Vec<ObjectId> = Vec::with_capacity(graph.objects.len());
    for id in graph.ids().filter(|id| is_variable(graph, *id)) {
        found[id.0 as usize] = Some(graph.object(id).found);
        order.push(id);
    }
    // How many objects have been searched for known pointers, and for words that may be pointers.
    let (mut known, mut maybe) = (0, 0);
    loop {
        let sure = known < order.len();
        let next = if sure { &mut known } else { &mut maybe };
        let Some(object) = order.get(*next).copied() else { break };
        *next += 1;
        for edge in graph.edges(object).iter().filter(|edge| edge.sure == sure) {
            let slot = &mut found[edge.to.object.0 as usize];
            if edge.to.offset == 0 && slot.is_none() {
                *slot = Some(Found::Pointer { object, offset: edge.offset });
                order.push(edge.to.object);
            }
        }
    }
    for (object, found) in graph.objects.iter_mut().zip(found) {
        object.found = found.unwrap_or(object.found);
    }
}

fn is_variable<M: Memory>(graph: &Graph<'_, M>, id: ObjectId) -> bool {
    matches!(graph.object(id).found, Found::Variable(_))
}
