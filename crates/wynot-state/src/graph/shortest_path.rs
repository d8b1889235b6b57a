//! The pointers that objects are named after: those on the shortest paths from variables.

use super::memory_copy::MemoryCopy;
use super::memory_graph::MemoryGraph;
use super::memory_object::{FoundBy, ObjectId, ObjectPath};

/// Names each object after the last pointer on the shortest path to it; variables of the innermost function
/// come first. A word that only might be a pointer gives a poor name, so a path over known pointers is
/// preferred, however long it is.
pub(crate) fn find_shortest_paths<M: MemoryCopy>(graph: &mut MemoryGraph<'_, M>) {
    let mut found_by = vec![None; graph.objects.len()];
    let mut order: Vec<ObjectId> = Vec::with_capacity(graph.objects.len());
    for id in graph.ids() {
        if let variable @ FoundBy::Variable(_) = graph.object(id).found_by {
            found_by[id.0 as usize] = Some(variable);
            order.push(id);
        }
    }
    // How many objects have been searched for known pointers, and for words that may be pointers.
    let (mut known, mut possible) = (0, 0);
    loop {
        let sure = known < order.len();
        let next = if sure { &mut known } else { &mut possible };
        let Some(object) = order.get(*next).copied() else { break };
        *next += 1;
        for edge in graph.edges(object).iter().filter(|edge| edge.sure == sure) {
            let slot = &mut found_by[edge.to.object.0 as usize];
            if edge.to.offset == 0 && slot.is_none() {
                *slot = Some(FoundBy::Pointer { object, offset: edge.offset });
                order.push(edge.to.object);
            }
        }
    }
    // An object found from one that was absorbed later keeps its name.
    let unnamed = (0..).map(ObjectId).zip(&found_by).filter(|(_, found_by)| found_by.is_none());
    order.extend(unnamed.map(|(id, _)| id));
    for (object, found_by) in graph.objects.iter_mut().zip(found_by) {
        object.found_by = found_by.unwrap_or(object.found_by);
    }
    graph.paths = paths(graph, &order);
}

/// The paths to all objects; `order` has each object after the one that it was found from.
fn paths<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, order: &[ObjectId]) -> Vec<ObjectPath> {
    let mut paths = vec![ObjectPath::default(); graph.objects.len()];
    for id in order {
        paths[id.0 as usize] = match graph.object(*id).found_by {
            FoundBy::Variable(variable) => ObjectPath { variable, depth: 0, run: 0, start: *id },
            FoundBy::Pointer { object, .. } => {
                let before = paths[object.0 as usize];
                let (run, start) = match is_same_pointer(graph, object, *id) {
                    true => (before.run + 1, before.start),
                    false => (1, object),
                };
                ObjectPath { depth: before.depth + 1, run, start, ..before }
            }
        };
    }
    paths
}

/// Whether the same member of the same type leads to an object and to the one before it.
fn is_same_pointer<M: MemoryCopy>(
    graph: &MemoryGraph<'_, M>,
    before: ObjectId,
    id: ObjectId,
) -> bool {
    let pointer = |id: ObjectId| match graph.object(id).found_by {
        FoundBy::Pointer { object, offset } => {
            let from = graph.object(object);
            Some((offset, from.of, from.count == 1, from.text.is_none()))
        }
        FoundBy::Variable(_) => None,
    };
    pointer(id).is_some_and(|(_, _, one, no_text)| one && no_text) && pointer(before) == pointer(id)
}
