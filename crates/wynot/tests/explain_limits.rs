//! How the places of an explanation are spent, and what is said where they do not decide or do not suffice.

mod support;

use serde_json::Value;
use support::{Place, gcc};

/// A number that no variable leads to while `tick` is called forty times.
const HIDDEN: &str = "#include <stdlib.h>
static unsigned long hidden;
static int ticks;
static void tick(void) { ticks++; }
static void tock(int value) { ticks += value; }
static void hide(const char *text)
{
    int *number = malloc(sizeof *number);
    *number = atoi(text);
    hidden = ~(unsigned long)number;
}
int main(int argc, char **argv)
{
    hide(argv[1]);
    for (int i = 0; i < 40; i++)
        tick();
    int value = *(int *)~hidden;
    for (int i = 0; i < 3; i++)
        tock(value);
    if (value == 7)
        abort();
    return 0;
}
";

const RUNS: [&str; 4] = ["--pass", "./hidden 1", "--fail", "./hidden 7"];

#[test]
fn places_that_do_not_decide_do_not_end_the_search_while_others_are_left() {
    let place = Place::new();
    gcc(&place, "hidden", &["-g", "-w"], HIDDEN);
    let done = place.run(["explain", "--json"].iter().chain(&RUNS));
    assert_eq!(done.code, Some(0), "{done:?}");
    let told: Value = serde_json::from_str(&done.stdout).unwrap();
    let second = &told["chain"][1];
    assert_eq!(second["place"]["function"], "tock", "{told:#}");
    assert_eq!(second["place"]["hits"]["passing"], 1, "{told:#}");
    assert!(second["undecided"].as_u64().unwrap() >= 40, "{told:#}");
    assert_eq!((&told["limit"], &told["undecided"]), (&Value::Null, &0.into()), "{told:#}");
}

#[test]
fn a_stretch_that_does_not_decide_says_how() {
    let place = Place::new();
    gcc(&place, "hidden", &["-g", "-w"], HIDDEN);
    let done = place.run(["explain"].iter().chain(&RUNS));
    let how = "what was captured does not decide (with all differences, it ends with exit 0)]";
    assert!(done.stdout.contains(how), "{}", done.stdout);
}

#[test]
fn a_search_that_is_cut_off_by_the_number_of_places_says_so() {
    let place = Place::new();
    gcc(&place, "hidden", &["-g", "-w"], HIDDEN);
    let limit = ["--most", "6"];
    let done = place.run(["explain"].iter().chain(&RUNS).chain(&limit));
    done.ends(5, "limit reached, 2 transitions not narrowed");
    let done = place.run(["explain", "--json", "--fresh"].iter().chain(&RUNS).chain(&limit));
    let told: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!((&told["status"], &told["limit"]["transitions"]), (&"stopped".into(), &2.into()));
}

#[test]
fn the_last_stretch_before_the_end_says_that_it_does_not_decide() {
    let place = Place::new();
    gcc(
        &place,
        "last",
        &["-g", "-w"],
        "#include <stdlib.h>
static unsigned long hidden;
static void tick(void) {}
static void hide(int value)
{
    int *number = malloc(sizeof *number);
    *number = value;
    hidden = ~(unsigned long)number;
}
int main(int argc, char **argv)
{
    hide(atoi(argv[1]));
    for (int i = 0; i < 4; i++)
        tick();
    if (*(int *)~hidden == 7)
        abort();
    return 0;
}
",
    );
    let runs = ["explain", "--pass", "./last 1", "--fail", "./last 7"];
    let done = place.run(runs);
    assert_eq!(done.code, Some(0), "{done:?}");
    let last = done.stdout.lines().find(|line| line.contains(" and the end; ")).unwrap_or_default();
    let only_failing = "only the failing run executes `abort();` (last.c:16 in main)";
    for words in [only_failing, "; in 10 places between, what was captured does not decide"] {
        assert!(last.contains(words), "{}", done.stdout);
    }
    let done = place.run(runs.iter().chain(&["--json", "--fresh"]));
    let told: Value = serde_json::from_str(&done.stdout).unwrap();
    assert!(told["undecided"].as_u64().unwrap() >= 4, "{told:#}");
}
