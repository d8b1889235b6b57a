//! The variables of the innermost function that are equal in both runs. Where a wrong value is, it is not among what
//! differs, and people have to look for it here.

use super::value_text::value;
use crate::compare::state_differences::StateDifferences;
use crate::graph::leaf::{Leaf, LeafContent};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_object::{INNERMOST_LEVEL, ObjectId, RootVariable, VariableScope};
use std::collections::HashSet;

/// The number of variables that are named.
const MAX_EQUAL_VARIABLES: usize = 8;

/// The names and values of the innermost function's numbers that are equal in both runs.
pub fn equal_values<M: MemoryCopy>(
    differences: &StateDifferences<'_, '_, M>,
) -> Vec<(String, String)> {
    let graph = differences.passing;
    let changes = differences.deltas.iter().flat_map(|delta| &delta.changes);
    let changed: HashSet<ObjectId> = changes.map(|change| change.at.object).collect();
    let is_innermost = |root: &&RootVariable| matches!(root.scope, VariableScope::Frame { level, .. } if level == INNERMOST_LEVEL);
    let equal = graph.roots.iter().filter(is_innermost).filter_map(|root| {
        let position = graph.position(root.address).filter(|position| position.offset == 0)?;
        let id = position.object;
        if changed.contains(&id) || differences.matching.in_failing(id).is_none() {
            return None;
        }
        let mut leaves: Vec<Leaf> = Vec::new();
        graph.leaves(id, &mut |leaf| leaves.push(leaf));
        match leaves[..] {
            [leaf] if matches!(leaf.content, LeafContent::Scalar(_)) => {
                Some((root.name.clone(), value(graph, id, &leaf)))
            }
            _ => None,
        }
    });
    equal.take(MAX_EQUAL_VARIABLES).collect()
}
