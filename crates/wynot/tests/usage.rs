//! Help, wrong usage, standard streams and old sessions, as a newcomer meets them.

mod support;

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::Stdio;
use support::Place;

/// All verbs, and those that have verbs of their own.
const VERBS: [&str; 18] = [
    "reduce",
    "isolate",
    "options",
    "changes",
    "history",
    "explain",
    "state",
    "state dump",
    "state diff",
    "resume",
    "verify",
    "report",
    "sessions",
    "serve",
    "submit",
    "mcp",
    "completions",
    "man",
];

#[test]
fn the_summary_of_every_verb_fits_two_screens() {
    let place = Place::new();
    for verb in VERBS {
        let mut command = place.command();
        command.args(verb.split(' ')).arg("-h").env("COLUMNS", "80");
        let ran = support::ran(&mut command);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let lines = ran.stdout.lines().count();
        assert!(lines <= 48, "wynot {verb} -h has {lines} lines");
        for line in ran.stdout.lines().filter(|line| !line.starts_with("  wynot ")) {
            assert!(line.chars().count() <= 80, "wynot {verb} -h: {line}");
        }
    }
}

#[test]
fn the_help_of_a_verb_says_nothing_about_others() {
    let place = Place::new();
    for (verb, foreign) in [
        ("reduce", "{version}"),
        ("reduce", "gather for"),
        ("isolate", "--no-external"),
        ("options", "NAME.min.EXT"),
        ("options", "--until-size"),
        ("changes", "smart to reduce"),
        ("history", "{options}"),
    ] {
        let help = place.wynot(&format!("{verb} --help")).stdout;
        assert!(!help.contains(foreign), "wynot {verb} --help says {foreign}");
    }
}

#[test]
fn wrong_usage_says_what_to_type() {
    let place = Place::new();
    place.write("two.txt", "1\n2\n");
    place.script("t.sh", "exit 1");
    for (wrong, right) in [
        ("reduce two.txt gcc -c {}", "put -- before the test: wynot reduce two.txt -- gcc -c {}"),
        (
            "reduce -j 2 two.txt ./t.sh {}",
            "put -- before the test: wynot reduce -j 2 two.txt -- ./t.sh {}",
        ),
        ("changes --good v1 --bad v2 make test", "wynot changes --good v1 --bad v2 -- make test"),
        ("options --vary=-O2 gcc {options}", "wynot options --vary=-O2 -- gcc {options}"),
        ("reduce two.txt", "write it at the end: wynot reduce two.txt -- COMMAND {}"),
        ("reduc two.txt -- ./t.sh", "did you mean"),
        ("reduce --reprot x two.txt -- ./t.sh", "did you mean --report?"),
        ("changes --good v1 -- ./t.sh", "type wynot changes --good v1 --bad HEAD -- ./t.sh"),
        ("reduce -j many two.txt -- ./t.sh", "wynot reduce -h shows how it is used"),
        ("reduce missing.txt -- ./t.sh {}", "missing.txt"),
        ("reduce two.txt -- ./no-such-test {}", "./no-such-test"),
        ("isolate --unit word two.txt -- ./t.sh", "word"),
        ("sessions remove nothing", "wynot sessions lists them"),
        ("report --no-such", "wynot report -h"),
        ("minimize two.txt -- ./t.sh {}", "type wynot reduce two.txt -- ./t.sh {}"),
        ("two.txt -- ./t.sh {}", "type wynot reduce two.txt -- ./t.sh {}"),
        ("reduce -- ./t.sh {}", "type wynot reduce FILE -- ./t.sh {}"),
        ("options -- ./t.sh {options}", "--vary 'OPTION OPTION' -- ./t.sh"),
        ("changes v1 v2 -- ./t.sh", "type wynot changes --good v1 --bad v2 -- ./t.sh"),
        (
            "changes v1 v2 --build make -- ./t.sh",
            "type wynot changes --good v1 --bad v2 --build make -- ./t.sh",
        ),
        ("changes --bad v2 -- ./t.sh", "type wynot history -- ./t.sh"),
        ("state", "type wynot state dump or wynot state diff"),
        ("explain ./a ./b", "type wynot explain --pass ./a --fail ./b"),
        ("explain --pass ./missing --fail ./t.sh", "there is no program ./missing"),
    ] {
        place.wynot(wrong).ends(2, right);
    }
}

#[test]
fn names_with_a_slip_are_answered_with_those_that_were_meant() {
    let place = Place::new();
    place.write("two.txt", "1\n2\n");
    place.script("t.sh", "exit 1");
    for (wrong, right) in [
        ("reduce tow.txt -- ./t.sh {}", "did you mean two.txt?"),
        ("reduce ./twoo.txt -- ./t.sh {}", "did you mean ./two.txt?"),
        ("reduce --fail-when oops two.txt -- ./t.sh {}", "did you mean --fail-when 'stderr~oops'?"),
        ("reduce --fail-when stdout=oops two.txt -- ./t.sh", "--fail-when 'stdout~oops'?"),
        ("reduce -j 0 two.txt -- ./t.sh {}", "0 is not between 1 and 1024"),
        ("reduce -o no/x two.txt -- ./t.sh {}", "mkdir -p no makes it"),
        ("reduce - two.txt -- ./t.sh {}", "cannot be one of several inputs"),
        ("options --vary '' -- ./t.sh {options}", "--vary '-O2 -g'"),
        ("options --vary -x -- ./t.sh {}", "among its arguments: -- ./t.sh {options}"),
        ("changes a b ./t.sh", "type wynot changes --good a --bad b -- ./t.sh"),
        (
            "changes --build make a b ./t.sh -x",
            "type wynot changes --good a --bad b --build make -- ./t.sh -x",
        ),
        ("changes --versions - -- ./t.sh {version}", "the list has to be a file"),
        (
            "explain --pass ./a 1 2 --fail ./a 3",
            "type wynot explain --pass './a 1 2' --fail './a 3'",
        ),
        ("explain --fail ./a", "type wynot explain --pass 'PROGRAM ARGUMENTS' --fail ./a"),
        ("state dump --at f ./a 1", "type wynot state dump --at f './a 1'"),
        ("serve --listen 8411", "did you mean --listen 127.0.0.1:8411?"),
        ("submit reduce two.txt ./t.sh {}", "wynot submit reduce two.txt -- ./t.sh {}"),
        ("verify missing.txt", "wynot sessions lists"),
    ] {
        place.run(shell_words(wrong)).ends(2, right);
    }
    place.write("empty.txt", "");
    place.wynot("reduce empty.txt -- ./t.sh {}").ends(3, "wynot isolate --passing FILE empty.txt");
    place.wynot("isolate --passing two.txt two.txt -- ./t.sh {}").ends(3, "--passing FILE is");
}

/// The words of a command line in which `''` is an empty one.
fn shell_words(line: &str) -> impl Iterator<Item = &str> {
    line.split(' ').map(|word| if word == "''" { "" } else { word })
}

#[test]
fn a_test_for_another_tool_or_a_shell_has_a_hint() {
    let place = Place::new();
    place.write("in.txt", "aaa\nabc\n");
    place.script("t", "[ -f \"$1\" ] && ! grep -q b \"$1\"");
    let refused = place.run(["reduce", "in.txt", "--", "./t", "@@"]);
    refused.ends(3, "the path of the input is {}, not @@; write -- ");
    assert!(refused.stderr.contains("/t {}\n"), "{refused:?}");
    let piped = place.run(["reduce", "in.txt", "--", "cat", "{}", "|", "grep", "-v", "b"]);
    piped.ends(3, "so | is one of its arguments; write -- sh -c '");
    assert!(piped.stderr.contains("cat {} | grep -v b'"), "{piped:?}");
    let behind = place.run(["reduce", "in.txt", "--", "sh", "-c", "grep -q b", "{}"]);
    behind.ends(3, "write -- sh -c 'grep -q b {}'");
    // A script that looks for a file beside it.
    place.script("helper", "exit 1");
    place.script("check", "! ./helper in.txt 2> /dev/null");
    let beside = place.wynot("reduce in.txt -- ./check");
    beside.ends(3, "the test names ./helper, which is not in the private directory");
    assert_eq!(beside.stderr.matches("--in .").count(), 1, "{beside:?}");
    // A condition that does not hold.
    let ran = place.wynot("reduce --fail-when stderr~zzz in.txt -- ./t {}");
    ran.ends(3, "stderr~zzz does not hold for the original");
}

#[test]
fn sides_have_the_names_of_what_was_given() {
    let place = Place::new();
    place.write("in.json", "[1, 2, {\"b\": 3}]");
    place.script("always", "exit 1");
    let refused = place.wynot("reduce --unit json in.json -- ./always {}");
    refused.ends(3, "the test ends on the emptied input as it does on the original");
    place.write("good.txt", "x");
    place
        .wynot("isolate --passing good.txt in.json -- ./always {}")
        .ends(3, "on the passing input as it does on the original");
    place.script("t", "! grep -q b \"$1\"");
    place.write("no.json", "abc\nabd\n");
    let ran = place.wynot("reduce --unit json no.json -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("no.json is not JSON, so its lines vary"), "{ran:?}");
    // The passing side of a pair stands for it.
    assert_eq!(place.wynot("isolate in.json -- ./t {}").code, Some(0));
    let verified = place.wynot("verify in.passing.json");
    assert_eq!(verified.code, Some(0), "{verified:?}");
    // Two environments need no --env.
    place.write("good.env", "A=1\0");
    place.write("bad.env", "A=1\0BAD=1\0PATH=/usr/bin:/bin\0");
    place.script("e", "test -z \"$BAD\"");
    let ran = place.wynot("options --passing-env good.env --failing-env bad.env -- ./e");
    assert!(ran.stdout.contains("BAD=1"), "{ran:?}");
}

#[test]
fn errors_of_usage_are_objects_with_a_command_for_scripts() {
    let place = Place::new();
    for (wrong, next) in [
        ("reduce --json two.txt gcc -c {}", "wynot reduce --json two.txt -- gcc -c {}"),
        ("reduce --json --no-such two.txt -- true", "wynot reduce -h"),
        ("reduce --json missing.txt -- true", "wynot reduce --help"),
    ] {
        let ran = place.wynot(wrong);
        let value: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        assert_eq!(value["next_command"], next, "{ran:?}");
        assert_eq!(value["exit"], 2);
    }
}

#[test]
fn a_dash_is_standard_input_and_standard_output() {
    let place = Place::new();
    place.script("t", "! grep -q b \"$1\"");
    let mut command = place.command();
    command.args(["reduce", "-", "--", "./t", "{}"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"aaa\nabc\nccc\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout, b"b", "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("stdin: 12 → 1 byte"), "{output:?}");
    place.write("in.txt", "aaa\nabc\n");
    let ran = place.wynot("reduce -o - in.txt -- ./t {}");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "b"), "{ran:?}");
    assert!(!place.path("in.min.txt").exists());
    place.wynot("isolate - -- ./t {}").ends(2, "- is not for wynot isolate");
    // What came from standard input cannot be read once more.
    let mut command = place.command();
    command.args(["reduce", "-", "-o", "out", "--", "./t", "{}"]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"aaa\nabcd\n").unwrap();
    assert!(child.wait().unwrap().success());
    place.wynot("verify out").ends(2, "came from standard input");
}

#[test]
fn sessions_are_listed_removed_and_pruned() {
    let place = Place::new();
    place.write("in.txt", "aaa\nabc\nccc\n");
    place.script("t", "! grep -q b \"$1\"");
    assert_eq!(place.wynot("reduce in.txt -- ./t {}").code, Some(0));
    assert_eq!(place.wynot("isolate in.txt -- ./t {}").code, Some(0));
    let list = || -> Value {
        let ran = place.wynot("sessions --json");
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
    };
    let listed = list();
    let sessions = listed["sessions"].as_array().unwrap();
    assert!(!sessions.is_empty(), "{listed}");
    assert!(sessions.iter().all(|session| session["status"] == "minimal"), "{listed}");
    let words = place.wynot("sessions").stdout;
    assert!(
        words.contains("wynot isolate in.txt -- ./t '{}'")
            || words.contains("wynot isolate in.txt -- ./t {}"),
        "{words}"
    );
    let name = sessions[0]["name"].as_str().unwrap();
    assert_eq!(place.wynot(&format!("sessions remove {name}")).code, Some(0));
    assert_eq!(list()["sessions"].as_array().unwrap().len(), sessions.len() - 1);
    assert_eq!(place.wynot("reduce in.txt -- ./t {}").code, Some(0));
    assert_eq!(
        place.wynot("sessions prune").stdout.split(" of ").next(),
        Some("removed 0 sessions")
    );
    let pruned = place.wynot("sessions prune --larger-than 1");
    assert!(pruned.stdout.starts_with("removed 1 session of 1"), "{pruned:?}");
    assert_eq!(list()["sessions"].as_array().unwrap().len(), 0);
    assert!(
        fs::read_dir(place.path("state/wynot"))
            .unwrap()
            .flatten()
            .all(|entry| entry.path().is_file())
    );
}

#[test]
fn slow_first_runs_are_mentioned() {
    let place = Place::new();
    place.write("in.txt", "b");
    place.script("t", "sleep 1.8; ! grep -q b \"$1\"");
    let ran = place.wynot("reduce --max-tests 0 in.txt -- ./t {}");
    assert!(ran.stderr.starts_with("wynot: running the test for the first time"), "{ran:?}");
    let quick = place.wynot("reduce --max-tests 0 -q in.txt -- ./t {}");
    assert!(!quick.stderr.contains("first time"), "{quick:?}");
}

#[test]
fn a_program_that_succeeds_is_not_silently_taken_for_a_script() {
    let place = Place::new();
    place.write("good.txt", "scene\nend\n");
    place.write("bad.txt", "scene\nloop\nend\n");
    place.script(
        "parse",
        "grep -q scene \"$1\" || { echo no scene >&2; exit 2; }; ! grep -q loop \"$1\"",
    );
    let ran = place.wynot("reduce good.txt -- ./parse {}");
    let remark = "the test succeeds on good.txt, and ends with exit 2 on the empty input; if it was to fail on good.txt, \
                  it does not";
    assert!(ran.stderr.contains(remark), "{ran:?}");
    assert!(!ran.stdout.contains("failure: exit 0"), "{ran:?}");
    let ran = place.wynot("isolate --passing bad.txt good.txt -- ./parse {}");
    assert!(ran.stderr.contains("the two are the other way round"), "{ran:?}");
}

#[test]
fn several_inputs_are_named_by_their_names() {
    let place = Place::new();
    place.write("left.csv", "a,1\nb,2\n");
    place.write("right.csv", "a,1\nc,x\n");
    place.script("join", "cat \"$1\" \"$2\" > /dev/null && ! grep -q x \"$2\"");
    let ran = place.wynot("reduce left.csv right.csv -- ./join {} {}");
    ran.ends(3, "to name them, write -- ");
    assert!(ran.stderr.contains("join left.csv right.csv"), "{ran:?}");
    // One of them may be named already.
    place.script("merge", "[ -f \"$1\" ] || { echo no file >&2; exit 2; }");
    let ran = place.wynot("reduce left.csv right.csv -- ./merge {} right.csv");
    assert!(ran.stderr.contains("merge left.csv right.csv\n"), "{ran:?}");
    place
        .wynot("isolate left.csv right.csv -- ./join {}")
        .ends(3, "to compare two inputs: wynot isolate --passing left.csv right.csv -- ");
}

#[test]
fn a_refused_start_leaves_no_session() {
    let place = Place::new();
    place.write("in.txt", "aaa\nabc\n");
    place.script("t", "! grep -q b \"$1\"");
    let refused = place.wynot("reduce in.txt -- cat {}");
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(place.wynot("sessions").stdout.starts_with("0 sessions"), "{refused:?}");
    assert_eq!(place.wynot("reduce in.txt -- ./t {}").code, Some(0));
    // Another refusal does not come before the search that has ended.
    assert_eq!(place.wynot("reduce in.txt -- cat {}").code, Some(3));
    assert_eq!(place.wynot("verify").code, Some(0));
    // A session that knows something stays, and so does what else is in its directory.
    fs::create_dir(place.path("kept")).unwrap();
    place.write("kept/mine", "text");
    let refused = place.wynot("reduce --session kept in.txt -- cat {}");
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let left: Vec<_> = fs::read_dir(place.path("kept")).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_forgotten_placeholder_has_a_hint() {
    let place = Place::new();
    place.write("in.txt", "aaa\nabc\n");
    place.script("t", "! grep -q b \"$1\"");
    let refused = place.wynot("reduce in.txt -- ./t");
    refused.ends(
        3,
        "without {}, the test has in.txt as standard input; if it takes a path, write -- ",
    );
    assert!(refused.stderr.contains("/t {}\n"), "{refused:?}");
    // A test that names the input needs no placeholder.
    assert_eq!(place.wynot("reduce in.txt -- ./t in.txt").code, Some(0));
}

#[test]
fn a_failure_without_any_input_leads_to_a_comparison() {
    let place = Place::new();
    place.write("bad.txt", "aaa\n");
    place.write("good.txt", "aaa\nok\n");
    place.script("t", "grep -q ok \"$1\" || kill -SEGV $$");
    place.wynot("reduce bad.txt -- ./t {}").ends(
        3,
        "to compare it with an input that passes: wynot isolate --passing FILE bad.txt -- ",
    );
    assert_eq!(place.wynot("isolate --passing good.txt bad.txt -- ./t {}").code, Some(0));
}
