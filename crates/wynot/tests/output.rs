//! What a run leaves behind and prints: files, JSON, events, trace, report, help.

mod support;

use serde_json::Value;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use support::Place;

fn place() -> Place {
    let place = Place::new();
    place.write("in.txt", "one\ntwo x\nthree\n");
    place.script("t", "! grep -q x \"$1\"");
    place
}

#[test]
fn the_original_is_left_alone_and_the_result_lies_beside_it() {
    let place = place();
    let ran = place.wynot("reduce in.txt -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stdout.starts_with("in.txt: 16 → 1 byte (93.8 % gone), 1-minimal (token, byte), "),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("result: in.min.txt"));
    assert_eq!(place.text("in.txt"), "one\ntwo x\nthree\n");
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn the_result_can_go_elsewhere_or_take_the_place_of_the_input() {
    let place = place();
    place.wynot("reduce -o small.txt in.txt -- ./t {}");
    assert_eq!(place.text("small.txt"), "x");
    place.write("in.txt.orig", "somebody else's");
    place.wynot("reduce --in-place in.txt -- ./t {}").ends(2, "holds something else");
    std::fs::remove_file(place.path("in.txt.orig")).unwrap();
    symlink("in.txt", place.path("link.txt")).unwrap();
    place.wynot("reduce --in-place link.txt -- ./t {}");
    assert_eq!(place.text("in.txt"), "x");
    assert_eq!(place.text("link.txt.orig"), "one\ntwo x\nthree\n");
    assert!(place.path("link.txt").is_symlink(), "the link is still one");
}

#[test]
fn inputs_and_devices_are_never_written_over() {
    let place = place();
    place.write("old.txt", "two\n");
    let passing = "isolate --passing old.txt -o old.txt in.txt -- ./t {}";
    place.wynot(passing).ends(2, "is an input and would be overwritten");
    place
        .wynot("reduce --events in.txt in.txt -- ./t {}")
        .ends(2, "is an input and would be overwritten");
    place.wynot("reduce -o /dev/null in.txt -- ./t {}").ends(2, "is no ordinary file");
    assert_eq!(place.text("old.txt"), "two\n");
    assert_eq!(place.text("in.txt"), "one\ntwo x\nthree\n");
}

#[test]
fn json_is_one_object_on_standard_output_and_nothing_else() {
    let place = place();
    let ran = place.wynot("reduce --json in.txt -- ./t {}");
    let value: Value = serde_json::from_str(&ran.stdout).unwrap();
    let keys = [
        "schema",
        "command",
        "status",
        "minimality",
        "algorithm",
        "unit",
        "tests",
        "deltas",
        "bytes",
        "output",
        "seconds",
        "jobs",
    ];
    for key in keys {
        assert!(value.get(key).is_some(), "{key} is not in {value}");
    }
    assert_eq!(value["unit"], "syntax");
    assert_eq!(value["language"], "text");
    assert_eq!(value["output"], "in.min.txt");
}

#[test]
fn a_trace_shows_what_was_kept_and_what_was_removed() {
    let place = place();
    place.write("in.txt", "abcx");
    let ran = place.wynot("reduce -j 1 --unit char --trace in.txt -- ./t {}");
    let lines: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("subset")).collect();
    assert_eq!(lines[0].trim(), "1  ab··  ✔  subset 1/2");
    assert_eq!(lines[1].trim(), "2  ··cx  ✘  subset 2/2");
    place.write("in.txt", "many words\n".repeat(500) + "x\n");
    let ran = place.wynot("reduce -j 1 --unit line --trace in.txt -- ./t {}");
    assert!(ran.stderr.contains("████"), "{ran:?}");
}

#[test]
fn events_are_lines_of_json() {
    let place = place();
    place.wynot("reduce --unit line,char --events ev.jsonl in.txt -- ./t {}");
    let text = place.text("ev.jsonl");
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for kind in ["level", "tested", "step"] {
        assert!(events.iter().any(|event| event["event"] == kind), "no {kind} in {text}");
    }
    assert_eq!(events[0]["event"], "begin");
    assert_eq!(events[0]["output"], "in.min.txt");
}

#[test]
fn events_can_go_to_a_pipe() {
    let ran = place().wynot("reduce --json --events /dev/stdout in.txt -- ./t {}");
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["event"], "begin", "{ran:?}");
    assert_eq!(lines.last().unwrap()["status"], "minimal");
}

#[test]
fn a_report_is_a_page_that_stands_alone() {
    let place = place();
    let value = place.json("reduce --report r.html in.txt -- ./t {}");
    let page = place.text("r.html");
    assert!(page.starts_with("<!DOCTYPE html>") || page.starts_with("<!doctype html>"));
    assert!(page.contains("<svg") && page.contains("in.txt"));
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"));
    let session = value["session"].as_str().unwrap();
    let again = place.wynot(&format!("report {session}"));
    assert_eq!(again.stdout, page);
    place.wynot("report no-such-session").ends(2, "there is no session and no result");
}

#[test]
fn quiet_prints_the_result_only() {
    let ran = place().wynot("reduce -q in.txt -- ./t {}");
    assert_eq!(ran.stderr, "");
    assert!(ran.stdout.contains("in.min.txt"));
}

#[test]
fn wrong_usage_ends_with_2_and_names_the_choices() {
    let place = place();
    place.wynot("reduce in.txt").ends(2, "COMMAND");
    place.wynot("reduce --unit word in.txt -- ./t {}").ends(2, "use line, token, char, byte");
    place.wynot("reduce --unit char,line in.txt -- ./t {}").ends(2, "units go from coarse to fine");
    place.wynot("reduce --timeout 5parsecs in.txt -- ./t {}").ends(2, "is no unit of time");
    place.wynot("reduce --fail-when exit=x in.txt -- ./t {}").ends(2, "is no condition");
    place.wynot("reduce --as delta in.txt -- ./t {}").ends(2, "creduce");
    place.wynot("reduce --in nowhere in.txt -- ./t {}").ends(2, "--in nowhere");
}

#[test]
fn help_shows_examples_and_man_and_completions_are_there() {
    let place = place();
    assert!(place.wynot("reduce --help").stdout.contains("wynot reduce crash.c -- gcc -O2 -c {}"));
    assert!(place.wynot("isolate --help").stdout.contains("--passing old.conf new.conf"));
    assert!(place.wynot("--help").stdout.contains("130  interrupted"));
    assert!(place.wynot("man").stdout.contains(".TH wynot 1"));
    let page = place.wynot("man reduce").stdout;
    assert!(page.contains("wynot\\-reduce") && page.contains("\\fBwynot reduce\\fR"), "{page}");
    for shell in ["bash", "zsh", "fish"] {
        let script = place.wynot(&format!("completions {shell}"));
        assert!(script.stdout.contains("fail-when"), "{shell}");
        assert!(!script.stdout.contains("__supervise"), "{shell} offers what is not for people");
    }
}

#[test]
fn a_test_runs_in_a_copy_of_a_project_that_stays_as_it_is() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("proj/src")).unwrap();
    place.write("proj/src/part.txt", "a\nx\nb\n");
    place.write("proj/limit", "x");
    place.script(
        "proj/check.sh",
        "[ -e made ] && exit 9\ntouch made\necho spoiled > limit2\n\
         ! grep -q \"$(cat limit)\" src/part.txt",
    );
    let result = place.json("reduce --in proj proj/src/part.txt -- ./proj/check.sh");
    assert_eq!(place.text("proj/src/part.min.txt"), "x");
    assert_eq!(result["tests"]["unresolved"], 0, "what one test left was seen by another");
    assert!(!place.path("proj/made").exists());
}

#[test]
fn the_output_can_be_part_of_the_failure() {
    let place = place();
    place.script("t", "grep -o '[xw]' \"$1\"; grep -q x \"$1\" && exit 1; exit 0");
    place.wynot("reduce in.txt -- ./t {}");
    assert_eq!(place.text("in.min.txt"), "x");
    place.wynot("reduce --same-output in.txt -- ./t {}");
    assert_eq!(place.text("in.min.txt"), "wx");
}

#[test]
fn a_reader_that_goes_away_does_not_end_the_run() {
    let place = place();
    let mut command = Command::new("sh");
    place.prepare(&mut command);
    let own = env!("CARGO_BIN_EXE_wynot");
    let line =
        format!("{own} reduce --unit char -v in.txt -- ./t {{}} 2>&1 | true; test -s in.min.txt");
    assert!(command.args(["-c", &line]).stdout(Stdio::null()).status().unwrap().success());
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn other_words_of_failure_are_pointed_out() {
    let place = place();
    place.script(
        "t",
        "grep -q three \"$1\" && { echo 'error: three' >&2; exit 1; }\n\
         grep -q x \"$1\" && { echo 'error: letter' >&2; exit 1; }\nexit 0",
    );
    let ran = place.wynot("reduce --unit char --any-failure in.txt -- ./t {}");
    assert_eq!(place.text("in.min.txt"), "x");
    let both =
        "the original showed exit 1, \"error: three\"; the result shows exit 1, \"error: letter\"";
    ran.ends(0, &format!("note: {both}"));
    place.wynot("reduce --unit char -o same.txt in.txt -- ./t {}").ends(0, "error: three");
    assert_eq!(place.text("same.txt"), "three");
}

#[test]
fn a_project_is_safe_from_its_tests_and_resumes_alike() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("proj/mods")).unwrap();
    place.write("data.txt", "a\nb\nc\nx\nd\n");
    symlink(place.path("data.txt"), place.path("proj/in.txt")).unwrap();
    place.write("proj/mods/lib.txt", "x");
    let here = place.path("proj/mods").display().to_string();
    place.script(
        "proj/check.sh",
        &format!("pattern=$(cat mods/lib.txt)\nrm -rf mods; ln -s {here} mods\n! grep -q \"$pattern\" in.txt"),
    );
    let args = "--in proj proj/in.txt -- ./proj/check.sh";
    let whole = place.json(&format!("reduce --unit line,char {args}"));
    assert_eq!(place.text("proj/in.min.txt"), "x");
    assert_eq!(place.text("data.txt"), "a\nb\nc\nx\nd\n", "the input is untouched");
    assert_eq!(place.text("proj/mods/lib.txt"), "x", "the project is untouched");
    for stop in [1, 2, 3, 4] {
        place.wynot(&format!("reduce --fresh --unit line,char --max-tests {stop} {args}"));
        let resumed = place.json(&format!("reduce --unit line,char {args}"));
        assert_eq!(place.text("proj/in.min.txt"), "x", "stopped at {stop}");
        assert_eq!(resumed["tests"]["executed"], whole["tests"]["executed"], "stopped at {stop}");
    }
    place.write("proj/mods/lib.txt", "b");
    let changed = place.json(&format!("reduce --unit line,char {args}"));
    assert_eq!(changed["tests"]["replayed"], 0, "another project shares no outcomes");
    assert_eq!(place.text("proj/in.min.txt"), "b");
}

#[test]
fn restored_files_are_older_than_the_variant() {
    let place = Place::new();
    std::fs::create_dir(place.path("proj")).unwrap();
    place.write("proj/in.txt", "a\nx\nb\n");
    place.write("proj/out", "a\nx\nb\n");
    // As make does: rebuild only what is older than its source.
    place.script("proj/check.sh", "[ out -nt in.txt ] || cp in.txt out\n! grep -q x out");
    let result = place.json("reduce --unit line,char --in proj proj/in.txt -- ./proj/check.sh");
    assert_eq!(place.text("proj/in.min.txt"), "x");
    assert_eq!(result["status"], "minimal");
}

#[test]
fn ordinary_arguments_stay_as_they_are() {
    let place = place();
    assert_eq!(place.wynot("reduce in.txt -- grep -q x.").code, Some(3));
    assert_eq!(place.wynot("reduce in.txt -- grep -q .").code, Some(0));
    assert_eq!(place.text("in.min.txt").trim_end().len(), 1);
    std::fs::create_dir(place.path("sub")).unwrap();
    place.write("sub/b.txt", "axb");
    assert_eq!(
        place.wynot("reduce sub/b.txt -- ./t sub/b.txt").code,
        Some(0),
        "as if it were {{}}"
    );
    assert_eq!(place.text("sub/b.min.txt"), "x");
}

#[test]
fn a_file_that_has_the_name_of_the_result_is_not_lost() {
    let place = place();
    place.write("in.min.txt", "somebody's own");
    place.wynot("reduce in.txt -- ./t {}").ends(0, "in.min.txt.orig now");
    assert_eq!(place.text("in.min.txt.orig"), "somebody's own");
    assert_eq!(place.text("in.min.txt"), "x");
    // A result of an earlier search is replaced without further ado.
    place.write("in.txt", "another x\n");
    let ran = place.wynot("reduce in.txt -- ./t {}");
    assert!(ran.code == Some(0) && !ran.stderr.contains(".orig"), "{ran:?}");
}

#[test]
fn what_cannot_be_written_is_noticed_before_the_first_test() {
    let place = place();
    place.script("t", "touch ran; exit 1");
    place.wynot("reduce --report no/r.html in.txt -- ./t {}").ends(2, "there is no such directory");
    place.wynot("reduce -o no/x in.txt -- ./t {}").ends(2, "there is no such directory");
    assert!(!place.path("ran").exists());
}

#[test]
fn a_test_may_be_named_by_its_parent_directory() {
    let place = place();
    std::fs::create_dir(place.path("project")).unwrap();
    place.write("project/in.txt", "one\ntwo x\n");
    let mut command = place.command();
    command.current_dir(place.path("project")).args(["reduce", "--in", ".", "in.txt"]);
    let ran = support::ran(command.args(["--", "../t", "{}"]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
