//! States to look at.

use crate::alignment::Site;
use crate::bench::{BenchError, Stop, arrive};
use crate::case::{Case, CaseError};
use crate::delta::Differences;
use crate::dwarf::Libraries;
use crate::graph::{Graph, ObjectId};
use crate::layout::Leaf;
use crate::link::Finding;
use crate::memory::Memory;
use crate::naming;
use crate::process::Invocation;
use crate::state::State;
use std::collections::HashMap;

/// A state.
#[derive(Clone, Debug)]
pub struct Dump {
    /// The functions that have been called, innermost first.
    pub backtrace: Vec<String>,
    /// All objects.
    pub vertices: Vec<Vertex>,
    /// All pointers between them.
    pub edges: Vec<Edge>,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// What leads to it.
    pub name: String,
    /// Its type.
    pub kind: String,
    /// Where it lies.
    pub address: u64,
    /// Its parts: as a programmer would write them, and what they hold.
    pub parts: Vec<(String, String)>,
}

/// A pointer.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The object that it is part of, by number.
    pub from: usize,
    /// The object that it leads to, by number.
    pub to: usize,
    /// As a programmer would write it.
    pub name: String,
}

/// What differs between two states.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What differs.
    pub deltas: Vec<Finding>,
    /// How large the states are, passing and failing.
    pub vertices: (u64, u64),
}

/// The parts of an object, in words.
fn parts<M: Memory>(graph: &Graph<'_, M>, id: ObjectId) -> Vec<(String, String)> {
    let mut leaves = Vec::new();
    graph.leaves(id, &mut |leaf| leaves.push(leaf));
    let words = |leaf: &Leaf| (naming::expression(graph, id, leaf), naming::value(graph, id, leaf));
    leaves.iter().map(words).collect()
}

impl Case<'_> {
    /// The state of the passing run in some place; nothing if it does not come there.
    pub fn dump(&self, site: Site) -> Result<Option<Dump>, CaseError> {
        let Some(state) = self.state(&self.passing, site.address, site.hits.0)? else {
            return Ok(None);
        };
        let types = self.program.types();
        let graph = Graph::extract(types, &state, &state.roots, &state.hints);
        let ids: Vec<_> = graph.ids().collect();
        let numbers: HashMap<_, _> =
            ids.iter().zip(0..).map(|(id, number)| (*id, number)).collect();
        let vertices = ids.iter().map(|id| {
            let object = graph.object(*id);
            Vertex {
                name: naming::whole(&graph, *id),
                kind: types[object.of].name.clone(),
                address: object.address,
                parts: parts(&graph, *id),
            }
        });
        let vertices = vertices.collect();
        let mut edges = Vec::new();
        for id in &ids {
            graph.leaves(*id, &mut |leaf| {
                if let Some(spot) = graph.target(*id, &leaf)
                    && let Some(to) = numbers.get(&spot.object)
                {
                    let name = naming::expression(&graph, *id, &leaf);
                    edges.push(Edge { from: numbers[id], to: *to, name });
                }
            });
        }
        Ok(Some(Dump { backtrace: state.backtrace.clone(), vertices, edges }))
    }

    /// What differs between the two runs in some place; nothing if one does not come there.
    pub fn diff(&self, site: Site) -> Result<Option<Difference>, CaseError> {
        let passing = self.state(&self.passing, site.address, site.hits.0)?;
        let failing = self.state(&self.failing, site.address, site.hits.1)?;
        let (Some(passing), Some(failing)) = (passing, failing) else { return Ok(None) };
        let types = self.program.types();
        let here = Graph::extract(types, &passing, &passing.roots, &passing.hints);
        let there = Graph::extract(types, &failing, &failing.roots, &failing.hints);
        let found = Differences::of(&here, &there);
        let deltas = found.deltas.iter().map(|delta| Finding::of(&found, delta)).collect();
        Ok(Some(Difference { deltas, vertices: (here.vertices, there.vertices) }))
    }

    fn state(
        &self,
        invocation: &Invocation,
        address: u64,
        hit: u32,
    ) -> Result<Option<State>, CaseError> {
        match arrive(self.program, invocation, &self.limits, Stop { address, hit }) {
            Ok(run) => {
                Ok(Some(State::of(self.program, &self.rules, &mut Libraries::default(), &run)?))
            }
            Err(BenchError::Missed(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
