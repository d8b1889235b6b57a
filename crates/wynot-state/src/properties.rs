//! What holds for all states: random ones, similar ones, and garbage.

mod world;

use crate::alteration::Alteration;
use crate::delta::Differences;
use crate::memory::Memory;
use crate::naming;
use crate::trial::Stretch;
use proptest::prelude::*;
use world::{Dice, Side, Sort, World, types};

/// What a state holds, read by hand: things get numbers in the order in which they are met.
struct Shape<'a> {
    side: &'a Side,
    numbers: Vec<u64>,
    lines: Vec<String>,
}

impl Shape<'_> {
    fn of(side: &Side) -> Vec<String> {
        let mut shape = Shape { side, numbers: Vec::new(), lines: Vec::new() };
        shape.visit(side.memory.start, Sort::Item);
        shape.lines
    }

    fn word(&self, at: u64) -> u64 {
        u64::from_le_bytes(self.side.memory.bytes(at, 8).unwrap().try_into().unwrap())
    }

    fn half(&self, at: u64) -> u64 {
        self.word(at) & 0xffff_ffff
    }

    fn visit(&mut self, at: u64, sort: Sort) -> String {
        if self.side.memory.bytes(at, 16).is_none() {
            return format!("{at:#x}");
        }
        if let Some(number) = self.numbers.iter().position(|known| *known == at) {
            return format!("#{number}");
        }
        let number = self.numbers.len();
        self.numbers.push(at);
        let line = match sort {
            Sort::Text => format!("{:?}", self.side.memory.text(at, 100)),
            Sort::Words => self.word(at).to_string(),
            Sort::Node => {
                let next = self.visit(self.word(at + 8), Sort::Node);
                let prev = self.visit(self.word(at + 16), Sort::Node);
                format!("{} {next} {prev}", self.half(at))
            }
            Sort::Item => self.item(at),
        };
        self.lines.push(format!("#{number} {line}"));
        format!("#{number}")
    }

    fn item(&mut self, at: u64) -> String {
        let text = self.visit(self.word(at + 8), Sort::Text);
        let list = self.visit(self.word(at + 16), Sort::Node);
        let other = self.visit(self.word(at + 24), Sort::Item);
        let words = self.visit(self.word(at + 48), Sort::Words);
        let choice = match self.half(at + 56) {
            0 => format!("{} {}", self.half(at + 64), self.half(at + 72)),
            1 => format!("{} {}", self.visit(self.word(at + 64), Sort::Node), self.half(at + 72)),
            2 => {
                let inner = if self.half(at + 64) == 1 { self.half(at + 68) } else { 99 };
                format!("{inner} {}", self.half(at + 76))
            }
            _ => String::new(),
        };
        let either = self.visit(self.word(at + 80), Sort::Item);
        let (head, row, bits) = (self.word(at), self.word(at + 32), self.word(at + 40) & 0x1_ffff);
        let tag = self.half(at + 56);
        format!("{head} {text} {list} {other} {row} {bits} {words} {tag} {choice} {either}")
    }
}

/// What differs, in words.
fn described(differences: &Differences<'_, '_, Stretch>) -> Vec<String> {
    let (here, there) = (differences.passing, differences.failing);
    let changes = differences
        .deltas
        .iter()
        .enumerate()
        .flat_map(|(number, delta)| delta.changes.iter().map(move |change| (number, change)));
    changes
        .map(|(number, change)| {
            let name = naming::expression(here, change.at.object, &change.leaf);
            let old = naming::value(here, change.at.object, &change.leaf);
            let new = naming::value(there, change.from, &change.leaf);
            format!("{number}: {name}: {old} -> {new}")
        })
        .collect()
}

fn pair(seed: u64, count: usize, edits: u64) -> (World, World) {
    let mut dice = Dice(seed);
    let passing = World::random(&mut dice, count);
    let failing = match edits {
        0 => World::random(&mut dice, count),
        _ => passing.changed(&mut dice, edits),
    };
    (passing, failing)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_deltas_together_make_the_failing_state(seed: u64, count in 1_usize..30, edits in 0_u64..6) {
        let types = types();
        let (passing, failing) = pair(seed, count, edits);
        let here = passing.placed(0x10_0000, &mut Dice(seed ^ 1));
        let there = failing.placed(0x90_0000, &mut Dice(seed ^ 2));
        let (one, other) = (here.graph(&types), there.graph(&types));
        let found = Differences::of(&one, &other);
        let all = Alteration::of(&found, &found.deltas);
        let altered = here.altered(&all);
        let graph = altered.graph(&types);
        let left = Differences::of(&graph, &other);
        prop_assert_eq!(described(&left), Vec::<String>::new(), "{:?}", described(&found));
        prop_assert_eq!(Shape::of(&altered), Shape::of(&there), "{:?}", described(&found));
    }

    #[test]
    fn no_deltas_change_nothing_and_equal_states_have_none(seed: u64, count in 1_usize..30) {
        let types = types();
        let (passing, _) = pair(seed, count, 1);
        let here = passing.placed(0x10_0000, &mut Dice(seed ^ 1));
        let there = passing.placed(0x90_0000, &mut Dice(seed ^ 2));
        let (one, other) = (here.graph(&types), there.graph(&types));
        let found = Differences::of(&one, &other);
        prop_assert_eq!(described(&found), Vec::<String>::new());
        prop_assert_eq!(Alteration::of(&found, []), Alteration::default());
    }

    #[test]
    fn where_things_lie_does_not_matter(seed: u64, count in 1_usize..30, edits in 0_u64..6) {
        let types = types();
        let (passing, failing) = pair(seed, count, edits);
        let here = passing.placed(0x10_0000, &mut Dice(seed ^ 1));
        let one = here.graph(&types);
        let described = [(0x90_0000, 2), (0x90_0000, 2), (0x1190_0000, 3)].map(|(base, order)| {
            let there = failing.placed(base, &mut Dice(seed ^ order));
            let other = there.graph(&types);
            described(&Differences::of(&one, &other))
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
            Side::new(Stretch { start: 0x10_0000, bytes }, 0x10_0060)
        };
        let (here, there) = (side(&words), side(&other));
        let (one, other) = (here.graph(&types), there.graph(&types));
        let again = here.graph(&types);
        prop_assert_eq!(&one.objects, &again.objects);
        let found = Differences::of(&one, &other);
        let text: usize = described(&found).iter().map(String::len).sum();
        prop_assert!(text < 1_000_000);
        Alteration::of(&found, &found.deltas);
        for id in one.ids() {
            naming::summary(&one, id);
            prop_assert!(naming::whole(&one, id).len() < 2_000);
            prop_assert!(one.memory.bytes(one.object(id).address, one.object(id).size).is_some());
        }
    }
}
