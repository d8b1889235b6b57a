//! The published schema of the JSON contract holds for what every verb really prints.

mod support;

use jsonschema::Validator;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use support::{Place, gcc, ran};

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The part of the schema for one kind of object.
fn of(definition: &str) -> Validator {
    let mut schema = schema();
    schema.as_object_mut().unwrap().remove("anyOf");
    schema["$ref"] = json!(format!("#/$defs/{definition}"));
    jsonschema::validator_for(&schema).unwrap()
}

#[track_caller]
fn check(definition: &str, object: &Value) {
    let errors: Vec<String> =
        of(definition).iter_errors(object).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{definition}: {errors:#?}\n{object:#}");
    assert!(
        definition == "event" || jsonschema::is_valid(&schema(), object),
        "one of the objects of the whole schema"
    );
}

#[track_caller]
fn check_run(place: &Place, definition: &str, args: &[&str], code: i32) -> Value {
    let ran = place.run(args);
    assert_eq!(ran.code, Some(code), "{ran:?}");
    let object =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    check(definition, &object);
    object
}

#[test]
fn results_of_searches() {
    let place = Place::new();
    place.write("in.txt", "one\ntwo bad\nthree\nfour bad\n");
    place.write("ok.txt", "one\nthree\n");
    place.script("t", "! grep -q bad \"$1\"");
    let reduce = ["reduce", "--json", "in.txt", "--events", "events.jsonl", "--", "./t", "{}"];
    check_run(&place, "search", &reduce, 0);
    let ddmin = [
        "reduce",
        "--json",
        "--unit",
        "line,char",
        "-o",
        "x",
        "in.txt",
        "--events",
        "events2.jsonl",
        "--",
        "./t",
        "{}",
    ];
    check_run(&place, "search", &ddmin, 0);
    for file in ["events.jsonl", "events2.jsonl"] {
        let events = place.text(file);
        let kinds = events.lines().map(|line| {
            let event: Value = serde_json::from_str(line).unwrap();
            check("event", &event);
            event["event"].as_str().unwrap().to_owned()
        });
        let kinds: std::collections::BTreeSet<String> = kinds.collect();
        assert!(kinds.contains("tested") && kinds.contains("step"), "{kinds:?}");
    }
    let causes = ["reduce", "--json", "--all-causes", "-o", "y", "in.txt", "--", "./t", "{}"];
    check_run(&place, "search", &causes, 0);
    let isolate = ["isolate", "--json", "--passing", "ok.txt", "in.txt", "--", "./t", "{}"];
    check_run(&place, "search", &isolate, 0);
    let stopped = [
        "reduce",
        "--json",
        "--max-tests",
        "1",
        "--unit",
        "char",
        "-o",
        "z",
        "in.txt",
        "--",
        "./t",
        "{}",
    ];
    assert_eq!(check_run(&place, "search", &stopped, 5)["status"], "stopped");
    let flaky = ["reduce", "--json", "--flaky", "-o", "f", "in.txt", "--", "./t", "{}"];
    check_run(&place, "search", &flaky, 0);
    check_run(&place, "verification", &["verify", "--json", "in.min.txt"], 0);
}

#[test]
fn results_that_rest_on_timeouts() {
    let place = Place::new();
    place.write("in.txt", "one\ntwo bad\nthree\n");
    place.script("t", "grep -q two \"$1\" || exit 0\ngrep -q bad \"$1\" && exit 1\nsleep 600");
    let reduce = ["reduce", "--json", "--timeout", "200ms", "in.txt", "--", "./t", "{}"];
    let result = check_run(&place, "search", &reduce, 0);
    assert!(result["rests_on"]["timeouts"].as_u64() > Some(0), "{result}");
    assert!(result["tests"]["timeouts"].as_u64() > Some(0), "{result}");
    let checked = check_run(&place, "verification", &["verify", "--json", "in.min.txt"], 0);
    assert!(checked["rests_on"]["timeouts"].as_u64() > Some(0), "{checked}");
}

#[test]
fn results_about_directories_options_and_versions() {
    let place = Place::new();
    for dir in ["good", "bad"] {
        fs::create_dir(place.path(dir)).unwrap();
        place.write(&format!("{dir}/a.txt"), "a\n");
        place.write(&format!("{dir}/b.txt"), format!("{dir}\n"));
    }
    let folder = ["reduce", "--json", "bad", "--", "sh", "-c", "! grep -qr bad bad"];
    assert!(check_run(&place, "search", &folder, 0)["files"].is_object());
    let options = [
        "options",
        "--json",
        "--all",
        "--vary",
        "-a -b -c",
        "--",
        "sh",
        "-c",
        "case $* in *-b*) exit 1;; esac",
        "sh",
        "{options}",
    ];
    check_run(&place, "search", &options, 0);
    let test = ["--", "sh", "-c", "if grep -q bad b.txt; then echo error: bad >&2; exit 1; fi"];
    let mut changes = vec!["changes", "--json", "--good", "good", "--bad", "bad"];
    changes.extend(test);
    check_run(&place, "search", &changes, 0);
    let mut git = Command::new("sh");
    place.prepare(&mut git);
    let script = "git init -q . && cp good/* . && git add a.txt b.txt &&
        git -c user.name=n -c user.email=e commit -qm one && cp bad/* . &&
        git -c user.name=n -c user.email=e commit -qam two";
    assert_eq!(ran(git.args(["-c", script])).code, Some(0));
    let mut history = vec!["changes", "--json", "--good", "HEAD^", "--bad", "HEAD"];
    history.extend(test);
    assert_eq!(check_run(&place, "search", &history, 0)["commits"][0]["subject"], "two");
    let mut walk = vec!["history", "--json", "--events", "walk.jsonl"];
    walk.extend(test);
    let found = check_run(&place, "search", &walk, 0);
    assert_eq!(
        (&found["verdict"], &found["passing"]["subject"]),
        (&json!("regression"), &json!("one"))
    );
    for line in place.text("walk.jsonl").lines() {
        check("event", &serde_json::from_str(line).unwrap());
    }
}

#[test]
fn results_about_rows_of_versions() {
    let place = Place::new();
    place.write("row", "1\n2\n3\n4\n5\n6\n");
    place.script("t", "[ $1 -lt 4 ] || { echo error: bad >&2; exit 1; }");
    let row = ["changes", "--json", "--versions", "row", "--events", "events.jsonl"];
    let test = ["--", "./t", "{version}"];
    let found = check_run(&place, "search", &[&row[..], &test[..]].concat(), 0);
    let expected = json!({"good": "3", "bad": "4", "untested": []});
    assert_eq!((&found["versions"], &found["algorithm"]), (&expected, &json!("bisect")));
    let flaky = check_run(&place, "search", &[&row[..], &["--flaky"], &test[..]].concat(), 0);
    assert!(flaky["confidence"]["reached"].as_f64() >= Some(0.99), "{flaky}");
    for line in place.text("events.jsonl").lines() {
        check("event", &serde_json::from_str(line).unwrap());
    }
    check_run(&place, "error", &["verify", "--json"], 2);
}

#[test]
fn explanations() {
    let place = Place::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/state/sort.c");
    gcc(&place, "sort", &["-g"], &fs::read_to_string(source).unwrap());
    let explain = [
        "explain",
        "--json",
        "--pass",
        "./sort 7 8 9 5",
        "--fail",
        "./sort 11 14",
        "--fail-when",
        "stdout~^0 ",
        "--events",
        "events.jsonl",
    ];
    check_run(&place, "explanation", &explain, 0);
    for line in place.text("events.jsonl").lines() {
        check("event", &serde_json::from_str(line).unwrap());
    }
    let same = ["explain", "--json", "--pass", "./sort 1", "--fail", "./sort 1"];
    let error = check_run(&place, "error", &same, 3);
    assert_eq!((&error["exit"], &error["command"]), (&json!(3), &json!("explain")));
}

#[test]
fn errors_are_objects_too() {
    let place = Place::new();
    place.write("in.txt", "x\n");
    let both = ["reduce", "--json", "in.txt", "--", "true"];
    let error = check_run(&place, "error", &both, 3);
    assert!(!error["hints"].as_array().unwrap().is_empty());
    check_run(&place, "error", &["reduce", "--json", "no.txt", "--", "true"], 2);
    check_run(&place, "error", &["verify", "--json", "in.txt"], 2);
}

#[test]
fn objects_that_break_the_contract_are_noticed() {
    let place = Place::new();
    place.write("in.txt", "bad\ngood\n");
    place.script("t", "! grep -q bad \"$1\"");
    let mut object =
        check_run(&place, "search", &["reduce", "--json", "in.txt", "--", "./t", "{}"], 0);
    object["minimality"] = json!("more or less minimal");
    assert!(!of("search").is_valid(&object));
    object["minimality"] = Value::Null;
    assert!(of("search").is_valid(&object));
    object["surprise"] = json!(1);
    assert!(!of("search").is_valid(&object));
}
