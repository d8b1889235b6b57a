//! Which object lies where, while the objects of a graph are being found.

use super::heap::Heap;
use super::memory_object::ObjectId;
use std::collections::BTreeMap;

/// The objects by address. Most of them are whole heap blocks, which are found by the number of their block.
pub(crate) struct AddressIndex<'h> {
    heap: &'h Heap,
    blocks: Vec<BlockEntry>,
    /// The objects that do not start where a block starts.
    others: BTreeMap<u64, ObjectId>,
}

/// The objects in one heap block.
#[derive(Clone, Copy, Default)]
struct BlockEntry {
    /// The object that starts where the block starts.
    first: Option<ObjectId>,
    /// Whether other objects start inside the block.
    mixed: bool,
}

impl<'h> AddressIndex<'h> {
    /// An empty index for objects in a heap and elsewhere.
    pub fn new(heap: &'h Heap) -> Self {
        Self { heap, blocks: vec![BlockEntry::default(); heap.len()], others: BTreeMap::new() }
    }

    /// The last object that starts at or before an address, in the given block or outside of all blocks.
    pub fn find(&self, address: u64, block: Option<usize>) -> Option<ObjectId> {
        let last = |from: u64| self.others.range(from..=address).next_back().map(|(_, id)| *id);
        let Some(number) = block else { return last(0) };
        match self.blocks[number] {
            BlockEntry { first, mixed: false } => first,
            BlockEntry { first, mixed: true } => last(self.heap.block(number).start).or(first),
        }
    }

    /// Adds an object, or replaces the one that starts at the same address.
    pub fn insert(&mut self, address: u64, id: ObjectId, block: Option<usize>) {
        if let Some(number) = block {
            let known = &mut self.blocks[number];
            if self.heap.block(number).start == address {
                known.first = Some(id);
                return;
            }
            known.mixed = true;
        }
        self.others.insert(address, id);
    }

    /// Removes the object that starts at an address.
    pub fn remove(&mut self, address: u64) {
        match self.heap.index(address).filter(|number| self.heap.block(*number).start == address) {
            Some(number) => self.blocks[number].first = None,
            None => {
                self.others.remove(&address);
            }
        }
    }

    /// Whether a block contains no object so far.
    pub fn is_untouched(&self, block: Option<usize>) -> bool {
        block
            .is_some_and(|number| self.blocks[number].first.is_none() && !self.blocks[number].mixed)
    }

    /// The objects that start in a range of addresses.
    pub fn between(&self, from: u64, to: u64) -> Vec<(u64, ObjectId)> {
        let numbers = self.heap.beginning_in(from..to);
        let firsts = numbers.filter_map(|number| self.first(number));
        self.others.range(from..to.max(from)).map(|(at, id)| (*at, *id)).chain(firsts).collect()
    }

    /// All objects, by address.
    pub fn by_address(&self) -> Vec<(u64, ObjectId)> {
        let mut all: Vec<_> = self.others.iter().map(|(at, id)| (*at, *id)).collect();
        all.extend((0..self.blocks.len()).filter_map(|number| self.first(number)));
        all.sort_by_key(|(at, _)| *at);
        all
    }

    fn first(&self, number: usize) -> Option<(u64, ObjectId)> {
        Some((self.heap.block(number).start, self.blocks[number].first?))
    }
}
