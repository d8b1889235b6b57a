//! Lock files of npm: a member of the object `packages` for each directory below `node_modules`.

use super::{LockEntry, LockError, Need, Parts};
use crate::json::parse::{Document, JsonError};

/// The directory of packages.
pub(crate) const MODULES: &str = "node_modules/";

/// The members of an entry that name other packages.
const NEEDS: [&str; 4] =
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// Finds the entries of a lock file.
pub(super) fn parse(text: &[u8]) -> Result<Parts, LockError> {
    let malformed =
        |line: usize, expected: &str| LockError::Malformed { line, expected: expected.to_owned() };
    let json = Document::parse(text).map_err(|error: JsonError| LockError::Malformed {
        line: error.line,
        expected: format!("JSON ({error})"),
    })?;
    let whole = json.container().ok_or_else(|| malformed(1, "an object"))?;
    let members = || json.children(whole).map(|node| (node, key(text, &json, node)));
    let version = members().find(|(_, key)| key == "lockfileVersion");
    let version = version.map(|(node, _)| value(text, &json, node));
    match version.as_deref() {
        Some("2" | "3") => {}
        None => return Err(malformed(1, "lockfileVersion")),
        Some(found) => {
            let found = found.to_owned();
            return Err(LockError::Version { found, supported: "2 and 3" });
        }
    }
    let packages = members().find(|(_, key)| key == "packages").map(|(node, _)| node);
    let packages = packages.filter(|&node| json.has_children(node)).ok_or(LockError::Empty)?;
    let open = json.open(packages).ok_or(LockError::Empty)?;
    let mut entries = Vec::new();
    let mut start = open + 1;
    for node in json.children(packages) {
        let end = json.end(node);
        entries.push(entry(text, &json, node, start));
        let comma = text[end..].iter().position(|&byte| byte == b',' || byte == b'}');
        start = end + comma.unwrap_or_default() + 1;
    }
    let tail = entries.last().map_or(open + 1, |last: &LockEntry| last.text.end);
    Ok(Parts { head: open + 1, tail, entries })
}

fn entry(text: &[u8], json: &Document, node: u32, start: usize) -> LockEntry {
    let place = key(text, json, node);
    let mut entry = LockEntry {
        name: name_of(&place).to_owned(),
        label: name_of(&place).to_owned(),
        version: String::new(),
        source: String::new(),
        is_root: !place.contains(MODULES),
        place,
        text: start..json.end(node),
        needs: Vec::new(),
    };
    let mut optional = Vec::new();
    for member in json.children(node) {
        match key(text, json, member).as_str() {
            "version" => entry.version = value(text, json, member),
            "resolved" => {
                let resolved = value(text, json, member);
                if !resolved.starts_with("http") {
                    entry.source = resolved;
                }
            }
            // A link leads to a package that is part of the project.
            "link" => entry.is_root = true,
            "peerDependenciesMeta" => {
                optional = json.children(member).map(|peer| key(text, json, peer)).collect();
            }
            kind if NEEDS.contains(&kind) => {
                for need in json.children(member) {
                    let (name, range) = (key(text, json, need), Some(value(text, json, need)));
                    if !entry.needs.iter().any(|known| known.name == name) {
                        entry.needs.push(Need { name, version: None, source: None, range });
                    }
                }
            }
            _ => {}
        }
    }
    entry.needs.retain(|need| !optional.contains(&need.name));
    entry
}

/// The name of the package in a directory.
pub(crate) fn name_of(place: &str) -> &str {
    place.rfind(MODULES).map_or(place, |at| &place[at + MODULES.len()..])
}

/// The name of a member.
fn key(text: &[u8], json: &Document, node: u32) -> String {
    let start = json.start(node) + 1;
    let length = text[start..].iter().position(|&byte| byte == b'"').unwrap_or_default();
    String::from_utf8_lossy(&text[start..start + length]).into_owned()
}

/// The value of a member that is no array or object, without quotation marks.
fn value(text: &[u8], json: &Document, node: u32) -> String {
    let member = String::from_utf8_lossy(&text[json.start(node)..json.end(node)]).into_owned();
    let after_key = member[1..].split_once('"').map_or("", |(_, rest)| rest);
    after_key.trim_start().trim_start_matches(':').trim().trim_matches('"').to_owned()
}

/// The directories in which Node looks for a package, nearest first.
pub(crate) fn directories<'a>(from: &'a str, name: &'a str) -> impl Iterator<Item = String> + 'a {
    let above = std::iter::successors(Some(from), |place| parent(place));
    above.map(move |dir| match dir {
        "" => format!("{MODULES}{name}"),
        dir => format!("{dir}/{MODULES}{name}"),
    })
}

/// The directory of the package, or of the project, that contains a place.
pub(crate) fn parent(place: &str) -> Option<&str> {
    let rest = place.strip_suffix(name_of(place))?;
    match place.contains(MODULES) {
        true => rest.strip_suffix(MODULES).map(|dir| dir.trim_end_matches('/')),
        false => (!place.is_empty()).then_some(""),
    }
}
