//! The lazy streams against a straightforward implementation, on random outcome tables.

use proptest::prelude::*;
use std::collections::BTreeMap;
use wynot_core::{
    Configuration, Dependencies, DependentSearch, Grouping, Isolated, Memo, Outcome, Stopped, dd,
    ddmax, ddmin, ddmin_next, gather, larger_passing_or_smaller_failing, smaller_failing,
};

/// Outcomes of all subsets of up to 12 deltas: random, not monotone, with the two axioms.
#[derive(Clone, Debug)]
struct Table {
    deltas: u32,
    /// How many of 20 subsets pass and fail; the others are unresolved.
    pass: u64,
    fail: u64,
    seed: u64,
}

/// Learns nothing from unresolved outcomes.
fn nothing<O>(_: &O, _: &Configuration, _: &mut Dependencies) {}

impl Table {
    fn outcome(&self, c: &Configuration) -> Outcome {
        let mask = c.iter().fold(0u64, |mask, delta| mask | 1 << delta);
        if mask == 0 || mask == (1 << self.deltas) - 1 {
            return Outcome::fails_if(mask != 0);
        }
        // SplitMix64: any subset gets its outcome without a table being stored.
        let mut z = self.seed.wrapping_add((mask + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        match (z ^ z >> 31) % 20 {
            draw if draw < self.pass => Outcome::Pass,
            draw if draw < self.pass + self.fail => Outcome::Fail,
            _ => Outcome::Unresolved,
        }
    }

    fn full(&self) -> Configuration {
        Configuration::full(self.deltas)
    }

    fn sides(&self) -> Isolated {
        Isolated { passing: Configuration::empty(), failing: self.full() }
    }
}

fn table() -> impl Strategy<Value = Table> {
    (1u32..=12, 0u64..=12, 0u64..=12, any::<u64>()).prop_map(|(deltas, pass, fail, seed)| Table {
        deltas,
        pass,
        fail,
        seed,
    })
}

/// The algorithms as one would write them down at first: vectors, no laziness, no oracle.
struct Reference<'a> {
    table: &'a Table,
    tested: BTreeMap<Vec<u32>, Outcome>,
}

impl<'a> Reference<'a> {
    fn new(table: &'a Table) -> Self {
        Self { table, tested: BTreeMap::new() }
    }

    fn test(&mut self, deltas: &[u32]) -> Outcome {
        let mut sorted = deltas.to_vec();
        sorted.sort_unstable();
        let outcome = self.table.outcome(&sorted.iter().copied().collect());
        self.tested.insert(sorted, outcome);
        outcome
    }

    fn split(deltas: &[u32], n: usize) -> Vec<Vec<u32>> {
        let mut rest = deltas;
        let mut parts = Vec::new();
        for left in (1..=n).rev() {
            let (part, others) = rest.split_at(rest.len() / left);
            parts.push(part.to_vec());
            rest = others;
        }
        parts
    }

    fn without(deltas: &[u32], removed: &[u32]) -> Vec<u32> {
        deltas.iter().copied().filter(|delta| !removed.contains(delta)).collect()
    }

    fn ddmin(&mut self) -> Vec<u32> {
        let mut failing: Vec<u32> = (0..self.table.deltas).collect();
        let mut n = 2;
        'search: while failing.len() >= 2 {
            let parts = Self::split(&failing, n);
            for part in &parts {
                if self.test(part) == Outcome::Fail {
                    failing = part.clone();
                    n = 2;
                    continue 'search;
                }
            }
            for part in &parts {
                let complement = Self::without(&failing, part);
                if self.test(&complement) == Outcome::Fail {
                    failing = complement;
                    n = (n - 1).max(2);
                    continue 'search;
                }
            }
            if n == failing.len() {
                break;
            }
            n = (2 * n).min(failing.len());
        }
        failing
    }

    fn ddmin_next(&mut self) -> Vec<u32> {
        let mut failing: Vec<u32> = (0..self.table.deltas).collect();
        let mut n = 2;
        'search: while failing.len() >= 2 {
            for part in Self::split(&failing, n) {
                if self.test(&part) == Outcome::Fail {
                    (failing, n) = (part, 2);
                    continue 'search;
                }
            }
            loop {
                let mut has_failed = false;
                let mut index = 0;
                while n > 2 && index < n {
                    let complement = Self::without(&failing, &Self::split(&failing, n)[index]);
                    if self.test(&complement) == Outcome::Fail {
                        (failing, n, has_failed) = (complement, n - 1, true);
                    } else {
                        index += 1;
                    }
                    if n == 2 && has_failed {
                        continue 'search;
                    }
                }
                match (n == failing.len(), has_failed) {
                    (true, true) => {}
                    (true, false) => break 'search,
                    (false, _) => break,
                }
            }
            n = (2 * n).min(failing.len());
        }
        failing
    }

    fn dd(&mut self, failures_count: bool) -> (Vec<u32>, Vec<u32>) {
        let (mut passing, mut failing) = (vec![], (0..self.table.deltas).collect::<Vec<u32>>());
        let mut n = 2;
        'search: loop {
            let difference = Self::without(&failing, &passing);
            if difference.len() < 2 {
                return (passing, failing);
            }
            let parts = Self::split(&difference, n);
            let mut first_passing_subset = None;
            let mut first_failing_complement = None;
            for part in &parts {
                let mut subset = [passing.clone(), part.clone()].concat();
                subset.sort_unstable();
                match self.test(&subset) {
                    Outcome::Fail if failures_count => {
                        (failing, n) = (subset, 2);
                        continue 'search;
                    }
                    Outcome::Pass if n == 2 => {
                        passing = subset;
                        continue 'search;
                    }
                    Outcome::Pass => {
                        first_passing_subset.get_or_insert(subset);
                    }
                    _ => {}
                }
            }
            for part in &parts {
                let complement = Self::without(&failing, part);
                match self.test(&complement) {
                    Outcome::Pass => {
                        (passing, n) = (complement, 2);
                        continue 'search;
                    }
                    Outcome::Fail if failures_count => {
                        first_failing_complement.get_or_insert(complement);
                    }
                    _ => {}
                }
            }
            if let Some(subset) = first_passing_subset {
                (passing, n) = (subset, (n - 1).max(2));
            } else if let Some(complement) = first_failing_complement {
                (failing, n) = (complement, (n - 1).max(2));
            } else if n < difference.len() {
                n = (2 * n).min(difference.len());
            } else {
                return (passing, failing);
            }
        }
    }
}

/// An oracle over a table that gives up after a number of tests.
fn limited(
    table: &Table,
    tests: usize,
) -> Memo<Configuration, impl FnMut(&Configuration) -> Result<Outcome, LimitReached>> {
    let mut left = tests;
    Memo::new(move |c: &Configuration| {
        left = left.checked_sub(1).ok_or(LimitReached)?;
        Ok(table.outcome(c))
    })
}

#[derive(Debug)]
struct LimitReached;

fn set(deltas: &[u32]) -> Configuration {
    deltas.iter().copied().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn ddmin_agrees_with_the_reference_in_result_and_tests(table in table()) {
        let mut reference = Reference::new(&table);
        let expected = reference.ddmin();
        let mut oracle = Memo::of(|c: &Configuration| table.outcome(c));
        let minimal = ddmin(table.full(), &mut oracle).unwrap();
        prop_assert_eq!(&minimal, &set(&expected));
        prop_assert_eq!(oracle.tests(), reference.tested.len());
        prop_assert_eq!(table.outcome(&minimal), Outcome::Fail);
        // ∅ passes by axiom, so a single delta is minimal without a test.
        prop_assert_eq!(smaller_failing(&minimal, 1, &mut oracle), Ok(None));
        let n = table.deltas as usize;
        prop_assert!(oracle.tests() <= n * n + 3 * n);
    }

    #[test]
    fn ddmin_that_goes_on_agrees_with_the_reference_and_is_1_minimal(table in table()) {
        let mut reference = Reference::new(&table);
        let expected = reference.ddmin_next();
        let mut oracle = Memo::of(|c: &Configuration| table.outcome(c));
        let minimal = ddmin_next(table.full(), &mut oracle).unwrap();
        prop_assert_eq!(&minimal, &set(&expected));
        prop_assert_eq!(oracle.tests(), reference.tested.len());
        prop_assert_eq!(table.outcome(&minimal), Outcome::Fail);
        prop_assert_eq!(smaller_failing(&minimal, 1, &mut oracle), Ok(None));
    }

    #[test]
    fn dd_agrees_with_the_reference_in_result_and_tests(table in table()) {
        let mut reference = Reference::new(&table);
        let (passing, failing) = reference.dd(true);
        let mut oracle = Memo::of(|c: &Configuration| table.outcome(c));
        let sides = dd(table.sides(), &mut oracle).unwrap();
        prop_assert_eq!(&sides, &Isolated { passing: set(&passing), failing: set(&failing) });
        prop_assert_eq!(oracle.tests(), reference.tested.len());
        prop_assert_eq!(table.outcome(&sides.passing), Outcome::Pass);
        prop_assert_eq!(table.outcome(&sides.failing), Outcome::Fail);
        prop_assert_eq!(larger_passing_or_smaller_failing(&sides, 1, &mut oracle), Ok(None));
        let n = table.deltas as usize;
        prop_assert!(oracle.tests() <= n * n + 3 * n);
    }

    #[test]
    fn ddmax_agrees_with_a_reference_that_ignores_failures(table in table()) {
        let mut reference = Reference::new(&table);
        let (passing, _) = reference.dd(false);
        let mut oracle = Memo::of(|c: &Configuration| table.outcome(c));
        let sides = ddmax(table.sides(), &mut oracle).unwrap();
        prop_assert_eq!(&sides, &Isolated { passing: set(&passing), failing: table.full() });
        prop_assert_eq!(oracle.tests(), reference.tested.len());
    }

    #[test]
    fn gathered_deltas_fail_and_none_of_them_can_be_removed(table in table()) {
        let mut oracle = Memo::of(|c: &Configuration| table.outcome(c));
        let minimal = gather(table.full(), &mut oracle).unwrap();
        prop_assert_eq!(table.outcome(&minimal), Outcome::Fail);
        for delta in minimal.iter() {
            let without = minimal.difference(&set(&[delta]));
            prop_assert!(table.outcome(&without) != Outcome::Fail || without.is_empty());
        }
    }

    #[test]
    fn removing_single_groups_ends_with_a_difference_that_no_single_delta_narrows(
        table in table(), half in 1u32..8, tests in 0usize..60
    ) {
        let deltas = table.full().len() as u32;
        let coarse = Grouping::new((0..deltas).step_by(half as usize).collect(), deltas);
        let levels = [coarse, Grouping::singles(deltas)];
        let none = Dependencies::new(deltas);
        let mut oracle = Memo::of(|c: &Configuration| table.outcome(c));
        let mut search = DependentSearch::new(&levels, none.clone(), none.clone(), 10_000, nothing);
        let sides = search.isolate(table.sides(), &mut oracle).unwrap().sides;
        let holds = |sides: &Isolated| {
            let (passing, failing) = (table.outcome(&sides.passing), table.outcome(&sides.failing));
            (passing, failing) == (Outcome::Pass, Outcome::Fail)
        };
        prop_assert!(holds(&sides));
        for delta in sides.difference().iter().filter(|_| sides.difference().len() > 1) {
            let single = set(&[delta]);
            prop_assert!(table.outcome(&sides.passing.union(&single)) == Outcome::Unresolved);
            prop_assert!(table.outcome(&sides.failing.difference(&single)) == Outcome::Unresolved);
        }
        let mut oracle = limited(&table, tests);
        let mut search = DependentSearch::new(&levels, none.clone(), none.clone(), 10_000, nothing);
        if let Err(Stopped { best, .. }) = search.isolate(table.sides(), &mut oracle) {
            prop_assert!(holds(&best));
        }
    }

    #[test]
    fn stopped_anywhere_the_best_still_fails(table in table(), tests in 0usize..60) {
        let mut oracle = limited(&table, tests);
        if let Err(Stopped { best, .. }) = ddmin(table.full(), &mut oracle) {
            prop_assert_eq!(table.outcome(&best), Outcome::Fail);
        }
        let mut oracle = limited(&table, tests);
        if let Err(Stopped { best, .. }) = dd(table.sides(), &mut oracle) {
            prop_assert_eq!(table.outcome(&best.failing), Outcome::Fail);
            prop_assert_eq!(table.outcome(&best.passing), Outcome::Pass);
            prop_assert!(best.passing.is_subset(&best.failing));
        }
    }

    #[test]
    fn a_counterexample_to_n_minimality_fails_and_is_smaller(table in table(), n in 1usize..4) {
        let mut oracle = Memo::of(|c: &Configuration| table.outcome(c));
        let minimal = ddmin(table.full(), &mut oracle).unwrap();
        match smaller_failing(&minimal, n, &mut oracle).unwrap() {
            Some(smaller) => {
                prop_assert_eq!(table.outcome(&smaller), Outcome::Fail);
                prop_assert!(smaller.is_subset(&minimal));
                prop_assert!((1..=n).contains(&(minimal.len() - smaller.len())));
            }
            None => {
                let whole: Vec<u32> = minimal.iter().collect();
                for mask in 1u32..1 << whole.len() {
                    let kept: Vec<u32> = (0..whole.len()).filter(|i| mask >> i & 1 == 1).map(|i| whole[i]).collect();
                    let removed = whole.len() - kept.len();
                    if (1..=n).contains(&removed) {
                        prop_assert_ne!(table.outcome(&set(&kept)), Outcome::Fail);
                    }
                }
            }
        }
    }
}
