//! What has to be written where so that a passing state gets some of the deltas.

use crate::delta::{Change, Delta, Differences, Value};
use crate::dwarf::Bits;
use crate::graph::{ObjectId, Spot};
use crate::layout::Leaf;
use crate::memory::Memory;
pub use crate::values::with_bits;
use std::collections::HashMap;

/// Blocks to allocate, and bytes to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alteration {
    /// Objects that only the failing state has.
    pub blocks: Vec<Block>,
    /// In this order.
    pub writes: Vec<Write>,
}

/// An object of the failing state that has to be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Which one.
    pub object: ObjectId,
    /// In bytes; it may be larger than what it holds, where it has room to grow.
    pub size: u64,
}

/// Some bytes, and where they go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Where.
    pub at: Address,
    /// What.
    pub what: What,
}

/// An address that may be known only when blocks are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// In an object of the passing state.
    Fixed {
        /// Where that is.
        address: u64,
        /// Which part of which object.
        spot: Spot,
    },
    /// In a block.
    Block {
        /// Which one of the alteration's.
        number: usize,
        /// In bytes.
        offset: u64,
    },
}

/// What is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// As they are.
    Bytes(Vec<u8>),
    /// Some bits of these bytes; the others stay.
    Bits(Bits, Vec<u8>),
    /// An address, in so many bytes.
    Address(Address, u64),
}

impl Alteration {
    /// What some deltas come to.
    pub fn of<'d, M: Memory>(
        differences: &Differences<'_, '_, M>,
        deltas: impl IntoIterator<Item = &'d Delta>,
    ) -> Self {
        let mut builder = Builder { differences, numbers: HashMap::new(), all: Self::default() };
        for delta in deltas {
            for Change { at, leaf, value, .. } in &delta.changes {
                builder.write(fixed(differences, *at), leaf, value);
            }
        }
        builder.fill_blocks();
        builder.all
    }
}

fn fixed<M: Memory>(differences: &Differences<'_, '_, M>, spot: Spot) -> Address {
    Address::Fixed { address: differences.address(spot), spot }
}

struct Builder<'d, 'a, 'b, M> {
    differences: &'d Differences<'a, 'b, M>,
    numbers: HashMap<ObjectId, usize>,
    all: Alteration,
}

impl<M: Memory> Builder<'_, '_, '_, M> {
    fn write(&mut self, at: Address, leaf: &Leaf, value: &Value) {
        let what = match value {
            Value::Bytes(bytes) => What::Bytes(bytes.clone()),
            Value::Bits(bits, bytes) => What::Bits(*bits, bytes.clone()),
            Value::Existing(spot) => What::Address(fixed(self.differences, *spot), leaf.size),
            Value::Created(Spot { object, offset }) => {
                let number = self.block(*object);
                What::Address(Address::Block { number, offset: *offset }, leaf.size)
            }
        };
        self.all.writes.push(Write { at, what });
    }

    fn block(&mut self, object: ObjectId) -> usize {
        let next = self.all.blocks.len();
        let number = *self.numbers.entry(object).or_insert(next);
        if number == next {
            let size = self.differences.failing.object(object).room;
            self.all.blocks.push(Block { object, size });
        }
        number
    }

    /// What blocks hold may need other blocks.
    fn fill_blocks(&mut self) {
        let mut number = 0;
        while let Some(Block { object, .. }) = self.all.blocks.get(number).copied() {
            let failing = self.differences.failing;
            let at = Address::Block { number, offset: 0 };
            let bytes = failing.content(object).to_vec();
            self.all.writes.push(Write { at, what: What::Bytes(bytes) });
            let mut pointers = Vec::new();
            failing.leaves(object, &mut |leaf| {
                if leaf.content.may_point() {
                    pointers.push(leaf);
                }
            });
            for leaf in pointers {
                let value = self.differences.value(object, &leaf);
                if matches!(value, Value::Existing(_) | Value::Created(_)) {
                    self.write(Address::Block { number, offset: leaf.offset }, &leaf, &value);
                }
            }
            number += 1;
        }
    }
}
