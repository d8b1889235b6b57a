//! The memory graph of a state: objects, and the pointers between them.
//!
//! Everything is reached from the variables. An object is the content of a variable or what a pointer leads
//! to. No two objects share memory: a pointer into the middle of one is an offset. The type of an object says
//! how large it is, and on the heap the allocator's headers do, so that garbage cannot mislead for long.

use super::layout::Layouts;
use super::leaf::Leaf;
use super::memory_copy::MemoryCopy;
use super::memory_object::{MemoryObject, ObjectId, ObjectOffset, ObjectPath, RootVariable};
use super::object_leaves::ObjectLeaves;
use crate::decode::pointer;
use crate::dwarf::Types;

/// A pointer that leads to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerEdge {
    /// The offset of the pointer in the object that contains it, in bytes.
    pub offset: u64,
    /// The object that it leads to, and the offset in it.
    pub to: ObjectOffset,
    /// Whether it is known to be a pointer to such an object; otherwise it only may be one.
    pub sure: bool,
}

/// The memory graph of a state.
pub struct MemoryGraph<'a, M> {
    /// The types of the program.
    pub types: &'a Types,
    /// The memory that the graph was read from.
    pub memory: &'a M,
    /// The variables that all objects were found from.
    pub roots: &'a [RootVariable],
    /// The objects by number, including those that have become part of others.
    pub objects: Vec<MemoryObject>,
    /// The number of vertices: objects and their parts.
    pub vertices: u64,
    pub(crate) layouts: Layouts<'a>,
    /// The objects that are not part of others, by address.
    pub(crate) by_address: Vec<(u64, ObjectId)>,
    pub(crate) edges: EdgeTable,
    pub(crate) paths: Vec<ObjectPath>,
}

/// The pointers of all objects, by object and offset.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeTable {
    pub all: Vec<PointerEdge>,
    /// The index of each object's first pointer, and at the end the number of pointers.
    pub starts: Vec<u32>,
}

impl<'a, M: MemoryCopy> MemoryGraph<'a, M> {
    /// The objects that are not part of others.
    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + '_ {
        (0..self.objects.len() as u32).map(ObjectId).filter(|id| !self.object(*id).absorbed)
    }

    /// An object by its number.
    pub fn object(&self, id: ObjectId) -> &MemoryObject {
        &self.objects[id.0 as usize]
    }

    /// The bytes of an object.
    pub fn content(&self, id: ObjectId) -> &'a [u8] {
        let object = self.object(id);
        self.memory.bytes(object.address, object.size).unwrap_or_default()
    }

    /// The bytes of a part, which may lie beyond the end of an object that could be larger.
    pub fn bytes(&self, id: ObjectId, leaf: &Leaf) -> &'a [u8] {
        let object = self.object(id);
        if leaf.offset + leaf.size > object.capacity {
            return &[];
        }
        self.memory.bytes(object.address + leaf.offset, leaf.size).unwrap_or_default()
    }

    /// The object and the offset that an address belongs to.
    pub fn position(&self, address: u64) -> Option<ObjectOffset> {
        let behind = self.by_address.partition_point(|(start, _)| *start <= address);
        let (start, object) = self.by_address[..behind].last().copied()?;
        let offset = address - start;
        self.object(object).reaches(offset).then_some(ObjectOffset { object, offset })
    }

    /// The address of a byte of an object.
    pub fn address(&self, position: ObjectOffset) -> u64 {
        self.object(position.object).address + position.offset
    }

    /// The object that a part points to, if it is a pointer or could be one.
    pub fn target(&self, id: ObjectId, leaf: &Leaf) -> Option<ObjectOffset> {
        match leaf.content.may_point() {
            true => self.position(pointer(self.bytes(id, leaf))?),
            false => None,
        }
    }

    /// The pointers of an object to other objects, by offset.
    pub fn edges(&self, id: ObjectId) -> &[PointerEdge] {
        let starts = &self.edges.starts[id.0 as usize..];
        &self.edges.all[starts[0] as usize..starts[1] as usize]
    }

    /// The shortest path from a variable to an object.
    pub(crate) fn path(&self, id: ObjectId) -> ObjectPath {
        self.paths[id.0 as usize]
    }

    /// The index of the variable that an object is named after, among the roots.
    pub fn variable_of(&self, id: ObjectId) -> u32 {
        self.path(id).variable
    }

    /// The part of an object at an offset, if it is a pointer or could be one.
    pub(crate) fn pointer_at(&self, id: ObjectId, offset: u64) -> Option<Leaf> {
        let object = self.object(id);
        let mut found = None;
        let mut consider = |leaf: Leaf| {
            if leaf.offset == offset && leaf.content.may_point() {
                found = Some(leaf);
            }
        };
        let each = self.types[object.of].size;
        let is_array = object.text.is_none()
            && object.entry_offset == 0
            && self.layouts.flexible_array(object.of).is_none();
        if !is_array || offset >= each.saturating_mul(object.count) {
            self.leaves(id, &mut consider);
            return found;
        }
        // Arrays may be long: only the value around the offset is visited.
        let start = offset / each * each;
        let content = self.content(id);
        let read = |at: u64, length: u64| {
            let at = usize::try_from(start + at).ok()?;
            content.get(at..at.checked_add(length as usize)?)
        };
        self.layouts.visit_values(object.of, 1, &read, |leaf| {
            consider(Leaf { offset: leaf.offset + start, ..leaf });
        });
        found
    }

    /// Visits the parts of an object by offset.
    pub fn leaves(&self, id: ObjectId, visit: &mut dyn FnMut(Leaf)) {
        self.leaves_as(id, self.object(id), visit);
    }

    /// Visits the parts of an object by offset, as if it had the type of another one.
    pub fn leaves_as(&self, id: ObjectId, like: &MemoryObject, visit: &mut dyn FnMut(Leaf)) {
        let leaves = ObjectLeaves { layouts: &self.layouts, types: self.types };
        leaves.visit(self.object(id), self.content(id), like, visit);
    }
}
