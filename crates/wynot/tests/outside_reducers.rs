//! Programs of the user propose smaller texts, and the test decides.

mod support;

use serde_json::Value;
use support::{Place, Ran};
use wynot_test_support::{Tool, require};

/// A reducer that knows what no syntax says: it replaces the text by one of these, the largest first.
const KNOWING: &str = r#"
import base64, json, sys
def feedback():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message = json.loads(line)
    return base64.b64decode(message["content"]), message["interesting"]
log = open(sys.argv[1], "a")
current, _ = feedback()
while True:
    print(len(current), file=log, flush=True)
    for proposal in [current + b"larger", current, b"", b"no", b"xyzzy-9", b"magic-7"]:
        print(json.dumps({"content": base64.b64encode(proposal).decode()}), flush=True)
        answered, interesting = feedback()
        assert answered == proposal
        if interesting:
            current = proposal
            break
    else:
        print(json.dumps({"idle": True}), flush=True)
        current, _ = feedback()
"#;

/// An input that fails only as a whole, unless it is one of the texts that the reducer knows.
fn place() -> Place {
    let place = Place::new();
    let words: Vec<String> = (0..40).map(|n| format!("word{n}")).collect();
    let text = words.join(" ");
    place.write("in.txt", format!("{text}\n"));
    place.write("reducer.py", KNOWING);
    place.script(
        "t",
        "case \"$(cat \"$1\")\" in *word0*word39*) test \"$(wc -w < \"$1\")\" -eq 40 && exit 1 ;; magic-7|xyzzy-9) exit 1 ;; esac",
    );
    place
}

fn reduce(place: &Place, options: &[&str]) -> Ran {
    let mut command = place.command();
    command.args(["reduce", "--json"]).args(options).args(["in.txt", "--", "./t", "{}"]);
    support::ran(&mut command)
}

fn tests_of(ran: &Ran) -> (u64, u64) {
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    let count = |name: &str| value["tests"][name].as_u64().unwrap();
    (count("executed"), count("replayed"))
}

#[test]
fn what_a_reducer_proposes_is_tested_and_its_result_is_the_same_for_every_number_of_jobs() {
    require!(Tool::Python);
    let place = place();
    let mut seen = Vec::new();
    for jobs in ["1", "2", "4"] {
        let ran =
            reduce(&place, &["--fresh", "-j", jobs, "--reduce-with", "python3 reducer.py log"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        seen.push((place.text("in.min.txt"), tests_of(&ran).0));
        let value: Value = serde_json::from_str(&ran.stdout).unwrap();
        let passes = value["passes"].as_array().unwrap();
        assert!(passes.iter().any(|pass| pass["name"] == "outside"), "{value}");
    }
    // Of the two that are equally long, the one that comes first in the alphabet is the simpler one.
    assert_eq!(seen[0].0, "magic-7");
    assert!(seen.iter().all(|one| *one == seen[0]), "{seen:?}");
    assert_eq!(place.wynot("verify").code, Some(0));
}

#[test]
fn a_resumed_search_does_not_need_the_answers_again() {
    require!(Tool::Python);
    let place = place();
    let with = "python3 reducer.py log";
    let whole = reduce(&place, &["--reduce-with", with]);
    let executed = tests_of(&whole).0;
    // The same command, whose program now proposes nothing.
    place.write("reducer.py", "import sys; sys.stdin.readline(); print('{\"idle\": true}')");
    let again = reduce(&place, &["--reduce-with", with]);
    assert_eq!(tests_of(&again), (executed, executed), "{again:?}");
    assert_eq!(place.text("in.min.txt"), "magic-7");
}

#[test]
fn hostile_reducers_are_left_behind_with_a_reason() {
    require!(Tool::Python);
    let place = place();
    let without = reduce(&place, &["--fresh"]);
    let expected = (place.text("in.min.txt"), tests_of(&without).0);
    for (with, reason) in [
        ("sh -c 'echo trouble >&2; exit 3'", "exit status: 3 (trouble)"),
        ("sh -c 'echo garbage; sleep 60'", "which is no message"),
        ("sh -c 'head -c 1000000000 /dev/zero'", "a line of more than"),
        ("./no-such-program", "cannot be started"),
        (
            "python3 -c 'while 1: print(chr(123)+chr(34)+\"content\"+chr(34)+\": \"+chr(34)+chr(34)+chr(125))'",
            "none was smaller and new",
        ),
    ] {
        let ran = reduce(&place, &["--fresh", "--reduce-with", with]);
        assert_eq!(ran.code, Some(0), "{with}: {ran:?}");
        assert!(ran.stderr.contains(reason), "{with}: {ran:?}");
        assert_eq!((place.text("in.min.txt"), tests_of(&ran).0), expected, "{with}");
    }
    let ran = reduce(&place, &["--unit", "line", "--reduce-with", "cat"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stdout.contains("--reduce-with is for"), "{ran:?}");
}
