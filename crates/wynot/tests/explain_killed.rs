//! Nothing of a program is left when `wynot explain` is killed, whatever it was doing.

mod support;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use support::{Place, gcc};

/// Runs for a short time.
const SINGLE: &str = "#include <stdlib.h>
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 1000; i++) sum += atoi(argv[1]);
  if (sum > 5000) abort();
  return 0;
}
";

/// Starts processes, one of them in a session of its own.
const PROCESSES: &str = "#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int total;
int main(int argc, char **argv) {
  int value = atoi(argv[1]);
  for (int i = 0; i < 3; i++) {
    pid_t child = fork();
    if (!child) { if (i) setsid(); usleep(2000); _exit(value > 5); }
    int status;
    waitpid(child, &status, 0);
    total += WEXITSTATUS(status) + value;
  }
  if (total > 20) abort();
  return 0;
}
";

const THREADS: &str = "#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
int value, results[4];
void *work(void *at) { *(int *)at = value; usleep(1000); return 0; }
int main(int argc, char **argv) {
  pthread_t threads[4];
  value = atoi(argv[1]);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, &results[i]);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  if (results[0] + results[3] > 10) abort();
  return 0;
}
";

/// The processes that run a program in a directory, with the path of the program.
fn processes_in(directory: &Path) -> Vec<PathBuf> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let programs = processes.filter_map(|process| fs::read_link(process.path().join("exe")).ok());
    programs.filter(|program| program.starts_with(directory)).collect()
}

/// Checks that all programs of a place end soon, and that no files are left.
#[track_caller]
fn assert_nothing_left(place: &Place, what: &str) {
    let directory = place.dir.path().canonicalize().unwrap();
    let killed = Instant::now();
    while !processes_in(&directory).is_empty() {
        assert!(
            killed.elapsed() < Duration::from_secs(20),
            "{what} leaves {:?}",
            processes_in(&directory)
        );
        sleep(Duration::from_millis(5));
    }
    let files: Vec<_> = fs::read_dir(place.path("tmp")).unwrap().flatten().collect();
    assert!(files.is_empty(), "{what} leaves {files:?}");
}

/// A place with the programs, and with a directory for temporary files.
fn place_with_programs() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("tmp")).unwrap();
    gcc(&place, "single", &["-g"], SINGLE);
    gcc(&place, "processes", &["-g"], PROCESSES);
    gcc(&place, "threads", &["-g", "-pthread"], THREADS);
    place
}

/// Begins to explain why a program fails with 9 and not with 1.
fn explain(place: &Place, program: &str) -> Child {
    let (pass, fail) = (format!("./{program} 1"), format!("./{program} 9"));
    let mut wynot = place.interruptible();
    wynot.args(["explain", "--fresh", "--pass", &pass, "--fail", &fail]);
    wynot.env("TMPDIR", place.path("tmp")).stdout(Stdio::null()).stderr(Stdio::null());
    wynot.spawn().unwrap()
}

#[test]
fn an_explanation_that_ends_by_a_signal_leaves_no_program_behind() {
    let place = place_with_programs();
    for (program, times, millis) in [("single", 12, 10), ("processes", 6, 60), ("threads", 6, 60)] {
        for time in 0..times {
            let mut wynot = explain(&place, program);
            sleep(Duration::from_millis(time * millis));
            let signal = ["TERM", "INT", "KILL"][time as usize % 3];
            // The shell fails if the process has ended.
            let mut sh = Command::new("sh");
            sh.args(["-c", "kill -$0 $1", signal]).arg(wynot.id().to_string());
            sh.status().unwrap();
            wynot.wait().unwrap();
            assert_nothing_left(&place, &format!("{program}, {signal}, {} ms", time * millis));
        }
    }
}

/// Waits until a process has started this number of children, or has ended.
fn wait_for_children(process: &mut Child, number: usize) {
    let tasks = format!("/proc/{}/task", process.id());
    let mut seen = HashSet::new();
    while seen.len() < number && process.try_wait().unwrap().is_none() {
        for task in fs::read_dir(&tasks).into_iter().flatten().flatten() {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            seen.extend(children.split_whitespace().map(str::to_owned));
        }
    }
}

/// A program that has just been started is not yet controlled by the thread that has started it.
#[test]
fn an_explanation_that_is_killed_while_it_starts_a_program_leaves_nothing_behind() {
    let place = place_with_programs();
    for number in (1..=6).cycle().take(60) {
        let mut wynot = explain(&place, "single");
        wait_for_children(&mut wynot, number);
        wynot.kill().unwrap();
        wynot.wait().unwrap();
        assert_nothing_left(&place, &format!("kill at the start of program {number}"));
    }
}
