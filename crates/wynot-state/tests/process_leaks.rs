//! Controlled programs leave no processes, open files or files behind. The only test of its file, since it counts
//! what the whole process has.

mod programs;

use programs::{Program, SOON};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use wynot_state::dwarf::name_frames;
use wynot_state::process::{ExitStatus, Inferior, InferiorLimits, Invocation, ProcessError};

const ALL_KINDS: &str = r#"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
void here(void) {}
void *forever(void *nothing) { for (;;) pause(); }
int main(int argc, char **argv) {
    pthread_t thread;
    int random;
    fread(&random, sizeof random, 1, fopen("/dev/urandom", "r"));
    here();
    switch (argv[1][0]) {
        case 'e': return 3;
        case 's': *(volatile int *)0 = 1;
        case 'a': abort();
        case 'h': for (;;) pause();
        case 'l': for (;;);
        case 'f': for (int i = 0; i < 3; i++) if (fork() == 0) for (;;) pause(); return 0;
        case 'F': for (int i = 0; i < 3; i++) if (fork() == 0) for (;;) pause(); for (;;) pause();
        case 't': for (int i = 0; i < 3; i++) pthread_create(&thread, 0, forever, 0); return 0;
        case 'T': for (int i = 0; i < 3; i++) pthread_create(&thread, 0, forever, 0); pause();
        case 'x': execl("/bin/true", "true", (char *)0);
        case 'd': if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause(); } return 0;
        case 'v': return system("exit 5") == 5 << 8 ? 5 : 6;
    }
}
"#;

/// All descendants of this process.
fn descendants() -> Vec<i32> {
    let mut found = vec![std::process::id() as i32];
    let mut looked_at = 0;
    while let Some(pid) = found.get(looked_at).copied() {
        looked_at += 1;
        for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().map(|pid| pid.parse::<i32>().unwrap()));
        }
    }
    found.split_off(1)
}

/// All processes of the system that run a program.
fn running(program: &Program) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let is_it = |entry: &fs::DirEntry| {
        fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == program.path)
    };
    let found = processes.filter(is_it);
    found.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Whether a kind of experiment ends at its time limit.
fn hangs(how: &str) -> bool {
    "hlFT".contains(how)
}

fn experiment(program: &Program, template: &mut Inferior, how: &str, number: usize) {
    let time = Duration::from_millis(if hangs(how) { 10 } else { 10_000 });
    let mut run = match number % 3 {
        0 => template.fork().unwrap(),
        1 => program.started_at("here", &[how]),
        _ => {
            let limits = InferiorLimits { time, ..InferiorLimits::default() };
            Inferior::start(&program.invocation(&[how]), &limits, name_frames).unwrap()
        }
    };
    if number.is_multiple_of(7) {
        // The inferior is dropped without an end.
        return;
    }
    match run.finish(time) {
        Ok(end) => {
            assert_eq!(end.status == ExitStatus::TimedOut, hangs(how), "{how} {number}")
        }
        Err(error) => assert!(matches!(error, ProcessError::Becomes(_)), "{how} {error}"),
    }
}

/// All errors before a program runs.
fn errors(directory: &std::path::Path, program: &Program) {
    let script = directory.join("script");
    fs::write(&script, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let start = |invocation| {
        Inferior::start(&invocation, &InferiorLimits::default(), name_frames).err().unwrap()
    };
    start(Invocation::new("/nowhere/program", [""; 0]));
    start(Invocation::new(directory, [""; 0]));
    start(Invocation::new(&script, [""; 0]));
    start(Invocation { directory: "/nowhere".into(), ..program.invocation(&["e"]) });
    start(Invocation { input: Some("/nowhere".into()), ..program.invocation(&["e"]) });
    // The system refuses this many arguments.
    let long = "x".repeat(1 << 20);
    start(program.invocation(&[long.as_str(); 3]));
    let mut inferior = program.start(&["e"]);
    assert!(matches!(inferior.run_to(&[8]), Err(ProcessError::NoCode(8))));
    inferior.finish(SOON).unwrap();
    assert!(matches!(inferior.resume(), Err(ProcessError::Ended)));
}

#[test]
fn after_hundreds_of_experiments_nothing_is_left() {
    // All temporary files are created here.
    let temporary = tempfile::tempdir().unwrap();
    let program = Program::built(ALL_KINDS, &["-pthread"]);
    let directory = temporary.path().join("of-the-test");
    fs::create_dir(&directory).unwrap();
    #[expect(unsafe_code, reason = "this program has one test, and no other thread yet")]
    unsafe {
        std::env::set_var("TMPDIR", temporary.path());
    }
    // The first crash fills caches that stay.
    program.start(&["s"]).finish(SOON).unwrap();
    let (files, children) = (open_files(), descendants());
    assert_eq!(children, [0; 0]);
    let mut number = 0;
    for how in ["e", "s", "a", "h", "l", "f", "F", "t", "T", "x", "d", "v"] {
        let mut template = program.started_at("here", &[how]);
        for _ in 0..17 {
            experiment(&program, &mut template, how, number);
            number += 1;
        }
        drop(template);
        errors(&directory, &program);
    }
    assert!(number > 200);
    assert_eq!(descendants(), [0; 0]);
    assert_eq!(running(&program), [""; 0]);
    assert_eq!(open_files(), files);
    let left: Vec<_> = fs::read_dir(temporary.path()).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
