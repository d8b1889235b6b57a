//! Finds the objects of a state from its variables on.

use crate::dwarf::{TypeId, Types};
use crate::extents::Extent;
use crate::graph::{Edge, Edges, Graph, Hints, Leaves};
use crate::layout::{self, Content, Layouts};
use crate::memory::Memory;
use crate::object::{Found, Object, ObjectId, Root, Spot};
use crate::places::Places;
use crate::values::{is_text, pointer};

/// How many objects there may be.
const MOST: usize = 1 << 26;

/// Finds all objects.
pub(crate) fn extract<'a, M: Memory>(
    types: &'a Types,
    memory: &'a M,
    roots: &'a [Root],
    hints: &Hints,
) -> Graph<'a, M> {
    let most = roots.len() + hints.heap.len() + 64;
    let objects = Vec::with_capacity(most);
    let (edges, leads) = Default::default();
    let places = Places::new(&hints.heap);
    let layouts = Layouts::new(types, hints.rules.clone());
    let mut search = Search {
        types,
        layouts: &layouts,
        memory,
        hints,
        objects,
        places,
        edges,
        vertices: 0,
        leads,
    };
    search.add_variables(roots);
    let mut next = 0;
    while next < search.objects.len() {
        search.follow(ObjectId(next as u32));
        next += 1;
    }
    let edges = search.known_edges();
    let Search { objects, places, vertices, .. } = search;
    let by_address = places.by_address();
    let ways = Vec::new();
    let mut graph =
        Graph { types, memory, roots, objects, vertices, layouts, by_address, edges, ways };
    crate::paths::find_shortest(&mut graph);
    graph
}

/// What has been found so far.
pub(crate) struct Search<'a, 'h, M> {
    pub types: &'a Types,
    pub layouts: &'h Layouts<'a>,
    pub memory: &'a M,
    pub hints: &'h Hints,
    objects: Vec<Object>,
    places: Places<'h>,
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

impl<M: Memory> Search<'_, '_, M> {
    fn add_variables(&mut self, roots: &[Root]) {
        for (index, root) in roots.iter().enumerate() {
            let (address, size) = (root.address, self.types[root.of].size);
            let block = self.hints.heap.index(address);
            let known = self.spot(address, block).is_some()
                || !self.places.between(address, address.saturating_add(size)).is_empty();
            if size == 0 || known || self.memory.bytes(address, size).is_none() {
                continue;
            }
            let variable = Object {
                address,
                size,
                room: size,
                of: root.of,
                count: 1,
                allocated: false,
                text: None,
                found: Found::Variable(index as u32),
                absorbed: false,
            };
            self.add(variable, block);
        }
    }

    fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    /// The object that an address lies in, if the block around it has this number.
    pub fn spot(&self, address: u64, block: Option<usize>) -> Option<Spot> {
        let object = self.places.find(address, block)?;
        let offset = address.checked_sub(self.object(object).address)?;
        self.object(object).reaches(offset).then_some(Spot { object, offset })
    }

    fn add(&mut self, object: Object, block: Option<usize>) {
        if self.objects.len() < MOST {
            let id = ObjectId(self.objects.len() as u32);
            self.places.insert(object.address, id, block);
            self.objects.push(object);
        }
    }

    /// Which words that may be pointers lead to objects, by object and offset.
    fn known_edges(&mut self) -> Edges {
        let mut words = std::mem::take(&mut self.edges);
        // What turned out to be larger has been looked at twice.
        words.retain(|word| !self.object(word.object).absorbed);
        if !words.is_sorted_by_key(|word| (word.object, word.offset)) {
            words.sort_by_key(|word| (word.object, word.offset));
        }
        let mut edges = Edges { all: Vec::with_capacity(words.len()), starts: Vec::new() };
        for Word { object, offset, address, pointee } in words {
            let Some(to) = self.spot(address, self.hints.heap.index(address)) else { continue };
            // Pointers to text often are left over from what was there before.
            let is_text_there = self.object(to.object).text.is_some();
            let sure = pointee.is_some_and(|of| is_text(self.types, of) == is_text_there);
            edges.starts.resize(object.0 as usize + 1, edges.all.len() as u32);
            edges.all.push(Edge { offset, to, sure });
        }
        edges.starts.resize(self.objects.len() + 1, edges.all.len() as u32);
        edges
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
        let leaves = Leaves { types: self.types, layouts: self.layouts };
        leaves.visit(object, bytes, object, |leaf| {
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
        let block = self.hints.heap.index(address);
        match self.spot(address, block) {
            Some(spot) if spot.offset > 0 => {}
            Some(spot) => self.know_better(spot.object, lead, block),
            None => self.discover(lead, block),
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
    fn know_better(&mut self, id: ObjectId, lead: &Lead, block: Option<usize>) {
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
        self.add(better, block);
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
    fn discover(&mut self, lead: &Lead, number: Option<usize>) {
        let address = lead.address;
        let known = number.map(|number| self.hints.heap.block(number));
        let block = known.or_else(|| self.hints.heap.mapped(self.memory, address));
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
        // The heap is all there.
        let is_there = number.is_some() || self.memory.bytes(address, size).is_some();
        if size == 0 || !is_there || !self.absorb(address, size, number) {
            return;
        }
        let (allocated, found) = (begins, lead.found);
        let room = if begins { room } else { size };
        let absorbed = false;
        let object =
            Object { address, size, room, of: to, count, allocated, text, found, absorbed };
        self.add(object, number);
    }

    /// Makes what lies in a stretch part of something larger, unless that cannot be.
    fn absorb(&mut self, address: u64, size: u64, block: Option<usize>) -> bool {
        if self.places.is_untouched(block) {
            return true;
        }
        let end = address.saturating_add(size);
        let inside: Vec<(u64, ObjectId)> = self.places.between(address, end);
        let is_part = |(at, id): &(u64, ObjectId)| {
            let part = self.object(*id);
            matches!(part.found, Found::Pointer { .. }) && at + part.size <= end
        };
        if !inside.iter().all(is_part) {
            return false;
        }
        for (at, id) in inside {
            self.objects[id.0 as usize].absorbed = true;
            self.places.remove(at);
        }
        true
    }

    /// The class of what a pointer to a base class leads to.
    fn class(&self, address: u64, to: TypeId) -> TypeId {
        let first = || self.memory.bytes(address, self.hints.heap.word).and_then(pointer);
        let classes = &self.hints.classes;
        match classes.is_empty() {
            true => to,
            false => first().and_then(|word| classes.get(&word)).copied().unwrap_or(to),
        }
    }
}
