//! What the project promises to its users: help has examples, licences are there.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::Place;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn help_of_every_verb_has_an_example_or_needs_none() {
    let place = Place::new();
    for verb in ["reduce", "isolate", "options", "changes"] {
        let help = place.wynot(&format!("{verb} --help")).stdout;
        assert!(help.contains("Examples:") && help.contains(&format!("wynot {verb}")), "{help}");
    }
}

#[test]
fn both_licences_are_there() {
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        assert!(fs::read_to_string(root().join(name)).unwrap().len() > 900, "{name}");
    }
}
