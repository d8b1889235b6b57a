//! Source files, with what is not code blanked out: comments, strings, and code that only tests see.

use std::fs;
use std::path::{Path, PathBuf};

/// A source file.
pub struct Source {
    /// Its path below the root of the workspace.
    pub path: String,
    /// Its text as it is.
    pub text: String,
    /// The same with blanks for comments, strings and characters. Offsets and lines stay the same.
    pub code: String,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned(), code: without_text(text) }
    }

    /// The code without what is compiled for tests only.
    pub fn shipped_code(&self) -> String {
        without_tests(&self.code)
    }

    /// The name of the file itself.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }

    /// The folder of the file.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').unwrap().0
    }
}

/// The number of the line at an offset.
pub fn line(code: &str, offset: usize) -> usize {
    code.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All Rust files below some folders of the workspace, in order. A `*` stands for any one folder.
pub fn below(folders: &[&str]) -> Vec<Source> {
    let root = root();
    let mut paths = Vec::new();
    for pattern in folders {
        let mut bases = vec![root.clone()];
        for part in pattern.split('/') {
            bases = bases.iter().flat_map(|base| children(base, part)).collect();
        }
        bases.iter().for_each(|base| collect(base, &mut paths));
    }
    paths.sort();
    let source = |path: PathBuf| {
        let inside = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        Source::new(&inside, &fs::read_to_string(&path).unwrap())
    };
    paths.into_iter().map(source).collect()
}

fn children(base: &Path, part: &str) -> Vec<PathBuf> {
    if part != "*" {
        return vec![base.join(part)];
    }
    let entries = fs::read_dir(base).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn collect(dir: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|end| end == "rs") {
            paths.push(path);
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A text with blanks for its comments, strings and characters.
fn without_text(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = end_of_text(bytes, at);
        if end > at {
            blank(&mut code[at..end]);
        }
        at = end.max(at + 1);
    }
    String::from_utf8(code).unwrap()
}

/// The end of the comment, string or character that begins here, or this place if none does.
fn end_of_text(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let follows_word = at > 0 && is_word(bytes[at - 1]);
    match rest {
        [b'/', b'/', ..] => at + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => at + block_comment(rest),
        [b'"', ..] => at + quoted(rest, b'"'),
        [b'r', ..] if !follows_word => at + raw_string(rest, 1),
        [b'b' | b'c', b'r', ..] if !follows_word => at + raw_string(rest, 2),
        [b'\'', b'\\', ..] => at + quoted(rest, b'\''),
        [b'\'', first, ..] => {
            // One character and a quote; otherwise it is a lifetime.
            let length = match first {
                0..0x80 => 1,
                0x80..0xe0 => 2,
                0xe0..0xf0 => 3,
                _ => 4,
            };
            if rest.get(1 + length) == Some(&b'\'') { at + length + 2 } else { at }
        }
        _ => at,
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at.min(rest.len())
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// The length of a raw string, or nothing if these letters begin something else.
fn raw_string(rest: &[u8], prefix: usize) -> usize {
    let hashes = rest[prefix..].iter().take_while(|&&byte| byte == b'#').count();
    if rest.get(prefix + hashes) != Some(&b'"') {
        return 0;
    }
    let begin = prefix + hashes + 1;
    let end: Vec<u8> = [b'"'].into_iter().chain(std::iter::repeat_n(b'#', hashes)).collect();
    let found = rest[begin..].windows(end.len()).position(|window| window == end);
    found.map_or(rest.len(), |found| begin + found + end.len())
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

/// Code with blanks for every item that has `#[cfg(test)]`, declarations of modules excepted.
fn without_tests(code: &str) -> String {
    let mut bytes = code.as_bytes().to_vec();
    for attribute in ["#[cfg(test)]", "#[cfg(all(test"] {
        for (at, _) in code.match_indices(attribute) {
            let end = end_of_item(code, after_attributes(code, at));
            blank(&mut bytes[at..end]);
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// The names of the modules that only tests have, with files of their own.
pub fn test_modules(code: &str) -> Vec<&str> {
    let items = code.match_indices("#[cfg(test)]").map(|(at, _)| after_attributes(code, at));
    let declared = items.filter_map(|item| code[item..end_of_item(code, item)].strip_suffix(';'));
    declared.filter_map(|text| Some(text.split_once("mod ")?.1.trim())).collect()
}

fn after_attributes(code: &str, mut at: usize) -> usize {
    loop {
        at += code[at..].len() - code[at..].trim_start().len();
        match code[at..].starts_with("#[") {
            true => at = closing(code, at + 1),
            false => return at,
        }
    }
}

/// The end of the item that begins here: behind its semicolon or its braces.
pub fn end_of_item(code: &str, at: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, byte) in code.bytes().enumerate().skip(at) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => return offset + 1,
            b'{' if depth == 0 => return closing(code, offset),
            _ => (),
        }
    }
    code.len()
}

/// The place behind the bracket that closes the one here.
fn closing(code: &str, at: usize) -> usize {
    let mut depth = 0;
    for (offset, byte) in code.bytes().enumerate().skip(at) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => (),
        }
        if depth == 0 {
            return offset + 1;
        }
    }
    code.len()
}

/// Every word of the code, with its offset.
pub fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += code[at..].find(|c: char| c.is_ascii_alphanumeric() || c == '_')?;
        let rest = &code[at..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let word = &rest[..length.unwrap_or(rest.len())];
        at += word.len();
        Some((at - word.len(), word))
    })
}
