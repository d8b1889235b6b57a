//! Elements and members of JSON as deltas, through the program.

mod support;

use serde_json::{Value, json};
use support::Place;
use wynot_test_support::{Tool, require};

/// A test as people write it: it reads JSON, exits 1 for the failure, and knows no other text.
const ANY_NEGATIVE: &str = r#"exec python3 -c '
import json, sys
try: document = json.load(open(sys.argv[1]))
except ValueError: sys.exit(3)
pending = [document]
while pending:
    value = pending.pop()
    if isinstance(value, dict): pending += value.values()
    elif isinstance(value, list): pending += value
    elif isinstance(value, int) and value < 0: sys.exit(1)
' "$1""#;

fn orders() -> Value {
    (0..40)
        .map(|id| json!({"id": id, "lines": [{"price": id * 3}, {"price": 5, "free": null}]}))
        .collect()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

#[test]
fn only_the_path_to_the_failing_value_is_left() {
    require!(Tool::Python);
    let place = Place::new();
    place.script("t", ANY_NEGATIVE);
    let mut failing = orders();
    failing[23]["lines"][1]["price"] = json!(-5);
    place.write("orders.json", pretty(&failing));
    let result = place.json("reduce --unit json orders.json -- ./t {}");
    assert_eq!(place.text("orders.min.json"), pretty(&json!([{"lines": [{"price": -5}]}])));
    assert_eq!(result["minimality"], "1-minimal (json)");
    assert_eq!((&result["unit"], &result["algorithm"]), (&json!("json"), &json!("ddmin")));
    assert_eq!(result["deltas"], json!({"before": 320, "after": 4}));
    // Every variant is JSON, and without any element it is [], which passes.
    assert_eq!(result["tests"]["unresolved"], 0, "{result}");
    place.wynot("verify orders.min.json").ends(0, "is 1-minimal (json)");
}

#[test]
fn the_member_that_decides_between_two_files_is_named() {
    require!(Tool::Python);
    let place = Place::new();
    place.script("t", ANY_NEGATIVE);
    let (passing, mut failing) = (orders(), orders());
    failing[23]["lines"][1]["price"] = json!(-5);
    failing[4]["paid"] = json!(true);
    failing.as_array_mut().unwrap().remove(9);
    failing.as_array_mut().unwrap().push(json!({"id": 40}));
    place.write("old.json", pretty(&passing));
    place.write("new.json", pretty(&failing));
    let result = place.json("isolate --unit json --passing old.json new.json -- ./t {}");
    assert_eq!(result["deltas"]["before"], 4, "{result}");
    assert_eq!(result["difference"]["deltas"], 1);
    let told = result["difference"]["changes"][0].as_str().unwrap();
    assert!(told.contains(r#"fails with "\"price\": -5" instead of "\"price\": 5""#), "{told}");
    for name in ["new.passing.json", "new.failing.json"] {
        serde_json::from_slice::<Value>(&place.read(name)).unwrap();
    }
}

#[test]
fn json_lines_and_plain_lists_lose_lines() {
    let place = Place::new();
    place.write("log.jsonl", "{\"a\": 1, \"b\": 2}\n{\"a\": 3, \"c\": [4, 5]}\n");
    place.json("reduce --unit json log.jsonl -- grep -q 5");
    assert_eq!(place.text("log.min.jsonl"), "{\"c\": [5]}\n");
    place.write("plain.txt", "click a\nkey b\nclick c\n");
    let result = place.json("reduce --unit json plain.txt -- grep -q key");
    assert_eq!(place.text("plain.min.txt"), "key b\n");
    assert_eq!(result["minimality"], "1-minimal (line)");
}

#[test]
fn what_is_not_json_is_refused_with_its_place() {
    let place = Place::new();
    place.write("good.json", "[1, 2]");
    place.write("bad.json", "{\n  \"a\": [1, 2,]\n}\n");
    let message = "bad.json: not JSON: line 2, column 14: expected a value, found ']'";
    place.wynot("reduce --unit json bad.json -- grep -q 1").ends(2, message);
    let passing = "isolate --unit json --passing bad.json good.json -- grep -q 1";
    place.wynot(passing).ends(2, message);
    let list = place.wynot("reduce --unit json,char good.json -- grep -q 1");
    list.ends(2, "json cannot be in a list");
}
