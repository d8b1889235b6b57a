//! Finding the objects of a state: everything that the variables lead to.

use super::address_index::AddressIndex;
use super::hash_table::values_size;
use super::heap::Heap;
use super::interior_pointer::InteriorPointer;
use super::layout::Layouts;
use super::lead::{Lead, Pointee, PossiblePointer};
use super::leaf::LeafContent;
use super::memory_copy::MemoryCopy;
use super::memory_graph::{EdgeTable, MemoryGraph, PointerEdge};
use super::memory_object::{
    FoundBy, MemoryObject, ObjectId, ObjectOffset, RootVariable, VariableScope,
};
use super::object_extent::ExtentReader;
use super::object_leaves::ObjectLeaves;
use crate::decode::{is_text, pointer};
use crate::dwarf::{TypeId, Types};
use crate::hints::type_rules::TypeRules;
use std::collections::{BTreeMap, BTreeSet, HashMap};

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
    /// The types of blocks that most pointers agree on, by address.
    pub agreed: &'h BTreeMap<u64, TypeId>,
}

/// The typed pointers of a state to blocks.
#[derive(Debug, Default)]
pub(crate) struct TypedPointers {
    /// Those into the middle of objects.
    pub interior: Vec<InteriorPointer>,
    /// The blocks that others lead to, each with the type of the pointer.
    pub starts: Vec<(ObjectId, TypeId)>,
}

/// Finds all objects that the variables lead to in one pass: nearer ones first, and among those the ones of
/// variables of which it is known that they are set. Returns the typed pointers as well.
pub(crate) fn extract_in_one_pass<'a, M: MemoryCopy>(
    layouts: Layouts<'a>,
    memory: &'a M,
    roots: &'a [RootVariable],
    hints: &ExtractionHints,
    options: PassOptions<'_>,
) -> (MemoryGraph<'a, M>, TypedPointers) {
    let types = layouts.types();
    let mut extraction = Extraction {
        types,
        layouts: &layouts,
        memory,
        hints,
        roots,
        heap: options.heap,
        options,
        objects: Vec::with_capacity(roots.len() + options.heap.len() + 64),
        index: AddressIndex::new(options.heap),
        words: Vec::new(),
        vertices: 0,
        leads: Vec::new(),
    };
    extraction.add_variables(roots);
    extraction.follow_all();
    let (edges, pointers) = extraction.resolve_edges();
    let Extraction { objects, index, vertices, .. } = extraction;
    let by_address = index.by_address();
    let paths = Vec::new();
    let graph =
        MemoryGraph { types, memory, roots, objects, vertices, layouts, by_address, edges, paths };
    (graph, pointers)
}

/// The objects that have been found so far.
pub(super) struct Extraction<'a, 'h, M> {
    pub(super) types: &'a Types,
    pub(super) layouts: &'h Layouts<'a>,
    pub(super) memory: &'a M,
    pub(super) hints: &'h ExtractionHints,
    pub(super) heap: &'h Heap,
    pub(super) options: PassOptions<'h>,
    pub(super) roots: &'a [RootVariable],
    pub(super) objects: Vec<MemoryObject>,
    pub(super) index: AddressIndex<'h>,
    pub(super) words: Vec<PossiblePointer>,
    pub(super) vertices: u64,
    /// The leads of the object that is being followed, kept for their allocation.
    pub(super) leads: Vec<Lead>,
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
                is_free: false,
                entry_offset: 0,
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
        let boundaries = self.options.boundaries?;
        let piece = self.heap.block(self.heap.index(root.address)?);
        let is_free = !boundaries.contains(&root.address) && piece.start == root.address;
        is_free.then_some(piece.end - root.address)
    }

    pub(super) fn object(&self, id: ObjectId) -> &MemoryObject {
        &self.objects[id.0 as usize]
    }

    pub(super) fn extents(&self) -> ExtentReader<'h, 'a, M> {
        let Self { types, layouts, memory, heap, .. } = *self;
        ExtentReader { types, layouts, memory, heap }
    }

    /// The object and the offset that an address belongs to; `block` is the heap block around the address.
    pub(super) fn position(&self, address: u64, block: Option<usize>) -> Option<ObjectOffset> {
        let object = self.index.find(address, block)?;
        let offset = address.checked_sub(self.object(object).address)?;
        self.object(object).reaches(offset).then_some(ObjectOffset { object, offset })
    }

    pub(super) fn add(&mut self, object: MemoryObject, block: Option<usize>) {
        if self.objects.len() < MAX_OBJECTS {
            let id = ObjectId(self.objects.len() as u32);
            self.index.insert(object.address, id, block);
            self.objects.push(object);
        }
    }

    /// Follows the pointers of all objects. Variables that certainly are set come first, with all that they
    /// lead to, then the local variables of outer functions, which have been set more probably than those of
    /// inner ones: what is known first is not given another type by what a variable's memory held before.
    fn follow_all(&mut self) {
        let variables = self.objects.len();
        let mut order: Vec<(Option<u32>, usize)> = (0..variables)
            .map(|index| match self.variable(ObjectId(index as u32)) {
                Some(RootVariable {
                    scope: VariableScope::Frame { level, .. }, is_set, ..
                }) if !is_set => (Some(*level), index),
                _ => (None, index),
            })
            .collect();
        order.sort_by_key(|(level, _)| *level);
        let mut next = variables;
        for same_level in order.chunk_by(|one, other| one.0 == other.0) {
            for (_, index) in same_level {
                self.follow(ObjectId(*index as u32));
            }
            while next < self.objects.len() {
                self.follow(ObjectId(next as u32));
                next += 1;
            }
        }
    }

    /// The variable that an object is the content of.
    pub(super) fn variable(&self, id: ObjectId) -> Option<&'a RootVariable> {
        match self.object(id).found_by {
            FoundBy::Variable(index) => self.roots.get(index as usize),
            FoundBy::Pointer { .. } => None,
        }
    }

    /// The words that lead to objects, by object and offset, and which of them have types.
    fn resolve_edges(&mut self) -> (EdgeTable, TypedPointers) {
        let mut words = std::mem::take(&mut self.words);
        // An absorbed object was followed a second time as part of the larger one.
        words.retain(|word| !self.object(word.object).absorbed);
        if !words.is_sorted_by_key(|word| (word.object, word.offset)) {
            words.sort_by_key(|word| (word.object, word.offset));
        }
        let mut pointers = TypedPointers::default();
        let mut edges = EdgeTable { all: Vec::with_capacity(words.len()), starts: Vec::new() };
        for PossiblePointer { object, offset, address, pointee } in words {
            let block = self.heap.index(address);
            let Some(to) = self.position(address, block) else { continue };
            // A pointer to text often is left over from what its memory held before.
            let is_text_there = self.object(to.object).text.is_some();
            let sure = pointee.is_some_and(|of| is_text(self.types, of) == is_text_there);
            edges.starts.resize(object.0 as usize + 1, edges.all.len() as u32);
            edges.all.push(PointerEdge { offset, to, sure });
            match pointee {
                Some(of) if to.offset > 0 => pointers.interior.push(InteriorPointer { to, of }),
                Some(of) if self.object(to.object).on_heap => pointers.starts.push((to.object, of)),
                _ => {}
            }
        }
        edges.starts.resize(self.objects.len() + 1, edges.all.len() as u32);
        (edges, pointers)
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
                let before = match (to, leaf.unit, count) {
                    (Pointee::Of(of), Some(unit), Some(count)) if unit.is_table => {
                        values_size(self.types, of, count).filter(|size| *size <= address)
                    }
                    _ => Some(0),
                };
                if let Some(entry_offset) = before {
                    let address = address - entry_offset;
                    leads.push(Lead { address, entry_offset, to, count, found_by });
                }
            }
        });
        self.vertices += parts;
        for lead in leads.drain(..) {
            self.pursue(id, &lead);
        }
        self.leads = leads;
    }

    fn pursue(&mut self, object: ObjectId, lead: &Lead) {
        let Lead { address, entry_offset, to, found_by, .. } = *lead;
        let block = self.heap.index(address);
        match self.position(address, block) {
            Some(position) if position.offset > 0 => {}
            Some(position) => self.refine(position.object, lead, block),
            None => self.discover(lead, block),
        }
        if let FoundBy::Pointer { offset, .. } = found_by {
            let pointee = match to {
                Pointee::Of(pointee) if entry_offset == 0 => Some(pointee),
                Pointee::Of(_) | Pointee::Union(..) | Pointee::Any => None,
            };
            let address = address + entry_offset;
            self.words.push(PossiblePointer { object, offset, address, pointee });
        }
    }
}
