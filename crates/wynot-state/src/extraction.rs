//! Finds the objects of a state from its variables on.

use crate::graph::{Graph, Hints, pointer};
use crate::heap;
use crate::layout::{self, Content};
use crate::memory::Memory;
use crate::object::{Found, Object, ObjectId, Text};
use crate::program::{Kind, TypeId, Types};
use std::ops::Range;

/// The longest text and the largest object outside of the heap.
const LONGEST_TEXT: u64 = 1 << 20;

/// The longest row of texts that is taken for one.
const LONGEST_ROW: u64 = 1 << 16;

impl<M: Memory> Graph<'_, M> {
    /// One more.
    pub(crate) fn add(&mut self, object: Object) -> ObjectId {
        let id = ObjectId(self.objects.len() as u32);
        self.by_address.insert(object.address, id);
        self.objects.push(object);
        id
    }

    /// Finds what the pointers of an object lead to.
    pub(crate) fn follow(&mut self, id: ObjectId, hints: &Hints) {
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

    /// Something that nothing is known about yet.
    fn discover(&mut self, lead: &Lead, hints: &Hints) {
        let address = lead.address;
        let block = hints.heap.block(address).or_else(|| heap::mapped(self.memory, address));
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
        let first = || self.memory.bytes(address, 8).and_then(pointer);
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
