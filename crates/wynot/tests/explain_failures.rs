//! What counts as the failure of an explanation, and how much of a chain is printed.

mod support;

use std::fs;
use std::path::Path;
use support::{Place, gcc};

#[test]
fn a_run_that_does_not_end_is_a_failure() {
    let place = Place::new();
    gcc(
        &place,
        "pairs",
        &["-g"],
        "#include <stdio.h>
#include <stdlib.h>
static int pairs(int length)
{
    int count = 0;
    for (unsigned i = 0; i != (unsigned)length; i += 2)
        count++;
    return count;
}
int main(int argc, char **argv)
{
    printf(\"%d\\n\", pairs(atoi(argv[1])));
    return argc - 2;
}
",
    );
    let runs = ["--pass", "./pairs 4", "--fail", "./pairs 5", "--timeout", "200ms"];
    let done = place.run(["explain"].iter().chain(&runs));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("variable length is now 5 (instead of 4)"), "{}", done.stdout);
    let ending = "the program ends with timeout in pairs: the function does not return";
    assert!(done.stdout.contains(ending), "{}", done.stdout);
    let passing = ["explain", "--pass", "./pairs 5", "--fail", "./pairs 4", "--timeout", "200ms"];
    place.run(passing).ends(3, "the run of --pass does not end in time");
}

#[test]
fn outputs_that_differ_in_several_places_call_for_a_condition() {
    let place = Place::new();
    gcc(
        &place,
        "lines",
        &["-g"],
        "#include <stdio.h>
int main(int argc, char **argv)
{
    printf(\"%s\\nthe same\\n%s\\nthe end\\n\", argv[1], argv[1]);
    return argc - 2;
}
",
    );
    let done = place.run(["explain", "--pass", "./lines a", "--fail", "./lines b"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stderr.contains("the outputs differ in 2 places"), "{}", done.stderr);
    assert!(done.stderr.contains("--fail-when"), "{}", done.stderr);
    assert!(done.stdout.contains("with \"b\" in line 1 of stdout"), "{}", done.stdout);
}

#[test]
fn a_failure_that_needs_other_addresses_is_reported() {
    let place = Place::new();
    gcc(
        &place,
        "random",
        &["-g"],
        "#include <stdlib.h>
#include <sys/personality.h>
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1 && !(personality(0xffffffff) & ADDR_NO_RANDOMIZE))
        abort();
    return 0;
}
",
    );
    let done = place.run(["explain", "--pass", "./random", "--fail", "./random x"]);
    done.ends(
        3,
        "at random addresses, the failing run ends with signal ABRT; at fixed ones, with exit 0",
    );
}

#[test]
fn steps_that_pass_on_a_value_are_printed_as_one() {
    let place = Place::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/state/list.c");
    gcc(&place, "list", &["-g"], &fs::read_to_string(source).unwrap());
    let runs = ["--pass", "./list 14 18 20 22", "--fail", "./list 14 15 18 22"];
    let printed = |more: &[&str]| {
        let done = place.run(["explain", "-q"].iter().chain(&runs).chain(more));
        assert_eq!(done.code, Some(0), "{done:?}");
        done.stdout
    };
    let (short, long) = (printed(&[]), printed(&["--all-steps"]));
    let steps = |text: &str| text.matches(". Execution ").count();
    assert_eq!(steps(&long), 9, "{long}");
    assert!(steps(&short) < steps(&long), "{short}");
    assert!(short.contains("similar step"), "{short}");
    let told: serde_json::Value = serde_json::from_str(&printed(&["--json"])).unwrap();
    let groups: Vec<u64> = told["chain"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["group"].as_u64().unwrap())
        .collect();
    assert_eq!(groups.len(), 8);
    assert_eq!(groups.last(), Some(&(steps(&short) as u64 - 1)));
    assert!(groups.is_sorted());
}
