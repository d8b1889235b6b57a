//! The pointers that objects are named after.

use crate::graph::{Found, Graph, ObjectId};
use crate::memory::Memory;

/// How an object is reached from a variable.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Way {
    /// The variable, by its number.
    pub variable: u32,
    /// How many pointers there are on the way.
    pub depth: u32,
    /// How many of the last ones are in the same place of the same type, as in a list.
    pub run: u32,
    /// The object that the first one of those belongs to.
    pub start: ObjectId,
}

/// Names every object after the pointer on the shortest path to it, from the innermost function on. What
/// only looks like a pointer has no name of its own, so that paths over known pointers are preferred,
/// however long.
pub(crate) fn find_shortest<M: Memory>(graph: &mut Graph<'_, M>) {
    let mut found = vec![None; graph.objects.len()];
    let mut order: Vec<ObjectId> = Vec::with_capacity(graph.objects.len());
    for id in graph.ids() {
        if let variable @ Found::Variable(_) = graph.object(id).found {
            found[id.0 as usize] = Some(variable);
            order.push(id);
        }
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
    // What has been found from something that became part of something else keeps its name.
    order.extend(
        (0..).map(ObjectId).zip(&found).filter(|(_, found)| found.is_none()).map(|(id, _)| id),
    );
    for (object, found) in graph.objects.iter_mut().zip(found) {
        object.found = found.unwrap_or(object.found);
    }
    graph.ways = ways(graph, &order);
}

/// How objects are reached; those that others are found from come first.
fn ways<M: Memory>(graph: &Graph<'_, M>, order: &[ObjectId]) -> Vec<Way> {
    let mut ways = vec![Way::default(); graph.objects.len()];
    for id in order {
        ways[id.0 as usize] = match graph.object(*id).found {
            Found::Variable(variable) => Way { variable, depth: 0, run: 0, start: *id },
            Found::Pointer { object, .. } => {
                let before = ways[object.0 as usize];
                let (run, start) = match is_next(graph, object, *id) {
                    true => (before.run + 1, before.start),
                    false => (1, object),
                };
                Way { depth: before.depth + 1, run, start, ..before }
            }
        };
    }
    ways
}

/// Whether the same pointer leads to an object as to the one before it.
fn is_next<M: Memory>(graph: &Graph<'_, M>, before: ObjectId, id: ObjectId) -> bool {
    let place = |id: ObjectId| match graph.object(id).found {
        Found::Pointer { object, offset } => {
            let from = graph.object(object);
            Some((offset, from.of, from.count == 1, from.text.is_none()))
        }
        Found::Variable(_) => None,
    };
    place(id).is_some_and(|(_, _, one, no_text)| one && no_text) && place(before) == place(id)
}
