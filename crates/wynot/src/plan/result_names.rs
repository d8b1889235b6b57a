//! The names of results, derived from the names of inputs by adding tags such as `min`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The path at which a file is kept that a result replaces: `bug.c` becomes `bug.c.orig`.
pub(crate) fn backup_path(input: &Path) -> PathBuf {
    let mut name = input.file_name().unwrap_or_default().to_owned();
    name.push(".orig");
    input.with_file_name(name)
}

/// The path of the n-th of several results; the first one has the name itself.
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    match (number, path.file_name()) {
        (0 | 1, _) | (_, None) => path.to_owned(),
        (number, Some(name)) => path.with_file_name(tag_file_name(name, &number.to_string())),
    }
}

/// Adds a tag before the extension: `bug.c` with `min` becomes `bug.min.c`.
pub(crate) fn tag_file_name(name: &OsStr, tag: &str) -> OsString {
    let path = Path::new(name);
    let mut tagged = path.file_stem().unwrap_or(name).to_owned();
    tagged.push(".");
    tagged.push(tag);
    if let Some(extension) = path.extension() {
        tagged.push(".");
        tagged.push(extension);
    }
    tagged
}

/// Appends a tag: `lib-1.2` with `min` becomes `lib-1.2.min`. Names of directories have no extensions.
pub(super) fn tag_directory_name(name: &OsStr, tag: &str) -> OsString {
    let mut tagged = name.to_owned();
    tagged.push(".");
    tagged.push(tag);
    tagged
}

/// Removes the tag at the end: `lib-1.2.min` with `min` becomes `lib-1.2`.
pub(super) fn untag_directory_name(name: &OsStr, tag: &str) -> OsString {
    let path = Path::new(name);
    match (path.extension(), path.file_stem()) {
        (Some(last), Some(stem)) if last == tag => stem.to_owned(),
        _ => name.to_owned(),
    }
}

/// Removes the tag before the extension, or at the end: `bug.min.c` with `min` becomes `bug.c`.
pub(super) fn untag_file_name(name: &OsStr, tag: &str) -> OsString {
    let path = Path::new(name);
    let stem = Path::new(path.file_stem().unwrap_or(name));
    match (stem.extension(), stem.file_stem(), path.extension()) {
        (Some(inner), Some(stem), Some(extension)) if inner == tag => {
            let mut untagged = stem.to_owned();
            untagged.push(".");
            untagged.push(extension);
            untagged
        }
        (_, Some(stem), Some(last)) if last == tag => stem.to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_named_after_the_input() {
        let named = |name: &str| tag_file_name(OsStr::new(name), "min");
        assert_eq!(named("bug.c"), "bug.min.c");
        assert_eq!(named("bug"), "bug.min");
        assert_eq!(named("a.tar.gz"), "a.tar.min.gz");
        assert_eq!(untag_file_name(OsStr::new("bug.failing.c"), "failing"), "bug.c");
        assert_eq!(untag_file_name(OsStr::new("bug.failing"), "failing"), "bug");
        assert_eq!(untag_file_name(OsStr::new("bug.c"), "failing"), "bug.c");
    }
}
