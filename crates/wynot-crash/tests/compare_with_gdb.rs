//! Backtraces of real crashes, compared with those of gdb.
//!
//! Each program is compiled here, run once under this crate and once under gdb; the innermost functions have
//! to be the same. The comparison leaves out what gdb does not know: it prints `??` for functions without a
//! name.

use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use wynot_crash::reports::gdb;
use wynot_crash::{Backtracer, Cause, Crash, Identity};
use wynot_process::ptrace::{self, TraceStop};
use wynot_process::signal::is_crash;
use wynot_test_support::{Tool, require};

/// The tests of this file wait for any child process, so only one of them may run at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(|error| error.into_inner())
}

/// `require!`, which starts programs to try them: their ends must not be taken by the wait of another test.
macro_rules! require_alone {
    ($($tool:expr),+) => {{
        let _alone = alone();
        require!($($tool),+);
    }};
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles a program with the compiler for the extension of its name.
fn compile(dir: &Path, name: &str, source: &str, flags: &str) -> PathBuf {
    let path = dir.join(name);
    let program = dir.join("program");
    std::fs::write(&path, source).unwrap();
    let compiler = match path.extension().and_then(|end| end.to_str()) {
        Some("cpp") => "g++",
        Some("rs") => "rustc",
        _ => "gcc",
    };
    let mut command = Command::new(compiler);
    command.args(flags.split_whitespace()).arg(&path).arg("-o").arg(&program).current_dir(dir);
    run(&mut command);
    program
}

/// Runs a program up to its crash. Returns the crash, and how long the backtrace took.
fn crash(backtracer: &mut Backtracer, program: &Path) -> (Crash, Duration) {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ptrace::stop_at_start(&mut command);
    let leader = command.spawn().unwrap().id() as i32;
    ptrace::seize_started(leader, || true).unwrap();
    let all = WaitOptions::from_bits_retain(ptrace::WAIT_ALL_THREADS);
    loop {
        let (pid, status) = wait(all).unwrap().unwrap();
        let pid = pid.as_raw_nonzero().get();
        match TraceStop::from_wait_status(status.as_raw()) {
            Some(TraceStop::Signal(signal)) if is_crash(signal) => {
                let started = Instant::now();
                let crash = backtracer.backtrace(pid, signal, 5);
                let took = started.elapsed();
                kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
                let _ = kill_process(Pid::from_raw(leader).unwrap(), Signal::KILL);
                while wait(all).is_ok() {}
                return (crash, took);
            }
            Some(TraceStop::Signal(signal)) => ptrace::resume(pid, signal).unwrap(),
            Some(_) => ptrace::resume(pid, 0).unwrap(),
            None => assert_ne!(pid, leader, "{} has not crashed: {status:?}", program.display()),
        }
    }
}

/// The same with gdb.
fn crash_in_gdb(program: &Path, cause: Cause) -> (Crash, Duration) {
    let started = Instant::now();
    // gdb must not use debug information of installed packages, which this crate does not read.
    let commands = [
        "set debug-file-directory /nowhere",
        "set debuginfod enabled off",
        "set follow-fork-mode child",
        "run",
        "bt 1000",
    ];
    let mut gdb_command = Command::new("gdb");
    gdb_command.args(["-batch", "-nx"]).stdin(Stdio::null());
    for command in commands {
        gdb_command.args(["-ex", command]);
    }
    let output = gdb_command.arg(program).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let crash = gdb::read(cause, &text);
    assert!(!crash.frames.is_empty(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    (crash, started.elapsed())
}

/// The functions that both can name; consecutive frames without a name are one `?`.
fn comparable(crash: &Crash) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in &crash.frames {
        let name = if name.contains("+0x") { "?" } else { name };
        let seen = if name == "?" { names.last() } else { names.iter().find(|seen| *seen == name) };
        if seen.is_none_or(|seen| seen != name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Compiles and crashes a program, compares with gdb and returns the identity.
fn same_as_gdb(name: &str, source: &str, flags: &str) -> Identity {
    let _alone = alone();
    let dir = TempDir::new().unwrap();
    let program = compile(dir.path(), name, source, flags);
    same_program_as_gdb(&program)
}

fn same_program_as_gdb(program: &Path) -> Identity {
    let mut backtracer = Backtracer::default();
    let (ours, first) = crash(&mut backtracer, program);
    let (second, took) = crash(&mut backtracer, program);
    let identity = Identity::of(&ours, 5).unwrap();
    assert!(identity.matches(&second), "the crash differs between runs: {ours:?} {second:?}");
    let (theirs, gdb_took) = crash_in_gdb(program, ours.cause.clone());
    println!("{identity}: {first:?}, then {took:?}; gdb {gdb_took:?}");
    if ours.cause == Cause::StackOverflow {
        assert_eq!(identity, Identity::of(&theirs, 5).unwrap(), "{ours:?} {theirs:?}");
    } else {
        let (ours, theirs) = (comparable(&ours), comparable(&theirs));
        // gdb stops at the function where the program itself begins.
        let whole = theirs.last().is_some_and(|name| name.ends_with("main"));
        let count = if whole { theirs.len().min(5) } else { ours.len().min(5) };
        assert_eq!(ours[..count], theirs[..count], "{identity}");
    }
    // The first backtrace reads the files, and tests are not optimised.
    assert!(first < gdb_took / 2, "{first:?} is not half of {gdb_took:?}");
    assert!(took < gdb_took / 10, "{took:?} is not a tenth of {gdb_took:?}");
    identity
}

const NULL_POINTER: &str = r#"
static __attribute__((noinline)) int get(volatile int *p) { return *p + 1; }
__attribute__((noinline)) int work(int n) { return n ? work(n - 1) + 1 : get((int *)0) + 1; }
int main(void) { return work(3) + 1; }
"#;

#[test]
fn a_null_pointer_in_c() {
    require_alone!(Tool::Gdb);
    let identity = same_as_gdb("x.c", NULL_POINTER, "-O0");
    assert!(identity.to_string().starts_with("signal SEGV in get ← work ← main"), "{identity}");
}

#[test]
fn a_null_pointer_with_debug_information() {
    require_alone!(Tool::Gdb);
    same_as_gdb("x.c", NULL_POINTER, "-O0 -g");
}

#[test]
fn a_program_that_is_linked_statically() {
    require_alone!(Tool::Gdb);
    same_as_gdb("x.c", NULL_POINTER, "-O1 -static -fno-optimize-sibling-calls");
}

#[test]
fn a_program_at_a_fixed_address() {
    require_alone!(Tool::Gdb);
    same_as_gdb("x.c", NULL_POINTER, "-O1 -no-pie -fno-pie -fno-optimize-sibling-calls");
}

#[test]
fn a_program_without_frame_pointers() {
    require_alone!(Tool::Gdb);
    same_as_gdb("x.c", NULL_POINTER, "-O2 -fomit-frame-pointer -fno-optimize-sibling-calls");
}

#[test]
fn a_program_without_symbols() {
    require_alone!(Tool::Gdb);
    let identity = same_as_gdb("x.c", NULL_POINTER, "-O0 -s");
    assert!(identity.to_string().contains("program+0x"), "{identity}");
}

#[test]
fn functions_that_are_inlined() {
    require_alone!(Tool::Gdb);
    let source = r#"
volatile int seen;
static inline __attribute__((always_inline)) int inner(volatile int *p) { seen = 2; return *p; }
static inline __attribute__((always_inline)) int outer(volatile int *p) { seen = 1; return inner(p) * 3; }
__attribute__((noinline)) int around(volatile int *p) { return outer(p) + 1; }
int main(int argc, char **argv) { return around((int *)(long)(argc - 1)) + 1; }
"#;
    let identity = same_as_gdb("x.c", source, "-O2 -g");
    assert!(identity.to_string().contains("in inner ← outer ← around ← main"), "{identity}");
}

#[test]
fn a_stack_that_is_used_up() {
    require_alone!(Tool::Gdb);
    let source = r#"
int odd(int n);
__attribute__((noinline)) int even(int n) { volatile char b[40]; b[0] = n; return odd(n + 1) + b[0]; }
__attribute__((noinline)) int odd(int n) { volatile char b[90]; b[0] = n; return even(n + 1) + b[0]; }
int main(void) { return even(0); }
"#;
    let identity = same_as_gdb("x.c", source, "-O1 -fno-optimize-sibling-calls");
    assert_eq!(identity.to_string(), "stack overflow in even, odd");
}

#[test]
fn a_deep_recursion_that_ends_in_a_crash() {
    require_alone!(Tool::Gdb);
    let source = r#"
static __attribute__((noinline)) int get(volatile int *p) { return *p + 1; }
__attribute__((noinline)) int work(int n) { return n ? work(n - 1) + 1 : get((int *)0) + 1; }
int main(void) { return work(DEPTH) + 1; }
"#;
    let deep = same_as_gdb("x.c", source, "-O0 -DDEPTH=100");
    let _alone = alone();
    let dir = TempDir::new().unwrap();
    let program = compile(dir.path(), "x.c", source, "-O0 -DDEPTH=100000");
    let (deeper, took) = crash(&mut Backtracer::default(), &program);
    println!("100,000 frames in {took:?}");
    assert!(deep.matches(&deeper), "{deep} {deeper:?}");
}

#[test]
fn an_abort() {
    require_alone!(Tool::Gdb);
    let source =
        "#include <stdlib.h>\nvoid work(void) { abort(); }\nint main(void) { work(); return 0; }";
    let identity = same_as_gdb("x.c", source, "-O0");
    assert!(identity.to_string().starts_with("signal ABRT in "), "{identity}");
    assert!(identity.to_string().ends_with("in abort ← work ← main"), "{identity}");
}

#[test]
fn an_assertion() {
    require_alone!(Tool::Gdb);
    let source = "#include <assert.h>\nvoid work(int n) { assert(n > 3); }\nint main(void) { work(1); return 0; }";
    let identity = same_as_gdb("x.c", source, "-O0");
    assert_eq!(identity.to_string(), "signal ABRT in __assert_fail ← work ← main");
}

#[test]
fn a_stack_that_is_smashed() {
    require_alone!(Tool::Gdb);
    let source = r#"
#include <string.h>
void work(const char *s) { char b[8]; strcpy(b, s); }
int main(void) { work("much too long for eight bytes"); return 0; }
"#;
    let identity = same_as_gdb("x.c", source, "-O0 -fstack-protector-all");
    assert_eq!(identity.to_string(), "signal ABRT in __stack_chk_fail ← work ← ?");
}

#[test]
fn a_call_of_nothing() {
    require_alone!(Tool::Gdb);
    let source = r#"
void (*volatile nothing)(void);
__attribute__((noinline)) int work(void) { nothing(); return 1; }
int main(void) { return work() + 1; }
"#;
    let identity = same_as_gdb("x.c", source, "-O1");
    assert!(identity.to_string().starts_with("signal SEGV in ? ← work ← main"), "{identity}");
}

#[test]
fn a_crash_in_a_library() {
    require_alone!(Tool::Gdb);
    let _alone = alone();
    let dir = TempDir::new().unwrap();
    let library = "__attribute__((noinline)) static int inside(volatile int *p) { return *p; }\nint shared(int *p) { return inside(p) + 1; }";
    std::fs::write(dir.path().join("lib.c"), library).unwrap();
    run(Command::new("gcc")
        .args(["-shared", "-fPIC", "-O1", "lib.c", "-o", "libit.so"])
        .current_dir(dir.path()));
    let source = "int shared(int *p);\nint main(void) { return shared((int *)0) + 1; }";
    let flags = format!("-O1 -L{0} -Wl,-rpath,{0}", dir.path().display());
    std::fs::write(dir.path().join("x.c"), source).unwrap();
    let mut command = Command::new("gcc");
    command.args(flags.split(' ')).args(["x.c", "-lit", "-o", "program"]).current_dir(dir.path());
    run(&mut command);
    let identity = same_program_as_gdb(&dir.path().join("program"));
    assert!(identity.to_string().contains("in inside ← shared ← main"), "{identity}");
}

#[test]
fn a_crash_in_a_child() {
    require_alone!(Tool::Gdb);
    let source = r#"
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static int work(volatile int *p) { return *p; }
int main(void) { int status; if (fork() == 0) return work(0) + 1; wait(&status); return 3; }
"#;
    same_as_gdb("x.c", source, "-O1");
}

#[test]
fn a_crash_in_a_thread() {
    require_alone!(Tool::Gdb);
    let source = r#"
#include <pthread.h>
__attribute__((noinline)) static int work(volatile int *p) { return *p; }
static void *begin(void *p) { return (void *)(long)(work(p) + 1); }
int main(void) { pthread_t t; pthread_create(&t, 0, begin, 0); pthread_join(t, 0); return 0; }
"#;
    let identity = same_as_gdb("x.c", source, "-O1 -pthread");
    assert!(identity.to_string().contains("in work ← begin"), "{identity}");
}

#[test]
fn a_division_by_zero() {
    require_alone!(Tool::Gdb);
    let source = "__attribute__((noinline)) int work(volatile int n) { return 7 / n; }\nint main(void) { return work(0); }";
    let identity = same_as_gdb("x.c", source, "-O1");
    assert_eq!(identity.to_string().split(" ← ").next(), Some("signal FPE in work"));
}

const CPP: &str = r#"
#include <map>
#include <stdexcept>
#include <string>
namespace shop {
struct Order { virtual ~Order() {} virtual int total(int) const { return price[0]; } int *price = nullptr; };
template <class T> __attribute__((noinline)) int add(const T &order, int n) { return order.total(n) + n; }
}
namespace { __attribute__((noinline)) int hidden(const shop::Order &order) { return shop::add(order, 3) * 2; } }
int main() { shop::Order order; return hidden(order) + 1; }
"#;

#[test]
fn methods_and_templates_of_cpp() {
    require_alone!(Tool::Gdb, Tool::Gxx);
    let identity = same_as_gdb("x.cpp", CPP, "-O0");
    let expected = "shop::Order::total ← shop::add ← (anonymous namespace)::hidden ← main";
    assert!(identity.to_string().contains(expected), "{identity}");
}

#[test]
fn methods_and_templates_of_cpp_with_debug_information() {
    require_alone!(Tool::Gdb, Tool::Gxx);
    same_as_gdb("x.cpp", CPP, "-O2 -g");
}

#[test]
fn an_uncaught_exception() {
    require_alone!(Tool::Gdb, Tool::Gxx);
    let source = r#"
#include <stdexcept>
__attribute__((noinline)) void work(int n) { if (n) throw std::runtime_error("no"); }
int main() { work(1); return 0; }
"#;
    same_as_gdb("x.cpp", source, "-O0 -g");
}

const RUST: &str = r#"
#[inline(never)]
fn read(at: usize) -> u8 { unsafe { std::ptr::read_volatile(at as *const u8) } }
mod inner { #[inline(never)] pub fn work(n: usize) -> u8 { super::read(n).wrapping_add(1) } }
fn main() { std::process::exit(inner::work(std::env::args().count() - 1).into()) }
"#;

#[test]
fn a_null_pointer_in_rust() {
    require_alone!(Tool::Gdb);
    let identity = same_as_gdb("x.rs", RUST, "-O");
    assert!(identity.to_string().contains("x::read ← x::inner::work ← x::main"), "{identity}");
}

#[test]
fn a_null_pointer_in_rust_with_debug_information() {
    require_alone!(Tool::Gdb);
    same_as_gdb("x.rs", RUST, "-g");
}

#[test]
fn a_program_that_has_ended_is_not_known() {
    let _alone = alone();
    let mut child = Command::new("true").spawn().unwrap();
    let pid = child.id() as i32;
    child.wait().unwrap();
    let crash = Backtracer::default().backtrace(pid, 11, 5);
    assert_eq!(crash, Crash::without_frames(Cause::Signal(11)));
}
