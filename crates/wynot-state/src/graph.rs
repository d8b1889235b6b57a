//! The state of a program as a graph: objects, and the pointers between them.
//!
//! Everything is found from the variables. An object is what a variable holds or what a pointer leads to:
//! no two share memory, so a pointer into the middle of one is an offset. How far an object reaches is
//! told by its type, and on the heap by the allocator's marks, so that garbage cannot lead astray for long.

use crate::dwarf::{TypeId, Types};
use crate::extraction;
use crate::heap::Heap;
use crate::hints::Rules;
use crate::layout::{self, Content, Layouts, Leaf};
use crate::memory::Memory;
pub use crate::object::{Found, Object, ObjectId, Root, Scope, Spot};
use crate::paths::Way;
use crate::values::{is_text, pointer};
use std::collections::HashMap;
use std::ops::Range;

/// What helps to find out what objects are.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// Where the blocks of the heap lie.
    pub heap: Heap,
    /// Which classes objects belong to whose first word is this.
    pub classes: HashMap<u64, TypeId>,
    /// What a person has written about the types.
    pub rules: Rules,
}

/// A pointer that leads to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where in its object it lies.
    pub offset: u64,
    /// Where it leads.
    pub to: Spot,
    /// Whether it is known to be a pointer to such a thing, and does not only look like one.
    pub sure: bool,
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
    pub(crate) layouts: Layouts<'a>,
    /// All that are not part of others, by address.
    pub(crate) by_address: Vec<(u64, ObjectId)>,
    pub(crate) edges: Edges,
    pub(crate) ways: Vec<Way>,
}

/// The pointers of all objects, by object and offset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    pub all: Vec<Edge>,
    /// Where those of an object begin; one more than there are objects.
    pub starts: Vec<u32>,
}

impl<'a, M: Memory> Graph<'a, M> {
    /// Finds all objects from variables on: the nearer ones first, and of those the ones of the first
    /// variables.
    pub fn extract(types: &'a Types, memory: &'a M, roots: &'a [Root], hints: &Hints) -> Self {
        extraction::extract(types, memory, roots, hints)
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

    /// The bytes of a part; also of one that begins where an object ends that could be larger.
    pub fn bytes(&self, id: ObjectId, leaf: &Leaf) -> &'a [u8] {
        let object = self.object(id);
        if leaf.offset + leaf.size > object.room {
            return &[];
        }
        self.memory.bytes(object.address + leaf.offset, leaf.size).unwrap_or_default()
    }

    /// The object that an address lies in.
    pub fn spot(&self, address: u64) -> Option<Spot> {
        let behind = self.by_address.partition_point(|(start, _)| *start <= address);
        let (start, object) = self.by_address[..behind].last().copied()?;
        let offset = address - start;
        self.object(object).reaches(offset).then_some(Spot { object, offset })
    }

    /// Where a part points to, if it is a pointer or could be one.
    pub fn target(&self, id: ObjectId, leaf: &Leaf) -> Option<Spot> {
        match leaf.content.may_point() {
            true => self.spot(pointer(self.bytes(id, leaf))?),
            false => None,
        }
    }

    /// The pointers of an object that lead to others, by offset.
    pub fn edges(&self, id: ObjectId) -> &[Edge] {
        let starts = &self.edges.starts[id.0 as usize..];
        &self.edges.all[starts[0] as usize..starts[1] as usize]
    }

    /// How an object is reached from a variable.
    pub(crate) fn way(&self, id: ObjectId) -> Way {
        self.ways[id.0 as usize]
    }

    /// The part of an object that may be a pointer and lies in some place.
    pub(crate) fn leaf_at(&self, id: ObjectId, offset: u64) -> Option<Leaf> {
        let object = self.object(id);
        let mut found = None;
        let mut look = |leaf: Leaf| {
            if leaf.offset == offset && leaf.content.may_point() {
                found = Some(leaf);
            }
        };
        let each = self.types[object.of].size;
        let is_row = object.text.is_none() && self.layouts.open_end(object.of).is_none();
        if !is_row || offset >= each.saturating_mul(object.count) {
            self.leaves(id, &mut look);
            return found;
        }
        // Rows may be long: of the others, nothing is needed.
        let start = offset / each * each;
        let content = self.content(id);
        let read = |at: u64, length: u64| {
            let at = usize::try_from(start + at).ok()?;
            content.get(at..at.checked_add(length as usize)?)
        };
        self.layouts.visit_row(object.of, 1, &read, |leaf| {
            look(Leaf { offset: leaf.offset + start, ..leaf });
        });
        found
    }

    /// Visits the parts of an object by offset.
    pub fn leaves(&self, id: ObjectId, visit: &mut dyn FnMut(Leaf)) {
        self.leaves_as(id, self.object(id), visit);
    }

    /// The same as if it were of another one's type.
    pub fn leaves_as(&self, id: ObjectId, like: &Object, visit: &mut dyn FnMut(Leaf)) {
        let leaves = Leaves { layouts: &self.layouts, types: self.types };
        leaves.visit(self.object(id), self.content(id), like, visit);
    }
}

/// The parts of objects.
#[derive(Clone, Copy)]
pub(crate) struct Leaves<'l, 'a> {
    pub types: &'a Types,
    pub layouts: &'l Layouts<'a>,
}

impl Leaves<'_, '_> {
    /// Visits the parts of an object with some content as if it were of another one's type.
    pub fn visit(&self, object: &Object, bytes: &[u8], like: &Object, mut visit: impl FnMut(Leaf)) {
        let (types, size) = (self.types, object.size);
        if let Some(text) = object.text {
            let end = text.size().min(size);
            visit(Leaf { offset: 0, size: end, content: Content::Text, unit: None });
            return layout::visit_opaque(end, size, &mut visit);
        }
        let read = |offset: u64, length: u64| {
            bytes.get(offset as usize..offset.checked_add(length)? as usize)
        };
        let each = types[like.of].size;
        let open = self.layouts.open_end(like.of).filter(|_| like.allocated);
        let end = open.map_or(size, |(offset, _)| offset.min(size));
        // Values that lie beyond the end are not visited to be left out.
        let count = like.count.min(size.checked_div(each).unwrap_or(0) + 1);
        self.layouts.visit_row(like.of, count, &read, |leaf| {
            if leaf.offset + leaf.size <= end {
                visit(leaf);
            }
        });
        let typed = match open {
            Some((offset, element)) => self.visit_end(offset..size, element, &read, &mut visit),
            None => each.saturating_mul(like.count),
        };
        layout::visit_opaque(typed.min(size), size, &mut visit);
    }

    /// Visits the row at the end of an object that is as long as there is room. Where it ends.
    fn visit_end(
        &self,
        Range { start, end }: Range<u64>,
        element: TypeId,
        read: &layout::Read<'_>,
        visit: &mut dyn FnMut(Leaf),
    ) -> u64 {
        let room = end.saturating_sub(start);
        if is_text(self.types, element) {
            if room > 0 {
                visit(Leaf { offset: start, size: room, content: Content::Text, unit: None });
            }
            return end;
        }
        let each = self.types[element].size;
        let count = room.checked_div(each).unwrap_or(0);
        let behind = |at: u64, length: u64| read(start + at, length);
        self.layouts.visit_row(element, count, &behind, |leaf| {
            let unit = leaf.unit.map(|unit| layout::Unit { start: unit.start + start, ..unit });
            visit(Leaf { offset: leaf.offset + start, unit, ..leaf });
        });
        start + count * each
    }
}
