//! What objects look like, whatever their addresses.

use crate::graph::{Edge, Found, Graph, ObjectId};
use crate::memory::Memory;

/// What the objects of a state look like: their numbers and texts, and those of what belongs to them.
pub(crate) struct Looks {
    all: Vec<Look>,
}

#[derive(Clone, Copy, Default)]
struct Look {
    hash: u64,
    /// There is anything but zeros to tell it from others.
    special: bool,
}

impl Looks {
    /// Looks at all objects.
    pub fn of<M: Memory>(graph: &Graph<'_, M>) -> Self {
        let mut own = vec![Look::default(); graph.objects.len()];
        for id in graph.ids() {
            own[id.0 as usize] = own_look(graph, id);
        }
        let mut all = own.clone();
        for id in graph.ids() {
            let mut hash = Hash(own[id.0 as usize].hash);
            let mut special = own[id.0 as usize].special;
            for edge in graph.edges(id).iter().filter(|edge| belongs(graph, id, edge)) {
                let part = own[edge.to.object.0 as usize];
                hash.add(edge.offset);
                hash.add(part.hash);
                special |= part.special;
            }
            all[id.0 as usize] = Look { hash: hash.0, special };
        }
        Self { all }
    }

    /// A number that is equal for objects that look the same.
    pub fn hash(&self, id: ObjectId) -> u64 {
        self.all[id.0 as usize].hash
    }

    /// Whether an object looks like one of another state.
    pub fn same(&self, one: ObjectId, others: &Self, other: ObjectId) -> bool {
        self.hash(one) == others.hash(other)
    }

    /// Whether there is anything but zeros to tell it from others.
    pub fn is_special(&self, id: ObjectId) -> bool {
        self.all[id.0 as usize].special
    }
}

/// Whether what a pointer leads to is a part of what an object is: text, or something of another type that
/// is known by this pointer. Others of its type are neighbours, and what is known by other names, such as
/// the head of the list that it is in, has a look of its own.
fn belongs<M: Memory>(graph: &Graph<'_, M>, id: ObjectId, edge: &Edge) -> bool {
    let to = graph.object(edge.to.object);
    let found = Found::Pointer { object: id, offset: edge.offset };
    to.text.is_some() || (to.of != graph.object(id).of && to.found == found)
}

/// Numbers and texts of an object.
fn own_look<M: Memory>(graph: &Graph<'_, M>, id: ObjectId) -> Look {
    let mut special = false;
    let mut hash = Hash(u64::from(graph.object(id).of.0));
    let content = graph.content(id);
    graph.leaves(id, &mut |leaf| {
        if !leaf.content.may_point() {
            let from = leaf.offset as usize;
            let bytes = content.get(from..from + leaf.size as usize).unwrap_or_default();
            hash.add(leaf.offset);
            special |= hash.add_bytes(bytes);
        }
    });
    Look { hash: hash.0, special }
}

/// A hash that is the same in all runs, and fast for words.
struct Hash(u64);

impl Hash {
    fn add(&mut self, word: u64) {
        let mixed = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    /// Whether there is anything but zeros.
    fn add_bytes(&mut self, bytes: &[u8]) -> bool {
        let mut special = false;
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let word = u64::from_le_bytes(word);
            special |= word != 0;
            self.add(word);
        }
        special
    }
}
