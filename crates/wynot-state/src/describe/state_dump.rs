//! Whole states and whole differences, for a reader.

use super::described_delta::DescribedDelta;
use super::object_name::{expression, object_name};
use super::value_text::value;
use crate::compare::state_differences::StateDifferences;
use crate::graph::leaf::Leaf;
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::ObjectId;
use std::collections::HashMap;

/// A state in words.
#[derive(Clone, Debug)]
pub struct StateDump {
    /// The active functions, innermost first.
    pub backtrace: Vec<String>,
    /// All objects.
    pub objects: Vec<DumpedObject>,
    /// All pointers between them.
    pub pointers: Vec<DumpedPointer>,
}

/// An object in words.
#[derive(Clone, Debug)]
pub struct DumpedObject {
    /// The variable or pointer that it is named after.
    pub name: String,
    /// The name of its type.
    pub type_name: String,
    /// Its address.
    pub address: u64,
    /// The expressions for its parts, and their values.
    pub parts: Vec<(String, String)>,
}

/// A pointer in words.
#[derive(Clone, Debug)]
pub struct DumpedPointer {
    /// The index of the object that contains it.
    pub from: usize,
    /// The index of the object that it leads to.
    pub to: usize,
    /// The expression for it.
    pub name: String,
}

/// The difference between two states in words.
#[derive(Clone, Debug)]
pub struct StateDiff {
    /// All deltas.
    pub deltas: Vec<DescribedDelta>,
    /// The number of vertices of the passing and the failing state.
    pub vertices: (u64, u64),
}

impl StateDump {
    /// Describes a state.
    pub fn of<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, backtrace: Vec<String>) -> Self {
        let ids: Vec<_> = graph.ids().collect();
        let numbers: HashMap<_, _> =
            ids.iter().zip(0..).map(|(id, number)| (*id, number)).collect();
        let objects = ids.iter().map(|id| {
            let object = graph.object(*id);
            DumpedObject {
                name: object_name(graph, *id),
                type_name: graph.types[object.of].name.clone(),
                address: object.address,
                parts: parts(graph, *id),
            }
        });
        let objects = objects.collect();
        let mut pointers = Vec::new();
        for id in &ids {
            graph.leaves(*id, &mut |leaf| {
                if let Some(target) = graph.target(*id, &leaf)
                    && let Some(to) = numbers.get(&target.object)
                {
                    let name = expression(graph, *id, &leaf);
                    pointers.push(DumpedPointer { from: numbers[id], to: *to, name });
                }
            });
        }
        Self { backtrace, objects, pointers }
    }
}

impl StateDiff {
    /// Describes all differences.
    pub fn of<M: MemoryCopy>(differences: &StateDifferences<'_, '_, M>) -> Self {
        let deltas = differences.deltas.iter();
        let deltas = deltas.map(|delta| DescribedDelta::of(differences, delta));
        let outside = differences.outside.iter().map(DescribedDelta::of_outside);
        Self {
            deltas: deltas.chain(outside).collect(),
            vertices: (differences.passing.vertices, differences.failing.vertices),
        }
    }
}

/// The parts of an object in words.
fn parts<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, id: ObjectId) -> Vec<(String, String)> {
    let mut leaves = Vec::new();
    graph.leaves(id, &mut |leaf| leaves.push(leaf));
    let words = |leaf: &Leaf| (expression(graph, id, leaf), value(graph, id, leaf));
    leaves.iter().map(words).collect()
}
