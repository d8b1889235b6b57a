//! The deltas that turn a passing state into a failing one.

use super::neighbours::Neighbours;
use super::object_matching::ObjectMatching;
use super::outside_delta::OutsideDelta;
use super::padding::padding;
use super::state_delta::{NewValue, PartChange, StateDelta};
use crate::decode::{bits_of, tag_offset};
use crate::graph::leaf::{Leaf, LeafContent};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::{ObjectId, ObjectOffset};
use std::collections::HashMap;
use std::ops::Range;

/// The number of bytes at the end of a pool that may be left because of alignment.
const END_MARGIN: u64 = 16;

/// The number of words at the start of a free block in which the allocator keeps its marks.
const WORDS_OF_FREE_BLOCK: u64 = 2;

/// All differences of two states.
pub struct StateDifferences<'a, 'b, M> {
    /// The state that the deltas are applied to.
    pub passing: &'b MemoryGraph<'a, M>,
    /// The state that all deltas together lead to.
    pub failing: &'b MemoryGraph<'a, M>,
    /// Which of their objects correspond.
    pub matching: ObjectMatching,
    /// The deltas, in the order of the objects that they change.
    pub deltas: Vec<StateDelta>,
    /// The differences outside of memory. In configurations, they follow the deltas.
    pub outside: Vec<OutsideDelta>,
    /// The groups of objects that only the failing state has.
    created: Neighbours,
    /// The groups of objects that only the passing state has.
    removed: Neighbours,
}

impl<'a, 'b, M: MemoryCopy> StateDifferences<'a, 'b, M> {
    /// Compares two states.
    pub fn of(passing: &'b MemoryGraph<'a, M>, failing: &'b MemoryGraph<'a, M>) -> Self {
        let matching = ObjectMatching::of(passing, failing);
        let created = Neighbours::of(failing, &|id| matching.in_passing(id).is_none());
        let removed = Neighbours::of(passing, &|id| matching.in_failing(id).is_none());
        let (deltas, outside) = (Vec::new(), Vec::new());
        let mut found = Self { passing, failing, matching, created, removed, deltas, outside };
        let mut changes = Vec::new();
        let mut parts = LeafIndex::default();
        for id in passing.ids() {
            if let Some(other) = found.matching.in_failing(id) {
                found.compare(id, other, &mut parts, &mut changes);
            }
        }
        found.deltas = group_by_bond(changes);
        found
    }

    /// The number of differences, in memory and outside.
    pub fn count(&self) -> u32 {
        (self.deltas.len() + self.outside.len()) as u32
    }

    /// Adds the changes between two corresponding objects, each with what bonds it to others.
    fn compare(
        &self,
        id: ObjectId,
        other: ObjectId,
        parts: &mut LeafIndex,
        changes: &mut Vec<BondedChange>,
    ) {
        if self.is_trivially_equal(id, other)
            && self.passing.object(id).is_free == self.failing.object(other).is_free
        {
            return;
        }
        let marks = self.freed(id, other, changes);
        parts.read(self.passing, id);
        let capacity = self.passing.object(id).capacity;
        // The range of a value that has another variant, which is replaced as a whole.
        let mut exchanged = 0..0;
        let mut covered = Vec::new();
        self.failing.leaves_as(other, self.passing.object(id), &mut |leaf| {
            // More memory is unused there than here.
            if leaf.offset + leaf.size > capacity {
                return;
            }
            covered.push(leaf.offset..leaf.offset + leaf.size);
            let known = parts.find(&leaf).is_some_and(|own| own.content == leaf.content);
            let old = self.passing.bytes(id, &leaf);
            if let LeafContent::Tag(of) = leaf.content
                && !exchanged.contains(&leaf.offset)
                && (!known || self.failing.bytes(other, &leaf) != old)
            {
                let start = leaf.offset - tag_offset(self.passing.types, of);
                exchanged = start..start + self.passing.types[of].size;
            }
            let inside = exchanged.contains(&leaf.offset);
            let value = self.value(other, &leaf);
            // Another division of the same bytes is no difference.
            let is_same = self.is_same(id, &leaf, &value, old);
            if is_same && !inside {
                return;
            }
            let bond = match inside {
                _ if leaf.offset < marks => Bond::Freed(id),
                true => Bond::Unit(id, exchanged.start),
                false => self.bond(id, &leaf, &value),
            };
            let at = ObjectOffset { object: id, offset: leaf.offset };
            let change = PartChange { at, leaf, from: other, value };
            changes.push(BondedChange { change, bond, is_same });
        });
        self.compare_padding(id, other, &mut covered, changes);
    }

    /// Adds what differs in the padding of two corresponding objects, whose other parts are `covered`.
    fn compare_padding(
        &self,
        id: ObjectId,
        other: ObjectId,
        covered: &mut [Range<u64>],
        changes: &mut Vec<BondedChange>,
    ) {
        let (here, there) = (self.passing.object(id), self.failing.object(other));
        let is_table = here.entry_offset > 0 || there.entry_offset > 0;
        if is_table || here.of != there.of {
            return;
        }
        let bond = Bond::Padding(self.passing.variable_of(id));
        let size = here.size.min(there.size);
        for leaf in padding(covered, size, self.passing.layouts.word()) {
            let new = self.failing.bytes(other, &leaf);
            if new != self.passing.bytes(id, &leaf) {
                let at = ObjectOffset { object: id, offset: leaf.offset };
                let value = NewValue::Bytes(new.to_vec());
                let change = PartChange { at, leaf, from: other, value };
                changes.push(BondedChange { change, bond, is_same: false });
            }
        }
    }

    /// Adds the change that frees a block which is free in the failing state only, and returns how many bytes at its start
    /// belong to the allocator then.
    fn freed(&self, id: ObjectId, other: ObjectId, changes: &mut Vec<BondedChange>) -> u64 {
        if self.passing.object(id).is_free || !self.failing.object(other).is_free {
            return 0;
        }
        let leaf = Leaf { offset: 0, size: 0, content: LeafContent::Opaque, unit: None };
        let at = ObjectOffset { object: id, offset: 0 };
        let value = NewValue::Freed;
        let change = PartChange { at, leaf, from: other, value };
        changes.push(BondedChange { change, bond: Bond::Freed(id), is_same: false });
        WORDS_OF_FREE_BLOCK * self.passing.layouts.word()
    }

    /// Whether two objects have the same bytes and no pointers.
    fn is_trivially_equal(&self, id: ObjectId, other: ObjectId) -> bool {
        let none = self.passing.edges(id).is_empty() && self.failing.edges(other).is_empty();
        let (own, there) = (self.passing.object(id), self.failing.object(other));
        let same = (own.of, own.count, own.text) == (there.of, there.count, there.text);
        none && same && self.passing.content(id) == self.failing.content(other)
    }

    /// What bonds a change to others.
    fn bond(&self, id: ObjectId, leaf: &Leaf, value: &NewValue) -> Bond {
        if let Some(unit) = leaf.unit {
            return Bond::Unit(id, unit.start);
        }
        if let NewValue::Created(to) = value {
            return Bond::Created(self.created.first(to.object));
        }
        match self.passing.target(id, leaf).map(|to| to.object) {
            Some(removed) if self.matching.in_failing(removed).is_none() => {
                Bond::Removed(self.removed.first(removed))
            }
            _ => Bond::None,
        }
    }

    /// The value of a part of the failing state, in terms of the objects of the passing state.
    pub fn value(&self, id: ObjectId, leaf: &Leaf) -> NewValue {
        let bytes = self.failing.bytes(id, leaf);
        match (leaf.content, self.failing.target(id, leaf)) {
            (LeafContent::Bits(_, bits), _) => NewValue::Bits(bits, bytes.to_vec()),
            (_, None) => NewValue::Bytes(bytes.to_vec()),
            (_, Some(ObjectOffset { object, offset })) => match self.matching.in_passing(object) {
                Some(here) => NewValue::Existing(self.position_here(object, here, offset)),
                None => NewValue::Created(ObjectOffset { object, offset }),
            },
        }
    }

    /// The position in a passing object that corresponds to an offset of a failing one. The end of a pool is
    /// where the passing pool ends, however much of it is in use.
    fn position_here(&self, failing: ObjectId, object: ObjectId, offset: u64) -> ObjectOffset {
        let (there, here) = (self.failing.object(failing), self.passing.object(object));
        let from_end = there.capacity.saturating_sub(offset);
        let is_end = there.ends_pool && offset >= there.required_size && from_end <= END_MARGIN;
        match is_end && here.ends_pool && here.capacity > from_end {
            true => ObjectOffset { object, offset: here.capacity - from_end },
            false => ObjectOffset { object, offset },
        }
    }

    fn is_same(&self, id: ObjectId, leaf: &Leaf, value: &NewValue, old: &[u8]) -> bool {
        match value {
            NewValue::Bytes(new) => {
                // The same number is another value if it is the address of an object on one side only.
                new == old && self.passing.target(id, leaf).is_none()
            }
            NewValue::Bits(bits, new) => bits_of(*bits, new) == bits_of(*bits, old),
            NewValue::Existing(to) => self.passing.target(id, leaf) == Some(*to),
            NewValue::Created(_) | NewValue::Freed => false,
        }
    }
}

/// What bonds changes to others, so that they are one delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Bond {
    /// Nothing: the change is a delta of its own.
    None,
    /// They are padding of what this variable leads to.
    Padding(u32),
    /// They belong to a block that is freed.
    Freed(ObjectId),
    /// They refer to an object that only the failing state has.
    Created(ObjectId),
    /// They no longer refer to an object that only the passing state has.
    Removed(ObjectId),
    /// They replace the variant of a value, or a pointer and its count.
    Unit(ObjectId, u64),
}

/// A change, and what bonds it to others.
struct BondedChange {
    change: PartChange,
    bond: Bond,
    /// Whether the part has the same value on both sides, and is only replaced with the others of its delta.
    is_same: bool,
}

/// Makes one delta of the changes with the same bond, unless all of them keep the value. Those that change it come first.
fn group_by_bond(changes: Vec<BondedChange>) -> Vec<StateDelta> {
    let mut by_bond: HashMap<Bond, usize> = HashMap::new();
    let mut deltas: Vec<(StateDelta, Vec<PartChange>)> = Vec::new();
    for BondedChange { change, bond, is_same } in changes {
        let known = by_bond.get(&bond).copied().filter(|_| bond != Bond::None);
        let index = known.unwrap_or(deltas.len());
        if known.is_none() {
            by_bond.insert(bond, index);
            deltas.push((StateDelta { changes: Vec::new() }, Vec::new()));
        }
        let (delta, same) = &mut deltas[index];
        if is_same { same.push(change) } else { delta.changes.push(change) }
    }
    deltas.retain(|(delta, _)| !delta.changes.is_empty());
    let with_same = |(mut delta, same): (StateDelta, Vec<PartChange>)| {
        delta.changes.extend(same);
        delta
    };
    deltas.into_iter().map(with_same).collect()
}

/// The parts of an object, by position.
#[derive(Default)]
struct LeafIndex {
    all: Vec<Leaf>,
    /// The index at which the next part is expected.
    next: usize,
}

impl LeafIndex {
    fn read<M: MemoryCopy>(&mut self, graph: &MemoryGraph<'_, M>, id: ObjectId) {
        self.all.clear();
        self.next = 0;
        graph.leaves(id, &mut |leaf| self.all.push(leaf));
        if !self.all.is_sorted_by_key(part_key) {
            self.all.sort_by_key(part_key);
        }
    }

    /// The part at the same position, which mostly is the one after the last that was found.
    fn find(&mut self, leaf: &Leaf) -> Option<&Leaf> {
        let wanted = part_key(leaf);
        if self.all.get(self.next).map(part_key) != Some(wanted) {
            self.next = self.all.binary_search_by_key(&wanted, part_key).ok()?;
        }
        self.next += 1;
        self.all.get(self.next - 1)
    }
}

/// The position of a part. A tag may share its bytes with another part.
pub(super) fn part_key(leaf: &Leaf) -> (u64, u64) {
    match leaf.content {
        LeafContent::Bits(_, bits) => (leaf.offset, u64::from(bits.first) + 1),
        LeafContent::Tag(of) => (leaf.offset, u64::from(of.0) + 9),
        _ => (leaf.offset, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::alteration::Alteration;
    use crate::decode::pointer;
    use crate::describe::{object_name, value_text};
    use crate::graph::extraction::ExtractionHints;
    use crate::tests::handmade_state::{Stretch, altered, list, list_root, types};

    /// The number of deltas between two lists, and the values of the first one after some of them.
    fn altered_list(values: &[i32], other: &[i32], wanted: &[usize]) -> (usize, Vec<i32>) {
        let types = types();
        let (here, there) = (list(0x1000, values), list(0x9000, other));
        let roots = (list_root(0x1000), list_root(0x9000));
        let hints = ExtractionHints::default();
        let passing = MemoryGraph::extract(&types, &here, &roots.0, &hints);
        let failing = MemoryGraph::extract(&types, &there, &roots.1, &hints);
        let found = StateDifferences::of(&passing, &failing);
        let deltas = wanted.iter().map(|index| &found.deltas[*index]);
        let alteration = Alteration::of(&found, deltas);
        let append = |bytes: &mut Vec<u8>, size: u64| {
            let start = here.start + bytes.len() as u64;
            bytes.resize(bytes.len() + size as usize, 0);
            start
        };
        (found.deltas.len(), read(&altered(&here, &alteration, &append)))
    }

    fn read(memory: &Stretch) -> Vec<i32> {
        let word = |at: u64| pointer(memory.bytes(at, 8).unwrap()).unwrap();
        let mut values = Vec::new();
        let mut node = word(memory.start);
        while node != 0 {
            values.push(word(node) as i32);
            node = word(node + 8);
        }
        values
    }

    #[test]
    fn the_lists_of_figure_5_differ_by_two_elements() {
        let (passing, failing) = ([14, 18, 20, 22], [14, 15, 18, 22]);
        assert_eq!(altered_list(&passing, &failing, &[]), (2, vec![14, 18, 20, 22]));
        assert_eq!(altered_list(&passing, &failing, &[0]).1, [14, 15, 18, 20, 22]);
        assert_eq!(altered_list(&passing, &failing, &[1]).1, [14, 18, 22]);
        assert_eq!(altered_list(&passing, &failing, &[0, 1]).1, failing);
    }

    #[test]
    fn lists_of_different_lengths_become_each_other() {
        let all: Vec<usize> = (0..10).collect();
        for (passing, failing) in [
            (&[][..], &[1, 2][..]),
            (&[1, 2], &[]),
            (&[1, 2, 3, 4, 5, 6], &[2, 3, 9, 4, 6, 7]),
            (&[0, 0, 0], &[0, 0]),
            (&[1, 2, 3], &[3, 2, 1]),
            (&[5, 5, 5, 1], &[5, 1, 5, 5]),
        ] {
            let (count, _) = altered_list(passing, failing, &[]);
            assert_eq!(altered_list(passing, failing, &all[..count]).1, failing, "{passing:?}");
        }
    }

    #[test]
    fn changes_can_be_described() {
        let types = types();
        let (here, there) = (list(0x1000, &[14, 18]), list(0x9000, &[14, 19]));
        let roots = (list_root(0x1000), list_root(0x9000));
        let hints = ExtractionHints::default();
        let passing = MemoryGraph::extract(&types, &here, &roots.0, &hints);
        let failing = MemoryGraph::extract(&types, &there, &roots.1, &hints);
        let found = StateDifferences::of(&passing, &failing);
        let [StateDelta { changes }] = &found.deltas[..] else { panic!("{:?}", found.deltas) };
        let PartChange { at, leaf, from, .. } = &changes[0];
        assert_eq!(object_name::expression(&passing, at.object, leaf), "list->next->value");
        assert_eq!(value_text::value(&passing, at.object, leaf), "18");
        assert_eq!(value_text::value(&failing, *from, leaf), "19");
    }
}
