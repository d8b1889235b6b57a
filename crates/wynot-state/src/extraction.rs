//! Finds the objects of a state from its variables on.

use crate::graph::{Edge, Edges, Graph, Hints, visit_leaves};
use crate::heap;
use crate::layout::{self, Content};
use crate::memory::Memory;
use crate::object::{Found, Object, ObjectId, Root, Spot, Text};
use crate::program::{Kind, TypeId, Types};
use crate::values::{is_text, pointer};
use std::collections::BTreeMap;
use std::ops::Range;

/// The longest text and the largest object outside of the heap.
const LONGEST_TEXT: u64 = 1 << 20;

/// The longest row of texts that is taken for one.
const LONGEST_ROW: u64 = 1 << 16;

/// How many objects there may be.
const MOST: usize = 1 << 26;

/// Finds all objects.
pub(crate) fn extract<'a, M: Memory>(
    types: &'a Types,
    memory: &'a M,
    roots: &'a [Root],
    hints: &Hints,
) -> Graph<'a, M> {
    let (objects, by_address, edges, leads) = Default::default();
    let mut search =
        Search { types, memory, hints, objects, by_address, edges, vertices: 0, leads };
    search.add_variables(roots);
    let mut next = 0;
    while next < search.objects.len() {
        search.follow(ObjectId(next as u32));
        next += 1;
    }
    let Search { objects, by_address, edges, vertices, .. } = search;
    let by_address = by_address.into_iter().collect();
    let rules = hints.rules.clone();
    let (none, ways) = (Edges::default(), Vec::new());
    let mut graph =
        Graph { types, memory, roots, objects, vertices, rules, by_address, edges: none, ways };
    graph.edges = known_edges(&graph, edges);
    crate::paths::find_shortest(&mut graph);
    graph
}

/// Which words that may be pointers lead to objects, by object and offset.
fn known_edges<M: Memory>(graph: &Graph<'_, M>, mut words: Vec<Word>) -> Edges {
    // An object that turned out to be larger has been looked at twice, one after the other.
    words.retain(|word| !graph.object(word.object).absorbed);
    if !words.is_sorted_by_key(|word| (word.object, word.offset)) {
        words.sort_by_key(|word| (word.object, word.offset));
    }
    let mut edges = Edges { all: Vec::with_capacity(words.len()), starts: Vec::new() };
    for Word { object, offset, address, pointee } in words {
        let Some(to) = graph.spot(address) else { continue };
        // Pointers to text often are left over from what was there before.
        let is_text_there = graph.object(to.object).text.is_some();
        let sure = pointee.is_some_and(|of| is_text(graph.types, of) == is_text_there);
        edges.starts.resize(object.0 as usize + 1, edges.all.len() as u32);
        edges.all.push(Edge { offset, to, sure });
    }
    edges.starts.resize(graph.objects.len() + 1, edges.all.len() as u32);
    edges
}

struct Search<'a, 'h, M> {
    types: &'a Types,
    memory: &'a M,
    hints: &'h Hints,
    objects: Vec<Object>,
    by_address: BTreeMap<u64, ObjectId>,
    edges: Vec<Word>,
    vertices: u64,
    leads: Vec<Lead>,
}

/// A word that may be a pointer.
struct Word {
    object: ObjectId,
    offset: u64,
    address: u64,
    /// What it is said to lead to, if it is known to be a pointer.
    pointee: Option<TypeId>,
}

/// Something that a pointer may lead to.
struct Lead {
    address: u64,
    to: Target,
    count: Option<u64>,
    found: Found,
}

/// What a pointer is said to lead to.
#[derive(Clone, Copy)]
enum Target {
    /// A value of this type, or several.
    Of(TypeId),
    /// One of several things, if this word of a union is a pointer.
    Union(TypeId, u64),
    /// Something, if it is a pointer.
    Any,
}

/// How large an object is.
struct Extent {
    size: u64,
    count: u64,
    text: Option<Text>,
}

impl<M: Memory> Search<'_, '_, M> {
    fn add_variables(&mut self, roots: &[Root]) {
        for (index, root) in roots.iter().enumerate() {
            let (address, size) = (root.address, self.types[root.of].size);
            let known = self.spot(address).is_some()
                || self.by_address.range(address..address.saturating_add(size)).next().is_some();
            if size == 0 || known || self.memory.bytes(address, size).is_none() {
                continue;
            }
            self.add(Object {
                address,
                size,
                room: size,
                of: root.of,
                count: 1,
                allocated: false,
                text: None,
                found: Found::Variable(index as u32),
                absorbed: false,
            });
        }
    }

    fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    fn spot(&self, address: u64) -> Option<Spot> {
        let (start, id) = self.by_address.range(..=address).next_back()?;
        let offset = address - start;
        (offset < self.object(*id).size).then_some(Spot { object: *id, offset })
    }

    fn add(&mut self, object: Object) {
        if self.objects.len() < MOST {
            let id = ObjectId(self.objects.len() as u32);
            self.by_address.insert(object.address, id);
            self.objects.push(object);
        }
    }

    /// Finds what the pointers of an object lead to.
    fn follow(&mut self, id: ObjectId) {
        let object = &self.objects[id.0 as usize];
        if object.absorbed {
            return;
        }
        let bytes = self.memory.bytes(object.address, object.size).unwrap_or_default();
        let mut leads = std::mem::take(&mut self.leads);
        let mut parts = 1;
        visit_leaves((self.types, &self.hints.rules), object, bytes, object, &mut |leaf| {
            parts += 1;
            let to = match leaf.content {
                Content::Pointer(to) => Target::Of(to),
                Content::Union(of, at) => Target::Union(of, at),
                Content::Opaque => Target::Any,
                _ => return,
            };
            let from = leaf.offset as usize;
            let word = bytes.get(from..from + leaf.size as usize).and_then(pointer);
            if let Some(address) = word.filter(|address| *address != 0) {
                let count = leaf.unit.and_then(|unit| unit.count);
                let found = Found::Pointer { object: id, offset: leaf.offset };
                leads.push(Lead { address, to, count, found });
            }
        });
        self.vertices += parts;
        for lead in leads.drain(..) {
            self.pursue(id, &lead);
        }
        self.leads = leads;
    }

    fn pursue(&mut self, object: ObjectId, lead: &Lead) {
        let Lead { address, to, found, .. } = *lead;
        match self.spot(address) {
            Some(spot) if spot.offset > 0 => {}
            Some(spot) => self.know_better(spot.object, lead),
            None => self.discover(lead),
        }
        if let Found::Pointer { offset, .. } = found {
            let pointee = match to {
                Target::Of(pointee) => Some(pointee),
                Target::Union(..) | Target::Any => None,
            };
            self.edges.push(Word { object, offset, address, pointee });
        }
    }

    /// A pointer says that there is more to an object on the heap than was known.
    fn know_better(&mut self, id: ObjectId, lead: &Lead) {
        let object = self.object(id);
        if !object.allocated {
            return;
        }
        let Some((to, sure)) = self.kind(lead, object.size) else { return };
        let to = self.class(lead.address, to);
        let (size, known) = (self.types[to].size, self.types[object.of].size);
        let says_more = match object.text {
            // Bytes say little; pointers to them often are left over from what was there before.
            Some(_) => sure && !is_text(self.types, to) && size > 0,
            None => size > known && (sure || known == 0),
        };
        if !says_more || size > object.size {
            return;
        }
        let count = if sure { self.rows(to, object.size) } else { 1 };
        let found = if object.text.is_some() { lead.found } else { object.found };
        let better = Object { of: to, count, text: None, found, ..object.clone() };
        // As a new one, it will be followed again; the old one is a part of it.
        self.objects[id.0 as usize].absorbed = true;
        self.add(better);
    }

    /// The type of what a pointer leads to where there is so much room, and whether that is sure.
    fn kind(&self, lead: &Lead, room: u64) -> Option<(TypeId, bool)> {
        match lead.to {
            Target::Of(to) => Some((to, true)),
            Target::Any => None,
            Target::Union(of, at) => {
                let size = |to: &TypeId| self.types[*to].size;
                let candidates = layout::pointees(self.types, of, at).into_iter();
                let fitting = candidates.filter(|to| size(to) > 0 && size(to) <= room);
                // The first one of those that are as large.
                fitting.rev().max_by_key(size).map(|to| (to, false))
            }
        }
    }

    /// Something that nothing is known about yet.
    fn discover(&mut self, lead: &Lead) {
        let address = lead.address;
        let block = self.hints.heap.block(address).or_else(|| heap::mapped(self.memory, address));
        let begins = block.as_ref().is_some_and(|block| block.start == address);
        let sure = matches!(lead.to, Target::Of(_));
        if !sure && !begins {
            return;
        }
        let length = block.as_ref().map_or(0, |block| block.end - address);
        let (to, sure) = self.kind(lead, length).unwrap_or((Types::VOID, true));
        let to = self.class(address, to);
        let Some(room) = self.room(address, to, block.as_ref()) else { return };
        let Extent { size, count, text } = match sure {
            true => self.extent(address, to, room, begins, lead.count),
            false => Extent { size: room, count: 1, text: None },
        };
        if size == 0 || self.memory.bytes(address, size).is_none() || !self.absorb(address, size) {
            return;
        }
        let (allocated, found) = (begins, lead.found);
        let room = if begins { room } else { size };
        let absorbed = false;
        self.add(Object { address, size, room, of: to, count, allocated, text, found, absorbed });
    }

    /// Makes what lies in a stretch part of something larger, unless that cannot be.
    fn absorb(&mut self, address: u64, size: u64) -> bool {
        let end = address.saturating_add(size);
        let mut inside = self.by_address.range(address..end).peekable();
        if inside.peek().is_none() {
            return true;
        }
        let inside: Vec<(u64, ObjectId)> = inside.map(|(at, id)| (*at, *id)).collect();
        let is_part = |(at, id): &(u64, ObjectId)| {
            let part = self.object(*id);
            matches!(part.found, Found::Pointer { .. }) && at + part.size <= end
        };
        if !inside.iter().all(is_part) {
            return false;
        }
        for (at, id) in inside {
            self.objects[id.0 as usize].absorbed = true;
            self.by_address.remove(&at);
        }
        true
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
        let is_text = is_text(self.types, of);
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
    fn class(&self, address: u64, to: TypeId) -> TypeId {
        let first = || self.memory.bytes(address, 8).and_then(pointer);
        let classes = &self.hints.classes;
        match classes.is_empty() {
            true => to,
            false => first().and_then(|word| classes.get(&word)).copied().unwrap_or(to),
        }
    }

    /// Pointers to text often come in rows that end with a null, as the arguments of a program. How many
    /// there are, with the null.
    fn row_of_texts(&self, address: u64, of: TypeId) -> Option<u64> {
        let Kind::Pointer { to } = self.types[of].kind else { return None };
        if !is_text(self.types, to) {
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
