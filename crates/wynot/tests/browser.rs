//! User actions, replayed in a real browser: which of 95 make the page fail? The paper asks this of
//! Mozilla (Section IV-B) and finds 3, and so do these tests.

mod support;

use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use support::{Place, Ran, ran};
use wynot_test_support::{Tool, require};

/// The example, copied to a place of its own.
fn example() -> Place {
    let place = Place::new();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/browser");
    for name in ["page.html", "actions.json", "replay.py"] {
        let mut copy = Command::new("cp");
        assert_eq!(ran(copy.arg(dir.join(name)).arg(place.dir.path())).code, Some(0));
    }
    place
}

fn replay(place: &Place, actions: &str) -> Ran {
    let mut command = Command::new(place.path("replay.py"));
    place.prepare(&mut command);
    ran(command.args(["page.html", actions]))
}

/// Reduces the actions and returns what is left of them.
fn reduced(options: &str) -> Value {
    let place = example();
    let actions: Vec<Value> = serde_json::from_slice(&place.read("actions.json")).unwrap();
    assert_eq!(actions.len(), 95);
    let original = replay(&place, "actions.json");
    assert_eq!(original.code, Some(1), "Chromium is needed (.ci/run installs it): {original:?}");
    let result = place.json(&format!(
        "reduce {options} --fail-when stderr~TypeError actions.json -- ./replay.py page.html {{}}"
    ));
    assert_eq!(result["status"], "minimal", "{result}");
    let text = place.text("actions.min.json");
    if options.contains("json") {
        let recipes = include_str!("../../../docs/recipes.md");
        assert!(recipes.contains(&text), "the recipes do not show {text}");
    }
    let left = serde_json::from_str(&text).unwrap();
    assert_eq!(replay(&place, "actions.min.json").code, Some(1), "{left}");
    left
}

fn the_three() -> Value {
    json!([{"click": "#m12"}, {"key": "Delete"}, {"click": "#reply"}])
}

#[test]
fn three_of_95_actions_matter() {
    require!(Tool::Python, Tool::Chromium);
    assert_eq!(reduced(""), the_three());
}

#[test]
fn three_of_95_actions_matter_by_elements_of_json() {
    require!(Tool::Python, Tool::Chromium);
    assert_eq!(reduced("--unit json"), the_three());
}

#[test]
fn a_replay_tells_a_page_that_fails_from_one_that_does_not() {
    require!(Tool::Python, Tool::Chromium);
    let place = example();
    place.write("all.json", r##"[{"click": "#m2"}, {"key": "Delete"}, {"click": "#reply"}]"##);
    let fine = replay(&place, "all.json");
    assert_eq!(fine.code, Some(0), "Chromium is needed (.ci/run installs it): {fine:?}");
    for bad in ["", "{", "{}", "[1]", r#"[{"click": 3}]"#, r#"[{"key": "Any"}]"#] {
        place.write("bad.json", bad);
        replay(&place, "bad.json").ends(125, "replay.py: bad.json");
    }
    let mut command = Command::new(place.path("replay.py"));
    place.prepare(&mut command);
    command.env("CHROME", "/nowhere/chrome").args(["page.html", "all.json"]);
    ran(&mut command).ends(125, "/nowhere/chrome cannot be run: CHROME must name a Chromium");
}
