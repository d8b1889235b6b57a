//! What a pointer says about the object that it leads to: a new one, or a better type for a known one.

use super::extraction::Extraction;
use super::hash_table::table_size;
use super::interior_pointer::divides;
use super::layout;
use super::lead::{Lead, Pointee};
use super::memory_copy::MemoryCopy;
use super::memory_object::{FoundBy, MemoryObject, ObjectId, TextLength};
use super::object_extent::ObjectExtent;
use crate::decode::{is_text, pointer};
use crate::dwarf::{TypeId, Types};
use std::ops::Range;

impl<M: MemoryCopy> Extraction<'_, '_, M> {
    /// Gives a heap object a larger type, if a pointer to it has one.
    pub(super) fn refine(&mut self, id: ObjectId, lead: &Lead, block: Option<usize>) {
        let object = self.object(id);
        // What a hash table consists of is known.
        if !object.on_heap || object.entry_offset > 0 {
            return;
        }
        let Some((to, sure)) = self.pointee_type(lead, object.size) else { return };
        let to = self.class(lead.address, to);
        let (size, known) = (self.types[to].size, self.types[object.of].size);
        let says_more = match object.text {
            // Bytes say little: a pointer to them often is left over from what its memory held before.
            Some(text) => {
                let is_garbage = self.may_be_unset(lead) && self.reads_as_text(object, text);
                sure && !is_text(self.types, to) && size > 0 && !is_garbage
            }
            None => size > known && (sure || known == 0),
        };
        if !says_more || size > object.size {
            return;
        }
        let extents = self.extents();
        let count = match lead.count.filter(|_| lead.entry_offset > 0) {
            Some(count) => count,
            None if sure => extents.count_from(lead.address, to, object.size),
            None => 1,
        };
        let is_named_anew = object.text.is_some() || lead.entry_offset > 0;
        let found_by = if is_named_anew { lead.found_by } else { object.found_by };
        let mut refined = MemoryObject {
            of: to,
            count,
            count_is_guess: count > 1 && lead.entry_offset == 0,
            entry_offset: lead.entry_offset,
            text: None,
            found_by,
            ..object.clone()
        };
        refined.required_size = extents.required_size(&refined);
        // The refined object is a new one, so that its pointers are followed; it absorbs the old one.
        self.objects[id.0 as usize].absorbed = true;
        self.add(refined, block);
    }

    /// Whether a pointer is a local variable that may not have been set yet.
    fn may_be_unset(&self, lead: &Lead) -> bool {
        let FoundBy::Pointer { object, .. } = lead.found_by else { return false };
        self.variable(object).is_some_and(|root| !root.is_set)
    }

    /// Whether an object is a text that people can read. In a pool, what is next to be allocated may look so.
    fn reads_as_text(&self, object: &MemoryObject, text: TextLength) -> bool {
        let bytes = self.memory.bytes(object.address, text.length).unwrap_or_default();
        let is_readable = |text: &str| !text.is_empty() && !text.contains(is_unreadable);
        let is_free = self.heap.pool(object.address).is_none();
        is_free && text.ended && std::str::from_utf8(bytes).is_ok_and(is_readable)
    }

    /// The type of what a pointer leads to within so many bytes, and whether that is sure.
    fn pointee_type(&self, lead: &Lead, capacity: u64) -> Option<(TypeId, bool)> {
        match lead.to {
            Pointee::Of(to) => Some((to, true)),
            Pointee::Any => None,
            Pointee::Union(of, at) => {
                let size = |to: &TypeId| self.types[*to].size;
                let candidates = layout::pointees(self.types, of, at).into_iter();
                let fitting = candidates.filter(|to| size(to) > 0 && size(to) <= capacity);
                // The type of the structure around the union, as most structures lead to others of their kind;
                // otherwise the largest one, and the first among equally large ones.
                let own = match lead.found_by {
                    FoundBy::Pointer { object, .. } => Some(self.object(object).of),
                    FoundBy::Variable(_) => None,
                };
                fitting.rev().max_by_key(|to| (Some(*to) == own, size(to))).map(|to| (to, false))
            }
        }
    }

    /// Adds the object at an address that belongs to no known object; `number` is the heap block around it.
    pub(super) fn discover(&mut self, lead: &Lead, number: Option<usize>) {
        let address = lead.address;
        let heap = self.heap;
        let block = number
            .map(|number| heap.block(number))
            .or_else(|| heap.block_with_own_mapping(self.memory, address));
        let fills_block = block.as_ref().is_some_and(|block| block.start == address);
        let sure = matches!(lead.to, Pointee::Of(_));
        if (!sure && !fills_block)
            || (self.options.boundaries.is_none() && self.is_vague_in_pool(lead))
        {
            return;
        }
        let length = block.as_ref().map_or(0, |block| block.end - address);
        let (to, sure) = self.pointee_type(lead, length).unwrap_or((Types::VOID, true));
        let sure = sure || self.options.agreed.contains_key(&address);
        let to = self.class(address, to);
        let extents = self.extents();
        let Some(capacity) = extents.capacity(address, to, block.as_ref()) else { return };
        let is_occupied = |at: u64| self.position(at, heap.index(at)).is_some();
        let ObjectExtent { size, count, text } = match sure {
            true => extents.extent(address, to, capacity, fills_block, lead.count, &is_occupied),
            false => ObjectExtent { size: capacity, count: 1, text: None },
        };
        let size = match lead.entry_offset {
            0 => size,
            _ => match table_size(self.types, to, count) {
                // A table without a block is one of no map, or not set yet.
                Some(size) if fills_block && size <= capacity && lead.count == Some(count) => size,
                _ => return,
            },
        };
        // The heap is mapped as a whole.
        let is_mapped = number.is_some() || self.memory.bytes(address, size).is_some();
        if size == 0 || !is_mapped || !self.absorb(address, size, number) {
            return;
        }
        let counted = lead.count.is_some_and(|known| known == count);
        let mut object = MemoryObject {
            address,
            size,
            capacity: if fills_block { capacity } else { size },
            required_size: size,
            of: to,
            count,
            count_is_guess: count > 1 && !counted,
            ends_pool: fills_block && heap.pool(address).is_some_and(|pool| ends(pool, &block)),
            on_heap: fills_block,
            text,
            found_by: lead.found_by,
            is_free: fills_block && self.hints.heap.is_free(address),
            entry_offset: lead.entry_offset,
            absorbed: false,
        };
        object.required_size = extents.required_size(&object);
        self.add(object, number);
    }

    /// Whether a pointer into a pool does not say what lies there: numbers and text may be parts of something.
    fn is_vague_in_pool(&self, lead: &Lead) -> bool {
        let says_much = match lead.to {
            Pointee::Of(to) => divides(self.types, to),
            Pointee::Union(..) | Pointee::Any => false,
        };
        !says_much && self.heap.pool(lead.address).is_some()
    }

    /// Makes the objects in a range of addresses part of a larger one; `false` if that is impossible.
    fn absorb(&mut self, address: u64, size: u64, block: Option<usize>) -> bool {
        if self.index.is_untouched(block) {
            return true;
        }
        let end = address.saturating_add(size);
        let inside: Vec<(u64, ObjectId)> = self.index.between(address, end);
        let is_part = |(at, id): &(u64, ObjectId)| {
            let part = self.object(*id);
            matches!(part.found_by, FoundBy::Pointer { .. }) && at + part.size <= end
        };
        if !inside.iter().all(is_part) {
            return false;
        }
        for (at, id) in inside {
            self.objects[id.0 as usize].absorbed = true;
            self.index.remove(at);
        }
        true
    }

    /// The type of an object at an address: the one that most pointers agree on, or the dynamic class, where a
    /// pointer to a base class leads to it.
    fn class(&self, address: u64, to: TypeId) -> TypeId {
        if let Some(agreed) = self.options.agreed.get(&address) {
            return *agreed;
        }
        let first = || self.memory.bytes(address, self.heap.word).and_then(pointer);
        let classes = &self.hints.classes;
        match classes.is_empty() {
            true => to,
            false => first().and_then(|word| classes.get(&word)).copied().unwrap_or(to),
        }
    }
}

/// Whether a block is the last piece of a pool.
fn ends(pool: &Range<u64>, block: &Option<Range<u64>>) -> bool {
    block.as_ref().is_some_and(|block| block.end == pool.end)
}

/// Whether a character does not occur in texts.
fn is_unreadable(unit: char) -> bool {
    unit.is_control() && !unit.is_ascii_whitespace()
}
