//! The rules that need more than a few lines.

use super::source::{Source, end_of_item, line, root, words};
use super::{CRATE_ORDER, MAX_MAP_LINES, TEST_SUPPORT};
use std::collections::BTreeSet;
use std::fs;

/// The names of the packages below `crates`.
pub fn packages() -> BTreeSet<String> {
    let entries = fs::read_dir(root().join("crates")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Dependencies between crates that do not point downwards.
pub fn upward_dependencies() -> Vec<String> {
    let mut found = Vec::new();
    for name in packages().into_iter().filter(|name| name != TEST_SUPPORT) {
        let Some(level) = CRATE_ORDER.iter().position(|other| *other == name) else {
            found.push(format!("crates/{name} has no place in the order"));
            continue;
        };
        let path = format!("crates/{name}/Cargo.toml");
        let manifest = fs::read_to_string(root().join(&path)).unwrap();
        let mut section = "";
        for (number, line) in (1..).zip(manifest.lines()) {
            if line.starts_with('[') {
                section = line;
            }
            let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if !section.ends_with("dependencies]") || !used.starts_with("wynot") {
                continue;
            }
            let is_below = CRATE_ORDER[..level].contains(&used);
            let is_for_tests = used == TEST_SUPPORT && section == "[dev-dependencies]";
            if !is_below && !is_for_tests {
                found.push(format!("{path}:{number}: {name} depends on {used}"));
            }
        }
    }
    found
}

/// A function and how long it is.
pub struct Function<'c> {
    pub name: &'c str,
    pub line: usize,
    pub lines: usize,
}

/// All functions of some code that have a body, in order.
pub fn functions(code: &str) -> Vec<Function<'_>> {
    let mut found = Vec::new();
    let mut rest = words(code).peekable();
    while let Some((at, word)) = rest.next() {
        // In the type of a function, no name follows.
        let Some((next, name)) = rest.peek() else { break };
        if word != "fn" || !code[at + 2..*next].chars().all(char::is_whitespace) {
            continue;
        }
        let end = end_of_item(code, at);
        if code[..end].ends_with('}') {
            let line = line(code, at);
            found.push(Function { name, line, lines: code[at..end].matches('\n').count() + 1 });
        }
    }
    found
}

fn map() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// What is wrong with the map: its length, folders without a row, rows without a folder.
pub fn map_errors(sources: &[Source]) -> Vec<String> {
    let text = map();
    let mut found = Vec::new();
    let length = text.lines().count();
    if length > MAX_MAP_LINES {
        found.push(format!("ARCHITECTURE.md: {length} lines, at most {MAX_MAP_LINES} are allowed"));
    }
    let folders: BTreeSet<&str> = sources.iter().map(Source::folder).collect();
    let mut rows = BTreeSet::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some(row) = line.strip_prefix("| `crates/") else { continue };
        let name = row.split('`').next().unwrap().trim_end_matches('/');
        let name = format!("crates/{name}");
        if !folders.contains(name.as_str()) {
            found.push(format!("ARCHITECTURE.md:{number}: there is no folder {name} with sources"));
        }
        if !rows.insert(name.clone()) {
            found.push(format!("ARCHITECTURE.md:{number}: another row for {name}"));
        }
    }
    let missing = folders.into_iter().filter(|folder| !rows.contains(*folder));
    found.extend(missing.map(|folder| format!("ARCHITECTURE.md: no row for {folder}")));
    found
}

/// Unsafe code in files that the map does not name for it, and files that it names without need.
///
/// The map names them in the paragraph, or entry of a list, that begins with "Unsafe code": in backticks, with as much
/// of the path as is needed.
pub fn unsafe_errors(sources: &[Source]) -> Vec<String> {
    let text = map();
    let is_of_unsafe =
        |part: &str| part.trim_start_matches(['-', '*', ' ']).starts_with("Unsafe code");
    let lines: Vec<&str> = text.lines().collect();
    let Some(begin) = lines.iter().position(|line| is_of_unsafe(line)) else {
        return vec!["ARCHITECTURE.md: no paragraph begins with \"Unsafe code\"".to_owned()];
    };
    let is_end = |line: &&str| line.is_empty() || line.starts_with("- ") || line.starts_with('|');
    let length = 1 + lines[begin + 1..].iter().take_while(|line| !is_end(line)).count();
    let paragraph = lines[begin..begin + length].join(" ");
    let named: Vec<&str> =
        paragraph.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".rs")).collect();
    let is_named =
        |source: &Source, name: &str| format!("/{}", source.path).ends_with(&format!("/{name}"));
    let mut found = Vec::new();
    let mut needed = BTreeSet::new();
    for source in sources {
        let Some((at, _)) = words(&source.code).find(|(_, word)| *word == "unsafe") else {
            continue;
        };
        let matching: Vec<&str> =
            named.iter().copied().filter(|name| is_named(source, name)).collect();
        if matching.is_empty() {
            let line = line(&source.code, at);
            found.push(format!("{}:{line}: unsafe code that the map does not name", source.path));
        }
        needed.extend(matching);
    }
    let idle = named.iter().filter(|name| !needed.contains(*name));
    found.extend(idle.map(|name| format!("ARCHITECTURE.md: {name} has no unsafe code")));
    found
}
