//! The order and the groups in which the deltas of a state are searched.

use super::state_delta::StateDelta;
use super::state_differences::StateDifferences;
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::VariableScope;
use wynot_core::Grouping;

/// The position of a delta: the index of the variable, the object and the offset in it.
type DeltaPosition = (u32, u32, u64);

fn position<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, delta: &StateDelta) -> DeltaPosition {
    delta.changes.first().map_or((0, 0, 0), |change| {
        let object = change.at.object;
        (graph.variable_of(object), object.0, change.at.offset)
    })
}

impl<M: MemoryCopy> StateDifferences<'_, '_, M> {
    /// Sorts the deltas by variable, and those of a variable by object and offset.
    pub fn sort_by_variable(&mut self) {
        let passing = self.passing;
        self.deltas.sort_by_key(|delta| position(passing, delta));
    }

    /// The levels of a search among sorted deltas: all of a function and all globals, then variables, then
    /// objects, then single deltas. Each difference outside of memory is a group of its own.
    pub fn levels(&self) -> Vec<Grouping> {
        let graph = self.passing;
        let positions: Vec<_> = self.deltas.iter().map(|delta| position(graph, delta)).collect();
        let (deltas, count) = (positions.len() as u32, self.count());
        let starts = |is_same: &dyn Fn(usize, usize) -> bool| {
            let is_start = |index: &usize| *index == 0 || !is_same(*index - 1, *index);
            let starts = (0..positions.len()).filter(is_start).map(|index| index as u32);
            starts.chain(deltas..count).collect::<Vec<u32>>()
        };
        let scope = |index: usize| -> Option<&VariableScope> {
            graph.roots.get(positions[index].0 as usize).map(|root| &root.scope)
        };
        let scopes = starts(&|a, b| scope(a) == scope(b));
        let variables = starts(&|a, b| positions[a].0 == positions[b].0);
        let objects = starts(&|a, b| positions[a].1 == positions[b].1);
        vec![
            Grouping::new(scopes, count),
            Grouping::new(variables, count),
            Grouping::new(objects, count),
            Grouping::singles(count),
        ]
    }
}
