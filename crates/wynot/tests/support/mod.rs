//! A place to run wynot in, as a user would: real files, real scripts, the real program.

#![allow(dead_code, clippy::allow_attributes, reason = "each test file uses its own part of this")]

pub mod changes;

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A private directory with its own sessions.
pub struct Place {
    pub dir: tempfile::TempDir,
}

/// What a run of wynot printed and how it ended.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, contents).unwrap();
        path
    }

    /// Shell code that sets `chance` to a number below 100. The numbers are a fixed sequence, one for each run so far: a test
    /// with one job draws the same ones each time, so that no bad luck makes a suite fail.
    pub fn chance(&self) -> String {
        let log = self.path("chances").display().to_string();
        format!(
            "echo >> {log}; chance=$(wc -l < {log} | md5sum | cut -c1-7); chance=$((0x$chance % 100))"
        )
    }

    /// Writes an executable shell script.
    pub fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.path(name);
        // Another process writes it: while this one has a file open for writing, a test that is started
        // at the same moment could inherit that, and the script could not be run.
        let mut writer = Command::new("sh")
            .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        writer.stdin.take().unwrap().write_all(format!("#!/bin/sh\n{body}\n").as_bytes()).unwrap();
        assert!(writer.wait().unwrap().success());
        path
    }

    pub fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub fn text(&self, name: impl AsRef<Path>) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// wynot, to be run here.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wynot"));
        self.prepare(&mut command);
        command
    }

    /// The same with default signal handling: what a shell runs in the background ignores interrupts.
    pub fn interruptible(&self) -> Command {
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,TERM", env!("CARGO_BIN_EXE_wynot")]);
        self.prepare(&mut command);
        command
    }

    /// Lets a command run here, with sessions of this place.
    pub fn prepare(&self, command: &mut Command) {
        command
            .current_dir(self.dir.path())
            .env("XDG_STATE_HOME", self.path("state"))
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
    }

    /// Runs wynot with arguments that are separated by blanks.
    pub fn wynot(&self, args: &str) -> Ran {
        self.run(args.split_whitespace())
    }

    pub fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Ran {
        let mut command = self.command();
        command.args(args);
        ran(&mut command)
    }

    /// Runs wynot with `--json` and returns the object.
    pub fn json(&self, args: &str) -> Value {
        self.json_of(args, 0)
    }

    /// The same for a run that ends with a certain code.
    pub fn json_of(&self, args: &str, code: i32) -> Value {
        let (before, after) = args.split_once(" -- ").unwrap();
        let ran = self.wynot(&format!("{before} --json -- {after}"));
        assert_eq!(ran.code, Some(code), "{ran:?}");
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    }
}

/// Compiles a program of a few lines, which gets the name of its file.
pub fn gcc(place: &Place, name: &str, options: &[&str], source: &str) {
    let file = format!("{name}.c");
    place.write(&file, source);
    let mut command = Command::new("gcc");
    place.prepare(&mut command);
    let done = ran(command.args(options).args([file.as_str(), "-o", name]));
    assert_eq!(done.code, Some(0), "{done:?}");
}

pub fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A journal as version 2 of its format has it, without checksums.
pub fn in_format_2(journal: &str) -> String {
    let records = journal.lines().map(|line| line.split_once(' ').unwrap().1);
    let older = records.map(|record| format!("{record}\n")).collect::<String>();
    assert!(older.starts_with("{\"session\":{\"schema\":5,"), "{older}");
    older.replacen("\"schema\":5", "\"schema\":2", 1)
}

impl Ran {
    /// Checks the exit code and that standard error says something.
    #[track_caller]
    pub fn ends(&self, code: i32, saying: &str) {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert!(self.stderr.contains(saying), "{saying:?} is not in {self:?}");
    }
}
