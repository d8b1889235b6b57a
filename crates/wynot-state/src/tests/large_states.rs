//! Large states with few differences: the deltas are few, and found in little time.

use super::handmade_state::Stretch;
use crate::compare::alteration::Alteration;
use crate::compare::state_differences::StateDifferences;
use crate::dwarf::{Kind, Member, Type, TypeId, Types};
use crate::graph::extraction::ExtractionHints;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::{RootVariable, VariableScope};
use std::time::{Duration, Instant};

/// `struct node { long value; struct node *a, *b, *c; }`: lists, trees and tables are made of these.
const NODE: TypeId = TypeId(2);
const POINTER: TypeId = TypeId(3);

/// An array of pointers to nodes.
const TABLE: TypeId = TypeId(4);

const BUCKETS: usize = 4096;

fn types() -> Types {
    let member = |name: &str, offset, of| Member { name: name.to_owned(), offset, of, bits: None };
    let one = |name: &str, size, kind| Type { name: name.to_owned(), size, kind };
    let mut members = vec![member("value", 0, TypeId(1))];
    for (name, offset) in [("a", 8), ("b", 16), ("c", 24)] {
        members.push(member(name, offset, POINTER));
    }
    let count = Some(BUCKETS as u64);
    Types::new(vec![
        one("void", 0, Kind::Unknown),
        one("long", 8, Kind::Integer { signed: true }),
        one("struct node", 32, Kind::Structure { members }),
        one("struct node *", 8, Kind::Pointer { to: NODE }),
        one("struct node *[]", 8 * BUCKETS as u64, Kind::Array { of: POINTER, count }),
    ])
}

/// A node: its value, and the numbers of other nodes, counted from 1; 0 is a null pointer.
type Node = (i64, [usize; 3]);

/// A state in memory whose variable points to one node, or to many, by their numbers.
fn state_in_memory(root: &[usize], nodes: &[Node], start: u64) -> (Stretch, Vec<RootVariable>) {
    let head = start + 8 * root.len() as u64;
    let address = |number: usize| match number {
        0 => 0,
        _ => head + 32 * (number as u64 - 1),
    };
    let mut bytes: Vec<u8> = Vec::new();
    for number in root {
        bytes.extend(address(*number).to_le_bytes());
    }
    for (value, pointers) in nodes {
        bytes.extend(value.to_le_bytes());
        for number in pointers {
            bytes.extend(address(*number).to_le_bytes());
        }
    }
    let scope = VariableScope::Global;
    let of = if root.len() == 1 { POINTER } else { TABLE };
    let root = RootVariable { name: "root".to_owned(), of, address: start, scope, is_set: true };
    (Stretch { start, bytes }, vec![root])
}

/// How many deltas there are, how many objects they create, and how long it took to find them.
struct Comparison {
    deltas: usize,
    created: usize,
    time: Duration,
}

fn compare(passing: (&[usize], &[Node]), failing: (&[usize], &[Node])) -> Comparison {
    let types = types();
    let (here, roots) = state_in_memory(passing.0, passing.1, 0x1000_0000);
    let (there, others) = state_in_memory(failing.0, failing.1, 0x9000_0000);
    let hints = ExtractionHints::default();
    let start = Instant::now();
    let one = MemoryGraph::extract(&types, &here, &roots, &hints);
    let other = MemoryGraph::extract(&types, &there, &others, &hints);
    let found = StateDifferences::of(&one, &other);
    let time = start.elapsed();
    let all = Alteration::of(&found, &found.deltas);
    Comparison { deltas: found.deltas.len(), created: all.blocks.len(), time }
}

/// Two seconds, or more without optimisation.
fn soon() -> Duration {
    Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 2 })
}

/// A list with pointers in one or both directions.
fn list(values: impl IntoIterator<Item = i64>, both: bool) -> Vec<Node> {
    let values: Vec<i64> = values.into_iter().collect();
    let last = values.len();
    let node = |(index, value)| {
        let next = if index + 1 == last { 0 } else { index + 2 };
        (value, [next, if both { index } else { 0 }, 0])
    };
    values.into_iter().enumerate().map(node).collect()
}

fn lists(passing: &[i64], failing: &[i64], both: bool) -> Comparison {
    let list = |values: &[i64]| list(values.iter().copied(), both);
    let found = compare((&[1], &list(passing)), (&[1], &list(failing)));
    assert!(found.time < soon(), "{:?}", found.time);
    found
}

fn without(values: &[i64], index: usize, count: usize) -> Vec<i64> {
    [&values[..index], &values[index + count..]].concat()
}

#[test]
fn an_element_more_or_less_is_one_delta() {
    let numbers: Vec<i64> = (0..10_000).map(|number| number * 7).collect();
    // Values that are there often, and text of few words.
    let digits: Vec<i64> = (0..10_000).map(|number| number * number % 97 % 10).collect();
    for (values, name) in [(numbers, "numbers"), (digits, "digits")] {
        for both in [false, true] {
            for (at, count) in [(5000, 1), (1, 1), (9999, 1), (0, 1), (5001, 3)] {
                let shorter = without(&values, at, count);
                let inserted = lists(&shorter, &values, both);
                assert_eq!((inserted.deltas, inserted.created), (1, count), "{name} {both} {at}");
                let removed = lists(&values, &shorter, both);
                assert_eq!((removed.deltas, removed.created), (1, 0), "{name} {both} {at}");
            }
            let mut changed = values.clone();
            changed[5000] += 1;
            let found = lists(&values, &changed, both);
            assert_eq!((found.deltas, found.created), (1, 0), "{name} {both}");
        }
    }
}

#[test]
fn of_equal_elements_the_last_one_is_the_new_one() {
    let equal = vec![3; 10_000];
    for both in [false, true] {
        assert_eq!(lists(&equal[1..], &equal, both).deltas, 1);
        assert_eq!(lists(&equal, &equal[1..], both).deltas, 1);
        // Among equal ones, something else is taken for a change, and another one more at the end.
        let mut other = equal.clone();
        other.insert(5000, 4);
        assert!(lists(&equal, &other, both).deltas <= 2);
    }
}

#[test]
fn large_lists_take_little_time_whatever_differs() {
    let count = if cfg!(debug_assertions) { 20_000 } else { 100_000 };
    let values: Vec<i64> = (0..count).collect();
    let found = lists(&values, &without(&values, count as usize / 2, 1), true);
    assert_eq!(found.deltas, 1);
    let all: Vec<i64> = values.iter().map(|value| value + count).collect();
    assert_eq!(lists(&values, &all, true).deltas, count as usize);
    let backwards: Vec<i64> = values.iter().rev().copied().collect();
    lists(&values, &backwards, true);
    let mixed: Vec<i64> = values.iter().map(|value| value * 48_271 % count).collect();
    lists(&values, &mixed, false);
    lists(&vec![3; count as usize], &vec![3; count as usize + 1], true);
    let every_third: Vec<i64> = values.iter().copied().filter(|value| value % 3 > 0).collect();
    assert_eq!(lists(&every_third, &values, true).deltas, (count as usize).div_ceil(3));
}

/// A balanced tree of the numbers in a range, with pointers to parents.
fn tree(nodes: &mut Vec<Node>, from: i64, to: i64, above: usize) -> usize {
    if from == to {
        return 0;
    }
    let middle = from.midpoint(to);
    nodes.push((middle, [0, 0, above]));
    let number = nodes.len();
    let left = tree(nodes, from, middle, number);
    let right = tree(nodes, middle + 1, to, number);
    nodes[number - 1].1 = [left, right, above];
    number
}

#[test]
fn a_node_above_a_part_of_a_tree_is_one_delta() {
    let mut passing = Vec::new();
    tree(&mut passing, 0, 20_000, 0);
    for below in [1, 2, 5, 100, 10_001, 19_999] {
        let mut failing = passing.clone();
        let above = failing[below - 1].1[2];
        failing.push((77_777, [below, 0, above]));
        let new = failing.len();
        failing[below - 1].1[2] = new;
        if above > 0 {
            for pointer in failing[above - 1].1[..2].iter_mut().filter(|to| **to == below) {
                *pointer = new;
            }
        }
        let root = if above == 0 { new } else { 1 };
        let found = compare((&[1], &passing), (&[root], &failing));
        assert_eq!((found.deltas, found.created), (1, 1), "inserted above {below}");
        let found = compare((&[root], &failing), (&[1], &passing));
        assert_eq!((found.deltas, found.created), (1, 0), "removed above {below}");
    }
}

/// A table of chains.
fn table(values: &[i64]) -> (Vec<usize>, Vec<Node>) {
    let mut buckets = vec![0; BUCKETS];
    let mut nodes = Vec::new();
    for value in values {
        let bucket = &mut buckets[(value * 2_654_435 % BUCKETS as i64) as usize];
        nodes.push((*value, [*bucket, 0, 0]));
        *bucket = nodes.len();
    }
    (buckets, nodes)
}

#[test]
fn an_entry_more_or_less_in_a_table_is_one_delta() {
    let values: Vec<i64> = (0..50_000).collect();
    let (buckets, nodes) = table(&values);
    for at in [0, 25_000, 49_999] {
        let (fewer_buckets, fewer) = table(&without(&values, at, 1));
        let found = compare((&fewer_buckets, &fewer), (&buckets, &nodes));
        assert_eq!((found.deltas, found.created), (1, 1));
        assert!(found.time < soon());
        let found = compare((&buckets, &nodes), (&fewer_buckets, &fewer));
        assert_eq!((found.deltas, found.created), (1, 0));
    }
}

#[test]
fn unmatched_objects_are_matched_by_their_largest_common_subgraph() {
    // A ring of equal nodes, whose contents are not unique, is reached from another variable.
    let ring = [(5, [2, 3, 0]), (5, [3, 1, 0]), (5, [1, 2, 0])];
    let mut roots = (vec![0; BUCKETS], vec![0; BUCKETS]);
    roots.0[7] = 1;
    roots.1[8] = 1;
    let found = compare((&roots.0, &ring), (&roots.1, &ring));
    // One pointer to it less, and one more; nothing has to be created.
    assert_eq!((found.deltas, found.created), (2, 0));
}
