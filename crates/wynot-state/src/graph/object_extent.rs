//! How large the object is that a pointer leads to.

use super::heap::Heap;
use super::interior_pointer::divides;
use super::layout::Layouts;
use super::memory_copy::MemoryCopy;
use super::memory_object::{MemoryObject, TextLength};
use crate::decode::{is_text, pointer};
use crate::dwarf::{Kind, TypeId, Types};
use std::ops::Range;

/// The size in bytes of the longest text and of the largest object outside of the heap.
const MAX_BYTES_OUTSIDE_HEAP: u64 = 1 << 20;

/// The number of pointers in the longest array of texts that is recognised as one.
const MAX_TEXTS_IN_ARRAY: u64 = 1 << 16;

/// The size and shape of an object.
pub(crate) struct ObjectExtent {
    /// The size in bytes.
    pub size: u64,
    /// The number of values.
    pub count: u64,
    /// The length of the text, if the object is text.
    pub text: Option<TextLength>,
}

/// Finds out how large objects are.
pub(crate) struct ExtentReader<'r, 'a, M> {
    pub types: &'a Types,
    pub layouts: &'r Layouts<'a>,
    pub memory: &'a M,
    pub heap: &'r Heap,
}

impl<M: MemoryCopy> ExtentReader<'_, '_, M> {
    /// The extent of an object of a type within `capacity` bytes. `fills_block` says that it starts a heap
    /// block, `count` is the number of its values, if that is known, and `is_occupied` recognises addresses
    /// that belong to other objects.
    pub fn extent(
        &self,
        address: u64,
        of: TypeId,
        capacity: u64,
        fills_block: bool,
        count: Option<u64>,
        is_occupied: &dyn Fn(u64) -> bool,
    ) -> ObjectExtent {
        let size = self.types[of].size;
        let is_text = is_text(self.types, of);
        if let Some(count) = count.filter(|count| count.saturating_mul(size) <= capacity) {
            let text = is_text.then_some(TextLength { length: count, ended: false });
            return ObjectExtent { size: count * size, count, text };
        }
        if is_text && let Some(text) = self.memory.text(address, capacity) {
            let text = TextLength { length: text.len() as u64, ended: true };
            // The rest of the block may be text as well that was cut off by the zero.
            let size = if fills_block { capacity } else { text.size() };
            return ObjectExtent { size, count: 1, text: Some(text) };
        }
        if fills_block {
            let count = self.count_from(address, of, capacity);
            return ObjectExtent { size: capacity, count, text: None };
        }
        match self.texts_in_array(address, of, is_occupied) {
            Some(count) => ObjectExtent { size: size * count, count, text: None },
            None => ObjectExtent { size: capacity.min(size), count: 1, text: None },
        }
    }

    /// How many values of a type a block has room for at an address. In a pool, other values follow.
    pub fn count_from(&self, address: u64, of: TypeId, bytes: u64) -> u64 {
        match self.heap.pool(address).is_some() && divides(self.types, of) {
            true => 1,
            false => self.count_in(of, bytes),
        }
    }

    /// How many bytes of an object another one must have to take its content. What follows the value of a
    /// piece of a pool is padding, or belongs to nobody, as far as pointers say.
    pub fn required_size(&self, object: &MemoryObject) -> u64 {
        let MemoryObject { address, size, of, count, text, .. } = *object;
        let is_bounded = text.is_some() || self.layouts.flexible_array(of).is_some();
        match is_bounded || !object.on_heap || self.heap.pool(address).is_none() {
            true => size,
            false => self.types[of].size.saturating_mul(count).min(size),
        }
    }

    /// How many values of a type fit into a number of bytes.
    pub fn count_in(&self, of: TypeId, bytes: u64) -> u64 {
        match self.layouts.flexible_array(of) {
            Some(_) => 1,
            None => bytes.checked_div(self.types[of].size).map_or(0, |count| count.max(1)),
        }
    }

    /// The length of a null-terminated array of pointers to text, such as `argv`, with its null.
    fn texts_in_array(
        &self,
        address: u64,
        of: TypeId,
        is_occupied: &dyn Fn(u64) -> bool,
    ) -> Option<u64> {
        let Kind::Pointer { to } = self.types[of].kind else { return None };
        if !is_text(self.types, to) {
            return None;
        }
        let size = self.types[of].size;
        let element = |index: u64| {
            let at = address.checked_add(index * size)?;
            self.memory.bytes(at, size).and_then(pointer).filter(|_| !is_occupied(at))
        };
        let is_text = |text: u64| self.memory.text(text, MAX_BYTES_OUTSIDE_HEAP).is_some();
        let mut count = 0;
        while count < MAX_TEXTS_IN_ARRAY {
            match element(count)? {
                0 => return Some(count + 1),
                text if is_text(text) => count += 1,
                _ => return None,
            }
        }
        None
    }

    /// The largest size in bytes that an object at an address can have; `None` for code.
    pub fn capacity(&self, address: u64, to: TypeId, block: Option<&Range<u64>>) -> Option<u64> {
        if matches!(self.types[to].kind, Kind::Function) {
            return None;
        }
        if let Some(block) = block {
            return Some(block.end - address);
        }
        let stretch = self.memory.stretch(address)?.end - address;
        Some(stretch.min(MAX_BYTES_OUTSIDE_HEAP).min(self.heap.until_block(address)))
    }
}
