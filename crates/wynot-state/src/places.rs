//! Which objects lie where, while they are being found.

use crate::heap::Heap;
use crate::object::ObjectId;
use std::collections::BTreeMap;

/// Objects by address. Most of them are whole blocks of the heap, and found by the number of their block.
pub(crate) struct Places<'h> {
    heap: &'h Heap,
    blocks: Vec<Block>,
    /// All that do not begin where a block begins.
    others: BTreeMap<u64, ObjectId>,
}

/// What is known about a block of the heap.
#[derive(Clone, Copy, Default)]
struct Block {
    /// What begins where it begins.
    first: Option<ObjectId>,
    /// There is something else in it.
    mixed: bool,
}

impl<'h> Places<'h> {
    /// For what lies in a heap, and elsewhere.
    pub fn new(heap: &'h Heap) -> Self {
        Self { heap, blocks: vec![Block::default(); heap.len()], others: BTreeMap::new() }
    }

    /// The last object that begins at an address or before it, in a block or outside of all.
    pub fn find(&self, address: u64, block: Option<usize>) -> Option<ObjectId> {
        let last = |from: u64| self.others.range(from..=address).next_back().map(|(_, id)| *id);
        let Some(number) = block else { return last(0) };
        match self.blocks[number] {
            Block { first, mixed: false } => first,
            Block { first, mixed: true } => last(self.heap.block(number).start).or(first),
        }
    }

    /// Something new at an address, or something else.
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

    /// Nothing begins there any more.
    pub fn remove(&mut self, address: u64) {
        match self.heap.index(address).filter(|number| self.heap.block(*number).start == address) {
            Some(number) => self.blocks[number].first = None,
            None => {
                self.others.remove(&address);
            }
        }
    }

    /// Whether nothing has been found in a block.
    pub fn is_untouched(&self, block: Option<usize>) -> bool {
        block
            .is_some_and(|number| self.blocks[number].first.is_none() && !self.blocks[number].mixed)
    }

    /// What begins in a stretch.
    pub fn between(&self, from: u64, to: u64) -> Vec<(u64, ObjectId)> {
        let numbers = self.heap.beginning_in(from..to);
        let firsts = numbers.filter_map(|number| self.first(number));
        self.others.range(from..to.max(from)).map(|(at, id)| (*at, *id)).chain(firsts).collect()
    }

    /// All, by address.
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
