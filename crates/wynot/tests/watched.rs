//! Tests that misbehave while they are watched for crashes, and tests that are hard to watch.

mod support;

use std::process::Command;
use std::time::{Duration, Instant};
use support::{Place, ran};
use wynot_test_support::{Tool, require};

fn compile(place: &Place, compiler: &str, name: &str, source: &str) {
    place.write(name, source);
    let mut command = Command::new("sh");
    place.prepare(&mut command);
    let compiled = ran(command.args(["-c", &format!("{compiler} {name} -o program")]));
    assert_eq!(compiled.code, Some(0), "{compiled:?}");
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
    require!(Tool::Setsid);
    let place = script(
        "setsid sh -c 'setsid sleep 4209.125 & sleep 4209.25' > /dev/null 2>&1 &\nif grep -q x \"$1\"; then crash; exit 3; fi",
    );
    let ran = place.wynot("reduce --same-crash in.txt -- ./t {}");
    ran.ends(0, "exit 3 after signal ABRT in abort ← main is the failure");
    assert_eq!(place.text("in.min.txt"), "x");
    assert!(!runs("4209.125") && !runs("4209.25"), "a daemon has survived");
}

#[test]
fn watched_tests_die_with_wynot_even_by_kill_9() {
    require!(Tool::Setsid);
    let place = script("setsid sleep 4210.5 &\ngrep -q x \"$1\" && sleep 4210.75");
    let mut wynot = place.command();
    let mut wynot =
        wynot.args(["reduce", "--same-crash", "in.txt", "--", "./t", "{}"]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while !runs("4210.75") {
        assert!(Instant::now() < deadline, "the test never started");
        std::thread::sleep(Duration::from_millis(5));
    }
    wynot.kill().unwrap();
    wynot.wait().unwrap();
    while runs("4210.75") || runs("4210.5") {
        assert!(Instant::now() < deadline, "a test has survived");
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
fn a_storm_of_signals_does_not_outlast_the_timeout() {
    let place = Place::new();
    let source = r#"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
static void nothing(int n) {}
int main(int argc, char **argv) {
    struct itimerval often = {{0, 20}, {0, 20}};
    FILE *file = fopen(argv[1], "r");
    int c = fgetc(file);
    signal(SIGALRM, nothing);
    signal(SIGTERM, SIG_IGN);
    if (c == 'x') abort();
    if (c == EOF) return 0;
    for (int i = 0; i < 4; i++) fork();
    setitimer(ITIMER_REAL, &often, 0);
    for (;;) pause();
}
"#;
    compile(&place, "gcc -O1", "program.c", source);
    place.write("in.txt", "xyz");
    let started = Instant::now();
    let ran = place.wynot("reduce --same-crash --timeout 300ms --unit char in.txt -- ./program {}");
    ran.ends(0, "signal ABRT in abort ← main is the failure");
    assert_eq!(place.text("in.min.txt"), "x");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn a_flood_of_output_of_a_watched_test_costs_no_memory() {
    let place = script("head -c 300000000 /dev/zero\nif grep -q x \"$1\"; then crash; exit 3; fi");
    place.write("in.txt", "ax");
    let ran = place.wynot("reduce --same-crash --unit char in.txt -- ./t {}");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.text("in.min.txt"), "x");
}

#[test]
fn a_watched_test_may_delete_its_directory() {
    let place = script(
        "grep -q x \"$1\"; found=$?\nrm -rf \"$PWD\"\n[ $found -eq 0 ] || exit 0\ncrash; exit 3",
    );
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
fn a_watched_test_that_kills_its_supervisor_ends_the_run_with_a_message() {
    let place = script("grep -q x \"$1\" && crash\n[ -s \"$1\" ] && kill -9 $PPID\nexit 0");
    place
        .wynot("reduce --same-crash --share-processes --unit char in.txt -- ./t {}")
        .ends(1, "the process that supervises the tests has died");
}

#[test]
fn a_test_that_runs_a_debugger_is_left_alone() {
    require!(Tool::Gdb);
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
    let place = script("");
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
    let args = ["reduce", "--same-crash", "in.txt", "--", "./t", "{}"];
    let jailed = ran(command.arg(env!("CARGO_BIN_EXE_wynot")).args(args));
    jailed.ends(1, "the system does not permit processes to be traced: operation not permitted");
    jailed.ends(1, "hint: --same-crash needs ptrace");
}
