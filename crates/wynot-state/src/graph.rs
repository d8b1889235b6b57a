//! The state of a program as a graph: objects, and the pointers between them.
//!
//! Everything is found from the variables. An object is what a variable holds or what a pointer leads to:
//! no two share memory, so a pointer into the middle of one is an offset. How far an object reaches is
//! told by its type, and on the heap by the allocator's marks, so that garbage cannot lead astray for long.

use crate::heap::Heap;
use crate::layout::{self, Content, Leaf};
use crate::memory::Memory;
use crate::program::{Kind, TypeId, Types};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// The longest text and the largest object outside of the heap.
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
    /// It is text, and how long that is.
    pub text: Option<Text>,
    pub found: Found,
    /// It has turned out to be part of another one.
    absorbed: bool,
}

/// How long text is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// Without what ends it.
    pub length: u64,
    /// Whether a zero ends it, and nobody knows its length otherwise.
    pub ended: bool,
}

impl Text {
    /// With what ends it.
    pub fn size(&self) -> u64 {
        self.length + u64::from(self.ended)
    }
}

/// What helps to find out what objects are.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    pub heap: Heap,
    /// Which classes objects belong to whose first word is this.
    pub classes: HashMap<u64, TypeId>,
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

    fn add(&mut self, object: Object) -> ObjectId {
        let id = ObjectId(self.objects.len() as u32);
        self.by_address.insert(object.address, id);
        self.objects.push(object);
        id
    }

    /// Finds what the pointers of an object lead to.
    fn follow(&mut self, id: ObjectId, hints: &Hints) {
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
                let count = leaf.counted.map(|counted| counted.count);
                let found = Found::Pointer { object: id, offset: leaf.offset };
                pointers.push(Lead { address, to, count, found });
            }
        });
        self.vertices += parts;
        for lead in pointers {
            match self.spot(lead.address) {
                Some(spot) if spot.offset > 0 => {}
                Some(spot) => self.know_better(spot.object, &lead, hints),
                None => self.discover(&lead, hints),
            }
        }
    }

    /// A pointer says that there is more to an object on the heap than was known.
    fn know_better(&mut self, id: ObjectId, lead: &Lead, hints: &Hints) {
        let Some(to) = lead.to else { return };
        let to = self.class(lead.address, to, hints);
        let size = self.types[to].size;
        let object = self.object(id);
        let known = self.types[object.of].size;
        let is_text = layout::is_text(self.types, to);
        let says_more = match object.text {
            // Bytes say little; pointers to them often are left over from what was there before.
            Some(_) => !is_text && size > 0,
            None => size > known,
        };
        if !object.allocated || !says_more || size > object.size {
            return;
        }
        let count = self.rows(to, object.size);
        let found = if object.text.is_some() { lead.found } else { object.found };
        let better = Object { of: to, count, text: None, found, ..object.clone() };
        // As a new one, it will be followed again; the old one is a part of it.
        self.objects[id.0 as usize].absorbed = true;
        self.add(better);
    }

    fn discover(&mut self, lead: &Lead, hints: &Hints) {
        let address = lead.address;
        let block = hints.heap.block(address).or_else(|| hints.heap.mapped(self.memory, address));
        let begins = block.as_ref().is_some_and(|block| block.start == address);
        let Some(to) = lead.to.or(begins.then_some(Types::VOID)) else { return };
        let to = self.class(address, to, hints);
        let Some(room) = self.room(address, to, block.as_ref()) else { return };
        let Extent { size, count, text } = self.extent(address, to, room, begins, lead.count);
        if size == 0 {
            return;
        }
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
        let (allocated, found) = (begins, lead.found);
        self.add(Object { address, size, of: to, count, allocated, text, found, absorbed: false });
    }

    /// How large an object is, if there is room for so much.
    fn extent(
        &self,
        address: u64,
        of: TypeId,
        room: u64,
        begins: bool,
        count: Option<u64>,
    ) -> Extent {
        let size = self.types[of].size;
        let is_text = layout::is_text(self.types, of);
        if let Some(count) = count.filter(|count| count.saturating_mul(size) <= room) {
            let text = is_text.then_some(Text { length: count, ended: false });
            return Extent { size: count * size, count, text };
        }
        if is_text && let Some(text) = self.memory.text(address, room) {
            let text = Text { length: text.len() as u64, ended: true };
            // What lies behind it may be text, too, that was cut off.
            let size = if begins { room } else { text.size() };
            return Extent { size, count: 1, text: Some(text) };
        }
        if begins {
            return Extent { size: room, count: self.rows(of, room), text: None };
        }
        match self.row_of_texts(address, of) {
            Some(count) => Extent { size: size * count, count, text: None },
            None => Extent { size: room.min(size), count: 1, text: None },
        }
    }

    /// How many values of a type have room.
    fn rows(&self, of: TypeId, room: u64) -> u64 {
        match layout::open_end(self.types, of) {
            Some(_) => 1,
            None => room.checked_div(self.types[of].size).map_or(0, |rows| rows.max(1)),
        }
    }

    /// The class of what a pointer to a base class leads to.
    fn class(&self, address: u64, to: TypeId, hints: &Hints) -> TypeId {
        let first = || self.memory.bytes(address, hints.heap.word).and_then(pointer);
        match hints.classes.is_empty() {
            true => to,
            false => first().and_then(|word| hints.classes.get(&word)).copied().unwrap_or(to),
        }
    }

    /// Pointers to text often come in rows that end with a null, as the arguments of a program. How many
    /// there are, with the null.
    fn row_of_texts(&self, address: u64, of: TypeId) -> Option<u64> {
        let Kind::Pointer { to } = self.types[of].kind else { return None };
        if !layout::is_text(self.types, to) {
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

    /// How much can be at an address at most.
    fn room(&self, address: u64, to: TypeId, block: Option<&Range<u64>>) -> Option<u64> {
        if matches!(self.types[to].kind, Kind::Function) {
            return None;
        }
        if let Some(block) = block {
            return Some(block.end - address);
        }
        Some((self.memory.stretch(address)?.end - address).min(LONGEST_TEXT))
    }
}

/// Something that a pointer may lead to.
struct Lead {
    address: u64,
    to: Option<TypeId>,
    count: Option<u64>,
    found: Found,
}

struct Extent {
    size: u64,
    count: u64,
    text: Option<Text>,
}

/// The address that bytes stand for.
pub fn pointer(bytes: &[u8]) -> Option<u64> {
    match bytes.len() {
        8 => layout::address(bytes),
        4 => Some(u64::from(u32::from_le_bytes(bytes.try_into().ok()?))),
        _ => None,
    }
}
