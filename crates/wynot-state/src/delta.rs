//! What makes a failing state of a passing one.

use crate::dwarf::Bits;
use crate::graph::{Graph, ObjectId, Spot};
use crate::layout::{Content, Leaf};
use crate::matching::Matching;
use crate::memory::Memory;
use crate::neighbours::Neighbours;
use crate::values::{bits_of, tag_offset};
use std::collections::HashMap;

/// Something that is different, and cannot be divided: a value, or an object that is there on one side
/// only, with all pointers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    /// At least one.
    pub changes: Vec<Change>,
}

/// A part of an object of the passing state that gets the failing state's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where, in the passing state.
    pub at: Spot,
    /// What part it is.
    pub leaf: Leaf,
    /// Where the value comes from, in the failing state.
    pub from: ObjectId,
    /// What is written there.
    pub value: Value,
}

/// What is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// As it is in the failing state.
    Bytes(Vec<u8>),
    /// Some bits of these bytes; the others stay.
    Bits(Bits, Vec<u8>),
    /// The address of an object of the passing state.
    Existing(Spot),
    /// The address of an object that only the failing state has.
    Created(Spot),
}

/// All differences of two states.
pub struct Differences<'a, 'b, M> {
    /// What is to be changed.
    pub passing: &'b Graph<'a, M>,
    /// What it is to become.
    pub failing: &'b Graph<'a, M>,
    /// Which of their objects are the same.
    pub matching: Matching,
    /// In the order of the objects that they change.
    pub deltas: Vec<Delta>,
    created: Neighbours,
    gone: Neighbours,
}

impl<'a, 'b, M: Memory> Differences<'a, 'b, M> {
    /// Compares two states.
    pub fn of(passing: &'b Graph<'a, M>, failing: &'b Graph<'a, M>) -> Self {
        let matching = Matching::of(passing, failing);
        let created = Neighbours::of(failing, &|id| matching.in_passing(id).is_none());
        let gone = Neighbours::of(passing, &|id| matching.in_failing(id).is_none());
        let deltas = Vec::new();
        let mut found = Self { passing, failing, matching, created, gone, deltas };
        let mut changes = Vec::new();
        let mut parts = Parts::default();
        for id in passing.ids() {
            if let Some(other) = found.matching.in_failing(id) {
                found.compare(id, other, &mut parts, &mut changes);
            }
        }
        found.deltas = found.grouped(changes);
        found
    }

    /// What differs between two objects that are the same one. Each change says what has to come with it.
    fn compare(&self, id: ObjectId, other: ObjectId, parts: &mut Parts, changes: &mut Bonded) {
        if self.is_plainly_equal(id, other) {
            return;
        }
        parts.read(self.passing, id);
        // Where another variant is there, all of it.
        let mut exchanged = 0..0;
        self.failing.leaves_as(other, self.passing.object(id), &mut |leaf| {
            let known = parts.find(&leaf).is_some_and(|own| own.content == leaf.content);
            let old = self.passing.bytes(id, &leaf);
            if let Content::Tag(of) = leaf.content
                && !exchanged.contains(&leaf.offset)
                && (!known || self.failing.bytes(other, &leaf) != old)
            {
                let start = leaf.offset - tag_offset(self.passing.types, of);
                exchanged = start..start + self.passing.types[of].size;
            }
            let inside = exchanged.contains(&leaf.offset);
            let value = self.value(other, &leaf);
            if known && !inside && self.is_same(id, &leaf, &value, old) {
                return;
            }
            let bond = match inside {
                true => Bond::Unit(id, exchanged.start),
                false => self.bond(id, &leaf, &value),
            };
            let at = Spot { object: id, offset: leaf.offset };
            changes.push((Change { at, leaf, from: other, value }, bond));
        });
    }

    /// Whether two objects hold the same, and nothing in them may be a pointer.
    fn is_plainly_equal(&self, id: ObjectId, other: ObjectId) -> bool {
        let none = self.passing.edges(id).is_empty() && self.failing.edges(other).is_empty();
        let (own, there) = (self.passing.object(id), self.failing.object(other));
        let same = (own.of, own.count, own.text) == (there.of, there.count, there.text);
        none && same && self.passing.content(id) == self.failing.content(other)
    }

    /// What has to come with a change.
    fn bond(&self, id: ObjectId, leaf: &Leaf, value: &Value) -> Bond {
        if let Some(unit) = leaf.unit {
            return Bond::Unit(id, unit.start);
        }
        if let Value::Created(spot) = value {
            return Bond::Created(self.created.first(spot.object));
        }
        match self.passing.target(id, leaf).map(|spot| spot.object) {
            Some(gone) if self.matching.in_failing(gone).is_none() => {
                Bond::Gone(self.gone.first(gone))
            }
            _ => Bond::None,
        }
    }

    /// What a part of the failing state is in terms of the passing one.
    pub fn value(&self, id: ObjectId, leaf: &Leaf) -> Value {
        let bytes = self.failing.bytes(id, leaf);
        match (leaf.content, self.failing.target(id, leaf)) {
            (Content::Bits(_, bits), _) => Value::Bits(bits, bytes.to_vec()),
            (_, None) => Value::Bytes(bytes.to_vec()),
            (_, Some(Spot { object, offset })) => match self.matching.in_passing(object) {
                Some(object) => Value::Existing(Spot { object, offset }),
                None => Value::Created(Spot { object, offset }),
            },
        }
    }

    fn is_same(&self, id: ObjectId, leaf: &Leaf, value: &Value, old: &[u8]) -> bool {
        match value {
            Value::Bytes(new) => {
                // An address that means something here and nothing there is another one.
                new == old && self.passing.target(id, leaf).is_none()
            }
            Value::Bits(bits, new) => bits_of(*bits, new) == bits_of(*bits, old),
            Value::Existing(spot) => self.passing.target(id, leaf) == Some(*spot),
            Value::Created(_) => false,
        }
    }

    /// Changes that have to come together are one delta.
    fn grouped(&self, changes: Bonded) -> Vec<Delta> {
        let mut by_bond: HashMap<Bond, usize> = HashMap::new();
        let mut deltas: Vec<Delta> = Vec::new();
        for (change, bond) in changes {
            let known = by_bond.get(&bond).copied().filter(|_| bond != Bond::None);
            match known {
                Some(index) => deltas[index].changes.push(change),
                None => {
                    by_bond.insert(bond, deltas.len());
                    deltas.push(Delta { changes: vec![change] });
                }
            }
        }
        deltas
    }

    /// Where a spot of the passing state lies.
    pub fn address(&self, spot: Spot) -> u64 {
        self.passing.object(spot.object).address + spot.offset
    }
}

/// What makes changes come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Bond {
    None,
    /// They need an object that only the failing state has.
    Created(ObjectId),
    /// They no longer need one that only the passing state has.
    Gone(ObjectId),
    /// They make another variant of a value, or a pointer and a count.
    Unit(ObjectId, u64),
}

/// Changes, and what has to come with them.
type Bonded = Vec<(Change, Bond)>;

/// The parts of an object, to be found by where they lie.
#[derive(Default)]
struct Parts {
    all: Vec<Leaf>,
    /// Where the next one is expected.
    next: usize,
}

impl Parts {
    fn read<M: Memory>(&mut self, graph: &Graph<'_, M>, id: ObjectId) {
        self.all.clear();
        self.next = 0;
        graph.leaves(id, &mut |leaf| self.all.push(leaf));
        if !self.all.is_sorted_by_key(key) {
            self.all.sort_by_key(key);
        }
    }

    /// The part in the same place: most often the one behind the last one that was found.
    fn find(&mut self, leaf: &Leaf) -> Option<&Leaf> {
        let wanted = key(leaf);
        if self.all.get(self.next).map(key) != Some(wanted) {
            self.next = self.all.binary_search_by_key(&wanted, key).ok()?;
        }
        self.next += 1;
        self.all.get(self.next - 1)
    }
}

/// Where a part lies; tags may lie where something else lies that they say nothing about.
fn key(leaf: &Leaf) -> (u64, u64) {
    match leaf.content {
        Content::Bits(_, bits) => (leaf.offset, u64::from(bits.first) + 1),
        Content::Tag(of) => (leaf.offset, u64::from(of.0) + 9),
        _ => (leaf.offset, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alteration::{Address, Alteration, What, Write};
    use crate::graph::{Graph, Hints};
    use crate::naming;
    use crate::trial::{Stretch, list, list_root, types};
    use crate::values::pointer;

    /// The values of a list after some of its deltas, with new nodes behind what was there.
    fn altered(values: &[i32], other: &[i32], wanted: &[usize]) -> (usize, Vec<i32>) {
        let types = types();
        let (here, there) = (list(0x1000, values), list(0x9000, other));
        let roots = (list_root(0x1000), list_root(0x9000));
        let hints = Hints::default();
        let passing = Graph::extract(&types, &here, &roots.0, &hints);
        let failing = Graph::extract(&types, &there, &roots.1, &hints);
        let found = Differences::of(&passing, &failing);
        let deltas = wanted.iter().map(|index| &found.deltas[*index]);
        let alteration = Alteration::of(&found, deltas);
        let mut memory = Stretch { start: here.start, bytes: here.bytes.clone() };
        let mut blocks = Vec::new();
        for block in &alteration.blocks {
            blocks.push(memory.start + memory.bytes.len() as u64);
            memory.bytes.resize(memory.bytes.len() + block.size as usize, 0);
        }
        let address = |address: Address| match address {
            Address::Fixed { address, .. } => address,
            Address::Block { number, offset } => blocks[number] + offset,
        };
        for Write { at, what } in &alteration.writes {
            let bytes = match what {
                What::Bytes(bytes) => bytes.clone(),
                What::Bits(..) => unreachable!("nodes have no bits"),
                What::Address(to, _) => address(*to).to_le_bytes().to_vec(),
            };
            let at = (address(*at) - memory.start) as usize;
            memory.bytes[at..at + bytes.len()].copy_from_slice(&bytes);
        }
        (found.deltas.len(), read(&memory))
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
        assert_eq!(altered(&passing, &failing, &[]), (2, vec![14, 18, 20, 22]));
        assert_eq!(altered(&passing, &failing, &[0]).1, [14, 15, 18, 20, 22]);
        assert_eq!(altered(&passing, &failing, &[1]).1, [14, 18, 22]);
        assert_eq!(altered(&passing, &failing, &[0, 1]).1, failing);
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
            let (count, _) = altered(passing, failing, &[]);
            assert_eq!(altered(passing, failing, &all[..count]).1, failing, "{passing:?}");
        }
    }

    #[test]
    fn changes_have_names() {
        let types = types();
        let (here, there) = (list(0x1000, &[14, 18]), list(0x9000, &[14, 19]));
        let roots = (list_root(0x1000), list_root(0x9000));
        let hints = Hints::default();
        let passing = Graph::extract(&types, &here, &roots.0, &hints);
        let failing = Graph::extract(&types, &there, &roots.1, &hints);
        let found = Differences::of(&passing, &failing);
        let [Delta { changes }] = &found.deltas[..] else { panic!("{:?}", found.deltas) };
        let Change { at, leaf, from, .. } = &changes[0];
        assert_eq!(naming::expression(&passing, at.object, leaf), "list->next->value");
        assert_eq!(naming::value(&passing, at.object, leaf), "18");
        assert_eq!(naming::value(&failing, *from, leaf), "19");
    }
}
