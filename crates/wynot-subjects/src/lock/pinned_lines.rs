//! Lock files in which a package has lines of its own: `requirements.txt` of pip and `go.mod` of Go.

use super::{LockEntry, LockError, Need, Parts, lines};
use std::collections::BTreeMap;

/// Whether a text looks like requirements with pinned versions.
pub(super) fn is_pinned(start: &str) -> bool {
    let mut lines = start.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    lines.next().is_some_and(|line| pin(line).is_some())
}

/// The name and the version of a requirement.
fn pin(line: &str) -> Option<(String, String)> {
    let (name, rest) = line.split_once("==")?;
    let name = name.split('[').next()?.trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let ends = |c: char| c.is_whitespace() || c == ';' || c == '\\';
    let version = rest.trim_start_matches('=').trim_start().split(ends).next()?;
    let is_version = version.starts_with(|c: char| c.is_ascii_digit());
    let is_pin = !name.is_empty() && name.chars().all(is_name) && is_version;
    is_pin.then(|| (name.to_owned(), version.to_owned()))
}

/// The name of a Python package as it is compared: small letters, and one kind of dash.
pub(crate) fn normal_name(name: &str) -> String {
    let mut normal = String::new();
    for c in name.chars() {
        match c {
            '-' | '_' | '.' if normal.ends_with('-') => {}
            '-' | '_' | '.' => normal.push('-'),
            c => normal.push(c.to_ascii_lowercase()),
        }
    }
    normal
}

/// Finds the pinned packages of requirements. Hashes, and the comments of pip-compile below a package, belong to it.
pub(super) fn parse_requirements(text: &[u8]) -> Result<Parts, LockError> {
    let mut entries: Vec<LockEntry> = Vec::new();
    let mut needed_by: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut continues = false;
    for (at, line) in lines(text) {
        let end = at + line.len();
        let line = String::from_utf8_lossy(line);
        let is_indented = line.starts_with([' ', '\t']);
        match entries.last_mut() {
            Some(last) if last.text.end == at && (continues || is_indented) => {
                last.text.end = end;
                if let Some(comment) = line.trim().strip_prefix('#') {
                    let via = needed_by.entry(last.name.clone()).or_default();
                    let words = comment.trim_start_matches(" via").split([' ', ',']);
                    via.extend(
                        words.filter(|word| !word.is_empty()).map(|w| normal_name(w.trim())),
                    );
                }
            }
            _ => {
                if let Some((name, version)) = pin(&line) {
                    entries.push(LockEntry {
                        name: normal_name(&name),
                        ..pinned(name, version, at..end)
                    });
                }
            }
        }
        continues = line.trim_end().ends_with('\\');
    }
    for (needed, users) in needed_by {
        for entry in entries.iter_mut().filter(|entry| users.contains(&entry.name)) {
            let need = Need { name: needed.clone(), version: None, source: None, range: None };
            entry.needs.push(need);
        }
    }
    Ok(Parts { head: 0, tail: text.len(), entries })
}

/// Finds the required modules of a `go.mod`, and the version of Go itself.
pub(super) fn parse_go(text: &[u8]) -> Result<Parts, LockError> {
    let mut entries: Vec<LockEntry> = Vec::new();
    let mut block = String::new();
    let mut has_module = false;
    for (at, line) in lines(text) {
        let code = String::from_utf8_lossy(line);
        let words: Vec<&str> =
            code.split("//").next().unwrap_or_default().split_whitespace().collect();
        let span = at..at + line.len();
        match words.as_slice() {
            ["module", ..] => has_module = true,
            [directive, "("] => block = (*directive).to_owned(),
            [")"] => block.clear(),
            [name @ ("go" | "toolchain"), version] if block.is_empty() => {
                entries.push(pinned((*name).to_owned(), (*version).to_owned(), span));
            }
            ["require", name, version] | [name, version]
                if block == "require" || words.len() == 3 =>
            {
                entries.push(pinned((*name).to_owned(), (*version).to_owned(), span));
            }
            _ => {}
        }
    }
    match has_module {
        true => Ok(Parts { head: 0, tail: text.len(), entries }),
        false => Err(LockError::Malformed { line: 1, expected: "module NAME".to_owned() }),
    }
}

fn pinned(name: String, version: String, text: std::ops::Range<usize>) -> LockEntry {
    let (source, place, needs) = (String::new(), String::new(), Vec::new());
    let label = name.clone();
    LockEntry { name, label, version, source, place, text, needs, is_root: false }
}
