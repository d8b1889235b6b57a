//! Histories that are short, cut off, damaged or very long, questions that make no sense, and searches that are killed.

mod history;
mod support;

use history::{Answer, Repository};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::ran;
use wynot_test_support::{Tool, require};

/// A regression is found, and it is this one.
#[track_caller]
fn is_found(repository: &Repository, options: &[&str], culprit: &str) {
    let found = repository.found(options);
    assert_eq!(found.culprit(), culprit, "{}", found.json);
}

#[test]
fn a_history_that_is_cut_off_did_not_fail_always() {
    let repository = Repository::calculator();
    repository.sh(
        "git clone -q --depth 5 file://$PWD ../short; git clone -q --depth 25 file://$PWD ../long",
    );
    // Nothing is known about what is not here.
    let short = ran(&mut repository.command_in(&repository.place.path("short"), &["--json"]));
    assert!(!matches!(short.code, Some(0 | 101)), "{short:?}");
    assert!(short.stderr.contains("git fetch --unshallow"), "{short:?}");
    let json: Value = serde_json::from_str(&short.stdout).unwrap();
    assert_ne!(json["verdict"], "always", "{json}");
    // What is here is enough.
    let long = ran(&mut repository.command_in(&repository.place.path("long"), &["--json"]));
    assert_eq!(long.code, Some(0), "{long:?}");
    assert_eq!(Answer::new(&repository, &long).culprit(), "Multiply quickly");
}

#[test]
fn a_detached_head_is_searched_and_stays_where_it_is() {
    let repository = Repository::calculator();
    repository.git(&["checkout", "-q", "--detach", "HEAD~2"]);
    let head = repository.git(&["rev-parse", "HEAD"]);
    is_found(&repository, &[], "Multiply quickly");
    assert_eq!(repository.git(&["rev-parse", "HEAD"]), head);
}

#[test]
fn uncommitted_changes_are_not_searched_and_not_touched() {
    let repository = Repository::calculator();
    // With them, the test would pass.
    repository.sh("sed -i 's/echo $(($1 + $2))/echo $(($1 * $2))/' lib.sh; git add lib.sh
         echo mine >> notes; rm calc.sh; echo new > untracked");
    let look = || repository.sh("ls -A; cat lib.sh notes untracked; git ls-files -s");
    let before = look();
    let noted = repository.history(&[]);
    noted.ends(0, "uncommitted changes");
    assert!(noted.stdout.contains("Multiply quickly"), "{noted:?}");
    is_found(&repository, &["--fresh"], "Multiply quickly");
    assert_eq!(look(), before);
}

#[test]
fn a_test_that_passes_today_has_nothing_to_find() {
    let repository = Repository::calculator();
    repository.sh("sed -i 's/echo $(($1 + $2))/echo $(($1 * $2))/' lib.sh; commit 'Mend it'");
    let before = repository.state();
    let passes = repository.history(&[]);
    passes.ends(3, "pass");
    assert_eq!(repository.state(), before);
    // It failed yesterday.
    is_found(&repository, &["--from", "HEAD~1"], "Multiply quickly");
}

#[test]
fn a_single_commit_has_failed_always() {
    let repository = Repository::new(
        "calculator; break_mul; commit Start; test_calculator 'sh calc.sh mul 3 4' '[7]' '[12]'",
    );
    let found = repository.found(&[]);
    assert_eq!(found.json["verdict"], "always", "{}", found.json);
    assert_eq!(found.json["blockers"], serde_json::json!([]), "{}", found.json);
    assert!(found.json["passing"].is_null() && found.json["fix"].is_null(), "{}", found.json);
}

#[test]
fn a_directory_without_a_history_is_refused() {
    let repository = Repository::calculator();
    repository.sh("mkdir ../plain; cp *.sh ../plain; git init -q ../none; cp *.sh ../none");
    let run = |dir: &str| ran(&mut repository.command_in(&repository.place.path(dir), &[]));
    run("plain").ends(2, "repository");
    run("none").ends(2, "commit");
}

#[test]
fn revisions_that_do_not_exist_or_do_not_fit_are_refused() {
    let repository = Repository::calculator();
    repository
        .sh("git checkout -qb other HEAD~5; echo x > other; commit Other; git checkout -q main");
    let before = repository.state();
    repository.history(&["--from", "nothing"]).ends(2, "nothing");
    repository.history(&["--until", "nowhere"]).ends(2, "nowhere");
    repository.history(&["--until", "other"]).ends(2, "ancestor");
    repository.history(&["--from", "HEAD~5", "--until", "HEAD"]).ends(2, "ancestor");
    let blob = repository.git(&["rev-parse", "HEAD:lib.sh"]);
    repository.history(&["--from", &blob]).ends(2, &blob);
    assert_eq!(repository.state(), before);
}

#[test]
fn a_submodule_is_searched_if_it_is_here() {
    let repository = Repository::new(
        "git init -q -b main ../lib; cd ../lib; printf 'a\\nb\\nc\\n' > code; commit Start
         cd ../repo; git -c protocol.file.allow=always submodule --quiet add ../lib lib
         fill() { :; }; commit Start; work 1 6
         cd lib; printf 'a\\nbroken\\nc\\n' > code; commit Break; cd ..; commit 'Take a new lib'; work 7 16
         echo '! grep -q broken lib/code || { echo error: broken >&2; exit 1; }' | test_script",
    );
    let found = repository.found(&[]);
    assert_eq!(found.culprit(), "Take a new lib");
    assert_eq!(repository.subject(found.text(&["passing", "id"])), "Work 6");
    repository.sh("git clone -q . ../without");
    let without = ran(&mut repository.command_in(&repository.place.path("without"), &[]));
    without.ends(3, "submodule");
}

#[test]
fn what_is_missing_from_the_repository_is_named() {
    let repository = Repository::calculator();
    let lose = |blob: &str| {
        let id = repository.git(&["rev-parse", blob]);
        let path = repository.dir().join(".git/objects").join(&id[..2]).join(&id[2..]);
        fs::remove_file(path).unwrap();
        id
    };
    // Of a version between today and the culprit, which each of these steps comes to.
    let id = lose("HEAD^{/Work 15}:notes");
    let old = repository.history(&["--json", "--linear"]);
    match old.code {
        Some(0) => assert_eq!(Answer::new(&repository, &old).culprit(), "Multiply quickly"),
        code => assert!(code == Some(1) && old.stderr.contains(&id[..12]), "{old:?}"),
    }
    // Of today.
    let id = lose("HEAD:calc.sh");
    repository.history(&["--fresh"]).ends(1, &id[..12]);
}

/// Commits for `git fast-import`; one of them breaks the code.
fn long_history(commits: u32, broken: u32) -> String {
    let mut stream = String::new();
    for i in 0..commits {
        let subject = if i == broken { "Break it".to_owned() } else { format!("Work {i}") };
        let time = 1_000_000_000 + i * 600;
        let who = format!("Ada <ada@example.org> {time} +0100");
        writeln!(stream, "commit refs/heads/main\ncommitter {who}").unwrap();
        writeln!(stream, "data {}\n{subject}", subject.len()).unwrap();
        let mut file = |name: &str, text: &str| {
            writeln!(stream, "M 100644 inline {name}\ndata {}\n{text}", text.len()).unwrap();
        };
        file(&format!("notes/{}", i % 100), &format!("note {i}\n"));
        if i == 0 || i == broken {
            file("code", if i == 0 { "fine\n" } else { "broken\n" });
        }
    }
    stream
}

/// Runs a command and prints its exit code, its processor time in seconds and the largest of its processes in KiB.
const MEASURE: &str = "import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, used.ru_utime + used.ru_stime, used.ru_maxrss)";

#[test]
fn the_first_test_of_50_000_commits_is_soon_and_the_answer_takes_few() {
    require!(Tool::Python);
    let repository = Repository::new(
        "echo '! grep -q broken code || { echo error: broken >&2; exit 1; }' | test_script",
    );
    let mut import = Command::new("git");
    import.current_dir(repository.dir()).args(["fast-import", "--quiet"]).stdin(Stdio::piped());
    let mut import = import.spawn().unwrap();
    import.stdin.take().unwrap().write_all(long_history(50_000, 20_000).as_bytes()).unwrap();
    assert!(import.wait().unwrap().success());
    repository.git(&["reset", "-q", "--hard"]);

    let first = repository.command(&["--max-tests", "1"]);
    let mut measured = Command::new("python3");
    repository.place.prepare(&mut measured);
    measured.current_dir(repository.dir()).args(["-c", MEASURE]);
    let measured = ran(measured.arg(first.get_program()).args(first.get_args()));
    let figures: Vec<f64> =
        measured.stdout.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
    let [code, seconds, kib] = figures[..] else { panic!("{measured:?}") };
    assert_eq!(code, 5.0, "{measured:?}");
    // Processor time, so that other processes do not matter.
    assert!(seconds < 5.0, "{measured:?}");
    assert!(kib < 200_000.0, "{measured:?}");

    let found = repository.found(&["--fresh"]);
    assert_eq!(found.culprit(), "Break it");
    assert_eq!(repository.subject(found.text(&["passing", "id"])), "Work 19999");
    // 15 steps lead to the second half, 14 from there to the commit; a few more look into it.
    assert!(found.json["tests"]["executed"].as_u64() <= Some(60), "{}", found.json);
}

/// Waits for a condition, however busy the machine is.
#[track_caller]
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until nothing is left, and shows what is left otherwise.
#[track_caller]
fn wait_until_or_show(left: impl Fn() -> String, is_fine: impl Fn(&str) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_fine(&left()) {
        assert!(Instant::now() < deadline, "this is left: {}", left());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn send(signal: Signal, child: &Child) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// The number of moments at which a search is killed or interrupted.
const KILLS: usize = 20;

#[test]
fn a_search_that_is_killed_or_interrupted_goes_on_to_the_same_answer() {
    let repository = Repository::new(include_str!("history/missing_feature.sh"));
    let place = &repository.place;
    fs::rename(place.path("t"), place.path("real")).unwrap();
    let dir = place.dir.path().display();
    place.script("t", &format!("echo >> {dir}/count; exec {dir}/real"));
    let count = || fs::read(place.path("count")).map_or(0, |lines| lines.len());
    let before = repository.state();
    fs::create_dir(place.path("scratch")).unwrap();
    let scratch = place.path("scratch").to_str().unwrap().to_owned();
    let options = ["--json", "--scratch", &scratch, "--jobs", "1"];

    let whole = repository.found(&options[1..]);
    assert_eq!(whole.culprit(), "Multiply quickly");
    let (tests, essence) = (count(), whole.essence());
    for moment in 1..=KILLS {
        let signal = if moment % 4 == 0 { Signal::INT } else { Signal::KILL };
        let moment = moment * tests / (KILLS + 1);
        fs::remove_dir_all(place.path("state")).unwrap();
        fs::write(place.path("count"), "").unwrap();
        let mut command = repository.command(&options);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_until("the tests have run", || count() >= moment);
        // It may end by itself before the signal comes; then there is nothing left to do.
        if child.try_wait().unwrap().is_none() {
            send(signal, &child);
        }
        let status = child.wait().unwrap();
        if signal == Signal::INT && !status.success() {
            assert_eq!(status.code(), Some(130), "after {moment} tests");
        }
        wait_until("nothing is left in the repository", || repository.state() == before);
        let resumed = repository.found(&options[1..]);
        assert_eq!(resumed.essence(), essence, "{signal:?} after {moment} tests");
        let [all, again] = [&whole, &resumed].map(|found| &found.json["tests"]["executed"]);
        assert_eq!(all, again, "{signal:?} after {moment} tests");
        // Only the test that was running is run again.
        assert!(count() <= tests + 1, "{signal:?} after {moment} tests: {} of {tests}", count());
    }
    let left = || {
        let found =
            Command::new("find").arg(place.path("scratch")).arg("-mindepth").arg("1").output();
        String::from_utf8_lossy(&found.unwrap().stdout).into_owned()
    };
    wait_until_or_show(left, |left| left.is_empty());
}
