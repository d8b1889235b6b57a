//! Scripts written for other tools run as they are.
//!
//! Each folder in `conventions/` holds a test script and an input that were tried under the tool itself.
//! The scripts check what their tool promises them: arguments, standard input, directory, file name.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use support::{Place, Ran};
use wynot_test_support::{Tool, require};

/// A place that holds the files of a convention.
fn place(convention: &str) -> Place {
    let place = Place::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conventions").join(convention);
    for entry in fs::read_dir(folder).unwrap().flatten() {
        // A copy by another process: a script that this process still has open for writing, or that a
        // sibling inherited in that moment, could not be run.
        let copied = Command::new("cp").arg("-p").arg(entry.path()).arg(place.dir.path()).status();
        assert!(copied.unwrap().success());
    }
    place
}

#[track_caller]
fn succeeds(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn creduce_scripts_find_the_variant_by_name() {
    for as_it in ["--as creduce", ""] {
        let place = place("creduce");
        succeeds(&place.wynot(&format!("reduce {as_it} bug.c -- ./test.sh")));
        let result = place.text("bug.min.c");
        assert!(result.contains("int main") && result.contains("unused_value"), "{result}");
        assert!(result.len() <= 40, "{result}");
    }
}

#[test]
fn cvise_scripts_find_the_variant_beside_other_files_of_the_project() {
    for as_it in ["--as cvise", ""] {
        let place = place("cvise");
        succeeds(&place.wynot(&format!("reduce {as_it} --in . main.c -- ./test.sh")));
        let result = place.text("main.min.c");
        assert!(result.len() < 120 && result.contains("magic_field"), "{result}");
    }
}

#[test]
fn shrinkray_scripts_get_the_path_as_argument() {
    require!(Tool::Python);
    let place = place("shrinkray");
    succeeds(&place.wynot("reduce --as shrinkray config.ini -- ./test.py"));
    assert!(place.read("config.min.ini").len() <= 20);
    succeeds(&place.wynot("reduce config.ini -- ./test.py {}"));
}

#[test]
fn shrinkray_scripts_may_read_standard_input_instead() {
    require!(Tool::Python);
    let place = place("shrinkray-stdin");
    succeeds(&place.wynot("reduce --unit line data.json -- ./test.sh"));
    assert!(place.text("data.min.json").contains("price"));
}

#[test]
fn picire_scripts_get_one_absolute_path() {
    require!(Tool::Awk);
    let place = place("picire");
    succeeds(&place.wynot("reduce --as picire list.txt -- ./test.sh"));
    let result = place.text("list.min.txt");
    assert!(result.len() <= 17 && result.contains("olive"), "{result}");
    succeeds(&place.wynot("reduce --fresh list.txt -- ./test.sh {}"));
    assert_eq!(place.text("list.min.txt"), result);
}

#[test]
fn treereduce_commands_mark_the_variant_with_at_signs() {
    let place = place("treereduce");
    succeeds(&place.wynot("reduce --as treereduce bug.c -- ./test.sh --check @@.c"));
    let result = place.text("bug.min.c");
    assert!(result.len() <= 40 && result.contains("unused_value"), "{result}");
    succeeds(&place.wynot("reduce --fresh bug.c -- ./test.sh --check {}"));
    assert_eq!(place.text("bug.min.c"), result);
}

#[test]
fn treereduce_commands_without_a_mark_read_standard_input() {
    let place = place("treereduce");
    succeeds(&place.wynot("reduce --as treereduce --unit line bug.c -- grep -q unused_value"));
    assert_eq!(place.text("bug.min.c").lines().count(), 1);
}

#[test]
fn halfempty_scripts_read_standard_input() {
    for as_it in ["--as halfempty", ""] {
        let place = place("halfempty");
        succeeds(&place.wynot(&format!("reduce {as_it} input.txt -- ./test.sh")));
        let result = place.text("input.min.txt");
        assert!(result.len() <= 21 && result.contains("END-BLOCK"), "{result}");
    }
}

#[test]
fn lithium_conditions_are_python_modules() {
    require!(Tool::Python);
    let place = place("lithium");
    succeeds(&place.wynot("reduce --as lithium numbers.txt -- ./divides.py 2310"));
    let result = place.text("numbers.min.txt");
    let product: u64 = result.split_whitespace().map(|word| word.parse::<u64>().unwrap()).product();
    assert_eq!(product % 2310, 0, "{result}");
    assert!(result.len() <= 10, "{result}");
    // As typed for Lithium, with the file's name at the end.
    succeeds(&place.wynot("reduce --fresh --as lithium numbers.txt -- divides 2310 numbers.txt"));
    assert_eq!(place.text("numbers.min.txt"), result);
}

#[test]
fn a_lithium_condition_that_raises_is_shown() {
    require!(Tool::Python);
    let place = place("lithium");
    place.write("broken.py", "def interesting(args, prefix):\n    raise ValueError('no good')\n");
    let ran = place.wynot("reduce --as lithium numbers.txt -- broken.py");
    ran.ends(3, "ValueError: no good");
}

#[test]
fn git_bisect_scripts_say_bad_with_codes_up_to_127() {
    let place = place("git-bisect");
    place.write("limit.txt", "7541");
    let ran = place.wynot("reduce --as git-bisect --unit char limit.txt -- ./test.sh limit.txt");
    ran.ends(0, "exit codes as for git bisect run");
    // No single digit is above 10, so a number with two digits is left.
    assert_eq!(place.text("limit.min.txt").len(), 2);
    place.script("abort.sh", "exit 200");
    let ran = place.wynot("reduce --exit-code bisect limit.txt -- ./abort.sh");
    ran.ends(3, "asks to abort the whole run");
}
