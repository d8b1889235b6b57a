//! Deltas whose failing values another passing run has as well: such values do not make a run fail by themselves.

use super::outside_delta::OutsideDelta;
use super::state_delta::{NewValue, PartChange, StateDelta};
use super::state_differences::{StateDifferences, part_key};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::ObjectId;
use crate::process::{Invocation, OpenFile};
use std::collections::{BTreeMap, HashSet};
use wynot_core::Configuration;

/// What another passing run has at the place.
pub(crate) struct OtherState<'a, 'b, M> {
    pub graph: &'b MemoryGraph<'a, M>,
    pub files: &'b BTreeMap<i32, OpenFile>,
    pub invocation: &'b Invocation,
}

impl<'a, M: MemoryCopy> StateDifferences<'a, '_, M> {
    /// The differences whose failing values another passing state has at the same place. An object that only the failing
    /// state has counts with all that it leads to.
    pub(crate) fn shared_with(&self, other: &OtherState<'a, '_, M>) -> Configuration {
        let unlike = UnlikeParts::of(other.graph, self.failing);
        let is_shared = |delta: &StateDelta| {
            delta.changes.iter().all(|change| {
                unlike.has_same(change)
                    && match change.value {
                        NewValue::Created(to) => {
                            let is_created = |id| self.matching.in_passing(id).is_none();
                            unlike.has_same_objects(self.failing, to.object, &is_created)
                        }
                        _ => true,
                    }
            })
        };
        let is_shared_outside = |delta: &OutsideDelta| match delta {
            OutsideDelta::Descriptor(delta) => {
                other.files.get(&delta.number) == delta.failing.as_ref()
            }
            OutsideDelta::File(_, file) => other.invocation.substituted.contains(file),
        };
        let deltas = self.deltas.iter().map(is_shared);
        let shared = deltas.chain(self.outside.iter().map(is_shared_outside));
        (0..).zip(shared).filter(|(_, is_shared)| *is_shared).map(|(index, _)| index).collect()
    }
}

/// The parts of a failing state that another passing state does not have, or has with other values.
struct UnlikeParts {
    /// The failing objects that have no counterpart, or one with other values.
    objects: HashSet<ObjectId>,
    /// The failing objects without a counterpart.
    missing: HashSet<ObjectId>,
    /// The parts with other values: the failing object, and the position in it.
    parts: HashSet<(ObjectId, (u64, u64))>,
}

impl UnlikeParts {
    fn of<M: MemoryCopy>(other: &MemoryGraph<'_, M>, failing: &MemoryGraph<'_, M>) -> Self {
        let differences = StateDifferences::of(other, failing);
        let has_none = |id: &ObjectId| differences.matching.in_passing(*id).is_none();
        let missing: HashSet<ObjectId> = failing.ids().filter(has_none).collect();
        let changes = differences.deltas.iter().flat_map(|delta| &delta.changes);
        let parts: HashSet<_> =
            changes.map(|change| (change.from, part_key(&change.leaf))).collect();
        let objects = missing.iter().copied().chain(parts.iter().map(|(id, _)| *id)).collect();
        Self { objects, missing, parts }
    }

    /// Whether the other passing state has the value of a change.
    fn has_same(&self, PartChange { leaf, from, .. }: &PartChange) -> bool {
        !self.missing.contains(from) && !self.parts.contains(&(*from, part_key(leaf)))
    }

    /// Whether the other passing state has an object and all that it leads to among those that are created with it.
    fn has_same_objects<M: MemoryCopy>(
        &self,
        failing: &MemoryGraph<'_, M>,
        first: ObjectId,
        is_created: &dyn Fn(ObjectId) -> bool,
    ) -> bool {
        let (mut pending, mut seen) = (vec![first], HashSet::from([first]));
        while let Some(id) = pending.pop() {
            if self.objects.contains(&id) {
                return false;
            }
            let targets = failing.edges(id).iter().map(|edge| edge.to.object);
            pending.extend(targets.filter(|to| is_created(*to) && seen.insert(*to)));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::extraction::ExtractionHints;
    use crate::tests::handmade_state::{list, list_root, types};

    /// The number of differences between two lists, and which of them another list shares with the failing one.
    fn shared(passing: &[i32], failing: &[i32], other: &[i32]) -> (u32, Vec<u32>) {
        let types = types();
        let states = [list(0x1000, passing), list(0x9000, failing), list(0x5000, other)];
        let roots = [list_root(0x1000), list_root(0x9000), list_root(0x5000)];
        let hints = ExtractionHints::default();
        let [passing, failing, other] =
            [0, 1, 2].map(|side| MemoryGraph::extract(&types, &states[side], &roots[side], &hints));
        let differences = StateDifferences::of(&passing, &failing);
        let (files, invocation) = (BTreeMap::new(), Invocation::new("/bin/true", [""; 0]));
        let other = OtherState { graph: &other, files: &files, invocation: &invocation };
        (differences.count(), differences.shared_with(&other).iter().collect())
    }

    #[test]
    fn a_value_of_another_passing_run_is_shared() {
        assert_eq!(shared(&[1, 2, 3], &[1, 7, 8], &[1, 7, 9]), (2, vec![0]));
        assert_eq!(shared(&[1, 2, 3], &[1, 7, 8], &[1, 4, 5]), (2, vec![]));
        assert_eq!(shared(&[1, 2, 3], &[1, 7, 8], &[1, 7, 8]), (2, vec![0, 1]));
    }

    #[test]
    fn an_object_of_another_passing_run_is_shared_if_it_is_equal() {
        assert_eq!(shared(&[14, 18, 22], &[14, 15, 18, 22], &[14, 15, 18, 22]), (1, vec![0]));
        assert_eq!(shared(&[14, 18, 22], &[14, 15, 18, 22], &[14, 16, 18, 22]), (1, vec![]));
        assert_eq!(shared(&[14, 18, 22], &[14, 15, 18, 22], &[14, 18, 22]), (1, vec![]));
    }
}
