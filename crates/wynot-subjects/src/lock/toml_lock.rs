//! Lock files of Cargo and uv: a table `[[package]]` for each package.

use super::{LockEntry, LockError, LockKind, Need, Parts, line_at, lines};

/// The line that begins an entry.
const PACKAGE: &str = "[[package]]";

/// Finds the entries of a lock file.
pub(super) fn parse(kind: LockKind, text: &[u8]) -> Result<Parts, LockError> {
    let Ok(whole) = std::str::from_utf8(text) else {
        return Err(LockError::Malformed { line: 1, expected: "a text in UTF-8".to_owned() });
    };
    let mut starts: Vec<usize> = Vec::new();
    let mut tail = text.len();
    for (at, line) in lines(text) {
        let line = std::str::from_utf8(line).unwrap_or_default().trim_end();
        if line == PACKAGE {
            starts.push(at);
            tail = text.len();
        } else if line.starts_with('[')
            && !line.starts_with("[package.")
            && !line.starts_with("[[package.")
            && !starts.is_empty()
        {
            tail = tail.min(at);
        }
    }
    let head = starts.first().copied().unwrap_or(text.len());
    check_version(kind, &whole[..head], &whole[tail..])?;
    let ends = starts.iter().copied().skip(1).chain([tail]);
    let entries = starts.iter().zip(ends).map(|(&start, end)| {
        let block = whole[start..end].trim_end();
        let missing = |what: &str| LockError::Malformed {
            line: line_at(text, start),
            expected: format!("a package with a {what}"),
        };
        let name = value(block, "name").ok_or_else(|| missing("name"))?;
        let source = source(kind, block);
        let version = value(block, "version").or_else(|| (kind == LockKind::Uv).then(String::new));
        Ok(LockEntry {
            version: version.ok_or_else(|| missing("version"))?,
            place: String::new(),
            text: start..start + block.len(),
            needs: match kind {
                LockKind::Cargo => cargo_needs(block),
                _ => uv_needs(block),
            },
            is_root: match kind {
                LockKind::Cargo => source.is_empty(),
                _ => ["virtual =", "editable =", "directory ="].iter().any(|s| source.contains(s)),
            },
            label: name.clone(),
            name,
            source,
        })
    });
    Ok(Parts { head, tail, entries: entries.collect::<Result<_, LockError>>()? })
}

/// Checks the version of the format.
fn check_version(kind: LockKind, head: &str, tail: &str) -> Result<(), LockError> {
    let found = value(head, "version");
    let (known, supported): (&[&str], _) = match kind {
        LockKind::Cargo => (&["3", "4"], "3, 4 and files without a version"),
        _ => (&["1"], "1"),
    };
    let has_old_checksums = tail.contains("\"checksum ");
    match found {
        Some(found) if !known.contains(&found.as_str()) => {
            Err(LockError::Version { found, supported })
        }
        None if kind == LockKind::Uv => {
            Err(LockError::Malformed { line: 1, expected: "version = 1".to_owned() })
        }
        None if has_old_checksums => Err(LockError::Version { found: "1".to_owned(), supported }),
        _ => Ok(()),
    }
}

/// The value of a key at the start of a line, without quotation marks.
fn value(block: &str, key: &str) -> Option<String> {
    let is_it = |line: &&str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(" ="));
    let line = block.lines().find(is_it)?;
    let value = line[key.len() + 2..].trim();
    Some(value.trim_matches('"').to_owned())
}

fn source(kind: LockKind, block: &str) -> String {
    let source = value(block, "source").unwrap_or_default();
    match kind {
        // Lock files of different versions write the same registry in different ways.
        LockKind::Cargo if source.starts_with("registry+") || source.starts_with("sparse+") => {
            "registry".to_owned()
        }
        _ => source,
    }
}

/// The lines of the list of dependencies in an entry of Cargo, as a part of its text.
pub(crate) fn cargo_dependencies(block: &str) -> Option<(usize, usize)> {
    let start = block.find("\ndependencies = [\n")? + 1;
    let length = block[start..].find("\n]")? + "\n]".len();
    Some((start, start + length))
}

fn cargo_needs(block: &str) -> Vec<Need> {
    let Some((start, end)) = cargo_dependencies(block) else { return Vec::new() };
    let quoted = block[start..end].lines().filter_map(|line| line.split('"').nth(1));
    let need = |text: &str| {
        let mut words = text.splitn(3, ' ');
        Need {
            name: words.next().unwrap_or_default().to_owned(),
            version: words.next().map(str::to_owned),
            source: words.next().map(str::to_owned),
            range: None,
        }
    };
    quoted.map(need).collect()
}

/// The packages that an entry of uv names, except in what its metadata says about requirements.
fn uv_needs(block: &str) -> Vec<Need> {
    let mut needs: Vec<Need> = Vec::new();
    for line in block.lines().take_while(|line| *line != "[package.metadata]") {
        let Some(rest) = line.trim_start().strip_prefix("{ name = \"") else { continue };
        let name = rest.split('"').next().unwrap_or_default().to_owned();
        let version = rest.split_once("version = \"").and_then(|(_, rest)| rest.split('"').next());
        if !needs.iter().any(|need| need.name == name) {
            let version = version.map(str::to_owned);
            needs.push(Need { name, version, source: None, range: None });
        }
    }
    needs
}
