//! States made by hand.

use crate::compare::alteration::{Alteration, MemoryWrite, WriteAddress, WriteValue};
use crate::decode::with_bits;
use crate::dwarf::{Kind, Member, Type, TypeId, Types};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_object::{RootVariable, VariableScope};
use std::ops::Range;

/// A contiguous range of memory.
pub(crate) struct Stretch {
    pub start: u64,
    pub bytes: Vec<u8>,
}

impl MemoryCopy for Stretch {
    fn bytes(&self, address: u64, length: u64) -> Option<&[u8]> {
        let from = usize::try_from(address.checked_sub(self.start)?).ok()?;
        self.bytes.get(from..from.checked_add(length as usize)?)
    }

    fn stretch(&self, address: u64) -> Option<Range<u64>> {
        let range = self.start..self.start + self.bytes.len() as u64;
        range.contains(&address).then_some(range)
    }
}

/// The memory after an alteration. `append` adds a new block after the bytes and returns its address.
pub(crate) fn altered(
    memory: &Stretch,
    alteration: &Alteration,
    append: &dyn Fn(&mut Vec<u8>, u64) -> u64,
) -> Stretch {
    let Stretch { start, bytes } = memory;
    let mut bytes = bytes.clone();
    let blocks: Vec<u64> =
        alteration.blocks.iter().map(|block| append(&mut bytes, block.size)).collect();
    let resolve = |address: WriteAddress| match address {
        WriteAddress::Fixed { address, .. } => address,
        WriteAddress::NewBlock { number, offset } => blocks[number] + offset,
    };
    for MemoryWrite { at, value } in &alteration.writes {
        let at = (resolve(*at) - start) as usize;
        let new = match value {
            WriteValue::Bytes(bytes) => bytes.clone(),
            WriteValue::Bits(bits, new) => with_bits(&bytes[at..at + new.len()], *bits, new),
            WriteValue::Address(to, size) => resolve(*to).to_le_bytes()[..*size as usize].to_vec(),
        };
        bytes[at..at + new.len()].copy_from_slice(&new);
    }
    Stretch { start: *start, bytes }
}

pub(crate) const INT: TypeId = TypeId(1);
pub(crate) const NODE: TypeId = TypeId(2);
pub(crate) const POINTER: TypeId = TypeId(3);

/// `void`, `int`, `struct node { int value; struct node *next; }` and a pointer to it.
pub(crate) fn types() -> Types {
    let member = |name: &str, offset, of| Member { name: name.to_owned(), offset, of, bits: None };
    let one = |name: &str, size, kind| Type { name: name.to_owned(), size, kind };
    let members = vec![member("value", 0, INT), member("next", 8, POINTER)];
    Types::new(vec![
        one("void", 0, Kind::Unknown),
        one("int", 4, Kind::Integer { signed: true }),
        one("struct node", 16, Kind::Structure { members }),
        one("struct node *", 8, Kind::Pointer { to: NODE }),
    ])
}

/// A list whose nodes follow the variable that points to the first of them, in this order.
pub(crate) fn list(start: u64, values: &[i32]) -> Stretch {
    let mut bytes = if values.is_empty() { 0 } else { start + 8 }.to_le_bytes().to_vec();
    for (index, value) in values.iter().enumerate() {
        let next = if index + 1 == values.len() { 0 } else { start + 8 + 16 * (index as u64 + 1) };
        bytes.extend(i64::from(*value).to_le_bytes());
        bytes.extend(next.to_le_bytes());
    }
    Stretch { start, bytes }
}

pub(crate) fn list_root(start: u64) -> [RootVariable; 1] {
    let scope = VariableScope::Frame { level: 0, function: "main".to_owned() };
    [RootVariable { name: "list".to_owned(), of: POINTER, address: start, scope, is_set: true }]
}
