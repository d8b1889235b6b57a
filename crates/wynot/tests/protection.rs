//! What is to be kept is kept, and the certificate says so.

mod support;

use serde_json::Value;
use std::collections::BTreeSet;
use support::{Place, Ran};

const PROGRAM: &str = "\
#include <stdio.h>

// The list of totals.
static int totals[100];

static int unused(int first, int second) {
    return first * second + 12345;
}

int main(void) {
    int index = 42;
    totals[index] = unused(1, 2);
    trouble(index, \"some message\");
    return totals[0];
}
";

fn place() -> Place {
    let place = Place::new();
    place.write("in.c", PROGRAM);
    place.script("t", "! grep -q 'trouble' \"$1\"");
    place
}

/// Reduces with an option, checks what was proved, and returns the result.
fn reduced(place: &Place, options: &str, proved: &str) -> String {
    let ran = place.wynot(&format!("reduce --fresh --json {options} in.c -- ./t {{}}"));
    assert_eq!(ran.code, Some(0), "{options}: {ran:?}");
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(value["minimality"], proved, "{options}");
    let ran = place.wynot("verify --json");
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&value["confirmed"], &value["minimality"]), (&true.into(), &proved.into()));
    place.text("in.min.c")
}

#[test]
fn kept_lines_and_matches_stay_for_every_algorithm() {
    let place = place();
    for (options, proved) in [
        ("", "1-minimal (token, byte) apart from what is kept"),
        ("-j 4", "1-minimal (token, byte) apart from what is kept"),
        ("--unit line,char", "1-minimal (char) apart from what is kept"),
    ] {
        let options = format!("{options} --keep lines:6-8 --keep int.index");
        let small = reduced(&place, &options, proved);
        let kept =
            "static int unused(int first, int second) {\n    return first * second + 12345;\n}";
        assert!(small.contains(kept) && small.contains("int index"), "{small}");
        assert!(small.len() < kept.len() + 30, "{small}");
    }
}

#[test]
fn readable_results_keep_names_literals_and_layout() {
    let place = place();
    place.script("t", "! { grep -q 'trouble.*message' \"$1\" && grep -q 'return first' \"$1\"; }");
    let proved = "1-minimal (token) apart from names, literals and layout";
    let words = |text: &str| -> BTreeSet<String> {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        text.split(|letter| !is_word(letter)).map(str::to_owned).collect()
    };
    let readable = reduced(&place, "--readable", proved);
    assert!(words(&readable).is_subset(&words(PROGRAM)), "{readable}");
    assert_eq!(readable.lines().count(), 2, "{readable}");
    let named = reduced(&place, "--no-rename", "1-minimal (token, byte) apart from names");
    assert!(words(&named).is_subset(&words(PROGRAM)), "{named}");
    assert!(named.len() <= readable.len(), "{named}");
}

#[test]
fn a_kept_file_of_a_directory_stays_as_it_is() {
    let place = Place::new();
    std::fs::create_dir(place.path("d")).unwrap();
    for name in ["a.txt", "b.txt", "c.txt"] {
        place.write(&format!("d/{name}"), "first line\nsecond line\nthird line\n");
    }
    place.script("t", "! grep -q second d/a.txt");
    let ran = place.wynot("reduce --keep file:d/b.txt --keep third d -- ./t");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("(file, token, byte) apart from what is kept"), "{ran:?}");
    assert_eq!(place.text("d.min/b.txt"), "first line\nsecond line\nthird line\n");
    assert_eq!(place.text("d.min/c.txt"), "third");
    let kept = place.text("d.min/a.txt");
    assert!(kept.contains("second") && kept.contains("third"), "{kept}");
    assert_eq!(place.wynot("verify").code, Some(0));
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let place = place();
    let refused = |options: &str| -> Ran {
        let ran = place.wynot(&format!("{options} in.c -- ./t {{}}"));
        assert_eq!(ran.code, Some(2), "{options}: {ran:?}");
        ran
    };
    assert!(refused("reduce --keep lines:90").stderr.contains("nothing of this is in in.c"));
    assert!(refused("reduce --keep nowhere").stderr.contains("nothing of this is in in.c"));
    assert!(refused("reduce --keep lines:x").stderr.contains("use lines:N, lines:N-M or lines:N-"));
    assert!(refused("reduce --keep (").stderr.contains("no regular expression"));
    assert!(refused("reduce --keep file:in.c").stderr.contains("the input is a single file"));
    assert!(refused("isolate --readable").stderr.contains("are for reduce"));
    assert!(refused("reduce --unit line --no-rename").stderr.contains("default algorithm"));
}

#[test]
fn a_search_that_keeps_something_is_a_session_of_its_own() {
    let place = place();
    let executed = |options: &str| {
        let ran = place.wynot(&format!("reduce --json {options} in.c -- ./t {{}}"));
        let value: Value = serde_json::from_str(&ran.stdout).unwrap();
        (value["session"].clone(), value["tests"]["replayed"].clone())
    };
    let plain = executed("");
    let kept = executed("--keep index");
    assert_ne!(plain.0, kept.0);
    let again = executed("--keep index");
    assert_eq!(kept.0, again.0);
    assert!(again.1.as_u64() > Some(0), "{again:?}");
}
