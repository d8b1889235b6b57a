//! Repositories to search, and what is found in them.

use super::{Place, ran};
use serde_json::{Value, json};
use std::process::Command;

/// Runs shell commands in a place, with a git that has an author and may use local submodules.
pub fn sh(place: &Place, script: &str) {
    let mut command = Command::new("sh");
    place.prepare(&mut command);
    let git = "git() { command git -c protocol.file.allow=always -c user.name=n -c user.email=e \"$@\"; }";
    let done = ran(command.args(["-e", "-c", &format!("{git}\n{script}")]));
    assert_eq!(done.code, Some(0), "{script}: {done:?}");
}

/// What is found, with the audit in order.
#[track_caller]
pub fn found(place: &Place, args: &[&str]) -> Value {
    let ran = place.run(["changes", "--json"].iter().chain(args));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["audit"], json!({"alone": "fail", "without": "pass"}), "{found}");
    found
}

/// The first change that was found.
pub fn change(found: &Value) -> &str {
    found["difference"]["changes"][0].as_str().unwrap()
}
