//! The allocations and writes that apply some deltas to the passing state.

use super::state_delta::{NewValue, PartChange, StateDelta};
use super::state_differences::StateDifferences;
use crate::dwarf::Bits;
use crate::graph::leaf::Leaf;
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_object::{ObjectId, ObjectOffset};
use std::collections::HashMap;

/// Blocks to allocate and bytes to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alteration {
    /// The blocks for objects that only the failing state has.
    pub blocks: Vec<NewBlock>,
    /// The writes, in their order: first those of the deltas, then those that fill the blocks.
    pub writes: Vec<MemoryWrite>,
    /// The blocks that are freed after the writes.
    pub freed: Vec<WriteAddress>,
}

/// A block for an object of the failing state that has to be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewBlock {
    /// The object, in the failing state.
    pub object: ObjectId,
    /// The size in bytes, which is larger than the object if that can grow.
    pub size: u64,
}

/// One write to memory or to a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryWrite {
    /// The address that is written to.
    pub at: WriteAddress,
    /// The value that is written.
    pub value: WriteValue,
}

/// An address that may not be known before the blocks are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteAddress {
    /// An address in an object of the passing state.
    Fixed {
        /// The address in the passing run.
        address: u64,
        /// The same as an object and an offset.
        position: ObjectOffset,
    },
    /// An address in a new block.
    NewBlock {
        /// The index of the block in the alteration.
        number: usize,
        /// The offset in the block, in bytes.
        offset: u64,
    },
}

/// The value that is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteValue {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Some bits of these bytes; the others stay as they are.
    Bits(Bits, Vec<u8>),
    /// An address, in this number of bytes.
    Address(WriteAddress, u64),
}

impl Alteration {
    /// The blocks and writes of some deltas.
    pub fn of<'d, M: MemoryCopy>(
        differences: &StateDifferences<'_, '_, M>,
        deltas: impl IntoIterator<Item = &'d StateDelta>,
    ) -> Self {
        let alteration = Self::default();
        let mut builder = AlterationBuilder { differences, numbers: HashMap::new(), alteration };
        for delta in deltas {
            for PartChange { at, leaf, value, .. } in &delta.changes {
                builder.write(builder.fixed(*at), leaf, value);
            }
        }
        builder.fill_blocks();
        builder.alteration
    }
}

struct AlterationBuilder<'d, 'a, 'b, M> {
    differences: &'d StateDifferences<'a, 'b, M>,
    /// The index of the block for each object that is created.
    numbers: HashMap<ObjectId, usize>,
    alteration: Alteration,
}

impl<M: MemoryCopy> AlterationBuilder<'_, '_, '_, M> {
    fn fixed(&self, position: ObjectOffset) -> WriteAddress {
        WriteAddress::Fixed { address: self.differences.passing.address(position), position }
    }

    fn write(&mut self, at: WriteAddress, leaf: &Leaf, value: &NewValue) {
        let value = match value {
            NewValue::Freed => return self.alteration.freed.push(at),
            NewValue::Bytes(bytes) => WriteValue::Bytes(bytes.clone()),
            NewValue::Bits(bits, bytes) => WriteValue::Bits(*bits, bytes.clone()),
            NewValue::Existing(to) => WriteValue::Address(self.fixed(*to), leaf.size),
            NewValue::Created(ObjectOffset { object, offset }) => {
                let number = self.block(*object);
                WriteValue::Address(WriteAddress::NewBlock { number, offset: *offset }, leaf.size)
            }
        };
        self.alteration.writes.push(MemoryWrite { at, value });
    }

    /// The index of the block for an object.
    fn block(&mut self, object: ObjectId) -> usize {
        let blocks = &mut self.alteration.blocks;
        *self.numbers.entry(object).or_insert_with(|| {
            let size = self.differences.failing.object(object).capacity;
            blocks.push(NewBlock { object, size });
            blocks.len() - 1
        })
    }

    /// Writes the contents of the blocks, which may need further blocks.
    fn fill_blocks(&mut self) {
        let mut number = 0;
        while let Some(NewBlock { object, .. }) = self.alteration.blocks.get(number).copied() {
            let failing = self.differences.failing;
            let at = WriteAddress::NewBlock { number, offset: 0 };
            let value = WriteValue::Bytes(failing.content(object).to_vec());
            self.alteration.writes.push(MemoryWrite { at, value });
            let mut pointers = Vec::new();
            failing.leaves(object, &mut |leaf| {
                if leaf.content.may_point() {
                    pointers.push(leaf);
                }
            });
            for leaf in pointers {
                let value = self.differences.value(object, &leaf);
                if matches!(value, NewValue::Existing(_) | NewValue::Created(_)) {
                    let at = WriteAddress::NewBlock { number, offset: leaf.offset };
                    self.write(at, &leaf, &value);
                }
            }
            number += 1;
        }
    }
}
