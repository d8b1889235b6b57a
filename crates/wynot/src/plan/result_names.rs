//! The names of results, made from the names of inputs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where `--in-place` keeps the original.
pub(crate) fn kept_original(input: &Path) -> PathBuf {
    let mut name = input.file_name().unwrap_or_default().to_owned();
    name.push(".orig");
    input.with_file_name(name)
}

/// Where the n-th of several results goes: the first one has the plain name.
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    match (number, path.file_name()) {
        (0 | 1, _) | (_, None) => path.to_owned(),
        (number, Some(name)) => path.with_file_name(tagged(name, &number.to_string())),
    }
}

/// `bug.c` with `min` becomes `bug.min.c`.
pub(crate) fn tagged(name: &OsStr, word: &str) -> OsString {
    let path = Path::new(name);
    let mut tagged = path.file_stem().unwrap_or(name).to_owned();
    tagged.push(".");
    tagged.push(word);
    if let Some(extension) = path.extension() {
        tagged.push(".");
        tagged.push(extension);
    }
    tagged
}

/// `lib-1.2` with `min` becomes `lib-1.2.min`: what is behind a dot in a directory's name is no extension.
pub(super) fn ended(name: &OsStr, word: &str) -> OsString {
    let mut ended = name.to_owned();
    ended.push(".");
    ended.push(word);
    ended
}

/// `lib-1.2.min` with `min` becomes `lib-1.2`.
pub(super) fn unended(name: &OsStr, word: &str) -> OsString {
    let path = Path::new(name);
    match (path.extension(), path.file_stem()) {
        (Some(tag), Some(stem)) if tag == word => stem.to_owned(),
        _ => name.to_owned(),
    }
}

/// `bug.min.c` with `min` becomes `bug.c`.
pub(super) fn untagged(name: &OsStr, word: &str) -> OsString {
    let path = Path::new(name);
    let stem = Path::new(path.file_stem().unwrap_or(name));
    match (stem.extension(), stem.file_stem(), path.extension()) {
        (Some(tag), Some(stem), Some(extension)) if tag == word => {
            let mut plain = stem.to_owned();
            plain.push(".");
            plain.push(extension);
            plain
        }
        (_, Some(stem), Some(tag)) if tag == word => stem.to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_named_after_the_input() {
        let named = |name: &str| tagged(OsStr::new(name), "min");
        assert_eq!(named("bug.c"), "bug.min.c");
        assert_eq!(named("bug"), "bug.min");
        assert_eq!(named("a.tar.gz"), "a.tar.min.gz");
        assert_eq!(untagged(OsStr::new("bug.failing.c"), "failing"), "bug.c");
        assert_eq!(untagged(OsStr::new("bug.failing"), "failing"), "bug");
        assert_eq!(untagged(OsStr::new("bug.c"), "failing"), "bug.c");
    }
}
