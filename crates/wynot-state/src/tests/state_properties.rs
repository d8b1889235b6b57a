//! Properties of all states: random ones, similar ones, and garbage.

use super::handmade_state::Stretch;
use super::random_state::{Generator, ObjectKind, PlacedState, RandomState, types};
use crate::compare::alteration::Alteration;
use crate::compare::state_differences::StateDifferences;
use crate::describe::object_name::{expression, object_name};
use crate::describe::value_text::{summary, value};
use crate::graph::memory_copy::MemoryCopy;
use proptest::prelude::*;

/// The content of a state, read without a graph: objects are numbered in the order of a depth-first walk.
struct Shape<'a> {
    state: &'a PlacedState,
    numbers: Vec<u64>,
    lines: Vec<String>,
}

impl Shape<'_> {
    fn of(state: &PlacedState) -> Vec<String> {
        let mut shape = Shape { state, numbers: Vec::new(), lines: Vec::new() };
        shape.visit(state.memory.start, ObjectKind::Item);
        shape.lines
    }

    fn word(&self, at: u64) -> u64 {
        u64::from_le_bytes(self.state.memory.bytes(at, 8).unwrap().try_into().unwrap())
    }

    fn half(&self, at: u64) -> u64 {
        self.word(at) & 0xffff_ffff
    }

    fn visit(&mut self, at: u64, kind: ObjectKind) -> String {
        if self.state.memory.bytes(at, 16).is_none() {
            return format!("{at:#x}");
        }
        if let Some(number) = self.numbers.iter().position(|known| *known == at) {
            return format!("#{number}");
        }
        let number = self.numbers.len();
        self.numbers.push(at);
        let line = match kind {
            ObjectKind::Text => format!("{:?}", self.state.memory.text(at, 100)),
            ObjectKind::Words => self.word(at).to_string(),
            ObjectKind::Node => {
                let next = self.visit(self.word(at + 8), ObjectKind::Node);
                let prev = self.visit(self.word(at + 16), ObjectKind::Node);
                format!("{} {next} {prev}", self.half(at))
            }
            ObjectKind::Item => self.item(at),
        };
        self.lines.push(format!("#{number} {line}"));
        format!("#{number}")
    }

    fn item(&mut self, at: u64) -> String {
        let text = self.visit(self.word(at + 8), ObjectKind::Text);
        let list = self.visit(self.word(at + 16), ObjectKind::Node);
        let other = self.visit(self.word(at + 24), ObjectKind::Item);
        let words = self.visit(self.word(at + 48), ObjectKind::Words);
        let choice = match self.half(at + 56) {
            0 => format!("{} {}", self.half(at + 64), self.half(at + 72)),
            1 => format!(
                "{} {}",
                self.visit(self.word(at + 64), ObjectKind::Node),
                self.half(at + 72)
            ),
            2 => {
                let inner = if self.half(at + 64) == 1 { self.half(at + 68) } else { 99 };
                format!("{inner} {}", self.half(at + 76))
            }
            _ => String::new(),
        };
        let either = self.visit(self.word(at + 80), ObjectKind::Item);
        let (head, row, bits) = (self.word(at), self.word(at + 32), self.word(at + 40) & 0x1_ffff);
        let tag = self.half(at + 56);
        format!("{head} {text} {list} {other} {row} {bits} {words} {tag} {choice} {either}")
    }
}

/// The differences in words.
fn described(differences: &StateDifferences<'_, '_, Stretch>) -> Vec<String> {
    let (here, there) = (differences.passing, differences.failing);
    let changes = differences
        .deltas
        .iter()
        .enumerate()
        .flat_map(|(number, delta)| delta.changes.iter().map(move |change| (number, change)));
    changes
        .map(|(number, change)| {
            let name = expression(here, change.at.object, &change.leaf);
            let old = value(here, change.at.object, &change.leaf);
            let new = value(there, change.from, &change.leaf);
            format!("{number}: {name}: {old} -> {new}")
        })
        .collect()
}

fn pair(seed: u64, count: usize, edits: u64) -> (RandomState, RandomState) {
    let mut generator = Generator(seed);
    let passing = RandomState::random(&mut generator, count);
    let failing = match edits {
        0 => RandomState::random(&mut generator, count),
        _ => passing.edited(&mut generator, edits),
    };
    (passing, failing)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_deltas_together_make_the_failing_state(seed: u64, count in 1_usize..30, edits in 0_u64..6) {
        let types = types();
        let (passing, failing) = pair(seed, count, edits);
        let here = passing.place(0x10_0000, &mut Generator(seed ^ 1));
        let there = failing.place(0x90_0000, &mut Generator(seed ^ 2));
        let (one, other) = (here.graph(&types), there.graph(&types));
        let found = StateDifferences::of(&one, &other);
        let all = Alteration::of(&found, &found.deltas);
        let altered = here.altered(&all);
        let graph = altered.graph(&types);
        let left = StateDifferences::of(&graph, &other);
        prop_assert_eq!(described(&left), Vec::<String>::new(), "{:?}", described(&found));
        prop_assert_eq!(Shape::of(&altered), Shape::of(&there), "{:?}", described(&found));
    }

    #[test]
    fn no_deltas_change_nothing_and_equal_states_have_none(seed: u64, count in 1_usize..30) {
        let types = types();
        let (passing, _) = pair(seed, count, 1);
        let here = passing.place(0x10_0000, &mut Generator(seed ^ 1));
        let there = passing.place(0x90_0000, &mut Generator(seed ^ 2));
        let (one, other) = (here.graph(&types), there.graph(&types));
        let found = StateDifferences::of(&one, &other);
        prop_assert_eq!(described(&found), Vec::<String>::new());
        prop_assert_eq!(Alteration::of(&found, []), Alteration::default());
    }

    #[test]
    fn addresses_do_not_change_the_differences(seed: u64, count in 1_usize..30, edits in 0_u64..6) {
        let types = types();
        let (passing, failing) = pair(seed, count, edits);
        let here = passing.place(0x10_0000, &mut Generator(seed ^ 1));
        let one = here.graph(&types);
        let described = [(0x90_0000, 2), (0x90_0000, 2), (0x1190_0000, 3)].map(|(base, order)| {
            let there = failing.place(base, &mut Generator(seed ^ order));
            let other = there.graph(&types);
            described(&StateDifferences::of(&one, &other))
        });
        prop_assert_eq!(&described[0], &described[1]);
        prop_assert_eq!(&described[0], &described[2]);
    }

    #[test]
    fn garbage_does_no_harm(
        words in proptest::collection::vec(prop_oneof![
            3 => 0x10_0000_u64..0x10_0800,
            1 => any::<u64>(),
            2 => 0_u64..64,
        ], 11..200),
        other in proptest::collection::vec(0x10_0000_u64..0x10_0400, 11..100),
    ) {
        let types = types();
        let side = |words: &[u64]| {
            let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            PlacedState::new(Stretch { start: 0x10_0000, bytes }, 0x10_0060)
        };
        let (here, there) = (side(&words), side(&other));
        let (one, other) = (here.graph(&types), there.graph(&types));
        let second = here.graph(&types);
        prop_assert_eq!(&one.objects, &second.objects);
        let found = StateDifferences::of(&one, &other);
        let text: usize = described(&found).iter().map(String::len).sum();
        prop_assert!(text < 1_000_000);
        Alteration::of(&found, &found.deltas);
        for id in one.ids() {
            summary(&one, id);
            prop_assert!(object_name(&one, id).len() < 2_000);
            prop_assert!(one.memory.bytes(one.object(id).address, one.object(id).size).is_some());
        }
    }
}
