//! Finding the objects of a state, and the pools among its blocks.
//!
//! A pool is a block in which the program allocates objects on its own: a chunk of an obstack, a node of an
//! Apache pool, a slab, a vector or a variable of bytes. For the allocator it is one block, and a pointer to its
//! start would give its type to all of it. What lies in it is known only by the typed pointers that lead there.
//!
//! 1. The state is read as if there were no pools. A block is a pool if a typed pointer leads to bytes of it
//!    whose meaning is not known, such as an array of characters, or if the number of values in it was guessed
//!    from its size and more pointers contradict that guess than agree with it. A hint can say so as well.
//! 2. The state is read again as if the pools were not on the heap, so that what pointers lead to there are
//!    objects of their own. Pointers to numbers and text are left out: they may lead to parts of others.
//! 3. The pools are divided where those objects start, and the state is read with the pieces as blocks. What
//!    follows the value of a piece up to the next one is carried along as words of unknown type. Text and
//!    numbers in such a rest divide it further.
//!
//! 4. Where another type than that of a block has more pointers to it, most of them decide
//!    ([`type_votes`](super::type_votes)).
//!
//! This is repeated until nothing is new: pools may be found in pools. Boundaries only become more, so there is
//! an end; after [`MAX_ROUNDS`] what is known then is taken.

use super::extraction::{ExtractionHints, PassOptions, TypedPointers, extract_in_one_pass};
use super::interior_pointer::{InteriorContent, InteriorPointer, divides};
use super::layout::Layouts;
use super::memory_copy::MemoryCopy;
use super::memory_graph::MemoryGraph;
use super::memory_object::{FoundBy, MemoryObject, ObjectId, RootVariable};
use super::shortest_path::find_shortest_paths;
use super::type_votes::agreed_types;
use crate::decode::is_text;
use crate::dwarf::{TypeId, Types};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The number of rounds in which pools are searched.
const MAX_ROUNDS: usize = 16;

/// The multiple of bytes at which a value with several parts starts.
const MIN_ALIGNMENT: u64 = 4;

/// The size in bytes of the smallest variable that can be a pool.
const MIN_POOL_VARIABLE: u64 = 256;

impl<'a, M: MemoryCopy> MemoryGraph<'a, M> {
    /// Finds all objects that the variables lead to.
    pub fn extract(
        types: &'a Types,
        memory: &'a M,
        roots: &'a [RootVariable],
        hints: &ExtractionHints,
    ) -> Self {
        let layouts = Layouts::new(types, hints.rules.clone());
        let mut search = PoolSearch { memory, roots, hints, pools: Pools::default() };
        let mut graph = search.run(layouts);
        find_shortest_paths(&mut graph);
        graph
    }
}

/// The pools that have been found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Pools {
    /// The end of each pool by its start.
    blocks: BTreeMap<u64, u64>,
    /// The addresses at which pieces start.
    boundaries: BTreeSet<u64>,
    /// The types of blocks that most pointers agree on, by address.
    agreed: BTreeMap<u64, TypeId>,
}

impl Pools {
    fn ranges(&self) -> Vec<Range<u64>> {
        self.blocks.iter().map(|(start, end)| *start..*end).collect()
    }

    fn contains(&self, address: u64) -> bool {
        self.blocks.range(..=address).next_back().is_some_and(|(_, end)| address < *end)
    }
}

struct PoolSearch<'a, 'h, M> {
    memory: &'a M,
    roots: &'a [RootVariable],
    hints: &'h ExtractionHints,
    pools: Pools,
}

impl<'a, M: MemoryCopy> PoolSearch<'a, '_, M> {
    fn run(&mut self, mut layouts: Layouts<'a>) -> MemoryGraph<'a, M> {
        let mut rounds = 0;
        loop {
            rounds += 1;
            let (graph, TypedPointers { interior, starts }) = self.read_divided(layouts);
            let before = self.pools.clone();
            self.add_pools(&graph, &interior);
            let has_new_pools = self.pools != before;
            if !has_new_pools {
                self.add_boundaries(&graph, &interior);
            }
            if self.pools == before {
                for (address, of) in agreed_types(&graph, starts) {
                    self.pools.agreed.entry(address).or_insert(of);
                }
            }
            if self.pools == before || rounds == MAX_ROUNDS {
                return graph;
            }
            layouts = graph.layouts;
            if has_new_pools {
                layouts = self.search_boundaries(layouts);
            }
        }
    }

    /// Reads the state with the pieces of the pools as blocks.
    fn read_divided(&self, layouts: Layouts<'a>) -> (MemoryGraph<'a, M>, TypedPointers) {
        let Pools { blocks, boundaries, agreed } = &self.pools;
        let divided;
        let heap = match blocks.is_empty() {
            true => &self.hints.heap,
            false => {
                divided = self.hints.heap.divided(&self.pools.ranges(), boundaries);
                &divided
            }
        };
        let options = PassOptions { heap, boundaries: Some(boundaries), agreed };
        extract_in_one_pass(layouts, self.memory, self.roots, self.hints, options)
    }

    /// Finds where objects start in the pools, and further pools on the way.
    fn search_boundaries(&mut self, mut layouts: Layouts<'a>) -> Layouts<'a> {
        for _ in 0..MAX_ROUNDS {
            self.pools.boundaries.clear();
            let heap = self.hints.heap.without(&self.pools.ranges());
            let agreed = &self.pools.agreed;
            let options = PassOptions { heap: &heap, boundaries: None, agreed };
            let (graph, TypedPointers { interior, .. }) =
                extract_in_one_pass(layouts, self.memory, self.roots, self.hints, options);
            for (address, id) in &graph.by_address {
                let is_found = matches!(graph.object(*id).found_by, FoundBy::Pointer { .. });
                if is_found && self.pools.contains(*address) {
                    self.pools.boundaries.insert(*address);
                }
            }
            let count = self.pools.blocks.len();
            self.add_pools(&graph, &interior);
            layouts = graph.layouts;
            if self.pools.blocks.len() == count {
                break;
            }
        }
        layouts
    }

    /// Adds the blocks and variables that turn out to be pools.
    fn add_pools(&mut self, graph: &MemoryGraph<'a, M>, interior: &[InteriorPointer]) {
        let mut votes: BTreeMap<ObjectId, Votes> = BTreeMap::new();
        for pointer in interior.iter().filter(|pointer| divides(graph.types, pointer.of)) {
            let object = graph.object(pointer.to.object);
            let address = graph.address(pointer.to);
            let is_known = self.pools.contains(object.address);
            if is_known || !address.is_multiple_of(MIN_ALIGNMENT) || !can_be_pool(graph, object) {
                continue;
            }
            let votes = votes.entry(pointer.to.object).or_default();
            match pointer.content(graph) {
                InteriorContent::Raw => votes.raw += 1,
                InteriorContent::Guess => votes.against_guess += 1,
                InteriorContent::Same => votes.for_guess += 1,
                InteriorContent::Other => {}
            }
        }
        let voted = votes.iter().filter(|(_, votes)| votes.is_pool()).map(|(id, _)| *id);
        let hinted = graph.ids().filter(|id| {
            let object = graph.object(*id);
            object.on_heap && graph.layouts.is_pool(object.of)
        });
        for id in voted.chain(hinted) {
            let MemoryObject { address, capacity, .. } = *graph.object(id);
            if !self.pools.contains(address) {
                self.pools.blocks.insert(address, address + capacity);
            }
        }
    }

    /// Divides the pieces of pools where pointers lead to their rests.
    fn add_boundaries(&mut self, graph: &MemoryGraph<'a, M>, interior: &[InteriorPointer]) {
        let in_rest = |pointer: &&InteriorPointer| {
            let object = graph.object(pointer.to.object);
            self.pools.contains(object.address)
                && pointer.to.offset < object.capacity
                && pointer.content(graph) == InteriorContent::Raw
        };
        let mut found: Vec<(u64, TypeId)> =
            interior.iter().filter(in_rest).map(|at| (graph.address(at.to), at.of)).collect();
        found.sort_unstable();
        found.dedup();
        let is_much = |(_, of): &(u64, TypeId)| divides(graph.types, *of);
        // Numbers and text may be parts of larger values, which come first.
        let has_values = found.iter().any(is_much);
        let mut end = 0;
        for (address, of) in found.iter().filter(|found| !has_values || is_much(found)) {
            if has_values && !address.is_multiple_of(MIN_ALIGNMENT) {
                continue;
            }
            let is_inside_text = is_text(graph.types, *of) && *address < end;
            if !is_inside_text {
                self.pools.boundaries.insert(*address);
                let piece = graph.position(*address).map(|at| graph.object(at.object));
                let room = piece.map_or(0, |piece| piece.address + piece.capacity - address);
                end =
                    self.memory.text(*address, room).map_or(0, |text| address + text.len() as u64);
            }
        }
    }
}

/// The pointers that lead to the middle of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Votes {
    /// To bytes whose meaning is not known.
    raw: usize,
    /// To values of another type than the one that was guessed for them.
    against_guess: usize,
    /// To values of their type.
    for_guess: usize,
}

impl Votes {
    fn is_pool(self) -> bool {
        self.raw > 0 || self.against_guess > self.for_guess
    }
}

/// Whether a program can have allocated in an object on its own.
fn can_be_pool<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, object: &MemoryObject) -> bool {
    match object.found_by {
        FoundBy::Variable(_) => graph.types[object.of].size >= MIN_POOL_VARIABLE,
        FoundBy::Pointer { .. } => object.on_heap,
    }
}
