//! Files of a checkout that no version has, because git does not track them.

use crate::error::Error;
use crate::plan::Plan;
use std::path::PathBuf;
use wynot_exec::sources::Repository;
use wynot_session::RunSummary;
use wynot_subjects::quote;

/// How many files are named that git does not track.
const MAX_FILES_NAMED: usize = 3;

/// Adds which files of the checkout no version has: those that the runs mention, or else the first ones.
pub(super) fn with_untracked(error: Error, plan: &Plan, runs: [&RunSummary; 2]) -> Error {
    let root = plan.versions.as_ref().and_then(|versions| versions.root.as_ref());
    let untracked = root.map(|root| Repository::of(root).untracked()).unwrap_or_default();
    let is_mentioned = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        runs.iter().any(|run| run.stderr.iter().any(|line| line.contains(name.as_ref())))
    };
    let test = &plan.command.program;
    let is_test = |path: &PathBuf| root.is_some_and(|root| root.join(path) == *test);
    let untracked: Vec<&PathBuf> = untracked.iter().filter(|path| !is_test(path)).collect();
    let mentioned: Vec<&PathBuf> = untracked.iter().copied().filter(is_mentioned).collect();
    // Without a file that a run mentions, one of them may still be what it has missed.
    let is_missing =
        runs.iter().any(|run| run.stderr.iter().any(|line| is_about_missing_file(line)));
    let named = match mentioned.is_empty() {
        true if is_missing => untracked,
        _ => mentioned,
    };
    let Some(first) = named.first() else { return error };
    let names: Vec<String> =
        named.iter().take(MAX_FILES_NAMED).map(|path| path.display().to_string()).collect();
    let more = match named.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let it = if named.len() == 1 { "it" } else { "them" };
    error.hint(format!(
        "git does not track {}{more}, so no version has {it}; --with {} adds it",
        names.join(", "),
        quote::command(&[first.display().to_string()])
    ))
}

/// What programs say about a missing file, in lower case.
const MISSING_FILE_WORDS: [&str; 7] = [
    "not found",
    "no such file",
    "no module named",
    "cannot find",
    "cannot load",
    "can't open",
    "cannot open",
];

/// Whether a line of output says that a file or a command is missing.
pub(super) fn is_about_missing_file(line: &str) -> bool {
    let line = line.to_lowercase();
    MISSING_FILE_WORDS.iter().any(|words| line.contains(words))
}
