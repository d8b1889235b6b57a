//! Tests of the search among deltas that depend on each other.

use super::DependentSearch;
use crate::configuration::Configuration;
use crate::dd::Isolated;
use crate::dependencies::Dependencies;
use crate::grouping::Grouping;
use crate::oracle::memo::Memo;
use crate::outcome::Outcome;

fn all(deltas: u32) -> Isolated {
    Isolated { passing: Configuration::empty(), failing: Configuration::full(deltas) }
}

/// Sixty files of ten lines.
fn files_and_lines() -> [Grouping; 2] {
    [Grouping::new((0..60).map(|file| file * 10).collect(), 600), Grouping::singles(600)]
}

fn nothing<O>(_: &O, _: &Configuration, _: &mut Dependencies) {}

/// The difference, whether the search was complete, and the number of tests.
fn isolate(
    patience: usize,
    test: impl Fn(&Configuration) -> Outcome,
) -> (Configuration, bool, usize) {
    let (levels, mut oracle) = (files_and_lines(), Memo::of(test));
    let mut search = DependentSearch::new(
        &levels,
        Dependencies::new(600),
        Dependencies::new(600),
        patience,
        nothing::<Memo<_, _>>,
    );
    let found = search.isolate(all(600), &mut oracle).unwrap();
    (found.sides.difference(), found.complete, oracle.tests())
}

#[test]
fn a_group_that_can_be_removed_alone_is_found_among_many_that_depend_on_each_other() {
    // The first fifty files must be of one version; the cause is line 555.
    let (found, complete, tests) =
        isolate(100, |c| match (0..500).filter(|&delta| c.contains(delta)).count() {
            0 | 500 => Outcome::fails_if(c.contains(555)),
            _ => Outcome::Unresolved,
        });
    assert_eq!((found, complete), (Configuration::from([555]), true));
    assert!(tests <= 75, "{tests}");
}

#[test]
fn without_unresolved_outcomes_it_takes_one_test_per_halving() {
    let (found, complete, tests) = isolate(10, |c| Outcome::fails_if(c.contains(555)));
    assert_eq!((found, complete), (Configuration::from([555]), true));
    assert!(tests <= 12, "{tests}");
}

#[test]
fn a_rewrite_costs_no_more_unresolved_tests_than_its_patience() {
    let (found, complete, tests) =
        isolate(15, |c| match (0..500).filter(|&delta| c.contains(delta)).count() {
            0 => Outcome::Pass,
            500 => Outcome::Fail,
            _ => Outcome::Unresolved,
        });
    assert!(!complete && found.len() >= 500 && tests <= 20, "{} {tests}", found.len());
}

/// The definition that a delta needs. Definitions are at the beginning and at the end, and need nothing.
fn needs(delta: u32) -> u32 {
    match delta {
        10..590 if delta.is_multiple_of(2) => 590 + delta % 10,
        10..590 => delta % 10,
        definition => definition,
    }
}

fn builds(c: &Configuration) -> bool {
    c.iter().all(|delta| c.contains(needs(delta)))
}

#[test]
fn what_unresolved_outcomes_say_is_learned() {
    let levels = files_and_lines();
    let fails = |c: &Configuration| match builds(c) {
        true => Outcome::fails_if(c.contains(347)),
        false => Outcome::Unresolved,
    };
    let mut plain = Memo::of(fails);
    let mut search = DependentSearch::new(
        &levels,
        Dependencies::new(600),
        Dependencies::new(600),
        10_000,
        nothing::<Memo<_, _>>,
    );
    search.isolate(all(600), &mut plain).unwrap();
    let mut learning = Memo::of(fails);
    let learn = |_: &Memo<_, _>, c: &Configuration, dependencies: &mut Dependencies| {
        let missing: Vec<u32> = c.iter().map(needs).filter(|need| !c.contains(*need)).collect();
        for need in missing {
            let dependents = (0..600).filter(|&delta| needs(delta) == need && delta != need);
            dependencies.add(dependents, [need]);
        }
    };
    let mut search = DependentSearch::new(
        &levels,
        Dependencies::new(600),
        Dependencies::new(600),
        10_000,
        learn,
    );
    let found = search.isolate(all(600), &mut learning).unwrap();
    assert_eq!(found.sides.difference(), Configuration::from([347]));
    assert!(learning.tests() < plain.tests(), "{} {}", learning.tests(), plain.tests());
    let cause = found.sides.difference();
    let alone = search.with_context(&cause, &Configuration::full(600), &mut learning);
    assert_eq!(alone.unwrap().failing, Configuration::from([7, 347]));
}

#[test]
fn a_chain_of_changes_is_bisected_whatever_the_order_of_their_files() {
    // Each change needs the one before it in a history that goes back and forth between the files.
    let change = |step: u32| step * 241 % 600;
    let mut dependencies = Dependencies::new(600);
    (1..600).for_each(|step| dependencies.add([change(step)], [change(step - 1)]));
    let none = Dependencies::new(600);
    let levels = files_and_lines();
    let mut oracle = Memo::of(|c: &Configuration| match dependencies.is_closed(c) {
        true => Outcome::fails_if(c.contains(change(431))),
        false => Outcome::Unresolved,
    });
    let mut search =
        DependentSearch::new(&levels, none, dependencies.clone(), 10, nothing::<Memo<_, _>>);
    let found = search.isolate(all(600), &mut oracle).unwrap();
    assert_eq!(found.sides.difference(), Configuration::from([change(431)]));
    assert!(oracle.tests() <= 12, "{}", oracle.tests());
}

#[test]
fn many_changes_that_need_each_other_are_taken_out_at_once() {
    // A rewrite of 400 lines in 40 files, used by none of the others; the cause is line 555.
    let mut dependencies = Dependencies::new(600);
    dependencies.tie((0..600).filter(|delta| delta % 3 > 0 && delta % 10 != 5));
    let rewritten = dependencies.with_needs(&[1].into(), &Configuration::full(600)).len();
    let levels = files_and_lines();
    let mut oracle = Memo::of(|c: &Configuration| match dependencies.is_closed(c) {
        true => Outcome::fails_if(c.contains(555)),
        false => Outcome::Unresolved,
    });
    let none = Dependencies::new(600);
    let mut search =
        DependentSearch::new(&levels, none, dependencies.clone(), 10, nothing::<Memo<_, _>>);
    let found = search.isolate(all(600), &mut oracle).unwrap();
    assert_eq!(found.sides.difference(), Configuration::from([555]));
    assert!(rewritten > 300 && oracle.tests() <= 14, "{}", oracle.tests());
}

#[test]
fn a_context_that_nothing_says_is_needed_is_found_in_the_same_group() {
    let levels = files_and_lines();
    let mut oracle = Memo::of(|c: &Configuration| {
        Outcome::fails_if([41, 44, 47].iter().all(|&delta| c.contains(delta)))
    });
    let none = || Dependencies::new(600);
    let mut search = DependentSearch::new(&levels, none(), none(), 20, nothing::<Memo<_, _>>);
    let found = search.isolate(all(600), &mut oracle).unwrap();
    let cause = found.sides.difference();
    assert_eq!(cause.len(), 1);
    let alone = search.with_context(&cause, &found.sides.failing, &mut oracle).unwrap();
    assert_eq!((alone.failing, alone.is_least), (Configuration::from([41, 44, 47]), true));
}

#[test]
fn the_wrong_place_of_new_code_is_found_within_its_replacement() {
    // The lines of a new function (100 to 119) are used only together with its call, line 550, which replaces the old code
    // on lines 551 to 569. Line 107 is wrong.
    let levels = files_and_lines();
    let mut oracle = Memo::of(|c: &Configuration| {
        let replaced = (550..570).filter(|&delta| c.contains(delta)).count();
        match replaced {
            0 => Outcome::Pass,
            20 => Outcome::fails_if(c.contains(107)),
            _ => Outcome::Unresolved,
        }
    });
    let none = || Dependencies::new(600);
    let mut search = DependentSearch::new(&levels, none(), none(), 200, nothing::<Memo<_, _>>);
    let alone = Configuration::from_deltas((100..120).chain(550..570));
    let whole = Configuration::full(600);
    let places = search.deciding_places(&alone, &whole, &mut oracle).unwrap();
    let places: Vec<Configuration> = places.into_iter().map(|place| place.deltas).collect();
    assert_eq!(places, [Configuration::from([107])]);
    assert!(oracle.tests() <= 41, "{}", oracle.tests());
}

#[test]
fn every_place_that_decides_is_found_with_what_needs_it() {
    // Lines 41, 44 and 47 fail together. Line 44 is used by line 48, which cannot be built without it.
    let levels = files_and_lines();
    let mut oracle = Memo::of(|c: &Configuration| match c.contains(48) && !c.contains(44) {
        true => Outcome::Unresolved,
        false => Outcome::fails_if([41, 44, 47].iter().all(|&delta| c.contains(delta))),
    });
    let ties = Dependencies::new(600);
    let mut dependencies = ties.clone();
    dependencies.add([48], [44]);
    let mut search = DependentSearch::new(&levels, ties, dependencies, 200, nothing::<Memo<_, _>>);
    let (alone, whole) = (Configuration::from_deltas(40..50), Configuration::full(600));
    let places = search.deciding_places(&alone, &whole, &mut oracle).unwrap();
    let places: Vec<Configuration> = places.into_iter().map(|place| place.deltas).collect();
    assert_eq!(places, [[41].into(), [47].into(), Configuration::from([44, 48])]);
}

#[test]
fn a_suspect_is_tested_before_single_groups() {
    // Hardly any mixture can be tested, but for single lines; the cause is line 555.
    let levels = [Grouping::singles(600)];
    let test = |c: &Configuration| match c.len() {
        0..=2 | 599.. => Outcome::fails_if(c.contains(555)),
        _ => Outcome::Unresolved,
    };
    let isolate = |suspects: &[u32]| {
        let none = || Dependencies::new(600);
        let suspects = suspects.iter().map(|&delta| Configuration::from([delta])).collect();
        let mut oracle = Memo::of(test);
        let search = DependentSearch::new(&levels, none(), none(), 50, nothing::<Memo<_, _>>);
        let found = search.suspecting(suspects).isolate(all(600), &mut oracle).unwrap();
        (found.sides.difference().len(), oracle.tests())
    };
    let (left, tests) = isolate(&[3, 9, 555]);
    assert!(left == 1 && tests < 30, "{left} after {tests}");
    let (left, tests) = isolate(&[3, 9]);
    let (left_without, tests_without) = isolate(&[]);
    assert!(left == left_without && left > 500, "{left} and {left_without}");
    assert_eq!(tests, tests_without + 2);
}

/// Line 7 of sixty files, which needs line 300 and no other; but all that was learned in the search connects it with a
/// hundred lines.
fn connected() -> (Dependencies, impl Fn(&Configuration) -> Outcome) {
    let mut learned = Dependencies::new(600);
    learned.tie((300..400).chain([7]));
    let test = |c: &Configuration| match c.contains(7) == c.contains(300) {
        true => Outcome::fails_if(c.contains(7)),
        false => Outcome::Unresolved,
    };
    (learned, test)
}

/// Learns that lines 7 and 300 need each other where only one of them is applied.
fn learn_pair<O>(_: &O, c: &Configuration, dependencies: &mut Dependencies) {
    if c.contains(7) != c.contains(300) {
        dependencies.tie([7, 300]);
    }
}

#[test]
fn what_other_tests_have_mentioned_is_no_part_of_a_context() {
    let (levels, (learned, test)) = (files_and_lines(), connected());
    let none = Dependencies::new(600);
    let mut oracle = Memo::of(test);
    let mut search = DependentSearch::new(&levels, none, learned, 50, learn_pair::<Memo<_, _>>);
    let all = Configuration::full(600);
    let found = search.with_context(&[7].into(), &all, &mut oracle).unwrap();
    assert_eq!((found.failing, found.is_least), ([7, 300].into(), true));
    let (without, outcome) = search.test_removal(&[7].into(), &all, &mut oracle).unwrap();
    assert_eq!((without.len(), outcome), (598, Outcome::Pass));
    assert!(oracle.tests() <= 5, "{}", oracle.tests());
}

#[test]
fn a_context_and_a_removal_that_nothing_explains_are_made_fewer_by_halves() {
    let (levels, (learned, test)) = (files_and_lines(), connected());
    let none = Dependencies::new(600);
    let mut oracle = Memo::of(test);
    let mut search = DependentSearch::new(&levels, none, learned, 200, nothing::<Memo<_, _>>);
    let all = Configuration::full(600);
    let found = search.with_context(&[7].into(), &all, &mut oracle).unwrap();
    assert_eq!((found.failing, found.is_least), ([7, 300].into(), true));
    let (without, outcome) = search.test_removal(&[7].into(), &all, &mut oracle).unwrap();
    assert_eq!((without.len(), outcome), (499, Outcome::Pass));
    let removed = all.difference(&without);
    let removed = search.least_removal(&[7].into(), removed, &all, &mut oracle).unwrap();
    assert_eq!(removed, [7, 300].into());
    assert!(oracle.tests() <= 60, "{}", oracle.tests());
}

#[test]
fn a_context_is_not_called_the_least_if_its_tests_have_ended_before() {
    let levels = [Grouping::singles(600)];
    let mut oracle = Memo::of(|c: &Configuration| {
        let applied = (0..600).filter(|delta| c.contains(*delta)).count();
        if applied >= 300 { Outcome::Fail } else { Outcome::Pass }
    });
    let none = || Dependencies::new(600);
    let mut search = DependentSearch::new(&levels, none(), none(), 500, nothing::<Memo<_, _>>);
    let all = Configuration::full(600);
    let found = search.with_context(&[7].into(), &all, &mut oracle).unwrap();
    assert!(!found.is_least && found.failing.len() < 400, "{}", found.failing.len());
}
