//! Random states.

use crate::alteration::{Address, Alteration, What, Write};
use crate::dwarf::{Bits, EnumVariant, Kind, Member, Type, TypeId, Types};
use crate::graph::{Graph, Hints, Root, Scope};
use crate::heap::Heap;
use crate::trial::Stretch;
use crate::values::with_bits;

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

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Node,
    Item,
    Text,
    Words,
}

/// What is written at an offset.
#[derive(Clone, Debug, PartialEq)]
enum Field {
    Bytes(Vec<u8>),
    Pointer(usize),
}

/// An object: what it is, how large, and what it holds.
#[derive(Clone, Debug, PartialEq)]
struct Thing {
    sort: Sort,
    size: u64,
    fields: Vec<(u64, Field)>,
}

/// A state, wherever it lies. The first thing is an item that is a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct World {
    things: Vec<Thing>,
}

/// Random numbers that tests can repeat.
pub(super) struct Dice(pub u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn int(&mut self) -> Vec<u8> {
        (self.roll(5) as i32).to_le_bytes().to_vec()
    }
}

impl World {
    pub fn random(dice: &mut Dice, count: usize) -> Self {
        let mut sorts = vec![Sort::Item];
        for _ in 1..count.max(1) {
            sorts.push(
                [Sort::Node, Sort::Node, Sort::Item, Sort::Text, Sort::Words]
                    [dice.roll(5) as usize],
            );
        }
        let mut world = Self { things: Vec::new() };
        for sort in &sorts {
            world.things.push(thing(dice, *sort, &sorts));
        }
        world
    }

    /// One that is similar: some things are others, and there are some more.
    pub fn changed(&self, dice: &mut Dice, edits: u64) -> Self {
        let mut world = self.clone();
        for _ in 0..edits {
            let mut sorts: Vec<Sort> = world.things.iter().map(|thing| thing.sort).collect();
            let chosen = dice.roll(sorts.len() as u64) as usize;
            let sort = sorts[chosen];
            if chosen > 0 && dice.roll(3) == 0 {
                sorts.push(sort);
                let new = thing(dice, sort, &sorts);
                world.things.push(new);
                let to = world.things.len() - 1;
                for thing in &mut world.things {
                    for (_, field) in &mut thing.fields {
                        if *field == Field::Pointer(chosen) && dice.roll(2) == 0 {
                            *field = Field::Pointer(to);
                        }
                    }
                }
            } else {
                let fresh = thing(dice, sort, &sorts);
                let field = dice.roll(fresh.fields.len().max(1) as u64) as usize;
                if sort == Sort::Item
                    && dice.roll(4) > 0
                    && field < world.things[chosen].fields.len()
                {
                    // What the parts of a variant are is for its tag to say.
                    let (at, value) = fresh.fields[field].clone();
                    if at < 56 && world.things[chosen].fields[field].0 == at {
                        world.things[chosen].fields[field].1 = value;
                    }
                } else {
                    world.things[chosen] = fresh;
                }
            }
        }
        world
    }

    /// Writes everything to somewhere, in some order.
    pub fn placed(&self, base: u64, order: &mut Dice) -> Side {
        let mut places: Vec<usize> = (1..self.things.len()).collect();
        for index in (1..places.len()).rev() {
            places.swap(index, order.roll(index as u64 + 1) as usize);
        }
        let mut addresses = vec![base; self.things.len()];
        let mut bytes = vec![0; self.things[0].size.next_multiple_of(16) as usize + 16];
        let heap = base + bytes.len() as u64 - 16;
        for index in places {
            addresses[index] = append_block(base, &mut bytes, self.things[index].size);
        }
        for (thing, address) in self.things.iter().zip(&addresses) {
            for (offset, field) in &thing.fields {
                let at = (address + offset - base) as usize;
                let value = match field {
                    Field::Bytes(value) => value.clone(),
                    Field::Pointer(to) => addresses[*to].to_le_bytes().to_vec(),
                };
                bytes[at..at + value.len()].copy_from_slice(&value);
            }
        }
        Side::new(Stretch { start: base, bytes }, heap)
    }
}

/// A block as the GNU C library would make it, where the marks of the next one are. Where it begins.
fn append_block(base: u64, bytes: &mut Vec<u8>, size: u64) -> u64 {
    let length = (size + 8).next_multiple_of(16).max(32);
    let begin = bytes.len();
    bytes[begin - 8..].copy_from_slice(&(length | 1).to_le_bytes());
    bytes.resize(begin + length as usize, 0);
    base + begin as u64
}

fn thing(dice: &mut Dice, sort: Sort, sorts: &[Sort]) -> Thing {
    let of = |wanted: Sort| -> Vec<usize> {
        (1..sorts.len()).filter(|index| sorts[*index] == wanted).collect()
    };
    let pointer = |dice: &mut Dice, wanted: Sort| {
        let all = of(wanted);
        match dice.roll(5) {
            0 => Field::Bytes(vec![0; 8]),
            1 if dice.roll(8) == 0 => Field::Bytes(0x7777_0000_1234_u64.to_le_bytes().to_vec()),
            _ if all.is_empty() => Field::Bytes(vec![0; 8]),
            _ => Field::Pointer(all[dice.roll(all.len() as u64) as usize]),
        }
    };
    let mut fields = Vec::new();
    let size = match sort {
        Sort::Node => {
            fields.push((0, Field::Bytes(dice.int())));
            fields.push((8, pointer(dice, Sort::Node)));
            fields.push((16, pointer(dice, Sort::Node)));
            24
        }
        Sort::Text => {
            let mut text: Vec<u8> = (0..dice.roll(30)).map(|_| b'a' + dice.roll(3) as u8).collect();
            text.push(0);
            let size = text.len() as u64;
            fields.push((0, Field::Bytes(text)));
            size
        }
        Sort::Words => {
            let count = 1 + dice.roll(6);
            for index in 0..count {
                fields.push((index * 8, Field::Bytes(dice.roll(4).to_le_bytes().to_vec())));
            }
            count * 8
        }
        Sort::Item => {
            fields.push((0, Field::Bytes(dice.int())));
            fields.push((4, Field::Bytes(vec![b'x', b'a' + dice.roll(4) as u8, 0, 0])));
            fields.push((8, pointer(dice, Sort::Text)));
            fields.push((16, pointer(dice, Sort::Node)));
            fields.push((24, pointer(dice, Sort::Item)));
            fields.push((32, Field::Bytes([dice.int(), dice.int()].concat())));
            fields.push((40, Field::Bytes(vec![dice.roll(256) as u8, dice.roll(256) as u8, 1])));
            fields.push((48, pointer(dice, Sort::Words)));
            let tag = dice.roll(5) as u32;
            fields.push((56, Field::Bytes(tag.to_le_bytes().to_vec())));
            match tag {
                0 => {
                    fields.push((64, Field::Bytes(dice.int())));
                    fields.push((72, Field::Bytes(dice.int())));
                }
                1 => {
                    fields.push((64, pointer(dice, Sort::Node)));
                    fields.push((72, Field::Bytes(dice.int())));
                }
                2 => {
                    fields.push((64, Field::Bytes((dice.roll(2) as u32).to_le_bytes().to_vec())));
                    fields.push((68, Field::Bytes(dice.int())));
                    fields.push((76, Field::Bytes(dice.int())));
                }
                _ => {}
            }
            let either = match dice.roll(2) {
                0 => pointer(dice, Sort::Item),
                _ => Field::Bytes(dice.roll(9).to_le_bytes().to_vec()),
            };
            fields.push((80, either));
            88
        }
    };
    Thing { sort, size, fields }
}

/// A state in memory.
pub(super) struct Side {
    pub memory: Stretch,
    roots: Vec<Root>,
    heap: u64,
    hints: Hints,
}

impl Side {
    pub fn new(memory: Stretch, heap: u64) -> Self {
        let scope = Scope::Frame { level: 0, function: "main".to_owned() };
        let root = Root { name: "item".to_owned(), of: ITEM, address: memory.start, scope };
        let mut side = Self { memory, roots: vec![root], heap, hints: Hints::default() };
        side.read_heap();
        side
    }

    /// Finds the blocks; behind the last one is what is left for blocks to come.
    fn read_heap(&mut self) {
        let Stretch { start, bytes } = &self.memory;
        let mut whole = Stretch { start: *start, bytes: bytes.clone() };
        append_block(*start, &mut whole.bytes, 64);
        let end = start + whole.bytes.len() as u64;
        self.hints.heap = Heap::read(&whole, self.heap..end, 8);
    }

    pub fn graph<'a>(&'a self, types: &'a Types) -> Graph<'a, Stretch> {
        Graph::extract(types, &self.memory, &self.roots, &self.hints)
    }

    /// What comes of some writes.
    pub fn altered(&self, alteration: &Alteration) -> Self {
        let start = self.memory.start;
        let mut bytes = self.memory.bytes.clone();
        let blocks: Vec<u64> = alteration
            .blocks
            .iter()
            .map(|block| append_block(start, &mut bytes, block.size))
            .collect();
        let place = |address: Address| match address {
            Address::Fixed { address, .. } => address,
            Address::Block { number, offset } => blocks[number] + offset,
        };
        for Write { at, what } in &alteration.writes {
            let at = (place(*at) - start) as usize;
            let new = match what {
                What::Bytes(bytes) => bytes.clone(),
                What::Bits(bits, new) => with_bits(&bytes[at..at + new.len()], *bits, new),
                What::Address(to, size) => place(*to).to_le_bytes()[..*size as usize].to_vec(),
            };
            bytes[at..at + new.len()].copy_from_slice(&new);
        }
        Self::new(Stretch { start, bytes }, self.heap)
    }
}
