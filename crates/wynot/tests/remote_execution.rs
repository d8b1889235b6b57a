//! Tests on the workers of a real service: the answer is that of this machine.

mod remote;
mod support;

use remote::{Server, ServerOptions};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use support::{Place, gcc, ran};
use wynot_test_support::{Tool, require};

/// A text in which a few lines matter.
fn text() -> String {
    let lines = (0..60).map(|i| match i {
        17 => "first want\n".to_owned(),
        43 => "second want\n".to_owned(),
        _ => format!("line {i} of the text\n"),
    });
    lines.collect()
}

fn place() -> Place {
    let place = Place::new();
    place.write("in.txt", text());
    place.script("t", "grep -q 'first' \"$1\" && grep -q 'second' \"$1\" && exit 3; exit 0");
    place
}

/// Everything about a search that must not depend on where its tests run.
fn answer(place: &Place, found: &Value, output: &str) -> (Vec<u8>, Value, Vec<Value>) {
    let events = place.text("events.jsonl");
    let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let steps = events.filter(|event| event["event"] == "step").map(|step| {
        serde_json::json!([step["bytes"], step["deltas"], step["tests"], step["part"]])
    });
    let steps = steps.collect();
    (place.read(output), found["tests"]["executed"].clone(), steps)
}

fn reduced(options: &str) -> (Place, Value) {
    let place = place();
    let found = place.json(&format!("reduce in.txt --events events.jsonl {options} -- ./t {{}}"));
    (place, found)
}

#[test]
fn the_answer_is_that_of_this_machine() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let (here, found) = reduced("-j 2");
    let expected = answer(&here, &found, "in.min.txt");
    for workers in [1, 4] {
        let server = Server::with_workers(workers);
        let (place, found) = reduced(&format!("-j {workers} --executor {}", server.url()));
        assert_eq!(answer(&place, &found, "in.min.txt"), expected, "{workers} workers");
        assert!(found["remote"]["executed"].as_u64().unwrap() > 10, "{found}");
    }
}

#[test]
fn a_second_search_by_another_user_is_answered_by_the_cache() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(2);
    let options = format!("-j 2 --executor {}", server.url());
    let (first, found) = reduced(&options);
    let expected = answer(&first, &found, "in.min.txt");
    let executed = found["remote"]["executed"].as_u64().unwrap();
    let (second, found) = reduced(&options);
    assert_eq!(answer(&second, &found, "in.min.txt"), expected);
    let again = found["remote"]["executed"].as_u64().unwrap();
    let cached = found["remote"]["cached"].as_u64().unwrap();
    assert!(again * 10 <= executed, "{again} of {executed} ran again");
    assert!(cached * 100 >= (cached + again) * 95, "{cached} cached, {again} executed");
}

#[test]
fn a_verification_runs_new_tests() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(2);
    let (place, _) = reduced(&format!("-j 2 --executor {}", server.url()));
    let log = place.path("runs");
    let verified = place.wynot("verify in.min.txt");
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert!(verified.stdout.contains("confirmed by"), "{verified:?}");
    assert!(!log.exists(), "tests on workers write nothing here");
}

#[test]
fn files_that_the_test_names_and_needs_come_along() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(1);
    let place = place();
    fs::create_dir(place.path("lib")).unwrap();
    place.write("lib/words", "first\nsecond\n");
    let body =
        "while read w; do grep -q $w \"$1\" || exit 0; done < $(dirname $0)/lib/words; exit 3";
    place.script("t", body);
    let options = format!("--executor {} -j 1", server.url());
    let missing = place.wynot(&format!("reduce in.txt {options} -- ./t {{}}"));
    assert_ne!(missing.code, Some(0), "{missing:?}");
    let said = &missing.stderr;
    assert!(said.contains("on this machine, the original ends with exit 3"), "{said}");
    let found = place.json(&format!("reduce in.txt {options} --with lib -- ./t {{}}"));
    assert_eq!(found["remote"]["lost"], 0);
    let left = place.text("in.min.txt");
    assert!(left.contains("first") && left.contains("second") && left.len() < 13, "{left}");
    let lib = place.path("lib").join("words");
    let doubtful = place
        .wynot(&format!("reduce in.txt --fresh {options} -- grep -c -f{} {{}}", lib.display()));
    assert!(doubtful.stderr.contains("workers may not have"), "{doubtful:?}");
}

#[test]
fn directories_options_and_projects_go_to_workers() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(2);
    for executor in ["-j 2".to_owned(), format!("-j 2 --executor {}", server.url())] {
        let place = place();
        fs::create_dir_all(place.path("tree/deep")).unwrap();
        for name in ["a", "b", "deep/c", "deep/d"] {
            place.write(&format!("tree/{name}"), format!("{name}\n"));
        }
        place.script("tree/run", "exec true");
        place.script("d", "test -x tree/run -a -e tree/deep/c && exit 1; exit 0");
        let found = place.json(&format!("reduce tree {executor} -- ./d"));
        assert_eq!(found["files"]["after"], 2, "{found}");
        assert!(place.path("tree.min/deep/c").exists() && place.path("tree.min/run").exists());

        place.script("o", "for o in \"$@\"; do [ $o = -b ] && exit 1; done; exit 0");
        let options = executor.split_whitespace();
        let words = ["options", "--json", "--vary", "-a -b -c"].into_iter().chain(options);
        let ran = place.run(words.chain(["--", "./o", "{options}"]));
        let found: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        assert_eq!(found["causes"][0]["deltas"], serde_json::json!(["-b"]), "{found}");

        fs::create_dir(place.path("project")).unwrap();
        place.write("project/data", "needle\n");
        place.write("project/in.txt", text());
        place.script("project/p", "grep -q needle data && grep -q first in.txt && exit 1; exit 0");
        let found =
            place.json(&format!("reduce project/in.txt --in project {executor} -- project/p"));
        assert_eq!(found["bytes"]["after"], 5, "{found}");
    }
}

#[test]
fn versions_are_built_on_workers() {
    require!(Tool::Buildbox, Tool::Bubblewrap, Tool::Git);
    let server = Server::with_workers(2);
    let mut answers = Vec::new();
    for executor in ["-j 2".to_owned(), format!("-j 2 --executor {}", server.url())] {
        let place = Place::new();
        let git = |words: &str| {
            let mut command = Command::new("git");
            place.prepare(command.env("GIT_CONFIG_GLOBAL", "/dev/null"));
            let command = command.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
            let done = ran(command
                .args(words.split(' '))
                .env("GIT_COMMITTER_DATE", "@1700000000 +0000")
                .env("GIT_AUTHOR_DATE", "@1700000000 +0000"));
            assert_eq!(done.code, Some(0), "{done:?}");
        };
        git("init -q .");
        for version in 0..12 {
            let answer = if version < 7 { 42 } else { 41 };
            let unrelated: String = (0..version).map(|n| format!("int unused{n};\n")).collect();
            place.write(
                "answer.c",
                format!("{unrelated}int main(void) {{ return {answer} != 42; }}\n"),
            );
            git("add answer.c");
            git(&format!("commit -q -m version{version}"));
        }
        let options = format!("--build gcc%answer.c%-o%answer {executor}");
        let words = |words: &str| -> Vec<String> {
            words.split_whitespace().map(|word| word.replace('%', " ")).collect()
        };
        for search in ["changes --good HEAD~11 --bad HEAD", "history"] {
            let line = words(&format!("{search} --json {options} -- ./answer"));
            let done = place.run(&line);
            assert_eq!(done.code, Some(0), "{search} {executor}: {done:?}");
            let found: Value = serde_json::from_str(&done.stdout).unwrap();
            let patch = fs::read_to_string(place.path(found["output"].as_str().unwrap())).unwrap();
            assert!(patch.contains("+int main(void) { return 41 != 42; }"), "{patch}");
            answers.push((search, patch, found["tests"]["executed"].clone()));
        }
    }
    assert_eq!(answers[..2], answers[2..]);
}

#[test]
fn each_run_of_a_flaky_test_is_a_new_one() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(2);
    let place = place();
    place.script("t", "grep -q first \"$1\" && [ $(($(od -An -N1 -tu1 /dev/urandom) % 3)) != 0 ] && exit 3; exit 0");
    let options = format!("-j 2 --executor {} --flaky --until-size 200", server.url());
    let found = place.json_of(&format!("reduce in.txt {options} -- ./t {{}}"), 5);
    let rate = found["rate"]["original"].clone();
    let (fails, runs) = (rate["fails"].as_u64().unwrap(), rate["runs"].as_u64().unwrap());
    assert!(fails > 0 && fails < runs, "a cached run repeats one outcome: {rate}");
    assert!(place.text("in.min.txt").contains("first"));
}

#[test]
fn crashes_on_workers_have_the_identity_that_they_have_here() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(2);
    let source = "#include <stdio.h>\n#include <string.h>\n\
        __attribute__((noinline)) void inner(char *text) { if (strstr(text, \"bug\")) *(volatile int *)8 = 1; }\n\
        __attribute__((noinline)) void other(char *text) { if (strstr(text, \"odd\")) *(volatile int *)8 = 1; }\n\
        int main(int n, char **a) { char t[9999] = \"\"; FILE *f = fopen(a[1], \"r\"); \
        fread(t, 1, 9998, f); other(t); inner(t); return 0; }\n";
    let mut answers = Vec::new();
    for executor in ["-j 2".to_owned(), format!("-j 2 --executor {}", server.url())] {
        let place = Place::new();
        gcc(&place, "crash", &["-g", "-O1"], source);
        place.write("in.txt", "some words\nodbug\nd\nmore\n");
        let found = place.json(&format!("reduce in.txt --same-crash {executor} -- ./crash {{}}"));
        answers.push((
            place.text("in.min.txt"),
            found["failure"].clone(),
            found["tests"]["executed"].clone(),
        ));
    }
    assert_eq!(answers[0], answers[1]);
    assert!(answers[0].1["functions"][0].as_str().unwrap().contains("inner"), "{answers:?}");
}

#[test]
fn results_are_shared_without_workers() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(1);
    let options = format!("-j 2 --executor {} --remote-cache-only", server.url());
    let (here, found) = reduced("-j 2");
    let expected = answer(&here, &found, "in.min.txt");
    let counts = [1, 2].map(|_| {
        let (place, found) = reduced(&options);
        assert_eq!(answer(&place, &found, "in.min.txt"), expected);
        ["executed", "cached"].map(|kind| found["remote"][kind].as_u64().unwrap())
    });
    let [[executed, known], [executed_again, known_again]] = counts;
    assert_eq!(known, 0);
    // Which tests run ahead of their turn depends on time, so a few may be new.
    assert!(executed_again * 10 <= executed && known_again > 40, "{counts:?}");
    assert!(server.workers().is_empty());
}

#[test]
fn four_workers_are_three_times_as_fast_as_one() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let mut seconds = Vec::new();
    for (host, workers) in [("127.0.0.2", 1), ("127.0.0.3", 4)] {
        let server = Server::start(ServerOptions { workers, host, ..ServerOptions::default() });
        let place = place();
        // Every line is needed, so no test is decisive, and those that run ahead are all used.
        place.script("t", "sleep 0.5; [ $(wc -l < \"$1\") = 60 ] && exit 3; exit 0");
        let options = format!("--fresh --unit line -j {workers} --executor {}", server.url());
        // The first runs follow each other, however many workers there are.
        let [few, many] = [1, 41].map(|tests| {
            let search = format!("reduce in.txt {options} --max-tests {tests} -- ./t {{}}");
            let found = place.json_of(&search, 5);
            assert_eq!(found["tests"]["executed"], tests);
            let known = found["remote"]["cached"].as_u64().unwrap();
            assert!(known <= 5, "{found}");
            found["seconds"].as_f64().unwrap()
        });
        // The second search knows the first runs and the first test.
        seconds.push(many - few / 3.0);
    }
    assert!(seconds[0] >= 3.0 * seconds[1], "{seconds:?}");
}

#[test]
fn a_configuration_file_says_it_once() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(1);
    let place = place();
    fs::create_dir(place.path("sub")).unwrap();
    let config = format!(
        "[remote]\nexecutor = '{}'\njobs = 1\nplatform = {{ OSFamily = 'linux' }}\nenv = {{ WORD = 'first' }}\n",
        server.url()
    );
    place.write("wynot.toml", config);
    place.script("t", "grep -q \"$WORD\" \"$1\" && exit 3; exit 0");
    let ran = place.wynot("reduce in.txt -v -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let file = place.path("wynot.toml").canonicalize().unwrap();
    assert!(ran.stderr.contains(&format!("configuration: {}", file.display())), "{ran:?}");
    assert!(ran.stderr.contains(&format!("executor: {}", server.url())), "{ran:?}");
    assert!(ran.stderr.contains("platform: OSFamily=linux"), "{ran:?}");
    assert_eq!(place.text("in.min.txt").trim(), "first");
    let local = place.wynot("reduce in.txt -v --fresh --executor local -- ./t {}");
    assert!(!local.stderr.contains("executor: grpc"), "{local:?}");
    place.write("wynot.toml", "[remote]\nexecuter = 'x'\n");
    place.wynot("reduce in.txt -- ./t {}").ends(2, "wynot.toml:2: unknown field `executer`");
}

#[test]
fn what_workers_cannot_do_is_refused_before_the_first_test() {
    let place = place();
    let bad = |options: &str, saying: &str| {
        place.wynot(&format!("reduce in.txt {options} -- ./t {{}}")).ends(2, saying);
    };
    bad("--executor http://x:1", "is no address of a service");
    bad("--executor grpc://x", "is no address of a service");
    bad("--platform a=b", "no service is named");
    bad("--executor grpc://127.0.0.1:1 --platform ab", "use NAME=VALUE");
    bad("--executor grpc://127.0.0.1:1 --sandbox", "workers have their own");
    bad("--executor grpc://127.0.0.1:1 --as halfempty", "the current directory");
    bad("--executor grpc://127.0.0.1:1 --with nothing", "cannot read nothing");
    let nobody =
        place.wynot("reduce in.txt --executor grpc://127.0.0.1:1 --remote-timeout 1s -- ./t {}");
    nobody.ends(1, "cannot run tests at grpc://127.0.0.1:1: it does not answer");
    assert!(Path::new(&place.path("in.txt")).exists());
}
