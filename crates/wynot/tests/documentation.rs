//! Every command of the README and of the book runs, and prints what is shown there.
//!
//! A block of `console` has commands after `$ ` and what they print. The blocks of a page are one session in a directory with the
//! examples. Times differ from run to run and are not compared; a line `…` stands for any lines. With `UPDATE_DOCUMENTATION=1`,
//! the pages are rewritten with what is printed.

mod support;

use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Place, ran};
use wynot_test_support::{Tool, require};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All pages: the README and the book.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if path.extension().is_some_and(|end| end == "md") => pages.push(path),
                _ => {}
            }
        }
    }
    pages.sort();
    pages
}

/// A command of a page, and what it prints there.
struct Shown {
    command: String,
    output: Vec<String>,
}

/// The commands in the blocks of `console` of a page.
fn shown(page: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for block in page.split("```console\n").skip(1) {
        for line in block.split("\n```").next().unwrap().lines() {
            match line.strip_prefix("$ ") {
                Some(command) => {
                    all.push(Shown { command: command.to_owned(), output: Vec::new() })
                }
                None => all.last_mut().expect("a command comes first").output.push(line.to_owned()),
            }
        }
    }
    all
}

/// A page's session: the built wynot is the installed one, and the examples are here.
struct PageSession {
    place: Place,
    directory: PathBuf,
}

impl PageSession {
    fn new() -> Self {
        let place = Place::new();
        let mut copy = Command::new("cp");
        copy.arg("-r").arg(root().join("examples")).arg(place.dir.path());
        assert_eq!(ran(&mut copy).code, Some(0));
        fs::create_dir(place.path("bin")).unwrap();
        let wynot = env!("CARGO_BIN_EXE_wynot");
        std::os::unix::fs::symlink(wynot, place.path("bin/wynot")).unwrap();
        let directory = place.dir.path().to_owned();
        Self { place, directory }
    }

    /// Runs a command and returns the lines that it prints, without those of progress.
    fn run(&mut self, command: &str) -> Vec<String> {
        if let Some(name) = command.strip_prefix("cd ") {
            self.directory = self.directory.join(name);
            return Vec::new();
        }
        let command = command.replacen("cargo run --release --", "wynot", 1);
        let mut sh = Command::new("sh");
        self.place.prepare(&mut sh);
        let path = std::env::var("PATH").unwrap();
        sh.current_dir(&self.directory)
            .env("PATH", format!("{}:{path}", self.place.path("bin").display()))
            // Compilers choose their quotation marks by the locale.
            .env("LC_ALL", "C.UTF-8")
            .args(["-c", &format!("{{ {command}\n}} 2>&1")]);
        let done = ran(&mut sh);
        let is_progress = |line: &&str| line.contains("/s · ");
        done.stdout.lines().filter(|line| !is_progress(line)).map(str::to_owned).collect()
    }
}

/// A line without what differs from run to run.
fn comparable(line: &str) -> String {
    let time = Regex::new(r"\d+ h \d+ min|\d+ min \d+ s|\d+(\.\d+)? m?s\b").unwrap();
    // Versions of git write the same date in two ways.
    time.replace_all(line.trim_end(), "TIME").replace("+00:00", "Z")
}

/// Whether lines are as shown, where `…` stands for any lines.
fn matches(printed: &[String], shown: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=printed.len()).any(|skipped| matches(&printed[skipped..], rest))
        }
        Some((first, rest)) => match printed.split_first() {
            Some((line, others)) if line == first => matches(others, rest),
            _ => false,
        },
    }
}

#[test]
fn every_command_prints_what_is_shown() {
    require!(Tool::Python);
    let mut commands = 0;
    for path in pages() {
        let mut text = fs::read_to_string(&path).unwrap();
        let all = shown(&text);
        if all.is_empty() {
            continue;
        }
        let mut session = PageSession::new();
        for Shown { command, output } in all {
            let printed = session.run(&command);
            let compared = |lines: &[String]| -> Vec<String> {
                lines.iter().map(|line| comparable(line)).collect()
            };
            let is_as_shown = matches(&compared(&printed), &compared(&output));
            if !is_as_shown && std::env::var_os("UPDATE_DOCUMENTATION").is_some() {
                let block = |lines: &[String]| {
                    let lines = lines.iter().map(|line| format!("{}\n", line.trim_end()));
                    format!("$ {command}\n{}", lines.collect::<String>())
                };
                text = text.replacen(&block(&output), &block(&printed), 1);
                fs::write(&path, &text).unwrap();
                continue;
            }
            assert!(
                is_as_shown,
                "{}: {command}\nshown:\n{}\nprinted:\n{}",
                path.display(),
                output.join("\n"),
                printed.join("\n")
            );
            commands += 1;
        }
    }
    assert!(commands >= 35, "{commands} commands");
}

#[test]
fn the_readme_is_short_and_has_the_two_commands() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 100, "{} lines", readme.lines().count());
    assert!(
        readme.contains("cargo run --release -- reduce") && readme.contains("cargo xtask test")
    );
}

#[test]
fn every_page_is_in_the_summary_and_every_link_leads_somewhere() {
    let link = Regex::new(r"\]\(([^)#\s]+)(#[^)]*)?\)").unwrap();
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut broken = Vec::new();
    for path in pages() {
        let text = fs::read_to_string(&path).unwrap();
        let folder = path.parent().unwrap();
        for found in link.captures_iter(&text) {
            let target = &found[1];
            let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
            if !is_elsewhere && !folder.join(target).exists() {
                broken.push(format!("{}: {target}", path.display()));
            }
        }
        let name = path.strip_prefix(root().join("docs"));
        if let Ok(name) = name
            && name != Path::new("SUMMARY.md")
            && !summary.contains(&format!("]({})", name.display()))
        {
            broken.push(format!("{} is not in the summary", name.display()));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
