//! Rows of versions that are no commits: the first bad one, ranges, refusals.

mod support;

use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;
use std::time::Duration;
use support::Place;

/// Versions 1.0 to 1.N in a file.
fn row(last: u32) -> Place {
    let place = Place::new();
    let list: String = (0..=last).map(|number| format!("1.{number}\n")).collect();
    place.write("versions.txt", format!("# all releases\n\n{list}"));
    place
}

/// A test that gets a version such as 1.7 and is bad from a number on; each run leaves its version in a log.
fn bad_from(place: &Place, number: u32) {
    let log = place.path("log");
    let body = format!(
        "echo \"$1\" >> {}\nn=${{1#1.}}\n[ \"$n\" -lt {number} ] || {{ echo error: wrong sum >&2; exit 1; }}",
        log.display()
    );
    place.script("t", &body);
}

fn answer(found: &Value) -> (&str, &str) {
    (found["versions"]["good"].as_str().unwrap(), found["versions"]["bad"].as_str().unwrap())
}

fn logged(place: &Place) -> Vec<String> {
    let log = fs::read_to_string(place.path("log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

#[test]
fn the_first_bad_version_of_a_row_is_found_with_any_number_of_jobs() {
    let place = row(100);
    bad_from(&place, 38);
    let mut all = Vec::new();
    for jobs in ["1", "4"] {
        let args = format!("changes --fresh -j {jobs} --versions versions.txt -- ./t {{version}}");
        let found = place.json(&args);
        assert_eq!(answer(&found), ("1.37", "1.38"), "{found}");
        assert_eq!(found["versions"]["untested"], json!([]));
        assert_eq!(found["minimality"], "1-minimal (version)");
        assert_eq!(found["deltas"], json!({"before": 100, "after": 1}));
        assert!(found["tests"]["executed"].as_u64() <= Some(7), "{found}");
        all.push((found["versions"].clone(), found["tests"]["executed"].clone()));
    }
    assert_eq!(all[0], all[1]);
    let ran = place.wynot("changes --versions versions.txt -- ./t {version}");
    let line = "1.38 is the first bad version of 101, 1.37 the last good one, ";
    assert!(ran.stdout.starts_with(line), "{ran:?}");
    assert!(ran.stdout.contains("failure: exit 1, \"error: wrong sum\""), "{ran:?}");
}

#[test]
fn good_and_bad_name_lines_of_the_list() {
    let place = row(20);
    // It works again in the last versions.
    place.script(
        "t",
        "n=${1#1.}; [ $n -ge 15 ] || [ $n -lt 9 ] || { echo error: wrong >&2; exit 1; }",
    );
    let found =
        place.json("changes --good 1.3 --bad 1.12 --versions versions.txt -- ./t {version}");
    assert_eq!(answer(&found), ("1.8", "1.9"), "{found}");
    assert_eq!(found["deltas"]["before"], 9);
    let ran = place.wynot("changes --versions versions.txt -- ./t {version}");
    ran.ends(3, "hint: ");
}

#[test]
fn versions_that_cannot_be_tested_are_skipped_or_make_the_answer_a_range() {
    let place = row(40);
    let test = |skipped: &str, bad: u32| {
        place.script(
            "t",
            &format!("n=${{1#1.}}; {skipped} && exit 125; [ $n -lt {bad} ] || {{ echo error: bad >&2; exit 1; }}"),
        );
        place.json("changes --versions versions.txt -- ./t {version}")
    };
    let found = test("[ $n -ge 18 ] && [ $n -le 22 ]", 30);
    assert_eq!(answer(&found), ("1.29", "1.30"), "{found}");
    assert!(found["tests"]["unresolved"].as_u64() > Some(0), "{found}");
    let found = test("[ $n -ge 18 ] && [ $n -le 20 ]", 19);
    assert_eq!(answer(&found), ("1.17", "1.21"), "{found}");
    assert_eq!(found["versions"]["untested"], json!(["1.18", "1.19", "1.20"]));
    let ran = place.wynot("changes --versions versions.txt -- ./t {version}");
    let range = "the failure came after 1.17 and not after 1.21, of 41 versions, ";
    assert!(ran.stdout.starts_with(range), "{ran:?}");
    let untested = "3 versions between them could not be tested: 1.18, 1.19, 1.20\n";
    assert!(ran.stdout.contains(untested), "{ran:?}");
    place.wynot("verify").ends(0, "checking that");
}

#[test]
fn other_failures_do_not_count_and_high_exit_codes_abort() {
    let place = row(20);
    place.script(
        "t",
        "n=${1#1.}; [ $n -lt 8 ] && exit 0; [ $n = 10 ] && { echo error: no disk >&2; exit 1; }
         [ $n -lt 12 ] && exit 0; echo error: wrong sum >&2; exit 1",
    );
    let found = place.json("changes --versions versions.txt -- ./t {version}");
    assert_eq!(answer(&found), ("1.11", "1.12"), "{found}");
    place.script(
        "t",
        "n=${1#1.}; [ $n = 10 ] && exit 128; [ $n -lt 12 ] || { echo error: x >&2; exit 1; }",
    );
    place.wynot("changes --versions versions.txt -- ./t {version}").ends(1, "128");
}

#[test]
fn the_version_is_a_plain_word_in_the_test_and_quoted_in_the_build() {
    let place = Place::new();
    place.write("versions.txt", "a b\n$(touch x)\n'q' {1..2}\n;z\n");
    let build = "printf '%s\\n' {version} > word; printf '%s\\n' \"$WYNOT_VERSION\" > variable";
    place.script(
        "t",
        "[ \"$1\" = \"$WYNOT_VERSION\" ] && [ \"$1\" = \"$(cat word)\" ] && [ \"$1\" = \"$(cat variable)\" ] || exit 125
         [ $# = 1 ] && [ ! -e left ] || exit 125
         touch left; case $1 in *q*|*z*) echo error: bad >&2; exit 1;; esac",
    );
    let ran = place.run([
        "changes",
        "--json",
        "--versions",
        "versions.txt",
        "--build",
        build,
        "--",
        "./t",
        "{version}",
    ]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer(&found), ("$(touch x)", "'q' {1..2}"), "{found}");
    assert_eq!(found["tests"]["unresolved"], 0);
    assert!(!place.path("x").exists());
}

#[test]
fn a_build_that_fails_is_unresolved_and_leaves_nothing_for_the_next_version() {
    let place = row(30);
    let build = "[ ! -e installed ] || exit 1; echo {version} > installed; [ {version} != 1.15 ]";
    place.script(
        "t",
        "n=$(cat installed); n=${n#1.}; [ $n -lt 16 ] || { echo error: bad >&2; exit 1; }",
    );
    let args = ["changes", "--json", "--versions", "versions.txt", "--build", build, "--", "./t"];
    let ran = place.run(args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer(&found), ("1.14", "1.16"), "{found}");
    assert_eq!(found["reasons"], json!({"did not build": 1}), "{found}");
    let build = "exit 1 # {version}";
    let args = ["changes", "--versions", "versions.txt", "--build", build, "--", "./t"];
    place.run(args).ends(3, "the bad version does not build");
}

#[test]
fn programs_of_several_versions_and_a_project_can_be_used() {
    let place = Place::new();
    place.write("versions.txt", "1\n2\n3\n4\n5\n6\n");
    fs::create_dir_all(place.path("project")).unwrap();
    place.write("project/data", "7\n");
    for version in [1, 2, 4, 5, 6] {
        fs::create_dir_all(place.path(format!("tools/{version}"))).unwrap();
        let body = format!(
            "cat data >/dev/null || exit 125; [ {version} -lt 4 ] || {{ echo error: {version} >&2; exit 1; }}"
        );
        place.script(&format!("tools/{version}/tool"), &body);
    }
    let found =
        place.json("changes --in project --versions versions.txt -- ./tools/{version}/tool");
    assert_eq!(answer(&found), ("2", "4"), "{found}");
    assert_eq!(found["versions"]["untested"], json!(["3"]));
    place
        .wynot("changes --versions versions.txt --bad 3 -- ./tools/{version}/tool")
        .ends(2, "cannot run ./tools/3/tool: no such file or command");
}

#[test]
fn crashes_of_versions_are_compared_by_their_backtraces() {
    let place = Place::new();
    place.write("versions.txt", "1\n2\n3\n4\n5\n6\n7\n8\n");
    let source = "#include <stdlib.h>
        int *nothing;
        __attribute__((noinline)) int early(void) { return *nothing; }
        __attribute__((noinline)) int late(void) { return 1 + *nothing; }
        int main(int argc, char **argv) {
            int version = atoi(argv[1]);
            if (version == 4) return early();
            return version >= 6 ? late() : 0;
        }";
    support::gcc(&place, "crash", &["-g", "-O0"], source);
    let found = place.json("changes --versions versions.txt -- ./crash {version}");
    assert_eq!(answer(&found), ("5", "6"), "{found}");
}

#[test]
fn lists_and_options_that_make_no_row_are_refused() {
    let place = row(5);
    bad_from(&place, 3);
    let refused = |list: &[u8], args: &str, message: &str, hint: &str| {
        fs::write(place.path("list"), list).unwrap();
        let ran = place.wynot(&format!("changes {args}"));
        ran.ends(2, message);
        ran.ends(2, hint);
    };
    let test = "--versions list -- ./t {version}";
    refused(
        b"a\n",
        test,
        "list: a row needs at least two versions",
        "hint: --versions names a file",
    );
    refused(b"# a\n\n", test, "the list has 0", "one version per line");
    refused(b"a\nb\nc\nb\n", test, "b is listed twice, in line 2 and in line 4", "hint: a version");
    refused(b"a\n\xff\n", test, "list is not UTF-8", "one version per line");
    refused(b"a\nb\x07\n", test, "line 2 has a control character", "one version per line");
    let missing = "--versions nothing -- ./t {version}";
    refused(b"", missing, "cannot read nothing: ", "one version per line");
    let unknown = format!("--good x {test}");
    refused(b"a\nb\n", &unknown, "x is not in the list", "hint: --good and --bad name lines");
    let reversed = format!("--good b --bad a {test}");
    refused(b"a\nb\n", &reversed, "b is not before the bad one a", "the other way round?");
    let nowhere = "--versions list --build true -- ./t";
    refused(b"a\nb\n", nowhere, "neither the test nor --build", "hint: write {version} among");
    let grouped = format!("--group file {test}");
    refused(b"a\nb\n", &grouped, "cannot be used with", "--group");
    let algorithm = format!("--algorithm ddmin {test}");
    refused(b"a\nb\n", &algorithm, "a row of versions is bisected", "--algorithm");
    let valid = format!("--valid-when true {test}");
    refused(b"a\nb\n", &valid, "--valid-when checks files", "");
    refused(b"", "--good HEAD -- ./t", "there is no bad version (--bad)", "--good HEAD --bad HEAD");
    refused(b"", "--bad HEAD -- ./t", "there is no good version (--good)", "wynot history -- ./t");
    for confidence in ["1", "0.4", "0.99999", "much"] {
        let args = format!("--flaky --confidence {confidence} {test}");
        refused(b"a\nb\n", &args, "a confidence is a number from 0.5 to 0.9999", "");
    }
    refused(b"a\nb\n", &format!("--confidence 0.9 {test}"), "--flaky", "");
}

#[test]
fn the_answer_is_in_the_page_the_trace_and_the_events() {
    let place = row(12);
    bad_from(&place, 5);
    let args = "changes --report page.html --events events.jsonl --trace --versions versions.txt -- ./t {version}";
    let ran = place.wynot(args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("✘  version 6  1.6\n"), "{ran:?}");
    let page = place.text("page.html");
    for shown in [
        "<title>from 1.0 to 1.12: 1.5 is the first bad version of 13, 1.4 the last good one",
        "1.5 is the first bad version of 13",
        "bisect",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let events: Vec<Value> = place
        .text("events.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let tested = events.iter().find(|event| event["event"] == "tested").unwrap();
    assert_eq!((&tested["version"], &tested["outcome"]), (&json!("1.6"), &json!("fail")));
    let verified = place.wynot("verify");
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert!(verified.stdout.contains("1-minimal (version), confirmed by 2 tests"), "{verified:?}");
    bad_from(&place, 4);
    place.wynot("verify").ends(4, "has changed since the session");
}

#[test]
fn a_search_that_was_stopped_goes_on_and_repeats_no_test() {
    let place = row(300);
    bad_from(&place, 123);
    let args = ["changes", "-j", "1", "--versions", "versions.txt", "--", "./t", "{version}"];
    let stopped = place.run(args[..3].iter().chain(&["--max-tests", "3"]).chain(&args[3..]));
    stopped.ends(5, "run the same command again");
    let before = logged(&place);
    let found = place.json(&args.join(" "));
    assert_eq!(answer(&found), ("1.122", "1.123"), "{found}");
    let after = logged(&place);
    assert!(after[before.len()..].iter().all(|version| !before.contains(version)), "{after:?}");
    assert_eq!(found["tests"]["replayed"], 3);
    place.wynot("resume").ends(0, "resuming with");
}

#[test]
fn a_search_that_was_killed_goes_on_and_repeats_at_most_the_test_that_was_running() {
    let place = row(300);
    bad_from(&place, 123);
    let slow = format!("{}\n{}", "sleep 0.05", place.text("t").trim_start_matches("#!/bin/sh\n"));
    place.script("t", &slow);
    let args = ["changes", "-j", "1", "--versions", "versions.txt", "--", "./t", "{version}"];
    for runs in [4, 6] {
        let mut command = place.command();
        command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
        let mut wynot = command.spawn().unwrap();
        while logged(&place).len() < runs {
            std::thread::sleep(Duration::from_millis(2));
        }
        wynot.kill().unwrap();
        wynot.wait().unwrap();
    }
    let found = place.json(&args.join(" "));
    assert_eq!(answer(&found), ("1.122", "1.123"), "{found}");
    // The last two runs confirm the answer; one run for each kill may be missing in the journal.
    let all = logged(&place);
    let mut different = all[..all.len() - 2].to_vec();
    different.sort();
    different.dedup();
    assert!(all.len() - 2 <= different.len() + 2, "{all:?}");
}

#[test]
fn a_program_that_the_build_installs_is_used_and_may_be_missing() {
    let place = row(12);
    place.write("tool.in", "#!/bin/sh\necho error: bad >&2; exit 1\n");
    let source = place.path("tool.in");
    let build = format!(
        "n={{version}}; n=${{n#1.}}; mkdir bin; [ $n = 6 ] && exit 0
         if [ $n -ge 7 ]; then cp {} bin/tool; else echo '#!/bin/sh' > bin/tool; fi; chmod +x bin/tool",
        source.display()
    );
    let row = ["changes", "--json", "--versions", "versions.txt", "--build", build.as_str()];
    let ran = place.run(row.iter().chain(&["--", "./bin/tool"]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(answer(&found), ("1.5", "1.7"), "{found}");
}

#[test]
fn programs_are_found_in_the_search_path_by_their_versions() {
    let place = Place::new();
    place.write("versions.txt", "3\n4\n5\n");
    fs::create_dir(place.path("bin")).unwrap();
    for (version, code) in [(3, 0), (4, 1), (5, 1)] {
        place.script(&format!("bin/cc-{version}"), &format!("exit {code}"));
    }
    let mut command = place.command();
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).args(["changes", "--versions", "versions.txt", "--", "cc-{version}"]);
    let ran = support::ran(&mut command);
    assert!(
        ran.stdout.starts_with("4 is the first bad version of 3, 3 the last good one"),
        "{ran:?}"
    );
}
