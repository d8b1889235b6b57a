//! The published examples, through the program.

mod support;

use serde_json::{Value, json};
use support::Place;

fn executed(result: &Value) -> u64 {
    result["tests"]["executed"].as_u64().unwrap()
}

/// Figure 6 as a program: exit 1 with 1, 7 and 8, exit 0 with none of them, exit 2 otherwise.
const FIGURE_6: &str = r#"
have=$(tr -cd 178 < "$1")
case $have in 178) exit 1;; "") exit 0;; *) exit 2;; esac"#;

#[test]
fn figure_6_by_ddmin_takes_17_tests() {
    let place = Place::new();
    place.write("x.txt", "12345678");
    place.script("t", FIGURE_6);
    let result = place.json("reduce --algorithm ddmin --unit char x.txt -- ./t {}");
    assert_eq!(place.text("x.min.txt"), "178");
    assert_eq!(executed(&result), 17);
    assert_eq!(result["status"], "minimal");
    assert_eq!(result["minimality"], "1-minimal (char)");
    assert_eq!(result["deltas"], json!({"before": 8, "after": 3}));
    assert_eq!(result["bytes"], json!({"before": 8, "after": 3}));
    let tests = &result["tests"];
    let sum = ["pass", "fail", "unresolved"].map(|name| tests[name].as_u64().unwrap());
    assert_eq!(sum.iter().sum::<u64>(), 17);
}

#[test]
fn figure_6_by_dd_takes_22_tests_and_differs_in_1_7_8() {
    let place = Place::new();
    place.write("x.txt", "12345678");
    place.script("t", FIGURE_6);
    let result = place.json("isolate --unit char x.txt -- ./t {}");
    assert_eq!(executed(&result), 22);
    assert_eq!(
        (&result["difference"]["deltas"], &result["difference"]["bytes"]),
        (&json!(3), &json!(3))
    );
    assert_eq!(place.text("x.passing.txt"), "23456");
    assert_eq!(place.text("x.failing.txt"), "12345678");
}

#[test]
fn figure_4_takes_5_tests() {
    let place = Place::new();
    place.write("x.txt", "12345678");
    place.script("t", r#"case $(cat "$1") in *7*) exit 1;; 1234) exit 2;; *) exit 0;; esac"#);
    let result = place.json("reduce --algorithm ddmin --unit char x.txt -- ./t {}");
    assert_eq!(place.text("x.min.txt"), "7");
    assert_eq!(executed(&result), 5);
}

#[test]
fn the_text_2424_takes_9_tests() {
    let place = Place::new();
    place.write("x", "2424");
    let result = place.json("reduce --algorithm ddmin --unit char x -- grep -q 42");
    assert_eq!(place.text("x.min"), "42");
    assert_eq!(executed(&result), 9);
}

const SELECT: &str = r#"<SELECT NAME="priority" MULTIPLE SIZE=7>"#;

#[test]
fn the_select_tag_takes_78_tests() {
    let place = Place::new();
    place.write("x.html", SELECT);
    let result = place.json("reduce --algorithm ddmin --unit char x.html -- grep -q <SELECT.*>");
    assert_eq!(place.text("x.min.html"), "<SELECT>");
    assert_eq!(executed(&result), 78);
}

#[test]
fn isolating_in_the_select_tag_takes_6_tests() {
    let place = Place::new();
    place.write("x.html", SELECT);
    let result = place.json("isolate --unit char x.html -- grep -q <SELECT.*>");
    assert_eq!(executed(&result), 6);
    assert_eq!(
        (&result["difference"]["deltas"], &result["difference"]["bytes"]),
        (&json!(1), &json!(1))
    );
    let told = result["difference"]["changes"][0].as_str().unwrap();
    assert!(told.starts_with("line 1, column 40: fails with \">\""), "{told}");
    assert_eq!(place.text("x.failing.html"), SELECT);
    assert_eq!(place.text("x.passing.html"), SELECT.trim_end_matches('>'));
}

#[test]
fn more_than_1_minimality_is_proved_where_asked_for() {
    let place = Place::new();
    // Quotes only go in pairs; the failure needs the x.
    place.write("x", "(x)");
    place.script("t", r#"case $(cat "$1") in x|"(x)") exit 1;; *) exit 0;; esac"#);
    let one = place.json("reduce --unit char x -- ./t {}");
    assert_eq!((place.text("x.min"), &one["minimality"]), ("x".into(), &json!("1-minimal (char)")));
    place.script("t", r#"case $(cat "$1") in axb|"a(x)b") exit 1;; *) exit 0;; esac"#);
    place.write("x", "a(x)b");
    place.json("reduce --unit char x -- ./t {}");
    assert_eq!(place.text("x.min"), "a(x)b", "no single character can go");
    let two = place.json("reduce --unit char --minimality 2 x -- ./t {}");
    assert_eq!(place.text("x.min"), "axb");
    assert_eq!(two["minimality"], "2-minimal (char)");
}

#[test]
fn monotony_is_an_option_that_saves_tests() {
    let place = Place::new();
    place.write("x.txt", "12345678");
    place.script("t", r#"[ "$(tr -cd 178 < "$1")" != 178 ]"#);
    let plain = place.json("reduce --unit char x.txt -- ./t {}");
    let trusting = place.json("reduce --unit char --fresh --assume-monotone x.txt -- ./t {}");
    assert_eq!(place.text("x.min.txt"), "178");
    assert!(executed(&trusting) < executed(&plain), "{trusting} {plain}");
    assert!(trusting["tests"]["implied"].as_u64().unwrap() > 0);
}

#[test]
fn ddmax_grows_the_passing_side() {
    let place = Place::new();
    place.write("x.txt", "12345678");
    place.script("t", FIGURE_6);
    let result = place.json("isolate --algorithm ddmax --unit char x.txt -- ./t {}");
    assert_eq!(place.text("x.passing.txt"), "23456");
    assert_eq!(place.text("x.failing.txt"), "12345678");
    assert_eq!(result["algorithm"], "ddmax");
}

#[test]
fn two_files_are_isolated_line_by_line_and_then_by_character() {
    let place = Place::new();
    let lines = |port: &str| {
        (0..50)
            .map(|i| format!("option{i} = {}\n", if i == 31 { port } else { "on" }))
            .collect::<String>()
    };
    place.write("old.conf", lines("8080"));
    place.write("new.conf", lines("808a").replace("option7 =", "option7 = very") + "more = 1\n");
    place.script("check", r#"! grep -q 'option31 = .*[a-z]' "$1""#);
    let ran = place.wynot("isolate --passing old.conf new.conf -- ./check {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains(r#"line 32, column 15: fails with "a" instead of "0""#), "{ran:?}");
}
