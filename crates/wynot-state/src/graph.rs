//! The state of a program as a graph: objects, and the pointers between them.
//!
//! Everything is found from the variables. An object is what a variable holds or what a pointer leads to:
//! no two share memory, so a pointer into the middle of one is an offset. How far an object reaches is
//! told by its type, and on the heap by the allocator's marks, so that garbage cannot lead astray for long.

use crate::heap::{self, Heap};
use crate::layout::{self, Content, Leaf};
use crate::memory::Memory;
use crate::program::{Kind, TypeId, Types};
use std::collections::BTreeMap;
use std::ops::Range;

/// The longest text that is taken for one.
const LONGEST_TEXT: u64 = 1 << 20;

/// The longest row of texts that is taken for one.
const LONGEST_ROW: u64 = 1 << 16;

/// Where variables live.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Of a function that has been called: how many calls are inside of it, and its name.
    Frame { level: u32, function: String },
    /// As long as the program runs.
    Global,
}

/// A variable, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    pub name: String,
    pub of: TypeId,
    pub address: u64,
    pub scope: Scope,
}

/// One of the objects of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// Values of a type, one after the other, and maybe something behind them that nothing is known about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub address: u64,
    pub size: u64,
    pub of: TypeId,
    pub count: u64,
    /// It is on the heap, where another one of its size could take its place.
    pub allocated: bool,
    /// Text up to a zero, and how long it is.
    pub text: Option<u64>,
    pub found: Found,
    /// It has turned out to be part of another one.
    absorbed: bool,
}

/// How an object was found first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is what a variable holds.
    Variable(u32),
    /// A pointer at this offset of another one leads to it.
    Pointer { object: ObjectId, offset: u64 },
}

/// A place in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    pub object: ObjectId,
    pub offset: u64,
}

/// The objects of a state.
pub struct Graph<'a, M> {
    pub types: &'a Types,
    pub memory: &'a M,
    pub roots: &'a [Root],
    pub objects: Vec<Object>,
    /// How many leaves and objects there are.
    pub vertices: u64,
    by_address: BTreeMap<u64, ObjectId>,
}

impl<'a, M: Memory> Graph<'a, M> {
    /// Finds all objects from variables on: the nearer ones first, and of those the ones of the first
    /// variables.
    pub fn extract(types: &'a Types, memory: &'a M, roots: &'a [Root], heap: &Heap) -> Self {
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
            graph.follow(ObjectId(next as u32), heap);
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
        if let Some(length) = self.object(id).text {
            // With the zero that ends it.
            let end = (length + 1).min(size);
            visit(Leaf { offset: 0, size: end, content: Content::Text });
            if self.object(id).allocated {
                layout::visit_opaque(end, size, visit);
            }
            return;
        }
        let read = |offset: u64, length: u64| {
            bytes.get(offset as usize..offset.checked_add(length)? as usize)
        };
        let mut inside = |leaf: Leaf| {
            if leaf.offset + leaf.size <= size {
                visit(leaf);
            }
        };
        layout::visit_row(self.types, like.of, like.count, &read, &mut inside);
        let typed = self.types[like.of].size.saturating_mul(like.count);
        layout::visit_opaque(typed.min(size), size, visit);
    }

    fn add(&mut self, object: Object) -> ObjectId {
        let id = ObjectId(self.objects.len() as u32);
        self.by_address.insert(object.address, id);
        self.objects.push(object);
        id
    }

    /// Finds what the pointers of an object lead to.
    fn follow(&mut self, id: ObjectId, heap: &Heap) {
        if self.object(id).absorbed {
            return;
        }
        let mut pointers = Vec::new();
        let mut parts = 1;
        self.leaves(id, &mut |leaf| {
            parts += 1;
            let to = match leaf.content {
                Content::Pointer(to) => Some(to),
                Content::Opaque => None,
                _ => return,
            };
            if let Some(address) = pointer(self.bytes(id, &leaf)).filter(|address| *address != 0) {
                pointers.push((leaf.offset, address, to));
            }
        });
        self.vertices += parts;
        for (offset, address, to) in pointers {
            let found = Found::Pointer { object: id, offset };
            match self.spot(address) {
                Some(spot) if spot.offset > 0 => {}
                Some(spot) => self.know_better(spot.object, to),
                None => self.discover(address, to, found, heap),
            }
        }
    }

    /// A pointer says that there is more to an object on the heap than was known.
    fn know_better(&mut self, id: ObjectId, to: Option<TypeId>) {
        let Some(to) = to else { return };
        let size = self.types[to].size;
        let object = self.object(id);
        let known = self.types[object.of].size;
        if !object.allocated || object.text.is_some() || size <= known || size > object.size {
            return;
        }
        let count = self.rows(to, object.size);
        let better = Object { of: to, count, absorbed: false, ..object.clone() };
        // As a new one, it will be followed again; the old one is a part of it.
        self.objects[id.0 as usize].absorbed = true;
        self.add(better);
    }

    /// How many values of a type have room, if what is there can be so many.
    fn rows(&self, of: TypeId, room: u64) -> u64 {
        match self.types[of].size {
            0 => 0,
            size => (room / size).max(1),
        }
    }

    fn discover(&mut self, address: u64, to: Option<TypeId>, found: Found, heap: &Heap) {
        let block = heap.block(address).or_else(|| heap::mapped(self.memory, address));
        let begins = block.as_ref().is_some_and(|block| block.start == address);
        let Some(to) = to.or(begins.then_some(Types::VOID)) else { return };
        let Some(extent) = self.extent(address, to, block.as_ref()) else { return };
        let room = extent.end - extent.start;
        let kind = &self.types[to].kind;
        let text = match kind {
            Kind::Character { .. } if self.types[to].size == 1 => {
                self.memory.text(address, room).map(|text| text.len() as u64)
            }
            _ => None,
        };
        let texts = if begins { None } else { self.row_of_texts(address, to) };
        let size = match (text, texts, begins) {
            (_, _, true) => room,
            (Some(length), ..) => length + 1,
            (_, Some(count), _) => self.types[to].size * count,
            _ => room.min(self.types[to].size),
        };
        if size == 0 {
            return;
        }
        let count = if begins { self.rows(to, size) } else { texts.unwrap_or(1) };
        let inside: Vec<(u64, ObjectId)> =
            self.by_address.range(address..address + size).map(|(at, id)| (*at, *id)).collect();
        for (at, id) in inside {
            let part = &mut self.objects[id.0 as usize];
            if !matches!(part.found, Found::Pointer { .. }) || at + part.size > address + size {
                return;
            }
            part.absorbed = true;
            self.by_address.remove(&at);
        }
        let allocated = begins;
        self.add(Object { address, size, of: to, count, allocated, text, found, absorbed: false });
    }

    /// Pointers to text often come in rows that end with a null, as the arguments of a program. How many
    /// there are, with the null.
    fn row_of_texts(&self, address: u64, of: TypeId) -> Option<u64> {
        let Kind::Pointer { to } = self.types[of].kind else { return None };
        if !matches!(self.types[to].kind, Kind::Character { .. }) {
            return None;
        }
        let size = self.types[of].size;
        let element = |index: u64| {
            let at = address.checked_add(index * size)?;
            // What is known to be something else is no part of it.
            let free = self.spot(at).is_none();
            self.memory.bytes(at, size).and_then(pointer).filter(|_| free)
        };
        let is_text = |text: u64| self.memory.text(text, LONGEST_TEXT).is_some();
        let mut count = 0;
        while count < LONGEST_ROW {
            match element(count)? {
                0 => return Some(count + 1),
                text if is_text(text) => count += 1,
                _ => return None,
            }
        }
        None
    }

    /// How far what begins at an address can reach at most.
    fn extent(&self, address: u64, to: TypeId, block: Option<&Range<u64>>) -> Option<Range<u64>> {
        if matches!(self.types[to].kind, Kind::Function) {
            return None;
        }
        if let Some(block) = block {
            return Some(address..block.end);
        }
        let end = self.memory.stretch(address)?.end;
        let longest = match self.types[to].kind {
            Kind::Character { .. } => LONGEST_TEXT,
            _ => self.types[to].size,
        };
        Some(address..end.min(address.saturating_add(longest)))
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
