//! Where there is no chain, or only a part of one: what is said then.

mod support;

use std::fs;
use std::process::Command;
use support::{Place, Ran, gcc, ran};
use wynot_test_support::{Tool, require};

fn explain(place: &Place, pass: &str, fail: &str) -> Ran {
    place.run(["explain", "--pass", pass, "--fail", fail])
}

const ABORTS: &str = "#include <stdlib.h>
int main(int argc, char **argv) { if (atoi(argv[1]) == 7) abort(); return 0; }
";

#[test]
fn programs_that_cannot_be_read_are_refused() {
    let place = Place::new();
    gcc(&place, "plain", &[], ABORTS);
    gcc(&place, "stripped", &["-g", "-s"], ABORTS);
    gcc(&place, "static", &["-g", "-s", "-static"], ABORTS);
    place.script("script", "exit 1");
    place.write("text", "no program\n");
    let mut foreign = place.read("plain");
    // The field for the kind of processor: AArch64.
    foreign[18..20].copy_from_slice(&183_u16.to_le_bytes());
    place.write("foreign", foreign);
    for name in ["text", "foreign"] {
        fs::set_permissions(place.path(name), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
    }
    for (name, saying) in [
        ("./missing", "there is no program"),
        ("nowhere-to-be-found", "there is no program nowhere-to-be-found"),
        ("./script", "is a script for /bin/sh"),
        ("./text", "is not a program"),
        ("./foreign", "is a program for 64-bit ARM (AArch64)"),
        ("./plain", "has no debug information; compile it with -g"),
        ("./stripped", "has no debug information"),
        ("./static", "has no debug information"),
        (".", "there is no program"),
    ] {
        explain(&place, &format!("{name} 1"), &format!("{name} 7")).ends(2, saying);
    }
}

#[test]
fn command_lines_that_make_no_sense_are_refused() {
    let place = Place::new();
    gcc(&place, "one", &["-g"], ABORTS);
    gcc(&place, "other", &["-g"], ABORTS);
    explain(&place, "", "./one 7").ends(2, "--pass is empty");
    explain(&place, "./one '1", "./one 7").ends(2, "--pass:");
    explain(&place, "./one 1", "./other 7")
        .ends(2, "states can be compared of runs of one program");
    explain(&place, "./one 1 | cat", "./one 7").ends(2, "no shell reads the command line");
    explain(&place, "./one 1 < missing", "./one 7").ends(2, "missing");
    explain(&place, "./one 1", "./one 2").ends(3, "both runs end in the same way");
    explain(&place, "./one 7", "./one 7").ends(3, "both runs end in the same way");
    explain(&place, "./one 7", "./one 1").ends(3, "are they the other way round?");
    let at = place.run(["explain", "--pass", "./one 1", "--fail", "./one 7", "--at", "nothing"]);
    at.ends(2, "there is no such function or line in the program");
    let when =
        place.run(["explain", "--pass", "./one 1", "--fail", "./one 7", "--fail-when", "exit=3"]);
    when.ends(3, "the run of --fail does not fail");
}

#[test]
fn before_a_file_is_read_its_descriptor_is_the_cause() {
    let place = Place::new();
    gcc(
        &place,
        "sum",
        &["-g"],
        "#include <stdio.h>
#include <stdlib.h>
static int sum(void) { int n = 0, c; while ((c = getchar()) != EOF) n += c; return n; }
static void check(int total)
{
    if (total > 200)
        abort();
}
int main(void)
{
    int total = sum();
    check(total);
    return 0;
}
",
    );
    place.write("good", [1]);
    place.write("bad", [255]);
    let done = explain(&place, "./sum < good", "./sum < bad");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("variable total is now 255 (instead of 1)"), "{}", done.stdout);
    let file = "descriptor 0 is now \"bad\" at byte 0 (instead of \"good\" at byte 0)";
    assert!(done.stdout.contains(file), "{}", done.stdout);
}

#[test]
fn damage_to_the_allocators_marks_ends_the_chain() {
    let place = Place::new();
    gcc(
        &place,
        "damage",
        &["-g"],
        "#include <stdlib.h>
static void fill(int *to, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = 1;
}
static void done(int *a, int *b)
{
    free(b);
    free(a);
}
int main(int argc, char **argv)
{
    int *a = calloc(6, sizeof *a), *b = calloc(6, sizeof *b);
    fill(a, atoi(argv[1]));
    done(a, b);
    return 0;
}
",
    );
    let done = place.run(["explain", "--json", "--pass", "./damage 6", "--fail", "./damage 7"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let told: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    // What decides is the count. That one number too many went over a mark is in no variable.
    let steps = told["chain"].as_array().unwrap();
    let last = steps.last().unwrap();
    assert_eq!(last["causes"][0]["variable"], "count", "{told:#}");
    let incomplete = told["incomplete"].as_array().unwrap();
    assert!(incomplete.iter().any(|place| place["place"]["function"] == "done"), "{told:#}");
}

#[test]
fn there_is_no_chain_where_nothing_is_captured() {
    let place = Place::new();
    gcc(
        &place,
        "size",
        &["-g"],
        "#include <unistd.h>
#include <stdlib.h>
#include <sys/stat.h>
__attribute__((constructor)) static void set_mask(void)
{
    umask(lseek(0, 0, SEEK_END));
    close(0);
}
int main(void)
{
    if (umask(0) > 3) abort();
    return 0;
}
",
    );
    place.write("good", "abc");
    place.write("bad", "abcd");
    let runs = ["--pass", "./size < good", "--fail", "./size < bad", "--at", "main"];
    let done = place.run(["explain"].iter().chain(&runs));
    assert_eq!(done.code, Some(4), "{done:?}");
    let said = "No chain: what was captured does not decide in any place.";
    assert!(done.stdout.contains(said), "{}", done.stdout);
    // Only the failing run comes here.
    gcc(
        &place,
        "fork_in_the_road",
        &["-g"],
        "#include <stdlib.h>
static int one(void) { return 0; }
static int two(void) { abort(); }
int main(int argc, char **argv) { return argc > 1 ? two() : one(); }
",
    );
    let done = place.run([
        "explain",
        "--pass",
        "./fork_in_the_road",
        "--fail",
        "./fork_in_the_road x",
        "--at",
        "two",
    ]);
    assert_eq!(done.code, Some(4), "{done:?}");
    assert!(done.stdout.contains("two at fork_in_the_road.c:3: not reached"), "{}", done.stdout);
}

#[test]
fn optimised_code_and_threads_are_said_to_be() {
    let place = Place::new();
    gcc(
        &place,
        "fast",
        &["-g", "-O2"],
        "#include <stdlib.h>
#include <stdio.h>
__attribute__((noinline)) static int divide(int by) { return 100 / by; }
int main(int argc, char **argv) { printf(\"%d\\n\", divide(atoi(argv[1]))); return 0; }
",
    );
    let done = explain(&place, "./fast 5", "./fast 0");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("variable by is now 0 (instead of 5)"), "{}", done.stdout);
    assert!(done.stdout.contains("could not be captured"), "{}", done.stdout);
    gcc(
        &place,
        "threads",
        &["-g", "-pthread"],
        "#include <pthread.h>
#include <stdlib.h>
static int mode;
static void *work(void *nothing)
{
    if (mode == 7)
        abort();
    return nothing;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    mode = atoi(argv[1]);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
",
    );
    let done = explain(&place, "./threads 1", "./threads 7");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("variable mode is now 7 (instead of 1)"), "{}", done.stdout);
    assert!(done.stdout.contains("cannot be copied: it has 2 threads"), "{}", done.stdout);
}

#[test]
fn another_failure_is_not_taken_for_this_one() {
    let place = Place::new();
    gcc(
        &place,
        "errors",
        &["-g"],
        "#include <stdio.h>
#include <stdlib.h>
static void check(int deep, int missing)
{
    if (deep) { fprintf(stderr, \"error: nested too deep\\n\"); exit(1); }
    if (missing) { fprintf(stderr, \"error: no such file\\n\"); exit(1); }
}
int main(int argc, char **argv)
{
    check(argv[1][0] == '1', argv[1][1] == '1');
    return 0;
}
",
    );
    let done =
        place.run(["explain", "--pass", "./errors 00", "--fail", "./errors 11", "--at", "check"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("variable deep is now 1 (instead of 0)."), "{}", done.stdout);
    assert!(!done.stdout.contains("missing"), "{}", done.stdout);
}

#[test]
fn a_vector_that_has_grown_is_no_cause_by_itself() {
    require!(Tool::Gxx);
    let place = Place::new();
    let source = "#include <cstdio>
#include <cstdlib>
#include <vector>
static int table[4] = {1, 2, 3, 4};
static int check(std::vector<int> &numbers, int shift)
{
    int sum = 0;
    for (int number : numbers)
        sum += table[number + shift];
    return sum;
}
int main(int argc, char **argv)
{
    int count = std::atoi(argv[1]);
    std::vector<int> numbers(count, 1);
    std::printf(\"%d\\n\", check(numbers, count == 8 ? 100000000 : 0));
    return 0;
}
";
    place.write("vector.cpp", source);
    let mut command = Command::new("g++");
    place.prepare(&mut command);
    let done = ran(command.args(["-g", "vector.cpp", "-o", "vector"]));
    assert_eq!(done.code, Some(0), "{done:?}");
    let done =
        place.run(["explain", "--pass", "./vector 4", "--fail", "./vector 8", "--at", "check"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let told = "variable shift is now 100000000 (instead of 0).";
    assert!(done.stdout.contains(told), "{}", done.stdout);
}

#[test]
fn the_states_of_a_run_that_does_not_end_are_compared() {
    let place = Place::new();
    gcc(
        &place,
        "endless",
        &["-g"],
        "#include <stdlib.h>
static void work(int n) { while (n != 0) n -= n > 0 ? 1 : 0; }
int main(int argc, char **argv) { work(atoi(argv[1])); return argc - 2; }
",
    );
    let runs = ["--pass", "./endless 6", "--fail", "./endless -5", "--at", "work"];
    let done = place.run(["state", "diff"].into_iter().chain(runs));
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("n: -5 (instead of 6)"), "{}", done.stdout);
}

#[test]
fn the_sandbox_is_refused_with_a_reason() {
    let place = Place::new();
    let done = place.run(["explain", "--sandbox", "--pass", "./a", "--fail", "./b"]);
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("explain has no --sandbox"), "{}", done.stderr);
}
