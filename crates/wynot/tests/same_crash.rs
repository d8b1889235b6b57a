//! The precision effect: without a look at the backtrace, a reduction slips to another failure.
//!
//! Zeller and Hildebrandt, section IV-D: "the minimized input may cause a different failure than the
//! original test case". Each program here has two bugs that end it alike.

mod support;

use std::process::{Command, Stdio};
use std::time::Duration;
use support::{Place, ran};
use wynot_session::{Journal, Record};
use wynot_test_support::{Tool, require};

/// Two bugs: numbers above 1000 are outside of the table; and where there is no number, what follows it
/// is looked at anyway.
const TWO_BUGS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static volatile int table[1000];
__attribute__((noinline)) static int lookup(long n) { return table[n * 1000000]; }
__attribute__((noinline)) static int unit(volatile char *text) { return *text; }
__attribute__((noinline)) static int number(char *text) {
    char *end;
    long n = strtol(text, &end, 10);
    return n > 1000 ? lookup(n) : unit(end == text ? 0 : end);
}
int main(int argc, char **argv) {
    char text[4096];
    FILE *file = fopen(argv[1], "r");
    int sum = 0;
    while (file && fgets(text, sizeof text, file))
        if (text[0] == '#') sum += number(text + 1);
    return sum < -1000000;
}
"#;

fn input() -> String {
    let ordinary: String = (0..20).map(|i| format!("an ordinary line, {i}\n")).collect();
    format!("{ordinary}#9123 is too large\n{ordinary}")
}

fn compile(place: &Place, compiler: &str, name: &str, source: &str) {
    place.write(name, source);
    let mut command = Command::new("sh");
    place.prepare(&mut command);
    let compiled = ran(command.args(["-c", &format!("{compiler} {name} -o program")]));
    assert_eq!(compiled.code, Some(0), "{compiled:?}");
}

fn two_bugs() -> Place {
    let place = Place::new();
    compile(&place, "gcc -O1", "program.c", TWO_BUGS);
    place.write("in.txt", input());
    place
}

#[test]
fn without_a_look_at_the_crash_a_reduction_slips_to_another() {
    let place = two_bugs();
    let ran = place.wynot("reduce --any-failure in.txt -- ./program {}");
    ran.ends(0, "signal SEGV is the failure");
    assert_eq!(place.text("in.min.txt"), "#");
    let ran = place.wynot("reduce --same-crash in.txt -- ./program {}");
    ran.ends(0, "wynot: signal SEGV in lookup ← number ← main is the failure, exit 0 passes");
    assert_eq!(place.text("in.min.txt").len(), "#9123".len());
    assert!(place.text("in.min.txt").starts_with('#'));
    // What the other crash was, is known, too.
    place.write("in.txt", "an ordinary line\n# nothing\n");
    let ran = place.wynot("reduce --same-crash=1 in.txt -- ./program {}");
    ran.ends(0, "signal SEGV in unit is the failure");
}

#[test]
fn gdb_finds_the_same_crash() {
    require!(Tool::Gdb);
    let place = two_bugs();
    place.write("in.txt", "one\n#9123\n");
    let ran = place.wynot("reduce --same-crash --crash-with gdb in.txt -- ./program {}");
    ran.ends(0, "signal SEGV in lookup ← number ← main is the failure");
    assert_eq!(place.text("in.min.txt").len(), "#9123".len());
    place
        .wynot("reduce --crash-with gdb in.txt -- ./program {}")
        .ends(2, "required arguments were not provided");
}

#[test]
fn gdb_lets_signals_and_threads_go_on_as_they_were() {
    require!(Tool::Gdb);
    let place = Place::new();
    let source = r#"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void on_abort(int n) { _exit(7); }
static void *wait(void *p) { pause(); return p; }
__attribute__((noinline)) static void give_up(void) { raise(SIGABRT); }
int main(int argc, char **argv) {
    pthread_t t;
    FILE *file = fopen(argv[1], "r");
    if (fgetc(file) != 'x') return 0;
    signal(SIGABRT, on_abort);
    pthread_create(&t, 0, wait, 0);
    give_up();
    return 3;
}
"#;
    compile(&place, "gcc -O1 -pthread", "program.c", source);
    place.write("in.txt", "xy");
    for tool in ["", "--crash-with gdb"] {
        let ran = place.wynot(&format!("reduce --same-crash {tool} in.txt -- ./program {{}}"));
        ran.ends(0, "exit 7 after signal ABRT in raise ← give_up ← main is the failure");
        assert_eq!(place.text("in.min.txt"), "x");
    }
}

#[test]
fn address_sanitizer_says_which_crash_it_is() {
    let place = Place::new();
    let source = r#"
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int freed(void) { int *p = malloc(40); free(p); return ((volatile int *)p)[1]; }
__attribute__((noinline)) static int beyond(int n) { int *p = malloc(40); int x = ((volatile int *)p)[n]; free(p); return x; }
int main(int argc, char **argv) {
    int c, kept = 0;
    FILE *file = fopen(argv[1], "r");
    while ((c = fgetc(file)) != EOF)
        if (c == 'x') kept = fgetc(file) == 'y' ? freed() : beyond(10);
    fclose(file);
    return kept == 12345;
}
"#;
    compile(&place, "gcc -O1 -g -fsanitize=address", "program.c", source);
    place.write("in.txt", "one two xyz three");
    let ran = place.wynot("reduce --any-failure in.txt -- ./program {}");
    ran.ends(0, "exit 1 is the failure");
    assert_eq!(place.text("in.min.txt"), "x");
    let ran = place.wynot("reduce --same-crash in.txt -- ./program {}");
    ran.ends(0, "exit 1 after AddressSanitizer: heap-use-after-free in freed ← main");
    assert_eq!(place.text("in.min.txt"), "xy");
    // At their end, these programs look for leaks, by tracing themselves. That still works.
    let ran = place.wynot("isolate --same-crash in.txt -- ./program {}");
    ran.ends(0, "exit 0 passes");
}

#[test]
fn a_report_comes_before_the_signal_that_follows_it() {
    let place = Place::new();
    let source = r#"
#include <stdio.h>
__attribute__((noinline)) static int add(int a, int b) { return a + b; }
__attribute__((noinline)) static int shift(int a, int b) { return a << b; }
int main(int argc, char **argv) {
    FILE *file = fopen(argv[1], "r");
    int c = fgetc(file);
    if (c == 'a') return fgetc(file) == 'b' ? add(2147483647, c) == 7 : shift(c, c) == 7;
    return 0;
}
"#;
    let flags = "gcc -g -fsanitize=undefined -fno-sanitize-recover";
    compile(&place, flags, "program.c", source);
    place.write("in.txt", "abc");
    let run = |args: &str| {
        let mut command = place.command();
        let options = "abort_on_error=1:print_stacktrace=0";
        ran(command.env("UBSAN_OPTIONS", options).args(args.split_whitespace()))
    };
    run("reduce --any-failure in.txt -- ./program {}").ends(0, "signal ABRT is the failure");
    assert_eq!(place.text("in.min.txt"), "a");
    let ran = run("reduce --same-crash in.txt -- ./program {}");
    ran.ends(0, "wynot: undefined behaviour: signed integer overflow in program.c is the failure");
    assert_eq!(place.text("in.min.txt"), "ab");
}

const PANICS: &str = r#"
fn words(text: &str) -> usize { let all: Vec<&str> = text.split('-').collect(); all[3].len() }
fn number(text: &str) -> u32 { text.parse::<u32>().expect("a number") }
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    for line in text.split_whitespace() {
        if let Some(rest) = line.strip_prefix("w:") { words(rest); }
        if let Some(rest) = line.strip_prefix("n") { number(rest); }
    }
}
"#;

#[test]
fn panics_of_rust_are_told_apart() {
    for backtrace in ["0", "1"] {
        let place = Place::new();
        compile(&place, "rustc", "program.rs", PANICS);
        place.write("in.txt", "one two w:a-b nine three");
        let run = |args: &str| {
            let mut command = place.command();
            ran(command.env("RUST_BACKTRACE", backtrace).args(args.split_whitespace()))
        };
        run("reduce --any-failure in.txt -- ./program {}").ends(0, "exit 101 is the failure");
        assert_eq!(place.text("in.min.txt"), "n");
        let saying = match backtrace {
            "0" => "exit 101 after panic in program.rs: index out of bounds is the failure",
            _ => "exit 101 after panic in program.rs in program::words ← program::main",
        };
        run("reduce --same-crash in.txt -- ./program {}").ends(0, saying);
        assert_eq!(place.text("in.min.txt"), "w:");
    }
}

#[test]
fn tracebacks_of_python_are_told_apart() {
    require!(Tool::Python);
    let place = Place::new();
    place.write(
        "program.py",
        "import sys\ndef find(d, k): return d[k]\ndef number(t): return int(t)\n\
         for line in open(sys.argv[1]):\n    if line[:3] == 'key': find({}, line)\n    if line[:1] == 'n': number(line)\n",
    );
    place.write("in.txt", "one\nkey of nothing\nno\n");
    let script = place.path("program.py");
    let reduce = |options: &str| {
        place.wynot(&format!("reduce {options} in.txt -- python3 {} {{}}", script.display()))
    };
    reduce("--any-failure").ends(0, "exit 1 is the failure");
    assert_eq!(place.text("in.min.txt"), "n");
    reduce("--same-crash").ends(0, "exit 1 after KeyError in find ← <module> is the failure");
    assert_eq!(place.text("in.min.txt"), "key");
}

#[test]
fn the_same_crash_for_1_2_and_4_jobs() {
    let place = two_bugs();
    let mut first = None;
    for jobs in [1, 2, 4] {
        let args = format!("reduce --fresh --same-crash -j {jobs} in.txt -- ./program {{}}");
        let mut result = place.json(&args);
        result["tests"]["speculative"].take();
        let shown = (result["tests"].clone(), place.text("in.min.txt"));
        assert_eq!(first.get_or_insert_with(|| shown.clone()), &shown, "{jobs} jobs");
    }
}

#[test]
fn a_search_that_was_killed_goes_on_with_the_same_crash() {
    let place = two_bugs();
    place.script("t", "sleep 0.05\nexec $(dirname $0)/program \"$1\"");
    let args = ["reduce", "--same-crash", "-j", "2", "in.txt", "--", "./t", "{}"];
    let silent = || place.command().args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let tests = || {
        let sessions = std::fs::read_dir(place.path("state/wynot")).into_iter().flatten().flatten();
        let contents = sessions.filter_map(|entry| Journal::read(&entry.path()).ok());
        let records = contents.flat_map(|contents| contents.records);
        records.filter(|record| matches!(record, Record::Test(_))).count()
    };
    for enough in [3, 8] {
        let mut wynot = silent().unwrap();
        while tests() < enough {
            std::thread::sleep(Duration::from_millis(2));
        }
        wynot.kill().unwrap();
        wynot.wait().unwrap();
    }
    place.wynot("resume").ends(0, "signal SEGV in lookup ← number ← main is the failure");
    assert!(place.text("in.min.txt").starts_with('#'));
    let verified = place.wynot("verify in.min.txt");
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn what_does_not_crash_is_refused() {
    let place = two_bugs();
    let ran = place.wynot("reduce --same-crash in.txt -- false");
    ran.ends(3, "the original does not crash");
    ran.ends(3, "hint: without --same-crash, exit codes and signals are compared");
    place
        .wynot("reduce --same-crash=0 in.txt -- ./program {}")
        .ends(2, "0 is not between 1 and 50");
    place
        .wynot("reduce --same-crash=51 in.txt -- ./program {}")
        .ends(2, "51 is not between 1 and 50");
}
