//! The load of the machine decides nothing: the same bytes and counts for every number of jobs beside other programs, and
//! tests that never end are ended all the same.

mod support;

use serde_json::Value;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Place, gcc};

/// Programs that use all the processor time they get, until they are dropped.
struct Load(Vec<Child>);

impl Load {
    fn new(programs: usize) -> Self {
        let start = |_| {
            let mut command = Command::new("sh");
            command.args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn().unwrap()
        };
        Self((0..programs).map(start).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A shell function that computes for about 1 ms with the argument 1, and for about 100 ms with the argument 100.
const COMPUTE: &str = "compute() { n=$(($1 * 700)); while [ $n -gt 0 ]; do n=$((n - 1)); done; }\n";

/// The counts that must not depend on the load.
fn counts(result: &Value) -> Value {
    let mut tests = result["tests"].clone();
    tests["speculative"].take();
    tests
}

/// Reduces a text with different numbers of jobs beside busy programs, and compares the results with those of one job.
fn assert_same_under_load(test: &str, text: &str, args: &str, jobs: &[u32]) -> Value {
    let place = Place::new();
    place.write("in.txt", text);
    place.script("t", &format!("{COMPUTE}{test}"));
    let _load = Load::new(4);
    let mut first = None;
    for jobs in jobs {
        let result = place.json(&format!("reduce {args} -j {jobs} --fresh in.txt -- ./t {{}}"));
        let shown = (place.text("in.min.txt"), counts(&result), result["rests_on"].clone());
        match &first {
            None => first = Some(shown),
            Some(first) => assert_eq!(&shown, first, "{jobs} jobs"),
        }
    }
    first.unwrap().1
}

/// A test that fails if the text contains both letters, and computes before.
fn failing_with_both(compute: &str) -> String {
    format!("text=$(cat \"$1\")\n{compute}\ncase $text in *c*f*) exit 1;; esac")
}

#[test]
fn short_tests_give_the_same_under_load() {
    let tests = assert_same_under_load(
        &failing_with_both(""),
        "abcdefgh",
        "--unit char",
        &[1, 2, 4, 16, 64],
    );
    assert_eq!(tests["timeouts"], 0, "{tests}");
}

#[test]
fn tests_that_compute_give_the_same_under_load() {
    // With 16 jobs, each of them takes longer than the limit by the clock on the wall.
    let test = failing_with_both("compute 100");
    let tests = assert_same_under_load(&test, "abcfgh", "--unit char --timeout 600ms", &[1, 4, 16]);
    assert_eq!(tests["timeouts"], 0, "{tests}");
}

#[test]
fn tests_of_very_different_lengths_give_the_same_under_load() {
    let test = failing_with_both(
        "case ${#text} in 2|4) compute 250;; 3) compute 25;; *) compute 2;; esac",
    );
    let tests =
        assert_same_under_load(&test, "abcfgh", "--unit char --timeout 1500ms", &[1, 2, 16]);
    assert_eq!(tests["timeouts"], 0, "{tests}");
}

#[test]
fn tests_that_wait_for_a_lock_of_other_tests_give_the_same() {
    let place = Place::new();
    gcc(
        &place,
        "locked",
        &[],
        "#include <fcntl.h>\n#include <sys/file.h>\n#include <unistd.h>\n\
         int main(int n, char **a) { int f = open(a[1], O_RDWR | O_CREAT, 0600); flock(f, LOCK_EX);\n\
         usleep(200000); return 0; }\n",
    );
    let (program, lock) = (place.path("locked"), place.path("lock"));
    place.write("in.txt", "abcfgh");
    place.script("t", &failing_with_both(&format!("{} {}", program.display(), lock.display())));
    let mut first = None;
    for jobs in [1, 4] {
        let args =
            format!("reduce --unit char --timeout 400ms -j {jobs} --fresh in.txt -- ./t {{}}");
        let shown = (place.json(&args)["tests"]["executed"].clone(), place.text("in.min.txt"));
        assert_eq!(first.get_or_insert_with(|| shown.clone()), &shown, "{jobs} jobs");
    }
}

/// Whether a process with this argument runs.
fn runs(argument: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| line.split(|&byte| byte == 0).any(|word| word == argument.as_bytes()))
}

/// Checks that a test that never ends is ended, with all its processes.
fn assert_ended(hang: &str, marker: &str) {
    let place = Place::new();
    place.write("in.txt", "ax");
    place.script("hang", hang);
    let hang = place.path("hang");
    place.script("t", &format!("case $(cat \"$1\") in *x*) {} {marker};; esac", hang.display()));
    let _load = Load::new(3);
    let started = Instant::now();
    for jobs in [1, 4] {
        let args =
            format!("reduce --timeout 200ms --unit char --fresh -j {jobs} in.txt -- ./t {{}}");
        place.wynot(&args).ends(0, "timeout is the failure");
        assert_eq!(place.text("in.min.txt"), "x");
        assert!(!runs(marker), "a process of the test has survived");
    }
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn a_test_that_computes_for_ever_is_ended() {
    assert_ended("while :; do :; done", "load-5101");
}

#[test]
fn a_test_that_sleeps_for_ever_is_ended() {
    assert_ended("sleep 4207", "load-5102");
}

#[test]
fn a_test_that_stops_itself_is_ended() {
    assert_ended("kill -STOP $$", "load-5103");
}

#[test]
fn processes_that_wait_for_each_other_are_ended() {
    assert_ended("mkfifo a b; (cat < a > b) & cat < b > a; wait", "load-5104");
}

#[test]
fn a_child_that_ignores_termination_is_ended() {
    assert_ended("(trap '' TERM INT HUP; while :; do :; done) & trap '' TERM; wait", "load-5105");
}

#[test]
fn a_test_that_starts_processes_for_ever_is_ended() {
    assert_ended("while :; do (: &); /bin/true; done", "load-5106");
}

#[test]
fn a_certificate_that_rests_on_timeouts_says_so() {
    let place = Place::new();
    place.write("in.txt", "abx");
    place.script("t", "case $(cat \"$1\") in *b*x*) exit 1;; *x*) sleep 600;; esac");
    let args = "reduce --timeout 200ms --unit char --fresh in.txt -- ./t {}";
    let result = place.json(args);
    assert_eq!(place.text("in.min.txt"), "bx");
    assert_eq!(result["minimality"], "1-minimal (char)");
    assert_eq!(result["rests_on"]["timeouts"], 1, "{result}");
    assert_eq!(result["tests"]["timeouts"], 1, "{result}");
    let ran = place.wynot(args);
    let words = "1-minimal (char), unless the test on which this rests although it timed out fails with more time";
    assert!(ran.stdout.contains(words), "{ran:?}");
    assert!(ran.stdout.contains("(1 timed out)"), "{ran:?}");
    let ran = place.wynot("verify in.min.txt");
    assert!(
        ran.stdout.contains("unless the test on which this rests although it timed out fails"),
        "{ran:?}"
    );
    // If the time runs out for the original as well, that is the failure.
    place.script("t", "case $(cat \"$1\") in *x*) sleep 600;; esac");
    let result = place.json(args);
    assert_eq!((&result["tests"]["timeouts"], &result["rests_on"]), (&0.into(), &Value::Null));
}
