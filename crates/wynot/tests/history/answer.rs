//! What is found, and what must be.

use super::Repository;
use crate::support::Ran;
use serde_json::Value;
use std::fs;

/// A patch that old versions need, as it must be found.
pub struct Blocker<'a> {
    /// See [`changes_of`]. How far lines are indented does not matter, since that may be another matter in each version.
    pub changes: &'a str,
    /// The subject of the newest revision that needs it.
    pub newest: &'a str,
    pub oldest: Oldest<'a>,
}

/// The oldest revision that needs a patch.
pub enum Oldest<'a> {
    /// By its subject.
    Is(&'a str),
    /// The passing version needs it. What is older need not be looked at, but may have been.
    PassingOrOlder,
}

/// The answer to a regression.
pub struct Expected<'a> {
    /// The subject of the introducing commit.
    pub culprit: &'a str,
    /// The subject of the version before it.
    pub passing: &'a str,
    pub blockers: &'a [Blocker<'a>],
    /// The failure-inducing change; see [`changes_of`]. Files are without folders, since a blocker may move them.
    pub change: &'a str,
    /// The patch for the starting revision.
    pub fix: &'a str,
}

/// The object that `wynot history --json` prints.
pub struct Answer<'a> {
    repository: &'a Repository,
    pub json: Value,
}

impl<'a> Answer<'a> {
    #[track_caller]
    pub fn new(repository: &'a Repository, ran: &Ran) -> Self {
        let json = serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {ran:?}"));
        Self { repository, json }
    }

    /// The subject of the introducing commit.
    #[track_caller]
    pub fn culprit(&self) -> String {
        assert_eq!(self.json["verdict"], "regression", "{}", self.json);
        self.repository.subject(self.text(&["commits", "0", "id"]))
    }

    /// All of the answer; the fix is tried.
    #[track_caller]
    pub fn is(&self, expected: &Expected<'_>) {
        let json = &self.json;
        assert_eq!(self.culprit(), expected.culprit, "{json}");
        let id = self.text(&["commits", "0", "id"]);
        for (name, format) in [("author", "%an"), ("date", "%aI"), ("subject", "%s")] {
            let shown = self.repository.git(&["show", "-s", &format!("--format={format}"), id]);
            assert_eq!(json["commits"][0][name], shown, "{json}");
        }
        assert_eq!(self.repository.subject(self.passing()), expected.passing, "{json}");
        assert!(json["runs"].is_object() && json["tests"]["executed"].as_u64() > Some(0), "{json}");
        self.has_blockers(expected.blockers);
        assert_eq!(with_file_names(&changes_of(&self.file("patch"))), expected.change, "{json}");
        assert_eq!(changes_of(&self.file("fix")), expected.fix, "{json}");
        self.try_fix();
    }

    /// The blockers, in any order, and their intervals.
    #[track_caller]
    pub fn has_blockers(&self, expected: &[Blocker<'_>]) {
        let json = &self.json;
        let found = json["blockers"].as_array().unwrap_or_else(|| panic!("no blockers: {json}"));
        let changes = |blocker: &Value| changes_of(blocker["patch"].as_str().unwrap());
        assert_eq!(
            sorted(found.iter().map(|blocker| unindented(&changes(blocker)))),
            sorted(expected.iter().map(|blocker| unindented(blocker.changes))),
            "{json}"
        );
        for blocker in expected {
            let is_it = |found: &&Value| unindented(&changes(found)) == unindented(blocker.changes);
            let found = found.iter().find(is_it).unwrap();
            let lines = blocker.changes.lines().filter(|line| line.starts_with(['+', '-'])).count();
            assert_eq!(found["lines"], lines, "{found}");
            assert!(found["name"].as_str().is_some_and(|name| !name.is_empty()), "{found}");
            let [from, to] = ["from", "to"].map(|end| found[end].as_str().unwrap());
            assert_eq!(self.repository.subject(from), blocker.newest, "{found}");
            match blocker.oldest {
                Oldest::Is(subject) => assert_eq!(self.repository.subject(to), subject, "{found}"),
                Oldest::PassingOrOlder => {
                    // On another branch than the passing version it may be, but not after it.
                    let id = |revision| self.repository.git(&["rev-parse", revision]);
                    let is_newer = self.repository.is_ancestor(self.passing(), to);
                    assert!(!is_newer || id(to) == id(self.passing()), "{found}");
                    assert!(self.repository.is_ancestor(to, from), "{found}");
                }
            }
        }
    }

    /// In a clean clone, the fix applies and makes the test pass.
    #[track_caller]
    pub fn try_fix(&self) {
        let script = self.repository.script();
        self.repository.sh(&format!(
            "rm -rf ../fixed; git clone -q . ../fixed; cd ../fixed
             git apply '{}'
             ({script})",
            self.text(&["fix"])
        ));
    }

    #[track_caller]
    fn passing(&self) -> &str {
        self.text(&["passing", "id"])
    }

    /// A text by its place in the object.
    #[track_caller]
    pub fn text(&self, place: &[&str]) -> &str {
        let found = self.json.pointer(&format!("/{}", place.join("/"))).and_then(Value::as_str);
        found.unwrap_or_else(|| panic!("there is no {place:?}: {}", self.json))
    }

    /// The contents of a file that the object names.
    #[track_caller]
    pub fn file(&self, name: &str) -> String {
        let path = self.text(&[name]);
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// What must be the same whenever the question is the same.
    pub fn essence(&self) -> Vec<String> {
        let json = &self.json;
        let parts = [&json["verdict"], &json["commits"], &json["passing"], &json["blockers"]];
        let files = ["patch", "fix"].map(|name| self.file(name));
        parts.into_iter().map(Value::to_string).chain(files).collect()
    }
}

/// What a patch changes, without context and places: for each file its path, or the lines about its renaming, and
/// the lines that are added and removed.
fn changes_of(patch: &str) -> String {
    let mut changes = Vec::new();
    let mut old_path = "";
    let mut is_header = true;
    for line in patch.lines() {
        if line.starts_with("diff --git ") {
            is_header = true;
        } else if line.starts_with("@@ ") {
            is_header = false;
        } else if !is_header && line.starts_with(['+', '-']) {
            // A header of a patch without `diff --git` cannot be told from lines that begin with dashes.
            assert!(!line.starts_with("--- a/"), "{patch}");
            changes.push(line);
        } else if let Some(path) = line.strip_prefix("--- ") {
            old_path = path;
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let path = if path == "/dev/null" { old_path } else { path };
            changes.push(path.trim_start_matches("a/").trim_start_matches("b/"));
        } else if line.starts_with("rename ") {
            changes.push(line);
        }
    }
    changes.join("\n")
}

fn with_file_names(changes: &str) -> String {
    let is_text = |line: &str| line.starts_with(['+', '-']);
    let lines = changes.lines().map(|line| match line.rsplit_once('/') {
        Some((_, name)) if !is_text(line) => name,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn unindented(changes: &str) -> String {
    let unindent = |line: &str| match line.split_at_checked(1) {
        Some((sign @ ("+" | "-"), text)) => format!("{sign}{}\n", text.trim_start()),
        _ => format!("{line}\n"),
    };
    changes.lines().map(unindent).collect()
}

fn sorted(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.collect();
    texts.sort();
    texts
}
