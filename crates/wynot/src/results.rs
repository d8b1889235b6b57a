//! Where results go, and what they must not replace.

use crate::args::SearchArgs;
use crate::failure::Failure;
use crate::plan::{Algorithm, Verb};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use wynot_run::Keeper;

/// Where the results go. The input itself is only written to with `--in-place`, after keeping it.
pub fn keeper(
    args: &SearchArgs,
    verb: Verb,
    algorithm: Algorithm,
    name: &OsStr,
    mode: u32,
    baseline: Option<&Path>,
) -> Result<Keeper, Failure> {
    let word = if verb == Verb::Isolate { "failing" } else { "min" };
    let failing = match &args.output.output {
        Some(path) if path.is_dir() => path.join(tagged(name, word)),
        Some(path) => path.clone(),
        // Through a link, the file it leads to is what is replaced.
        None if args.output.in_place => {
            args.input.canonicalize().unwrap_or_else(|_| args.input.clone())
        }
        None => args.input.with_file_name(tagged(name, word)),
    };
    let same_file = |a: &Path, b: &Path| {
        a.canonicalize().ok().zip(b.canonicalize().ok()).is_some_and(|(a, b)| a == b)
    };
    if !args.output.in_place && same_file(&failing, &args.input) {
        let message = format!("-o {}: that is the input itself", failing.display());
        return Err(Failure::usage(message).hint("use --in-place to replace it"));
    }
    let passing = algorithm.isolates().then(|| {
        let base = if args.output.in_place { &args.input } else { &failing };
        let plain = base.file_name().unwrap_or(name);
        base.with_file_name(tagged(&untagged(plain, word), "passing"))
    });
    let written = [
        Some(&failing),
        passing.as_ref(),
        args.output.events.as_ref(),
        args.output.report.as_ref(),
    ];
    for path in written.into_iter().flatten() {
        let is_input = !args.output.in_place && same_file(path, &args.input);
        if is_input || baseline.is_some_and(|baseline| same_file(path, baseline)) {
            let message = format!("{} is an input and would be overwritten", path.display());
            return Err(Failure::usage(message).hint("choose other names, for instance with -o"));
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if parent.is_some_and(|parent| !parent.is_dir()) {
            let message = format!("cannot write {}: there is no such directory", path.display());
            return Err(Failure::usage(message));
        }
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            let message = format!("{} is no ordinary file and would be replaced", path.display());
            return Err(Failure::usage(message));
        }
    }
    Ok(Keeper { failing, passing, mode, tag: String::new() })
}

/// Where `--in-place` keeps the original.
pub fn kept_original(input: &Path) -> PathBuf {
    let mut name = input.file_name().unwrap_or_default().to_owned();
    name.push(".orig");
    input.with_file_name(name)
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
