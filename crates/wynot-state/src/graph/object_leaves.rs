//! The parts of whole objects: arrays of values, text, flexible array members and bytes of unknown type.

use super::hash_table::used_values;
use super::layout::{Layouts, visit_opaque};
use super::leaf::{Leaf, LeafContent, LeafUnit};
use super::memory_object::MemoryObject;
use crate::decode::{ReadBytes, is_text};
use crate::dwarf::{TypeId, Types};
use std::ops::Range;

/// Visits the parts of objects.
#[derive(Clone, Copy)]
pub(crate) struct ObjectLeaves<'l, 'a> {
    pub types: &'a Types,
    pub layouts: &'l Layouts<'a>,
}

impl ObjectLeaves<'_, '_> {
    /// Visits the parts of an object with these bytes, as if it had the type and count of `like`.
    pub fn visit(
        &self,
        object: &MemoryObject,
        bytes: &[u8],
        like: &MemoryObject,
        mut visit: impl FnMut(Leaf),
    ) {
        let (types, size) = (self.types, object.size);
        if let Some(text) = object.text {
            let end = text.size().min(size);
            visit(Leaf { offset: 0, size: end, content: LeafContent::Text, unit: None });
            return visit_opaque(end, size, self.layouts.word(), &mut visit);
        }
        if object.entry_offset > 0 {
            return self.visit_table(object, bytes, &mut visit);
        }
        let read = |offset: u64, length: u64| {
            bytes.get(offset as usize..offset.checked_add(length)? as usize)
        };
        let each = types[like.of].size;
        let flexible = self.layouts.flexible_array(like.of).filter(|_| like.on_heap);
        let end = flexible.map_or(size, |(offset, _)| offset.min(size));
        // Values beyond the end need not be visited only to be left out.
        let count = like.count.min(size.checked_div(each).unwrap_or(0) + 1);
        self.layouts.visit_values(like.of, count, &read, |leaf| {
            if leaf.offset + leaf.size <= end {
                visit(leaf);
            } else if leaf.content == LeafContent::Text && leaf.offset < end {
                // The rest of an array of bytes is a pool with objects of its own.
                visit(Leaf { size: end - leaf.offset, ..leaf });
            }
        });
        let typed = match flexible {
            Some((offset, element)) => {
                self.visit_flexible_array(offset..size, element, &read, &mut visit)
            }
            None => each.saturating_mul(like.count),
        };
        visit_opaque(typed.min(size), size, self.layouts.word(), &mut visit);
    }

    /// Visits the values of a hash table that are in use, and its control bytes.
    fn visit_table(&self, table: &MemoryObject, bytes: &[u8], visit: &mut dyn FnMut(Leaf)) {
        for start in used_values(self.types, table, bytes) {
            let read = |offset: u64, length: u64| {
                let from = start.checked_add(offset)?;
                bytes.get(from as usize..from.checked_add(length)? as usize)
            };
            self.layouts.visit_values(table.of, 1, &read, |leaf| {
                let unit = leaf.unit.map(|unit| LeafUnit { start: unit.start + start, ..unit });
                visit(Leaf { offset: leaf.offset + start, unit, ..leaf });
            });
        }
        visit_opaque(table.entry_offset, table.size, self.layouts.word(), visit);
    }

    /// Visits the flexible array member at the end of an object, and returns the offset of its end.
    fn visit_flexible_array(
        &self,
        Range { start, end }: Range<u64>,
        element: TypeId,
        read: &ReadBytes<'_>,
        visit: &mut dyn FnMut(Leaf),
    ) -> u64 {
        let length = end.saturating_sub(start);
        if is_text(self.types, element) {
            if length > 0 {
                let content = LeafContent::Text;
                visit(Leaf { offset: start, size: length, content, unit: None });
            }
            return end;
        }
        let each = self.types[element].size;
        let count = length.checked_div(each).unwrap_or(0);
        let behind = |at: u64, length: u64| read(start + at, length);
        self.layouts.visit_values(element, count, &behind, |leaf| {
            let unit = leaf.unit.map(|unit| LeafUnit { start: unit.start + start, ..unit });
            visit(Leaf { offset: leaf.offset + start, unit, ..leaf });
        });
        start + count * each
    }
}
