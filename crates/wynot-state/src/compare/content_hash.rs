//! Hashes of the contents of objects that do not depend on addresses.

use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::{MemoryGraph, PointerEdge};
use crate::graph::memory_object::{FoundBy, ObjectId};

/// The content hashes of the objects of a state: of their numbers and texts, and of those of the objects
/// that belong to them.
pub(crate) struct ContentHashes {
    all: Vec<ContentHash>,
}

#[derive(Clone, Copy, Default)]
struct ContentHash {
    hash: u64,
    /// Whether the content has anything but zeros to distinguish it.
    nonzero: bool,
}

impl ContentHashes {
    /// Hashes all objects of a graph.
    pub fn of<M: MemoryCopy>(graph: &MemoryGraph<'_, M>) -> Self {
        let mut own = vec![ContentHash::default(); graph.objects.len()];
        for id in graph.ids() {
            own[id.0 as usize] = own_hash(graph, id);
        }
        let mut all = own.clone();
        for id in graph.ids() {
            let mut hasher = WordHasher(own[id.0 as usize].hash);
            let mut nonzero = own[id.0 as usize].nonzero;
            for edge in graph.edges(id).iter().filter(|edge| belongs(graph, id, edge)) {
                let part = own[edge.to.object.0 as usize];
                hasher.add(edge.offset);
                hasher.add(part.hash);
                nonzero |= part.nonzero;
            }
            all[id.0 as usize] = ContentHash { hash: hasher.0, nonzero };
        }
        Self { all }
    }

    /// The content hash of an object.
    pub fn hash(&self, id: ObjectId) -> u64 {
        self.all[id.0 as usize].hash
    }

    /// Whether an object has the same content as one of another state.
    pub fn is_same(&self, one: ObjectId, others: &Self, other: ObjectId) -> bool {
        self.hash(one) == others.hash(other)
    }

    /// Whether the content of an object has anything but zeros to distinguish it.
    pub fn is_nonzero(&self, id: ObjectId) -> bool {
        self.all[id.0 as usize].nonzero
    }
}

/// Whether the object that a pointer leads to counts as content: text, or an object of another type that is
/// named after this pointer. Objects of the same type are neighbours, and one that is named after another
/// pointer, such as the head of the surrounding list, has content of its own.
fn belongs<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, id: ObjectId, edge: &PointerEdge) -> bool {
    let to = graph.object(edge.to.object);
    let found_by = FoundBy::Pointer { object: id, offset: edge.offset };
    to.text.is_some() || (to.of != graph.object(id).of && to.found_by == found_by)
}

/// Hashes the numbers and texts of one object.
fn own_hash<M: MemoryCopy>(graph: &MemoryGraph<'_, M>, id: ObjectId) -> ContentHash {
    let mut nonzero = false;
    let mut hasher = WordHasher(u64::from(graph.object(id).of.0));
    let content = graph.content(id);
    graph.leaves(id, &mut |leaf| {
        if !leaf.content.may_point() {
            let from = leaf.offset as usize;
            let bytes = content.get(from..from + leaf.size as usize).unwrap_or_default();
            hasher.add(leaf.offset);
            nonzero |= hasher.add_bytes(bytes);
        }
    });
    ContentHash { hash: hasher.0, nonzero }
}

/// A hasher that gives the same results in all runs and is fast for words.
struct WordHasher(u64);

impl WordHasher {
    fn add(&mut self, word: u64) {
        let mixed = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    /// Adds bytes, and returns whether any of them is not zero.
    fn add_bytes(&mut self, bytes: &[u8]) -> bool {
        let mut nonzero = false;
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let word = u64::from_le_bytes(word);
            nonzero |= word != 0;
            self.add(word);
        }
        nonzero
    }
}
