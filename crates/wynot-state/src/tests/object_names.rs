//! The names and values of parts of states, with and without hints.

use super::handmade_state::{Stretch, list, list_root};
use crate::compare::state_differences::StateDifferences;
use crate::describe::{object_name, value_text};
use crate::dwarf::{Kind, Member, Type, TypeId, Types};
use crate::graph::extraction::ExtractionHints;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::{RootVariable, VariableScope};
use crate::hints::hint_file::HintFile;

const LONG: TypeId = TypeId(1);
const DOUBLE: TypeId = TypeId(2);
const OBJECT: TypeId = TypeId(3);
const POINTER: TypeId = TypeId(4);
const VALUE: TypeId = TypeId(5);
const CELL: TypeId = TypeId(6);
const CHAR: TypeId = TypeId(7);
const VECTOR: TypeId = TypeId(8);

/// ```c
/// union value { struct object *gc; long i; double n; };
/// struct cell { union value value; long kind; char letter; };
/// struct object { long kind, more; };
/// struct vector { struct object *data; long len; };
/// ```
fn types() -> Types {
    let member = |name: &str, offset, of| Member { name: name.to_owned(), offset, of, bits: None };
    let one = |name: &str, size, kind| Type { name: name.to_owned(), size, kind };
    let object = vec![member("kind", 0, LONG), member("more", 8, LONG)];
    let value = vec![member("gc", 0, POINTER), member("i", 0, LONG), member("n", 0, DOUBLE)];
    let cell = vec![member("value", 0, VALUE), member("kind", 8, LONG), member("letter", 16, CHAR)];
    let vector = vec![member("data", 0, POINTER), member("len", 8, LONG)];
    Types::new(vec![
        one("void", 0, Kind::Unknown),
        one("long", 8, Kind::Integer { signed: true }),
        one("double", 8, Kind::Float),
        one("struct object", 16, Kind::Structure { members: object }),
        one("struct object *", 8, Kind::Pointer { to: OBJECT }),
        one("union value", 8, Kind::Union { members: value }),
        one("struct cell", 24, Kind::Structure { members: cell }),
        one("char", 1, Kind::Character { signed: true }),
        one("struct vector", 16, Kind::Structure { members: vector }),
    ])
}

fn root(name: &str, of: TypeId, address: u64) -> RootVariable {
    RootVariable { name: name.to_owned(), of, address, scope: VariableScope::Global, is_set: true }
}

fn memory(words: &[u64]) -> Stretch {
    Stretch { start: 0x1000, bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect() }
}

/// The names and values of all parts.
fn described(words: &[u64], roots: &[RootVariable], hints: &str) -> Vec<String> {
    let types = types();
    let memory = memory(words);
    let rules = HintFile::parse(hints).unwrap().resolve(&types).unwrap();
    let graph = MemoryGraph::extract(
        &types,
        &memory,
        roots,
        &ExtractionHints { rules, ..ExtractionHints::default() },
    );
    let mut described = Vec::new();
    for id in graph.ids() {
        graph.leaves(id, &mut |leaf| {
            let (name, value) =
                (object_name::expression(&graph, id, &leaf), value_text::value(&graph, id, &leaf));
            described.push(format!("{name} is {value}"));
        });
    }
    described
}

#[test]
fn members_of_unions_fit_what_they_hold() {
    let cell = [root("cell", CELL, 0x1000)];
    let first = |word: u64| described(&[word, 0, 0], &cell, "").swap_remove(0);
    assert_eq!(first(0xffff_ffff_8000_0000), "cell.value.i is -2147483648");
    assert_eq!(first(0), "cell.value.i is 0");
    assert_eq!(first(2.5_f64.to_bits()), "cell.value.n is 2.5");
    let both = [root("cell", CELL, 0x1000), root("object", OBJECT, 0x1018)];
    assert_eq!(described(&[0x1018, 0, 0, 1, 2], &both, "")[0], "cell.value.gc is &object");
}

#[test]
fn pointers_in_unions_are_followed_to_blocks_only() {
    let types = types();
    let memory = memory(&[0x1020, 0, 0, 0, 7, 8, 9, 0]);
    let roots = [root("cell", CELL, 0x1000)];
    let described = |heap| {
        let graph = MemoryGraph::extract(
            &types,
            &memory,
            &roots,
            &ExtractionHints { heap, ..ExtractionHints::default() },
        );
        let mut described = Vec::new();
        for id in graph.ids().skip(1) {
            graph
                .leaves(id, &mut |leaf| described.push(object_name::expression(&graph, id, &leaf)));
        }
        described
    };
    let heap = crate::graph::heap::Heap::of(std::iter::once(0x1020..0x1038).collect(), 8);
    let expected = ["cell.value.gc->kind", "cell.value.gc->more", "word 2 of *cell.value.gc"];
    assert_eq!(described(heap), expected);
    assert_eq!(described(crate::graph::heap::Heap::default()), [""; 0]);
}

#[test]
fn hints_say_which_member_is_in_use() {
    let cell = [root("cell", CELL, 0x1000)];
    let hints = "struct cell.value by kind: 3 -> i, 4..9 -> gc, else -> n";
    let words = |kind| [0x1018, kind, 0x2b, 7, 8];
    let of_object = ["cell.value.gc->kind is 7", "cell.value.gc->more is 8"];
    assert_eq!(described(&words(3), &cell, hints)[0], "cell.value.i is 4120");
    assert_eq!(described(&words(5), &cell, hints)[3..], of_object);
    assert!(described(&words(0), &cell, hints)[0].starts_with("cell.value.n is 2.03"));
    assert_eq!(described(&words(3), &cell, hints)[2], "cell.letter is '+'");
    assert_eq!(described(&words(5), &cell, "union value is gc")[3..], of_object);
}

#[test]
fn hints_say_how_many_values_there_are() {
    let vector = [root("vector", VECTOR, 0x1000)];
    let words = [0x1010, 2, 1, 2, 3, 4, 5, 6];
    assert_eq!(described(&words, &vector, "").len(), 4);
    let described = described(&words, &vector, "vector.data[len]");
    assert_eq!(described.len(), 6);
    assert_eq!(described[5], "vector.data[1].more is 4");
}

#[test]
fn a_union_and_its_tag_are_one_delta() {
    let types = types();
    let hints = HintFile::parse("struct cell.value by kind: 3 -> i, 19 -> n").unwrap();
    let hints =
        ExtractionHints { rules: hints.resolve(&types).unwrap(), ..ExtractionHints::default() };
    let (here, there) = (memory(&[5, 3, 0]), memory(&[2.5_f64.to_bits(), 19, 0]));
    let roots = [root("cell", CELL, 0x1000)];
    let passing = MemoryGraph::extract(&types, &here, &roots, &hints);
    let failing = MemoryGraph::extract(&types, &there, &roots, &hints);
    let found = StateDifferences::of(&passing, &failing);
    assert_eq!(found.deltas.len(), 1);
    assert_eq!(found.deltas[0].changes.len(), 2);
}

#[test]
fn hints_that_do_not_fit_the_program_name_their_line() {
    let problem =
        |text: &str| HintFile::parse(text).unwrap().resolve(&types()).unwrap_err().to_string();
    assert_eq!(problem("\nnode.x[y]"), "line 2: the program has no type \"node\"");
    assert_eq!(problem("cell.v by kind: 1 -> i"), "line 1: \"cell\" has no member \"v\"");
    assert_eq!(problem("cell.value by sort: 1 -> i"), "line 1: \"cell\" has no member \"sort\"");
    assert_eq!(problem("cell.value by kind: 1 -> x"), "line 1: \"value\" has no member \"x\"");
    assert_eq!(problem("cell.kind by kind: 1 -> i"), "line 1: \"kind\" of \"cell\" is not a union");
    assert_eq!(problem("cell by kind: 1 -> i"), "line 1: \"cell\" has no union without a name");
    assert_eq!(problem("vector.len[len]"), "line 1: \"len\" of \"vector\" is not a pointer");
    assert_eq!(problem("vector.data[data]"), "line 1: \"data\" of \"vector\" is not a number");
    assert_eq!(problem("cell is i"), "line 1: \"cell\" is not a union");
}

#[test]
fn flexible_array_members_have_names() {
    let member = |name: &str, offset, of| Member { name: name.to_owned(), offset, of, bits: None };
    let one = |name: &str, size, kind| Type { name: name.to_owned(), size, kind };
    for (element, expected) in
        [(4, "string->text is \"hello, world\""), (1, "string->text[4] is 111")]
    {
        let members = vec![member("length", 0, TypeId(1)), member("text", 1, TypeId(5))];
        let types = Types::new(vec![
            one("void", 0, Kind::Unknown),
            one("byte", 1, Kind::Integer { signed: false }),
            one("struct string", 2, Kind::Structure { members }),
            one("struct string *", 8, Kind::Pointer { to: TypeId(2) }),
            one("char", 1, Kind::Character { signed: true }),
            one("", 1, Kind::Array { of: TypeId(element), count: Some(1) }),
        ]);
        let mut memory = memory(&[0x1010, 0, 0, 0, 0]);
        memory.bytes[0x10..0x1d].copy_from_slice(b"\x0chello, world");
        let heap = crate::graph::heap::Heap::of(std::iter::once(0x1010..0x1028).collect(), 8);
        let hints = ExtractionHints { heap, ..ExtractionHints::default() };
        let roots = [root("string", TypeId(3), 0x1000)];
        let graph = MemoryGraph::extract(&types, &memory, &roots, &hints);
        let id = graph.position(0x1010).unwrap().object;
        let mut described = Vec::new();
        graph.leaves(id, &mut |leaf| {
            let name = object_name::expression(&graph, id, &leaf);
            described.push(format!("{name} is {}", value_text::value(&graph, id, &leaf)));
        });
        assert_eq!(described[0], "string->length is 12");
        assert!(described.iter().any(|line| line == expected), "{described:?}");
    }
}

#[test]
fn names_are_never_long() {
    let types = crate::tests::handmade_state::types();
    let values: Vec<i32> = (0..5000).collect();
    let memory = list(0x1000, &values);
    let roots = list_root(0x1000);
    let graph = MemoryGraph::extract(&types, &memory, &roots, &ExtractionHints::default());
    let name =
        |address: u64| object_name::object_name(&graph, graph.position(address).unwrap().object);
    assert_eq!(name(0x1008), "list");
    assert_eq!(name(0x1008 + 3 * 16), "list->next->next->next");
    assert_eq!(name(0x1008 + 4999 * 16), "list{->next 4999 times}");
    for id in graph.ids() {
        assert!(object_name::object_name(&graph, id).len() < 100);
        assert_eq!(graph.variable_of(id), 0);
    }
}

#[test]
fn long_paths_are_shortened() {
    // Each object points to the next one, in turns with its first and its second pointer.
    let member =
        |name: &str, offset| Member { name: name.to_owned(), offset, of: TypeId(2), bits: None };
    let one = |name: &str, size, kind| Type { name: name.to_owned(), size, kind };
    let types = Types::new(vec![
        one("void", 0, Kind::Unknown),
        one("struct tree", 16, Kind::Structure { members: vec![member("l", 0), member("r", 8)] }),
        one("struct tree *", 8, Kind::Pointer { to: TypeId(1) }),
    ]);
    let mut words = Vec::new();
    for index in 0..2000_u64 {
        let next = 0x1000 + (index + 1) * 16;
        words.extend(if index % 2 == 0 { [next, 0] } else { [0, next] });
    }
    words.extend([0, 0]);
    let memory = memory(&words);
    let roots = [root("tree", TypeId(1), 0x1000)];
    let graph = MemoryGraph::extract(&types, &memory, &roots, &ExtractionHints::default());
    let name = |index: u64| {
        object_name::object_name(&graph, graph.position(0x1000 + 16 * index).unwrap().object)
    };
    assert_eq!(name(4), "tree.l->r->l->r");
    assert_eq!(name(2000), "tree{... 1992 pointers}->l->r->l->r->l->r->l->r");
}
