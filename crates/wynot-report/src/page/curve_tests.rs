//! Tests of the curves: everything is drawn inside, however absurd the records are.

use crate::page::chart_width::ChartWidth::{self, Broad, Narrow};
use crate::page::curve::{Curve, HEIGHT, LINE_HEIGHT};
use crate::page::session_summary::SessionSummary;
use crate::page::session_summary::tests::{end, run, step, summary};
use wynot_session::{EndRecord, SearchPart, Side, Step};

fn failing(sizes: impl IntoIterator<Item = u64>) -> Vec<Step> {
    (1..).zip(sizes).map(|(tests, size)| step(tests, Side::Failing, size)).collect()
}

/// The curve of the only part of a search.
fn curve(summary: &SessionSummary, width: ChartWidth) -> String {
    let parts = summary.parts_with_steps();
    let (part, steps) = &parts[0];
    Curve::of(summary, part, steps, summary.tests_used(), width).to_string()
}

fn marks(svg: &str) -> usize {
    svg.matches("<circle").count()
}

/// All numbers of an attribute or path, in order.
fn numbers<'a>(svg: &'a str, attribute: &str) -> Vec<f64> {
    let opening = format!(" {attribute}=\"");
    let values: Vec<&'a str> =
        svg.split(&opening).skip(1).filter_map(|rest| rest.split('"').next()).collect();
    values.iter().map(|value| value.parse().unwrap()).collect()
}

fn assert_inside(svg: &str, width: ChartWidth) {
    let width = width.units();
    for (attributes, size) in [(["x", "cx"], width), (["y", "cy"], HEIGHT)] {
        for place in attributes.iter().flat_map(|attribute| numbers(svg, attribute)) {
            assert!((0.0..=size).contains(&place), "{place} in {svg}");
        }
    }
    for path in svg.split(" d=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        let moves: Vec<&str> = path.split_inclusive(|c: char| c.is_alphabetic()).collect();
        for pair in moves.windows(2) {
            let size = if pair[0].ends_with('V') { HEIGHT } else { width };
            for number in pair[1].trim_end_matches(char::is_alphabetic).split(' ') {
                let place: f64 = number.parse().unwrap();
                assert!((0.0..=size).contains(&place), "{place} in {path}");
            }
        }
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn few_steps_are_all_marked() {
    for steps in [0, 1, 2] {
        let sizes = failing([500, 499].into_iter().take(steps));
        for tests in [0, 900] {
            let end = (tests > 0).then(|| end(tests, 100));
            let svg = curve(&summary(run("reduce", 1000, 9), sizes.clone(), end), Narrow);
            // The second step is right beside the first, but it is the last.
            assert!(marks(&svg) == steps + 1, "{steps} steps: {svg}");
            assert_inside(&svg, Narrow);
        }
    }
}

#[test]
fn many_steps_are_thinned_out_but_the_last_is_there() {
    let sizes = failing((0..5000).map(|i| 5001 - i));
    let svg = curve(&summary(run("reduce", 6000, 9), sizes, Some(end(9000, 2))), Broad);
    assert!((30..100).contains(&marks(&svg)), "{}", marks(&svg));
    assert!(svg.contains("<title>test 5,000: subset 1/2, by line → 2 bytes</title>"));
    assert!(svg.contains("logarithmic"));
    assert!(svg.len() < 150_000, "{}", svg.len());
    assert_inside(&svg, Broad);
}

#[test]
fn an_isolation_has_two_sides_that_meet() {
    let steps =
        vec![step(1, Side::Passing, 20), step(3, Side::Failing, 30), step(6, Side::Passing, 29)];
    let svg = curve(&summary(run("isolate", 999, 40), steps, Some(end(7, 30))), Broad);
    assert_eq!(svg.matches(r#"class="mark fail""#).count(), 2);
    assert_eq!(svg.matches(r#"class="mark pass""#).count(), 3);
    assert_eq!(svg.matches(r#"class="line "#).count(), 2);
    assert_inside(&svg, Broad);
    let labels: Vec<&str> = svg.split("class=\"size ").skip(2).collect();
    let heights: Vec<f64> = labels.iter().map(|label| numbers(label, "y")[0]).collect();
    assert!(heights[1] - heights[0] >= LINE_HEIGHT - 0.1, "labels overlap: {heights:?}");
}

#[test]
fn absurd_records_stay_inside_too() {
    let steps = vec![
        step(u64::MAX, Side::Failing, 0),
        step(3, Side::Failing, u64::MAX),
        step(0, Side::Passing, u64::MAX),
        Step { part: "</title><script>".to_owned(), level: 99, ..step(7, Side::Passing, 1) },
    ];
    for verb in ["reduce", "isolate", ""] {
        for width in [Broad, Narrow] {
            let svg = curve(&summary(run(verb, 0, 0), steps.clone(), None), width);
            assert_inside(&svg, width);
            assert!(!svg.contains("<script>"));
        }
    }
}
#[test]
fn a_passing_side_that_is_not_within_the_failing_one_is_not_drawn() {
    let steps = vec![step(1, Side::Passing, 10), step(2, Side::Failing, 1)];
    let found =
        summary(run("options", 9, 31), steps, Some(EndRecord { difference: Some(1), ..end(2, 1) }));
    let svg = curve(&found, Broad);
    assert_eq!(svg.matches(r#"class="line "#).count(), 1);
    assert!(svg.contains(r#"class="line fail""#));
}

#[test]
fn the_tests_of_a_later_part_go_on_where_the_part_before_ended() {
    let part = SearchPart {
        name: "cause 2".into(),
        noun: "option".into(),
        tests: 7,
        deltas: 30,
        bytes: 9,
    };
    let steps = [step(9, Side::Failing, 4)];
    let found = summary(
        run("options", 9, 31),
        steps.to_vec(),
        Some(EndRecord { difference: Some(1), ..end(14, 1) }),
    );
    let svg = Curve::of(&found, &part, &steps, 14, Broad).to_string();
    let marks = numbers(&svg, "cx");
    assert!(marks[0] < marks[1], "{svg}");
    assert!(svg.contains(">options</text>") && svg.contains(">14</text>"), "{svg}");
    assert_inside(&svg, Broad);
}
