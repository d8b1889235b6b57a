//! Error messages about programs, and what they suggest to do.

mod programs;

use programs::{Program, SOON, text};
use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use wynot_state::dwarf::{self, name_frames};
use wynot_state::process::{Inferior, InferiorLimits, Invocation, ProcessError};
use wynot_test_support::{Tool, has};

/// The error of running a file, and the error of reading it; empty if there is none.
fn errors(path: &Path) -> [String; 2] {
    let run =
        Inferior::start(&Invocation::new(path, [""; 0]), &InferiorLimits::default(), name_frames)
            .err();
    let read = dwarf::Program::read(path).err();
    [run.map_or_else(String::new, whole), read.map_or_else(String::new, whole)]
}

/// The message of an error with those of its causes.
fn whole(error: impl Error + 'static) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        message += &format!(": {error}");
        source = error.source();
    }
    message
}

fn file(directory: &TempDir, name: &str, contents: &[u8], mode: u32) -> PathBuf {
    let path = directory.path().join(name);
    fs::write(&path, contents).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

/// Checks the errors of running and of reading a file.
fn check(path: &Path, run: &str, read: &str) {
    let [ran, was_read] = errors(path);
    assert!(ran.contains(run) && ran.is_empty() == run.is_empty(), "{ran}");
    assert!(was_read.contains(read) && was_read.is_empty() == read.is_empty(), "{was_read}");
}

#[test]
fn files_that_are_no_programs_have_different_errors() {
    let directory = tempfile::tempdir().unwrap();
    let none = directory.path().join("none");
    check(&none, "No such file", "there is no program");
    check(directory.path(), "is a directory", "is a directory");
    let text = file(&directory, "text", b"some text", 0o755);
    check(&text, "not a compiled program", "an ELF file is needed");
    let script = file(&directory, "script", b"#!/usr/bin/env python3\nprint()\n", 0o755);
    check(&script, "name its interpreter", "a script for /usr/bin/env python3");
    let [_, read] = errors(&script);
    assert!(read.contains("name it instead, with the script as its first argument"), "{read}");
    let mut foreign = fs::read("/bin/true").unwrap();
    foreign[18..20].copy_from_slice(&183_u16.to_le_bytes());
    let foreign = file(&directory, "foreign", &foreign, 0o755);
    check(&foreign, "only programs for x86-64", "AArch64");
}

#[test]
fn errors_about_programs_suggest_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let source = "int main(void) { return 0; }";
    let program = Program::new(source);
    let bytes = fs::read(&program.path).unwrap();
    check(&file(&directory, "forbidden", &bytes, 0o644), "chmod +x", "");
    check(&file(&directory, "lent", &bytes, 0o4755), "name a copy of it", "");
    let hint = "compile it with -g";
    let kinds = [&["-g0"][..], &["-s"], &["-s", "-static"], &["-g0", "-static"], &["-m32", "-s"]];
    let has_32_bits = has!(Tool::Gcc32);
    for flags in kinds.into_iter().filter(|flags| has_32_bits || !flags.contains(&"-m32")) {
        let program = Program::built(source, flags);
        // The program runs nevertheless.
        program.start(&[]).finish(SOON).unwrap();
        check(&program.path, "", hint);
    }
}

#[test]
fn inputs_that_can_be_read_only_once_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [&pipe, directory.path()] {
        let invocation =
            Invocation { input: Some(path.to_owned()), ..Invocation::new("/bin/cat", [""; 0]) };
        let error = whole(
            Inferior::start(&invocation, &InferiorLimits::default(), name_frames).err().unwrap(),
        );
        assert!(error.contains("it has to be a file"), "{error}");
    }
    let invocation =
        Invocation { input: Some("/dev/null".into()), ..Invocation::new("/bin/cat", [""; 0]) };
    Inferior::start(&invocation, &InferiorLimits::default(), name_frames)
        .unwrap()
        .finish(SOON)
        .unwrap();
}

#[test]
fn a_program_that_asks_for_a_terminal_is_noted() {
    let source = r#"
        #include <fcntl.h>
        #include <stdio.h>
        #include <unistd.h>
        void here(void) {}
        int main(int argc, char **argv) {
            if (argc > 1 && argv[1][0] == 'o') open("/dev/tty", O_RDWR);
            if (argc > 1 && argv[1][0] == 'i') printf("%d\n", isatty(0));
            here();
        }"#;
    for &flags in programs::machines(has!(Tool::Gcc32)) {
        let program = Program::built(source, flags);
        for (how, asks) in [("", false), ("o", true), ("i", true)] {
            let mut template = program.started_at("here", &[how]);
            let copied = template.fork().unwrap().finish(SOON).unwrap();
            let ending = template.finish(SOON).unwrap();
            assert_eq!((ending.asked_for_terminal, &copied), (asks, &ending), "{how}");
            assert_eq!(text(&ending.stdout), if how == "i" { "0\n" } else { "" });
        }
    }
}

#[test]
fn executing_another_program_is_an_error_with_its_name() {
    let source = r#"#include <unistd.h>
        int main(void) { execl("/bin/true", "true", (char *)0); }"#;
    let error = Program::new(source).start(&[]).finish(SOON).unwrap_err();
    assert!(matches!(error, ProcessError::Becomes(_)));
    assert!(error.to_string().contains("true; name that one instead"), "{error}");
}

#[test]
fn threads_are_an_obstacle_to_forking() {
    let source = r#"
        #include <pthread.h>
        #include <unistd.h>
        void here(void) {}
        void *forever(void *nothing) { for (;;) pause(); }
        int main(void) { pthread_t thread; pthread_create(&thread, 0, forever, 0); here(); }"#;
    for &flags in programs::machines(has!(Tool::Gcc32)) {
        let program = Program::built(source, &[flags, &["-pthread"]].concat());
        let obstacle = program.started_at("here", &[]).fork_obstacle().unwrap().unwrap();
        assert!(
            obstacle.to_string().contains("2 threads, of which a copy would have only one"),
            "{obstacle}"
        );
    }
}
