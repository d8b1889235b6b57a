//! A repository made by a script, and the command that searches it.

use super::Answer;
use crate::support::{Place, Ran, ran};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What all scripts share.
const PRELUDE: &str = include_str!("prelude.sh");

/// The repository `repo` of a place, beside the test `t` and the sessions.
pub struct Repository {
    pub place: Place,
    build: Option<&'static str>,
    test: Vec<String>,
}

impl Repository {
    /// Made by a script, and tested with the `t` that it writes.
    pub fn new(script: &str) -> Self {
        let place = Place::new();
        let test = vec![place.path("t").to_str().unwrap().to_owned()];
        let repository = Self { place, build: None, test };
        repository.sh_in("", &format!("{PRELUDE}{script}"));
        repository
    }

    /// The calculator, broken after ten of about thirty commits; nothing else is the matter with it.
    pub fn calculator() -> Self {
        Self::new(
            "calculator; commit Start; work 1 9; break_mul; commit 'Multiply quickly'; work 10 28
             test_calculator 'sh calc.sh mul 3 4' '[7]' '[12]'",
        )
    }

    pub fn building(self, command: &'static str) -> Self {
        Self { build: Some(command), ..self }
    }

    pub fn testing(self, command: &[&str]) -> Self {
        Self { test: command.iter().map(|&word| word.to_owned()).collect(), ..self }
    }

    pub fn dir(&self) -> PathBuf {
        self.place.path("repo")
    }

    /// Build and test as one shell script, by the rules of `git bisect run`.
    pub fn script(&self) -> String {
        let build = self.build.unwrap_or("true");
        format!("{{ {build}; }} > /dev/null || exit 125; exec {}", self.test.join(" "))
    }

    /// Runs shell commands in the repository, with the functions of the prelude but without its last lines.
    pub fn sh(&self, script: &str) -> String {
        let functions = PRELUDE.split("\ngit init").next().unwrap();
        self.sh_in("repo", &format!("{functions}\nday=100\n{script}"))
    }

    fn sh_in(&self, dir: &str, script: &str) -> String {
        let mut command = Command::new("sh");
        self.place.prepare(&mut command);
        command.current_dir(self.place.path(dir)).env("LC_ALL", "C");
        let done = ran(command.args(["-e", "-c", script]));
        assert_eq!(done.code, Some(0), "{script}: {done:?}");
        done.stdout
    }

    /// What git prints, without the last line end.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        self.place.prepare(&mut command);
        let done = ran(command.current_dir(self.dir()).env("LC_ALL", "C").args(args));
        assert_eq!(done.code, Some(0), "git {args:?}: {done:?}");
        done.stdout.trim_end().to_owned()
    }

    pub fn subject(&self, revision: &str) -> String {
        self.git(&["show", "-s", "--format=%s", revision])
    }

    /// Whether one revision is the other or leads to it.
    pub fn is_ancestor(&self, older: &str, newer: &str) -> bool {
        let mut command = Command::new("git");
        self.place.prepare(&mut command);
        command.current_dir(self.dir()).args(["merge-base", "--is-ancestor", older, newer]);
        ran(&mut command).code == Some(0)
    }

    /// `wynot history` in this repository, with build and test.
    pub fn command(&self, options: &[&str]) -> Command {
        self.command_in(&self.dir(), options)
    }

    /// The same in another directory.
    pub fn command_in(&self, dir: &Path, options: &[&str]) -> Command {
        let mut command = self.place.interruptible();
        command.current_dir(dir).arg("history").args(options);
        if let Some(build) = self.build {
            command.args(["--build", build]);
        }
        command.arg("--").args(&self.test);
        command
    }

    pub fn history(&self, options: &[&str]) -> Ran {
        ran(&mut self.command(options))
    }

    /// The answer as JSON. The repository is as it was.
    #[track_caller]
    pub fn found(&self, options: &[&str]) -> Answer<'_> {
        let before = self.state();
        let ran = self.history(&[&["--json"], options].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(self.state(), before);
        Answer::new(self, &ran)
    }

    /// What a search must leave alone: refs, worktrees, stashes, locks, and all files of the checkout.
    pub fn state(&self) -> String {
        let [refs, head, status, worktrees, stashes] = [
            &["for-each-ref"][..],
            &["rev-parse", "--symbolic-full-name", "HEAD"],
            &["--no-optional-locks", "status", "--porcelain", "--ignored", "--untracked-files=all"],
            &["worktree", "list", "--porcelain"],
            &["stash", "list"],
        ]
        .map(|args| self.git(args));
        let files = names_below(&self.dir().join(".git"));
        let index = self.git(&["hash-object", ".git/index"]);
        format!("{refs}\n{head}\n{status}\n{worktrees}\n{stashes}\n{files:#?}\n{index}")
    }
}

/// The names of all files and directories below a directory.
fn names_below(dir: &Path) -> Vec<PathBuf> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            names.extend(names_below(&entry.path()));
        }
        names.push(entry.path());
    }
    names.sort();
    names
}
