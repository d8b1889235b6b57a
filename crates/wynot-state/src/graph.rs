//! The state of a program as a graph: objects, and the pointers between them.
//!
//! Everything is found from the variables. An object is what a variable holds or what a pointer leads to:
//! no two share memory, so a pointer into the middle of one is an offset. How far an object reaches is
//! told by its type, and on the heap by the allocator's marks, so that garbage cannot lead astray for long.

use crate::heap::Heap;
use crate::layout::{self, Content, Leaf};
use crate::memory::Memory;
pub use crate::object::{Found, Object, ObjectId, Root, Scope, Spot};
use crate::program::{TypeId, Types};
use std::collections::{BTreeMap, HashMap};

/// What helps to find out what objects are.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// Where the blocks of the heap lie.
    pub heap: Heap,
    /// Which classes objects belong to whose first word is this.
    pub classes: HashMap<u64, TypeId>,
}

/// The objects of a state.
pub struct Graph<'a, M> {
    /// What its objects can be.
    pub types: &'a Types,
    /// What they hold.
    pub memory: &'a M,
    /// The variables that everything was found from.
    pub roots: &'a [Root],
    /// By identifier; also those that have turned out to be parts of others.
    pub objects: Vec<Object>,
    /// How many leaves and objects there are.
    pub vertices: u64,
    pub(crate) by_address: BTreeMap<u64, ObjectId>,
}

impl<'a, M: Memory> Graph<'a, M> {
    /// Finds all objects from variables on: the nearer ones first, and of those the ones of the first
    /// variables.
    pub fn extract(types: &'a Types, memory: &'a M, roots: &'a [Root], hints: &Hints) -> Self {
        let (objects, by_address) = Default::default();
        let mut graph = Self { types, memory, roots, objects, vertices: 0, by_address };
        for (index, root) in roots.iter().enumerate() {
            let size = types[root.of].size;
            let known = graph.spot(root.address).is_some();
            if size == 0 || known || memory.bytes(root.address, size).is_none() {
                continue;
            }
            let object = Object {
                address: root.address,
                size,
                of: root.of,
                count: 1,
                allocated: false,
                text: None,
                found: Found::Variable(index as u32),
                absorbed: false,
            };
            graph.add(object);
        }
        let mut next = 0;
        while next < graph.objects.len() {
            graph.follow(ObjectId(next as u32), hints);
            next += 1;
        }
        graph
    }

    /// All objects that are not part of others.
    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + '_ {
        (0..self.objects.len() as u32).map(ObjectId).filter(|id| !self.object(*id).absorbed)
    }

    /// An object.
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    /// What an object holds.
    pub fn content(&self, id: ObjectId) -> &'a [u8] {
        let object = self.object(id);
        self.memory.bytes(object.address, object.size).unwrap_or_default()
    }

    /// The bytes of a part.
    pub fn bytes(&self, id: ObjectId, leaf: &Leaf) -> &'a [u8] {
        let from = leaf.offset as usize;
        self.content(id).get(from..from + leaf.size as usize).unwrap_or_default()
    }

    /// The object that an address lies in.
    pub fn spot(&self, address: u64) -> Option<Spot> {
        let (start, id) = self.by_address.range(..=address).next_back()?;
        let offset = address - start;
        (offset < self.object(*id).size).then_some(Spot { object: *id, offset })
    }

    /// Where a part points to, if it is a pointer or could be one.
    pub fn target(&self, id: ObjectId, leaf: &Leaf) -> Option<Spot> {
        match leaf.content {
            Content::Pointer(_) | Content::Opaque => self.spot(pointer(self.bytes(id, leaf))?),
            _ => None,
        }
    }

    /// Visits the parts of an object by offset.
    pub fn leaves(&self, id: ObjectId, visit: &mut dyn FnMut(Leaf)) {
        self.leaves_as(id, self.object(id), visit);
    }

    /// The same as if it were of another one's type.
    pub fn leaves_as(&self, id: ObjectId, like: &Object, visit: &mut dyn FnMut(Leaf)) {
        let size = self.object(id).size;
        let bytes = self.content(id);
        if let Some(text) = self.object(id).text {
            let end = text.size().min(size);
            visit(Leaf { offset: 0, size: end, content: Content::Text, counted: None });
            return layout::visit_opaque(end, size, visit);
        }
        let read = |offset: u64, length: u64| {
            bytes.get(offset as usize..offset.checked_add(length)? as usize)
        };
        let open = layout::open_end(self.types, like.of).filter(|_| like.allocated);
        let end = open.map_or(size, |(offset, _)| offset.min(size));
        let mut inside = |leaf: Leaf| {
            if leaf.offset + leaf.size <= end {
                visit(leaf);
            }
        };
        layout::visit_row(self.types, like.of, like.count, &read, &mut inside);
        let typed = match open {
            Some((offset, element)) => self.visit_open_end(offset, size, element, &read, visit),
            None => self.types[like.of].size.saturating_mul(like.count),
        };
        layout::visit_opaque(typed.min(size), size, visit);
    }

    /// Visits the row at the end of an object. Where it ends.
    fn visit_open_end(
        &self,
        offset: u64,
        size: u64,
        element: TypeId,
        read: &layout::Read<'_>,
        visit: &mut dyn FnMut(Leaf),
    ) -> u64 {
        let room = size.saturating_sub(offset);
        if layout::is_text(self.types, element) {
            if room > 0 {
                visit(Leaf { offset, size: room, content: Content::Text, counted: None });
            }
            return size;
        }
        let count = room.checked_div(self.types[element].size).unwrap_or(0);
        let behind = |at: u64, length: u64| read(offset + at, length);
        let mut shift = |leaf: Leaf| visit(Leaf { offset: leaf.offset + offset, ..leaf });
        layout::visit_row(self.types, element, count, &behind, &mut shift);
        offset + count * self.types[element].size
    }
}

/// The address that bytes stand for.
pub fn pointer(bytes: &[u8]) -> Option<u64> {
    match bytes.len() {
        8 => layout::address(bytes),
        4 => Some(u64::from(u32::from_le_bytes(bytes.try_into().ok()?))),
        _ => None,
    }
}
