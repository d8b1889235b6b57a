//! The paper's figures and propositions, as published.

use std::convert::Infallible;
use wynot_core::{Configuration, Isolated, Memo, Outcome, dd, ddmax, ddmin, ddmin_next, simplify};

fn deltas(range: std::ops::RangeInclusive<u32>) -> Configuration {
    Configuration::from_deltas(range)
}

/// An oracle that knows the two axioms.
fn oracle<T: FnMut(&Configuration) -> Outcome>(
    full: &Configuration,
    test: T,
) -> Memo<Configuration, impl FnMut(&Configuration) -> Result<Outcome, Infallible> + use<T>> {
    Memo::of(test)
        .with_known(Configuration::empty(), Outcome::Pass)
        .with_known(full.clone(), Outcome::Fail)
}

/// Figure 6: changes 1, 7 and 8 together fail; some of them are unresolved; none of them pass.
fn needs_1_7_8(c: &Configuration) -> Outcome {
    match [1, 7, 8].iter().filter(|&&delta| c.contains(delta)).count() {
        3 => Outcome::Fail,
        0 => Outcome::Pass,
        _ => Outcome::Unresolved,
    }
}

/// A test over the characters of a text.
fn on_text(text: &str, fails: fn(&str) -> bool) -> impl FnMut(&Configuration) -> Outcome + use<> {
    let characters: Vec<char> = text.chars().collect();
    move |c| {
        let kept: String = c.iter().map(|delta| characters[delta as usize]).collect();
        Outcome::fails_if(fails(&kept))
    }
}

const SELECT: &str = r#"<SELECT NAME="priority" MULTIPLE SIZE=7>"#;

fn has_select_tag(text: &str) -> bool {
    text.find("<SELECT").is_some_and(|at| text[at..].contains('>'))
}

#[test]
fn figure_4_quick_minimization_takes_5_tests() {
    let all = deltas(1..=8);
    let mut oracle = oracle(&all, |c| match c {
        _ if c.contains(7) => Outcome::Fail,
        _ if *c == deltas(1..=4) => Outcome::Unresolved,
        _ => Outcome::Pass,
    });
    assert_eq!(ddmin(all, &mut oracle), Ok(deltas(7..=7)));
    assert_eq!(oracle.tests(), 5);
}

#[test]
fn figure_6_increasing_granularity_takes_17_distinct_tests() {
    let all = deltas(1..=8);
    let mut order = Vec::new();
    let mut oracle = oracle(&all, |c| {
        order.push(c.to_string());
        needs_1_7_8(c)
    });
    assert_eq!(ddmin(all, &mut oracle), Ok(Configuration::from([1, 7, 8])));
    assert_eq!(oracle.tests(), 17);
    drop(oracle);
    // Steps 1-8, 13, 16-21, 26, 27; the paper's 12 and 25 repeat steps 2 and 6.
    let figure = "{1-4} {5-8} {1-2} {3-4} {5-6} {7-8} {3-8} {1-2, 5-8} {1-2, 7-8} \
                  {1} {2} {7} {8} {2, 7-8} {1, 7-8} {1, 8} {1, 7}";
    assert_eq!(order.join(" "), figure);
}

#[test]
fn going_on_after_a_complement_takes_fewer_tests_where_much_can_go() {
    // Every 16th of 320 changes is needed: what is left after each success is still large.
    let all = deltas(1..=320);
    let needs_every_16th =
        |c: &Configuration| match (1..=20).filter(|number| c.contains(16 * number)).count() {
            20 => Outcome::Fail,
            0 => Outcome::Pass,
            _ => Outcome::Unresolved,
        };
    let needed = Configuration::from_deltas((1..=20).map(|number| 16 * number));
    let mut starting_over = oracle(&all, needs_every_16th);
    assert_eq!(ddmin(all.clone(), &mut starting_over), Ok(needed.clone()));
    let mut going_on = oracle(&all, needs_every_16th);
    assert_eq!(ddmin_next(all.clone(), &mut going_on), Ok(needed));
    let tests = (starting_over.tests(), going_on.tests());
    assert!(2 * tests.1 < tests.0, "{tests:?}");
}

#[test]
fn isolating_figure_6_takes_22_tests() {
    let start = Isolated { passing: Configuration::empty(), failing: deltas(1..=8) };
    let mut oracle = oracle(&start.failing, needs_1_7_8);
    let sides = dd(start, &mut oracle).unwrap();
    assert_eq!(sides.difference(), Configuration::from([1, 7, 8]));
    assert_eq!(oracle.tests(), 22);
}

#[test]
fn the_text_2424_is_simplified_to_42_in_9_tests() {
    let all = Configuration::full(4);
    let mut oracle = oracle(&all, on_text("2424", |text| text.contains("42")));
    assert_eq!(ddmin(all, &mut oracle), Ok(Configuration::from([1, 2])));
    assert_eq!(oracle.tests(), 9);
}

#[test]
fn figure_2_the_select_tag_takes_78_tests() {
    let all = Configuration::full(SELECT.len() as u32);
    let mut oracle = oracle(&all, on_text(SELECT, has_select_tag));
    let minimal = ddmin(all, &mut oracle).unwrap();
    let text: String = minimal.iter().map(|d| SELECT.as_bytes()[d as usize] as char).collect();
    assert_eq!(text, "<SELECT>");
    assert_eq!(oracle.tests(), 78);
}

#[test]
fn figure_3_isolating_in_the_select_tag_takes_6_tests() {
    let start = Isolated {
        passing: Configuration::empty(),
        failing: Configuration::full(SELECT.len() as u32),
    };
    let mut oracle = oracle(&start.failing, on_text(SELECT, has_select_tag));
    let sides = dd(start, &mut oracle).unwrap();
    let last = SELECT.len() as u32 - 1;
    assert_eq!(sides.difference(), Configuration::from([last]));
    assert_eq!(oracle.tests(), 6);
}

#[test]
fn proposition_12_the_worst_case_stays_below_its_bound_and_comes_near() {
    for len in [8u32, 16, 32, 64] {
        // Nothing fails until single deltas are removed; then always the last but one can go.
        let all = Configuration::full(len);
        let mut oracle = oracle(&all, |c| {
            let removed = Configuration::full(len).difference(c);
            match removed.ranges() {
                [range] if range.start > 0 && range.end == len - 1 => Outcome::Fail,
                _ => Outcome::Unresolved,
            }
        });
        ddmin(all, &mut oracle).unwrap();
        let n = len as usize;
        assert!(oracle.tests() <= n * n + 3 * n, "{len}: {}", oracle.tests());
        assert!(oracle.tests() * 2 >= n * n, "{len}: {} is no bad case", oracle.tests());
    }
}

#[test]
fn proposition_13_one_failing_change_takes_at_most_two_tests_per_halving() {
    for len in [2u32, 3, 7, 8, 100, 1 << 10, 1 << 20] {
        for needed in [0, len / 3, len - 1] {
            let all = Configuration::full(len);
            let mut oracle = oracle(&all, |c| Outcome::fails_if(c.contains(needed)));
            assert_eq!(ddmin(all, &mut oracle), Ok(Configuration::from([needed])));
            assert!(oracle.tests() <= 2 * log2_up(len), "{len}: {}", oracle.tests());
        }
    }
}

#[test]
fn proposition_18_without_unresolved_outcomes_dd_is_a_binary_search() {
    for len in [2u32, 3, 7, 8, 100, 1 << 10, 1 << 20] {
        for needed in [0, len / 3, len - 1] {
            let start =
                Isolated { passing: Configuration::empty(), failing: Configuration::full(len) };
            let mut oracle = oracle(&start.failing, |c| Outcome::fails_if(c.contains(needed)));
            let sides = dd(start, &mut oracle).unwrap();
            assert_eq!(sides.difference(), Configuration::from([needed]));
            assert!(oracle.tests() <= log2_up(len), "{len}: {}", oracle.tests());
        }
    }
}

#[test]
fn ddmax_grows_the_passing_side_only() {
    let start = Isolated { passing: Configuration::empty(), failing: deltas(1..=8) };
    let mut oracle = oracle(&start.failing, needs_1_7_8);
    let sides = ddmax(start.clone(), &mut oracle).unwrap();
    assert_eq!(sides.failing, start.failing);
    assert_eq!(sides.passing, Configuration::from_deltas(2..=6));
}

#[test]
fn dd_may_start_from_any_passing_subset() {
    let start = Isolated { passing: deltas(1..=3), failing: deltas(1..=8) };
    let mut oracle = oracle(&start.failing, |c| Outcome::fails_if(c.contains(6)));
    let sides = dd(start, &mut oracle).unwrap();
    assert_eq!(sides.difference(), deltas(6..=6));
    assert!(deltas(1..=3).is_subset(&sides.passing));
}

#[test]
fn monotonicity_saves_tests_and_keeps_the_result_of_a_monotone_test() {
    let all = deltas(1..=8);
    let test = |c: &Configuration| Outcome::fails_if([1, 7, 8].iter().all(|&d| c.contains(d)));
    let mut plain = Memo::of(test);
    let mut monotone = Memo::of(test).assuming_monotonicity();
    assert_eq!(ddmin(all.clone(), &mut plain), ddmin(all, &mut monotone));
    assert!(monotone.tests() < plain.tests(), "{} {}", monotone.tests(), plain.tests());
}

#[test]
fn nothing_and_one_item_need_no_test() {
    let untestable = |_: &[&u8]| -> Outcome { panic!("no test is needed") };
    assert!(simplify(&[], untestable).is_empty());
    assert_eq!(simplify(&[3], untestable), [&3]);
}

fn log2_up(n: u32) -> usize {
    f64::from(n).log2().ceil() as usize
}
