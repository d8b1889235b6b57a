//! Where results go, and what they must not replace.

use crate::failure::Failure;
use crate::matter::{Matter, file_name};
use crate::plan::{Algorithm, Verb};
use crate::sessions::Typed;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};
use wynot_run::{Form, Keeper};

/// Where the results go. The input itself is only written to with `--in-place`, after keeping it. What is
/// found about options goes to the session, unless it is asked for: then the place is left empty here.
pub fn keeper(typed: &Typed, algorithm: Algorithm, matter: &Matter) -> Result<Keeper, Failure> {
    let output = &typed.args.output;
    let word = if typed.verb == Verb::Isolate { "failing" } else { "min" };
    let input = typed.inputs.first();
    let name = input.map(|input| file_name(input)).transpose()?.unwrap_or_default();
    let failing = match (&output.output, input) {
        // What is asked for is a patch, not a tree.
        _ if typed.versions.is_some() => PathBuf::new(),
        (Some(path), _) if path.is_dir() && matter.form == Form::File => {
            path.join(tagged(&name, word))
        }
        (Some(path), _) => path.clone(),
        // Through a link, the file it leads to is what is replaced.
        (None, Some(input)) if typed.input.in_place => {
            input.canonicalize().unwrap_or_else(|_| input.clone())
        }
        (None, Some(input)) if matter.form == Form::Folder => beside(input, &ended(&name, word)),
        (None, Some(input)) => beside(input, &tagged(&name, word)),
        (None, None) => PathBuf::new(),
    };
    let same = |a: &Path, b: &Path| {
        a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b)
    };
    let is_input =
        |path: &Path| !typed.input.in_place && typed.inputs.iter().any(|input| same(path, input));
    if is_input(&failing) {
        let message = format!("-o {}: that is the input itself", failing.display());
        return Err(Failure::usage(message).hint("use --in-place to replace it"));
    }
    let passing = (algorithm.isolates() && typed.versions.is_none()).then(|| {
        let base = if typed.input.in_place { &typed.inputs[0] } else { &failing };
        let plain = base.file_name().unwrap_or(&name);
        base.with_file_name(match matter.form {
            Form::Folder => ended(&unended(plain, word), "passing"),
            _ => tagged(&untagged(plain, word), "passing"),
        })
    });
    let results = [Some(&failing), passing.as_ref()];
    let pages = [output.events.as_ref(), output.report.as_ref()];
    for path in results.into_iter().chain(pages).flatten() {
        let is_baseline = typed.passing.as_deref().is_some_and(|baseline| same(path, baseline));
        if is_input(path) || is_baseline {
            let message = format!("{} is an input and would be overwritten", path.display());
            return Err(Failure::usage(message).hint("choose other names, for instance with -o"));
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if parent.is_some_and(|parent| !parent.is_dir()) {
            let message = format!("cannot write {}: there is no such directory", path.display());
            return Err(Failure::usage(message));
        }
        let is_result = results.contains(&Some(path));
        let wanted = |metadata: &fs::Metadata| match matter.form == Form::Folder && is_result {
            true => metadata.is_dir(),
            false => metadata.is_file(),
        };
        if fs::metadata(path).is_ok_and(|metadata| !wanted(&metadata)) {
            let kind = if matter.form == Form::Folder && is_result {
                "directory"
            } else {
                "ordinary file"
            };
            let message = format!("{} is no {kind} and would be replaced", path.display());
            return Err(Failure::usage(message));
        }
    }
    let within = |path: &Path| typed.inputs.iter().any(|input| is_within(path, input));
    if let Some(path) = results.into_iter().flatten().find(|path| within(path)) {
        let message = format!("{} lies within the input", path.display());
        return Err(Failure::usage(message).hint("choose a place outside of it with -o"));
    }
    let places = matter.places.clone();
    Ok(Keeper { failing, passing, mode: matter.mode, places, tag: String::new() })
}

/// A name in the directory of an input.
fn beside(input: &Path, name: &OsStr) -> PathBuf {
    match input.components().next_back() {
        Some(Component::Normal(_)) => input.with_file_name(name),
        // A directory such as `.`: beside what it stands for.
        _ => match input.canonicalize() {
            Ok(whole) => whole.with_file_name(name),
            Err(_) => PathBuf::from(name),
        },
    }
}

/// Whether a path lies within a directory.
fn is_within(path: &Path, dir: &Path) -> bool {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let whole = parent.unwrap_or(Path::new(".")).canonicalize();
    dir.is_dir() && whole.ok().zip(dir.canonicalize().ok()).is_some_and(|(p, d)| p.starts_with(d))
}

/// Where `--in-place` keeps the original.
pub fn kept_original(input: &Path) -> PathBuf {
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
pub fn tagged(name: &OsStr, word: &str) -> OsString {
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
fn ended(name: &OsStr, word: &str) -> OsString {
    let mut ended = name.to_owned();
    ended.push(".");
    ended.push(word);
    ended
}

/// `lib-1.2.min` with `min` becomes `lib-1.2`.
fn unended(name: &OsStr, word: &str) -> OsString {
    let path = Path::new(name);
    match (path.extension(), path.file_stem()) {
        (Some(tag), Some(stem)) if tag == word => stem.to_owned(),
        _ => name.to_owned(),
    }
}

/// `bug.min.c` with `min` becomes `bug.c`.
fn untagged(name: &OsStr, word: &str) -> OsString {
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
