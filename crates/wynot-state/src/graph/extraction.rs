//! Finding the objects of a state: everything that the variables lead to.

use super::address_index::AddressIndex;
use super::heap::Heap;
use super::interior_pointer::{InteriorPointer, divides};
use super::layout::{self, Layouts};
use super::lead::{Lead, Pointee, PossiblePointer};
use super::leaf::LeafContent;
use super::memory_copy::MemoryCopy;
use super::memory_graph::{EdgeTable, MemoryGraph, PointerEdge};
use super::memory_object::{FoundBy, MemoryObject, ObjectId, ObjectOffset, RootVariable};
use super::object_extent::{ExtentReader, ObjectExtent};
use super::object_leaves::ObjectLeaves;
use crate::decode::{is_text, pointer};
use crate::dwarf::{TypeId, Types};
use crate::hints::type_rules::TypeRules;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// The number of objects at which the extraction ends.
const MAX_OBJECTS: usize = 1 << 26;

/// Facts about the state that help to find out what objects are.
#[derive(Clone, Debug, Default)]
pub struct ExtractionHints {
    /// The blocks of the heap.
    pub heap: Heap,
    /// The classes by the address of their virtual function table, which is the first word of an object.
    pub classes: HashMap<u64, TypeId>,
    /// The rules about types from a hint file.
    pub rules: TypeRules,
}

/// How one pass through a state treats the pools that are known so far.
#[derive(Clone, Copy)]
pub(crate) struct PassOptions<'h> {
    /// The heap, without the pools or with their pieces as blocks.
    pub heap: &'h Heap,
    /// The addresses at which pieces start; `None` while they are searched.
    pub boundaries: Option<&'h BTreeSet<u64>>,
}

/// Finds all objects that the variables lead to in one pass: nearer ones first, and among those the ones of
/// earlier variables. Returns the typed pointers into the middle of objects as well.
pub(crate) fn extract_in_one_pass<'a, M: MemoryCopy>(
    layouts: Layouts<'a>,
    memory: &'a M,
    roots: &'a [RootVariable],
    hints: &ExtractionHints,
    options: PassOptions<'_>,
) -> (MemoryGraph<'a, M>, Vec<InteriorPointer>) {
    let types = layouts.types();
    let mut extraction = Extraction {
        types,
        layouts: &layouts,
        memory,
        hints,
        heap: options.heap,
        boundaries: options.boundaries,
        objects: Vec::with_capacity(roots.len() + options.heap.len() + 64),
        index: AddressIndex::new(options.heap),
        words: Vec::new(),
        vertices: 0,
        leads: Vec::new(),
    };
    extraction.add_variables(roots);
    let mut next = 0;
    while next < extraction.objects.len() {
        extraction.follow(ObjectId(next as u32));
        next += 1;
    }
    let (edges, interior) = extraction.resolve_edges();
    let Extraction { objects, index, vertices, .. } = extraction;
    let by_address = index.by_address();
    let paths = Vec::new();
    let graph =
        MemoryGraph { types, memory, roots, objects, vertices, layouts, by_address, edges, paths };
    (graph, interior)
}

/// The objects that have been found so far.
struct Extraction<'a, 'h, M> {
    types: &'a Types,
    layouts: &'h Layouts<'a>,
    memory: &'a M,
    hints: &'h ExtractionHints,
    heap: &'h Heap,
    boundaries: Option<&'h BTreeSet<u64>>,
    objects: Vec<MemoryObject>,
    index: AddressIndex<'h>,
    words: Vec<PossiblePointer>,
    vertices: u64,
    /// The leads of the object that is being followed, kept for their allocation.
    leads: Vec<Lead>,
}

impl<'a, 'h, M: MemoryCopy> Extraction<'a, 'h, M> {
    fn add_variables(&mut self, roots: &[RootVariable]) {
        for (index, root) in roots.iter().enumerate() {
            let address = root.address;
            let Some(size) = self.variable_size(root) else { continue };
            let block = self.heap.index(address);
            let known = self.position(address, block).is_some()
                || !self.index.between(address, address.saturating_add(size)).is_empty();
            if size == 0 || known || self.memory.bytes(address, size).is_none() {
                continue;
            }
            let variable = MemoryObject {
                address,
                size,
                capacity: size,
                of: root.of,
                count: 1,
                required_size: size,
                count_is_guess: false,
                ends_pool: false,
                on_heap: false,
                text: None,
                found_by: FoundBy::Variable(index as u32),
                absorbed: false,
            };
            self.add(variable, block);
        }
    }

    /// The size of a variable; the one before the first boundary, if the variable is a pool. While boundaries
    /// are searched, and if a typed pointer leads to its start, there is no such variable.
    fn variable_size(&self, root: &RootVariable) -> Option<u64> {
        let size = self.types[root.of].size;
        if self.heap.pool(root.address).is_none() {
            return Some(size);
        }
        let boundaries = self.boundaries?;
        let piece = self.heap.block(self.heap.index(root.address)?);
        let is_free = !boundaries.contains(&root.address) && piece.start == root.address;
        is_free.then_some(piece.end - root.address)
    }

    fn object(&self, id: ObjectId) -> &MemoryObject {
        &self.objects[id.0 as usize]
    }

    fn extents(&self) -> ExtentReader<'h, 'a, M> {
        let Self { types, layouts, memory, heap, .. } = *self;
        ExtentReader { types, layouts, memory, heap }
    }

    /// The object and the offset that an address belongs to; `block` is the heap block around the address.
    fn position(&self, address: u64, block: Option<usize>) -> Option<ObjectOffset> {
        let object = self.index.find(address, block)?;
        let offset = address.checked_sub(self.object(object).address)?;
        self.object(object).reaches(offset).then_some(ObjectOffset { object, offset })
    }

    fn add(&mut self, object: MemoryObject, block: Option<usize>) {
        if self.objects.len() < MAX_OBJECTS {
            let id = ObjectId(self.objects.len() as u32);
            self.index.insert(object.address, id, block);
            self.objects.push(object);
        }
    }

    /// The words that lead to objects, by object and offset, and those that lead to the middle of objects.
    fn resolve_edges(&mut self) -> (EdgeTable, Vec<InteriorPointer>) {
        let mut words = std::mem::take(&mut self.words);
        // An absorbed object was followed a second time as part of the larger one.
        words.retain(|word| !self.object(word.object).absorbed);
        if !words.is_sorted_by_key(|word| (word.object, word.offset)) {
            words.sort_by_key(|word| (word.object, word.offset));
        }
        let mut interior = Vec::new();
        let mut edges = EdgeTable { all: Vec::with_capacity(words.len()), starts: Vec::new() };
        for PossiblePointer { object, offset, address, pointee } in words {
            let block = self.heap.index(address);
            let Some(to) = self.position(address, block) else { continue };
            // A pointer to text often is left over from what its memory held before.
            let is_text_there = self.object(to.object).text.is_some();
            let sure = pointee.is_some_and(|of| is_text(self.types, of) == is_text_there);
            edges.starts.resize(object.0 as usize + 1, edges.all.len() as u32);
            edges.all.push(PointerEdge { offset, to, sure });
            interior.extend(pointee.filter(|_| to.offset > 0).map(|of| InteriorPointer { to, of }));
        }
        edges.starts.resize(self.objects.len() + 1, edges.all.len() as u32);
        (edges, interior)
    }

    /// Finds the objects that the pointers of an object lead to.
    fn follow(&mut self, id: ObjectId) {
        let object = &self.objects[id.0 as usize];
        if object.absorbed {
            return;
        }
        let bytes = self.memory.bytes(object.address, object.size).unwrap_or_default();
        let mut leads = std::mem::take(&mut self.leads);
        let mut parts = 1;
        let leaves = ObjectLeaves { types: self.types, layouts: self.layouts };
        leaves.visit(object, bytes, object, |leaf| {
            parts += 1;
            let to = match leaf.content {
                LeafContent::Pointer(to) => Pointee::Of(to),
                LeafContent::Union(of, at) => Pointee::Union(of, at),
                LeafContent::Opaque => Pointee::Any,
                _ => return,
            };
            let from = leaf.offset as usize;
            let word = bytes.get(from..from + leaf.size as usize).and_then(pointer);
            if let Some(address) = word.filter(|address| *address != 0) {
                let count = leaf.unit.and_then(|unit| unit.count);
                let found_by = FoundBy::Pointer { object: id, offset: leaf.offset };
                leads.push(Lead { address, to, count, found_by });
            }
        });
        self.vertices += parts;
        for lead in leads.drain(..) {
            self.pursue(id, &lead);
        }
        self.leads = leads;
    }

    fn pursue(&mut self, object: ObjectId, lead: &Lead) {
        let Lead { address, to, found_by, .. } = *lead;
        let block = self.heap.index(address);
        match self.position(address, block) {
            Some(position) if position.offset > 0 => {}
            Some(position) => self.refine(position.object, lead, block),
            None => self.discover(lead, block),
        }
        if let FoundBy::Pointer { offset, .. } = found_by {
            let pointee = match to {
                Pointee::Of(pointee) => Some(pointee),
                Pointee::Union(..) | Pointee::Any => None,
            };
            self.words.push(PossiblePointer { object, offset, address, pointee });
        }
    }

    /// Gives a heap object a larger type, if a pointer to it has one.
    fn refine(&mut self, id: ObjectId, lead: &Lead, block: Option<usize>) {
        let object = self.object(id);
        if !object.on_heap {
            return;
        }
        let Some((to, sure)) = self.pointee_type(lead, object.size) else { return };
        let to = self.class(lead.address, to);
        let (size, known) = (self.types[to].size, self.types[object.of].size);
        let says_more = match object.text {
            // Bytes say little: a pointer to them often is left over from what its memory held before.
            Some(_) => sure && !is_text(self.types, to) && size > 0,
            None => size > known && (sure || known == 0),
        };
        if !says_more || size > object.size {
            return;
        }
        let extents = self.extents();
        let count = if sure { extents.count_from(lead.address, to, object.size) } else { 1 };
        let found_by = if object.text.is_some() { lead.found_by } else { object.found_by };
        let mut refined = MemoryObject {
            of: to,
            count,
            count_is_guess: count > 1,
            text: None,
            found_by,
            ..object.clone()
        };
        refined.required_size = extents.required_size(&refined);
        // The refined object is a new one, so that its pointers are followed; it absorbs the old one.
        self.objects[id.0 as usize].absorbed = true;
        self.add(refined, block);
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
                // The largest type, and the first one among equally large ones.
                fitting.rev().max_by_key(size).map(|to| (to, false))
            }
        }
    }

    /// Adds the object at an address that belongs to no known object; `number` is the heap block around it.
    fn discover(&mut self, lead: &Lead, number: Option<usize>) {
        let address = lead.address;
        let heap = self.heap;
        let block = number
            .map(|number| heap.block(number))
            .or_else(|| heap.block_with_own_mapping(self.memory, address));
        let fills_block = block.as_ref().is_some_and(|block| block.start == address);
        let sure = matches!(lead.to, Pointee::Of(_));
        if (!sure && !fills_block) || (self.boundaries.is_none() && self.is_vague_in_pool(lead)) {
            return;
        }
        let length = block.as_ref().map_or(0, |block| block.end - address);
        let (to, sure) = self.pointee_type(lead, length).unwrap_or((Types::VOID, true));
        let to = self.class(address, to);
        let extents = self.extents();
        let Some(capacity) = extents.capacity(address, to, block.as_ref()) else { return };
        let is_occupied = |at: u64| self.position(at, heap.index(at)).is_some();
        let ObjectExtent { size, count, text } = match sure {
            true => extents.extent(address, to, capacity, fills_block, lead.count, &is_occupied),
            false => ObjectExtent { size: capacity, count: 1, text: None },
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

    /// The dynamic class of an object, where a pointer to a base class leads to it.
    fn class(&self, address: u64, to: TypeId) -> TypeId {
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
