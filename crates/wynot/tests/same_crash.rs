//! The precision effect: without a look at the backtrace, a reduction slips to another failure.
//!
//! Zeller and Hildebrandt, section IV-D: "the minimized input may cause a different failure than the
//! original test case". Each program here has two bugs that end it alike.

mod support;

use std::process::{Command, Stdio};
use std::time::Duration;
use support::{Place, ran};
use wynot_run::{Journal, Record};

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
    let ran = place.wynot("reduce in.txt -- ./program {}");
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
    let ran = place.wynot("reduce in.txt -- ./program {}");
    ran.ends(0, "exit 1 is the failure");
    assert_eq!(place.text("in.min.txt"), "x");
    let ran = place.wynot("reduce --same-crash in.txt -- ./program {}");
    ran.ends(0, "exit 1 after AddressSanitizer: heap-use-after-free in freed ← main");
    assert_eq!(place.text("in.min.txt"), "xy");
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
        run("reduce in.txt -- ./program {}").ends(0, "exit 101 is the failure");
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
    reduce("").ends(0, "exit 1 is the failure");
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
        let records = sessions.filter_map(|entry| Journal::read(&entry.path()).ok()).flatten();
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

/// A script as test, in which `crash` is a crash.
fn script(body: &str) -> Place {
    let place = Place::new();
    place.write("in.txt", "abcxdef");
    compile(&place, "gcc", "program.c", "#include <stdlib.h>\nint main(void) { abort(); }");
    let crash = format!("crash() {{ {}; }}", place.path("program").display());
    place.script("t", &format!("{crash}\n{body}"));
    place
}

fn runs(argument: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| line.split(|&byte| byte == 0).any(|word| word == argument.as_bytes()))
}

#[test]
fn a_crash_that_a_script_hides_counts() {
    let place = script("grep -q x \"$1\" || exit 0\ncrash 2> /dev/null\nexit 9");
    let ran = place.wynot("reduce --same-crash in.txt -- ./t {}");
    ran.ends(0, "exit 9 after signal ABRT in abort ← main is the failure");
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn a_crash_that_ends_a_process_counts_before_one_that_is_handled() {
    let place = Place::new();
    let source = r#"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static sigjmp_buf back;
static void handler(int n) { siglongjmp(back, 1); }
__attribute__((noinline)) static int try_it(volatile int *p) { return *p; }
__attribute__((noinline)) static void give_up(void) { abort(); }
int main(int argc, char **argv) {
    FILE *file = fopen(argv[1], "r");
    int c = fgetc(file);
    signal(SIGSEGV, handler);
    if (sigsetjmp(back, 1) == 0) try_it(0);
    if (c == 'x') give_up();
    return c == 'y';
}
"#;
    compile(&place, "gcc -O1", "program.c", source);
    place.write("in.txt", "xz");
    let ran = place.wynot("reduce --same-crash in.txt -- ./program {}");
    ran.ends(0, "wynot: signal ABRT in abort ← give_up ← main is the failure");
    place.write("in.txt", "yz");
    let ran = place.wynot("reduce --same-crash in.txt -- ./program {}");
    ran.ends(0, "wynot: exit 1 after signal SEGV in try_it ← main is the failure");
    assert_eq!(place.text("in.min.txt"), "y");
}

#[test]
fn a_crash_in_a_thread_ends_the_whole_process() {
    let place = Place::new();
    let source = r#"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noinline)) static int work(volatile int *p) { return *p; }
static void *begin(void *p) { return (void *)(long)(work(p) + 1); }
int main(int argc, char **argv) {
    pthread_t t;
    FILE *file = fopen(argv[1], "r");
    if (fgetc(file) != 'x') return 0;
    pthread_create(&t, 0, begin, 0);
    for (;;) pause();
}
"#;
    compile(&place, "gcc -O1 -pthread", "program.c", source);
    place.write("in.txt", "xy");
    let ran = place.wynot("reduce --same-crash=2 in.txt -- ./program {}");
    ran.ends(0, "wynot: signal SEGV in work ← begin is the failure");
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn daemons_of_watched_tests_are_killed() {
    let place = script(
        "setsid sh -c 'setsid sleep 4209.125 & sleep 4209.25' > /dev/null 2>&1 &\ngrep -q x \"$1\" && crash\nexit 0",
    );
    let ran = place.wynot("reduce --same-crash in.txt -- ./t {}");
    ran.ends(0, "signal ABRT in abort ← main is the failure");
    assert_eq!(place.text("in.min.txt"), "x");
    assert!(!runs("4209.125") && !runs("4209.25"), "a daemon has survived");
}

#[test]
fn watched_tests_die_with_wynot_even_by_kill_9() {
    let place = script("setsid sleep 4210.5 &\ngrep -q x \"$1\" && sleep 4210.75");
    let mut wynot = place.command();
    let mut wynot =
        wynot.args(["reduce", "--same-crash", "in.txt", "--", "./t", "{}"]).spawn().unwrap();
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while !runs("4210.75") {
        assert!(std::time::Instant::now() < deadline, "the test never started");
        std::thread::sleep(Duration::from_millis(5));
    }
    wynot.kill().unwrap();
    wynot.wait().unwrap();
    while runs("4210.75") || runs("4210.5") {
        assert!(std::time::Instant::now() < deadline, "a test has survived");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn watched_tests_that_hang_are_unresolved_however_stubborn() {
    let place = script(
        "trap '' TERM INT HUP\ncase $(cat \"$1\") in *b*x*) crash; exit 3;; *x*) while :; do sleep 1; done;; esac",
    );
    let result = place.json("reduce --same-crash --timeout 1s --unit char in.txt -- ./t {}");
    assert_eq!(place.text("in.min.txt"), "bx");
    assert!(result["tests"]["unresolved"].as_u64().unwrap() > 0);
}

#[test]
fn a_flood_of_output_of_a_watched_test_costs_no_memory() {
    let place = script("head -c 300000000 /dev/zero\ngrep -q x \"$1\" && crash\nexit 0");
    place.write("in.txt", "ax");
    let ran = place.wynot("reduce --same-crash --unit char in.txt -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn a_watched_test_may_delete_its_directory() {
    let place =
        script("grep -q x \"$1\"; found=$?\nrm -rf \"$PWD\"\n[ $found -ne 0 ] || crash\nexit 0");
    let ran = place.wynot("reduce --same-crash in.txt -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn processes_that_are_told_to_stop_do_so() {
    // The child counts as long as it runs; while it is stopped, the count stays the same.
    let place = script(
        "grep -q x \"$1\" || exit 0\n(while :; do echo >> count; sleep 0.01; done) & child=$!\n\
         sleep 0.2; kill -STOP $child; sleep 0.1; one=$(wc -l < count); sleep 0.2; two=$(wc -l < count)\n\
         kill -CONT $child; sleep 0.3; three=$(wc -l < count)\n\
         [ $one = $two ] || exit 8\n[ $three -gt $two ] || exit 9\ncrash; exit 3",
    );
    place.write("in.txt", "x");
    let ran = place.wynot("reduce --same-crash --unit char in.txt -- ./t {}");
    ran.ends(0, "exit 3 after signal ABRT in abort ← main is the failure");
}

#[test]
fn a_watched_test_that_kills_its_watcher_ends_the_run_with_a_message() {
    let place = script("grep -q x \"$1\" && crash\n[ -s \"$1\" ] && kill -9 $PPID\nexit 0");
    place
        .wynot("reduce --same-crash --unit char in.txt -- ./t {}")
        .ends(1, "the process that watches the tests has died");
}

#[test]
fn a_test_that_runs_a_debugger_is_left_alone() {
    // The debugger sees the crash; wynot sees what the script says about it.
    let place = script(
        "grep -q x \"$1\" || exit 0\n\
         gdb -batch -nx -ex run -ex bt $(dirname $0)/program > log 2>&1\n\
         grep -q 'in main ()' log || exit 9\ncrash; exit 3",
    );
    place.write("in.txt", "xy");
    let ran = place.wynot("reduce --same-crash in.txt -- ./t {}");
    ran.ends(0, "exit 3 after signal ABRT in abort ← main is the failure");
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn where_nobody_may_trace_it_is_said_at_once() {
    let place = two_bugs();
    let source = r#"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {4, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
    return execv(argv[1], argv + 1);
}
"#;
    place.write("jail.c", source);
    let mut command = Command::new("gcc");
    place.prepare(&mut command);
    assert_eq!(ran(command.args(["jail.c", "-o", "jail"])).code, Some(0));
    let mut command = Command::new(place.path("jail"));
    place.prepare(&mut command);
    let args = ["reduce", "--same-crash", "in.txt", "--", "./program", "{}"];
    let jailed = ran(command.arg(env!("CARGO_BIN_EXE_wynot")).args(args));
    jailed.ends(1, "the system does not let processes be traced: operation not permitted");
    jailed.ends(1, "hint: --same-crash needs ptrace");
}

#[test]
fn what_does_not_crash_is_refused() {
    let place = two_bugs();
    let ran = place.wynot("reduce --same-crash in.txt -- false");
    ran.ends(3, "the original does not crash");
    ran.ends(3, "hint: without --same-crash, exit codes and signals are compared");
    place.wynot("reduce --same-crash=0 in.txt -- ./program {}").ends(2, "0 is not in 1..=50");
    place.wynot("reduce --same-crash=51 in.txt -- ./program {}").ends(2, "51 is not in 1..=50");
}
