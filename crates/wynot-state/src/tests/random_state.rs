//! Random states.

use super::handmade_state::{self, Stretch};
use crate::compare::alteration::Alteration;
use crate::dwarf::{Bits, EnumVariant, Kind, Member, Type, TypeId, Types};
use crate::graph::extraction::ExtractionHints;
use crate::graph::heap::Heap;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::{RootVariable, VariableScope};

const INT: TypeId = TypeId(1);
const CHAR: TypeId = TypeId(2);
const TEXT: TypeId = TypeId(3);
const NODE: TypeId = TypeId(4);
const NODE_POINTER: TypeId = TypeId(5);
const ITEM: TypeId = TypeId(6);
const ITEM_POINTER: TypeId = TypeId(7);
const WORD: TypeId = TypeId(8);
const NAME: TypeId = TypeId(9);
const ROW: TypeId = TypeId(10);
const CHOICE: TypeId = TypeId(11);
const EITHER: TypeId = TypeId(12);
const INNER: TypeId = TypeId(13);
const WORD_POINTER: TypeId = TypeId(14);

/// ```c
/// struct node { int value; struct node *next, *prev; };
/// struct item { int number; char name[4]; char *text; struct node *list; struct item *other; int row[2];
///               unsigned a : 3, b : 5, c : 9; choice choice; union either either; };
/// ```
pub(super) fn types() -> Types {
    let member = |name: &str, offset, of| Member { name: name.to_owned(), offset, of, bits: None };
    let bits = |name: &str, offset, first, count| {
        let bits = Some(Bits { first, count });
        Member { name: name.to_owned(), offset, of: INT, bits }
    };
    let one = |name: &str, size, kind| Type { name: name.to_owned(), size, kind };
    let variant = |name: &str, tags: &[(i128, i128)], members| EnumVariant {
        name: name.to_owned(),
        tags: tags.to_vec(),
        members,
    };
    let node = vec![
        member("value", 0, INT),
        member("next", 8, NODE_POINTER),
        member("prev", 16, NODE_POINTER),
    ];
    let item = vec![
        member("number", 0, INT),
        member("name", 4, NAME),
        member("text", 8, TEXT),
        member("list", 16, NODE_POINTER),
        member("other", 24, ITEM_POINTER),
        member("row", 32, ROW),
        bits("a", 40, 0, 3),
        bits("b", 40, 3, 5),
        bits("c", 41, 0, 9),
        member("words", 48, WORD_POINTER),
        member("choice", 56, CHOICE),
        member("either", 80, EITHER),
    ];
    let choice = vec![
        variant("Number", &[(0, 0)], vec![member("0", 8, INT), member("1", 16, INT)]),
        variant("Node", &[(1, 1)], vec![member("0", 8, NODE_POINTER), member("1", 16, INT)]),
        variant("Inner", &[(2, 2)], vec![member("0", 8, INNER), member("1", 20, INT)]),
        variant("Nothing", &[], vec![]),
    ];
    let inner =
        vec![variant("Some", &[(1, 1)], vec![member("0", 4, INT)]), variant("None", &[], vec![])];
    let tag = || Some(member("tag", 0, INT));
    Types::new(vec![
        one("void", 0, Kind::Unknown),
        one("int", 4, Kind::Integer { signed: true }),
        one("char", 1, Kind::Character { signed: true }),
        one("char *", 8, Kind::Pointer { to: CHAR }),
        one("struct node", 24, Kind::Structure { members: node }),
        one("struct node *", 8, Kind::Pointer { to: NODE }),
        one("struct item", 88, Kind::Structure { members: item }),
        one("struct item *", 8, Kind::Pointer { to: ITEM }),
        one("long", 8, Kind::Integer { signed: true }),
        one("char[4]", 4, Kind::Array { of: CHAR, count: Some(4) }),
        one("int[2]", 8, Kind::Array { of: INT, count: Some(2) }),
        one("Choice", 24, Kind::Variants { tag: tag(), shared: vec![], variants: choice }),
        one(
            "union either",
            8,
            Kind::Union {
                members: vec![member("number", 0, WORD), member("item", 0, ITEM_POINTER)],
            },
        ),
        one("Inner", 8, Kind::Variants { tag: tag(), shared: vec![], variants: inner }),
        one("long *", 8, Kind::Pointer { to: WORD }),
    ])
}

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Node,
    Item,
    Text,
    Words,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
enum Field {
    Bytes(Vec<u8>),
    Pointer(usize),
}

/// An object: its kind, its size in bytes, and its fields by offset.
#[derive(Clone, Debug, PartialEq)]
struct RandomObject {
    kind: ObjectKind,
    size: u64,
    fields: Vec<(u64, Field)>,
}

/// A state without addresses. The first object is an item, and the content of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RandomState {
    objects: Vec<RandomObject>,
}

/// A generator of random numbers that tests can repeat.
pub(super) struct Generator(pub u64);

impl Generator {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn int(&mut self) -> Vec<u8> {
        (self.below(5) as i32).to_le_bytes().to_vec()
    }
}

impl RandomState {
    pub fn random(generator: &mut Generator, count: usize) -> Self {
        let mut kinds = vec![ObjectKind::Item];
        for _ in 1..count.max(1) {
            kinds.push(
                [
                    ObjectKind::Node,
                    ObjectKind::Node,
                    ObjectKind::Item,
                    ObjectKind::Text,
                    ObjectKind::Words,
                ][generator.below(5) as usize],
            );
        }
        let mut state = Self { objects: Vec::new() };
        for kind in &kinds {
            state.objects.push(object(generator, *kind, &kinds));
        }
        state
    }

    /// A similar state: some objects are changed, and some are new.
    pub fn edited(&self, generator: &mut Generator, edits: u64) -> Self {
        let mut state = self.clone();
        for _ in 0..edits {
            let mut kinds: Vec<ObjectKind> =
                state.objects.iter().map(|object| object.kind).collect();
            let chosen = generator.below(kinds.len() as u64) as usize;
            let kind = kinds[chosen];
            if chosen > 0 && generator.below(3) == 0 {
                kinds.push(kind);
                let new = object(generator, kind, &kinds);
                state.objects.push(new);
                let to = state.objects.len() - 1;
                for object in &mut state.objects {
                    for (_, field) in &mut object.fields {
                        if *field == Field::Pointer(chosen) && generator.below(2) == 0 {
                            *field = Field::Pointer(to);
                        }
                    }
                }
            } else {
                let fresh = object(generator, kind, &kinds);
                let field = generator.below(fresh.fields.len().max(1) as u64) as usize;
                if kind == ObjectKind::Item
                    && generator.below(4) > 0
                    && field < state.objects[chosen].fields.len()
                {
                    // A field of a variant is not changed without its tag.
                    let (at, value) = fresh.fields[field].clone();
                    if at < 56 && state.objects[chosen].fields[field].0 == at {
                        state.objects[chosen].fields[field].1 = value;
                    }
                } else {
                    state.objects[chosen] = fresh;
                }
            }
        }
        state
    }

    /// The state in memory from an address on, with its objects in a random order.
    pub fn place(&self, base: u64, order: &mut Generator) -> PlacedState {
        let mut places: Vec<usize> = (1..self.objects.len()).collect();
        for index in (1..places.len()).rev() {
            places.swap(index, order.below(index as u64 + 1) as usize);
        }
        let mut addresses = vec![base; self.objects.len()];
        let mut bytes = vec![0; self.objects[0].size.next_multiple_of(16) as usize + 16];
        let heap = base + bytes.len() as u64 - 16;
        for index in places {
            addresses[index] = append_block(base, &mut bytes, self.objects[index].size);
        }
        for (object, address) in self.objects.iter().zip(&addresses) {
            for (offset, field) in &object.fields {
                let at = (address + offset - base) as usize;
                let value = match field {
                    Field::Bytes(value) => value.clone(),
                    Field::Pointer(to) => addresses[*to].to_le_bytes().to_vec(),
                };
                bytes[at..at + value.len()].copy_from_slice(&value);
            }
        }
        PlacedState::new(Stretch { start: base, bytes }, heap)
    }
}

/// Appends a block as the GNU C library allocates it, over the header that ends the bytes, and returns its
/// address.
fn append_block(base: u64, bytes: &mut Vec<u8>, size: u64) -> u64 {
    let length = (size + 8).next_multiple_of(16).max(32);
    let start = bytes.len();
    bytes[start - 8..].copy_from_slice(&(length | 1).to_le_bytes());
    bytes.resize(start + length as usize, 0);
    base + start as u64
}

/// A pointer to a random object of a kind, a null pointer, or seldom a pointer to no object.
fn pointer(generator: &mut Generator, wanted: ObjectKind, kinds: &[ObjectKind]) -> Field {
    let all: Vec<usize> = (1..kinds.len()).filter(|index| kinds[*index] == wanted).collect();
    match generator.below(5) {
        0 => Field::Bytes(vec![0; 8]),
        1 if generator.below(8) == 0 => Field::Bytes(0x7777_0000_1234_u64.to_le_bytes().to_vec()),
        _ if all.is_empty() => Field::Bytes(vec![0; 8]),
        _ => Field::Pointer(all[generator.below(all.len() as u64) as usize]),
    }
}

fn object(generator: &mut Generator, kind: ObjectKind, kinds: &[ObjectKind]) -> RandomObject {
    let mut fields = Vec::new();
    let size = match kind {
        ObjectKind::Node => {
            fields.push((0, Field::Bytes(generator.int())));
            fields.push((8, pointer(generator, ObjectKind::Node, kinds)));
            fields.push((16, pointer(generator, ObjectKind::Node, kinds)));
            24
        }
        ObjectKind::Text => {
            let mut text: Vec<u8> =
                (0..generator.below(30)).map(|_| b'a' + generator.below(3) as u8).collect();
            text.push(0);
            let size = text.len() as u64;
            fields.push((0, Field::Bytes(text)));
            size
        }
        ObjectKind::Words => {
            let count = 1 + generator.below(6);
            for index in 0..count {
                fields.push((index * 8, Field::Bytes(generator.below(4).to_le_bytes().to_vec())));
            }
            count * 8
        }
        ObjectKind::Item => {
            fields = item_fields(generator, kinds);
            88
        }
    };
    RandomObject { kind, size, fields }
}

fn item_fields(generator: &mut Generator, kinds: &[ObjectKind]) -> Vec<(u64, Field)> {
    let mut fields = vec![
        (0, Field::Bytes(generator.int())),
        (4, Field::Bytes(vec![b'x', b'a' + generator.below(4) as u8, 0, 0])),
        (8, pointer(generator, ObjectKind::Text, kinds)),
        (16, pointer(generator, ObjectKind::Node, kinds)),
        (24, pointer(generator, ObjectKind::Item, kinds)),
        (32, Field::Bytes([generator.int(), generator.int()].concat())),
        (40, Field::Bytes(vec![generator.below(256) as u8, generator.below(256) as u8, 1])),
        (48, pointer(generator, ObjectKind::Words, kinds)),
    ];
    let tag = generator.below(5) as u32;
    fields.push((56, Field::Bytes(tag.to_le_bytes().to_vec())));
    match tag {
        0 => {
            fields.push((64, Field::Bytes(generator.int())));
            fields.push((72, Field::Bytes(generator.int())));
        }
        1 => {
            fields.push((64, pointer(generator, ObjectKind::Node, kinds)));
            fields.push((72, Field::Bytes(generator.int())));
        }
        2 => {
            let inner_tag = generator.below(2) as u32;
            fields.push((64, Field::Bytes(inner_tag.to_le_bytes().to_vec())));
            fields.push((68, Field::Bytes(generator.int())));
            fields.push((76, Field::Bytes(generator.int())));
        }
        _ => {}
    }
    let either = match generator.below(2) {
        0 => pointer(generator, ObjectKind::Item, kinds),
        _ => Field::Bytes(generator.below(9).to_le_bytes().to_vec()),
    };
    fields.push((80, either));
    fields
}

/// A state in memory.
pub(super) struct PlacedState {
    pub memory: Stretch,
    roots: Vec<RootVariable>,
    heap: u64,
    hints: ExtractionHints,
}

impl PlacedState {
    pub fn new(memory: Stretch, heap: u64) -> Self {
        let scope = VariableScope::Frame { level: 0, function: "main".to_owned() };
        let root = RootVariable {
            name: "item".to_owned(),
            of: ITEM,
            address: memory.start,
            scope,
            is_set: true,
        };
        let hints = ExtractionHints::default();
        let mut state = Self { memory, roots: vec![root], heap, hints };
        state.read_heap();
        state
    }

    /// Finds the blocks; the unused rest of the heap follows the last one.
    fn read_heap(&mut self) {
        let Stretch { start, bytes } = &self.memory;
        let mut whole = Stretch { start: *start, bytes: bytes.clone() };
        append_block(*start, &mut whole.bytes, 64);
        let end = start + whole.bytes.len() as u64;
        self.hints.heap = Heap::read(&whole, self.heap..end, 8);
    }

    pub fn graph<'a>(&'a self, types: &'a Types) -> MemoryGraph<'a, Stretch> {
        MemoryGraph::extract(types, &self.memory, &self.roots, &self.hints)
    }

    /// The state after an alteration.
    pub fn altered(&self, alteration: &Alteration) -> Self {
        let start = self.memory.start;
        let append = |bytes: &mut Vec<u8>, size: u64| append_block(start, bytes, size);
        let memory = handmade_state::altered(&self.memory, alteration, &append);
        Self::new(memory, self.heap)
    }
}
