//! What is a difference, and how its two sides read.

mod support;

use serde_json::Value;
use std::process::Command;
use support::{Place, gcc, ran};
use wynot_test_support::{Tool, require};

/// The differences of two runs at a place: the variable, its passing and its failing value.
fn differences(place: &Place, pass: &str, fail: &str, at: &str) -> Vec<[String; 3]> {
    let args = ["state", "diff", "--pass", pass, "--fail", fail, "--at", at, "--as", "json"];
    let done = place.run(args);
    assert!(matches!(done.code, Some(0 | 1)), "{done:?}");
    let told: Value = serde_json::from_str(&done.stdout).unwrap();
    let found = told["differences"].as_array().unwrap().iter();
    let text = |delta: &Value, name: &str| delta[name].as_str().unwrap().to_owned();
    found.map(|delta| ["variable", "passing", "failing"].map(|name| text(delta, name))).collect()
}

#[test]
fn bytes_that_are_divided_in_another_way_are_no_difference() {
    let place = Place::new();
    gcc(
        &place,
        "copies",
        &["-g"],
        "#include <stdlib.h>
#include <string.h>
static void show(char *b) { (void)b; }
int main(int argc, char **argv)
{
    char *b = calloc(1, 24);
    memcpy(b, argv[1], strlen(argv[1]));
    show(b);
    return argc - 2;
}
",
    );
    let found = differences(&place, "./copies abc", "./copies abcdefghijk", "show");
    assert!(found.iter().any(|[name, ..]| name == "argv[1]"), "{found:?}");
    assert!(found.iter().all(|[_, passing, failing]| passing != failing), "{found:?}");
    let zeros: Vec<_> = found.iter().filter(|[_, _, failing]| failing.contains("0x0")).collect();
    assert!(zeros.is_empty(), "{zeros:?}");
}

#[test]
fn two_runs_with_the_same_arguments_have_no_differences() {
    let place = Place::new();
    gcc(
        &place,
        "work",
        &["-g", "-pthread"],
        "#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static clock_t used;
static struct rusage usage;
static void inside(void) {}
static void *work(void *argument)
{
    pthread_mutex_lock(&mutex);
    inside();
    pthread_mutex_unlock(&mutex);
    return argument;
}
int main(void)
{
    volatile long sum = 0;
    for (long i = 0; i < 20000000; i++)
        sum += i;
    used = clock();
    getrusage(RUSAGE_SELF, &usage);
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
",
    );
    let found = differences(&place, "./work", "./work", "inside");
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_pointer_into_a_new_text_reads_as_the_rest_of_the_text() {
    let place = Place::new();
    gcc(
        &place,
        "rest",
        &["-g"],
        "#include <string.h>
static void check(const char *first) { (void)first; }
int main(int argc, char **argv)
{
    check(strchr(argv[1], '/') + 1);
    return argc - 2;
}
",
    );
    let found = differences(&place, "./rest aa/b", "./rest aa/..", "check");
    let first = found.iter().find(|[name, ..]| name == "first");
    assert_eq!(first.map(|[_, _, failing]| failing.as_str()), Some("\"..\""), "{found:?}");
}

#[test]
fn a_file_that_is_mapped_to_be_read_belongs_to_the_state() {
    let place = Place::new();
    gcc(
        &place,
        "mapped",
        &["-g"],
        "#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
static int check(const char *text, long size)
{
    int bad = 0;
    for (long i = 0; i < size; i++)
        bad += text[i] == 'x';
    return bad;
}
int main(int argc, char **argv)
{
    struct stat status;
    int file = open(argv[1], O_RDONLY);
    fstat(file, &status);
    // More is mapped than the file has: there, nothing can be read.
    const char *text = mmap(0, status.st_size + 8192, PROT_READ, MAP_PRIVATE, file, 0);
    if (check(text, status.st_size))
        abort();
    return argc - 2;
}
",
    );
    place.write("p.txt", "abc\n");
    place.write("f.txt", "axc\n");
    let found = differences(&place, "./mapped p.txt", "./mapped f.txt", "check");
    let text = found.iter().find(|[name, ..]| name == "text");
    assert_eq!(text.map(|[_, _, failing]| failing.as_str()), Some("\"axc\\n\""), "{found:?}");
}

#[test]
fn a_script_for_gdb_gives_the_program_the_variables_of_the_runs() {
    require!(Tool::Gdb);
    let place = Place::new();
    gcc(
        &place,
        "variables",
        &["-g"],
        "#include <stdlib.h>
static int ticks;
static void tick(void) { ticks++; }
static void check(int number) { if (number == 7) abort(); }
int main(int argc, char **argv, char **variables)
{
    for (char **variable = variables; *variable; variable++)
        tick();
    int number = atoi(argv[1]);
    for (int i = 0; i < 3; i++)
        tick();
    check(number);
    return argc - 2;
}
",
    );
    let runs = ["--pass", "./variables 1", "--fail", "./variables 7"];
    let done = place.run(["explain", "-q", "--gdb", "steps"].iter().chain(&runs));
    assert_eq!(done.code, Some(0), "{done:?}");
    let script = place.text("steps/1.gdb");
    assert!(script.contains("set exec-wrapper env -i "), "{script}");
    let scripts = std::fs::read_dir(place.path("steps")).unwrap();
    for script in scripts.map(|entry| entry.unwrap().path()) {
        let mut gdb = Command::new("gdb");
        place.prepare(gdb.env("ONE_MORE", "x".repeat(5000)).env("TWO_MORE", "it's"));
        let replayed = ran(gdb.args(["-batch", "-nx", "-x"]).arg(&script));
        let said = format!("{}{}", replayed.stdout, replayed.stderr);
        assert!(said.contains("SIGABRT"), "{script:?}: {said}");
    }
}
