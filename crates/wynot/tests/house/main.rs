//! House rules: how the sources of this workspace are laid out.
//!
//! The tests read the tree as it is and need no tools. A failure names every file and line that breaks the rule.

mod checks;
mod cycles;
mod items;
mod modules;
mod source;

use modules::Crate;
use source::{Source, below};
use std::collections::BTreeMap;

/// The most lines of a file.
const MAX_FILE_LINES: usize = 400;

/// The most lines of a function, with its signature and its braces.
const MAX_FUNCTION_LINES: usize = 80;

/// The most lines of ARCHITECTURE.md.
const MAX_MAP_LINES: usize = 150;

/// The crates, each of which may only depend on those before it.
const CRATE_ORDER: [&str; 14] = [
    "wynot-core",
    "wynot-subjects",
    "wynot-reduce",
    "wynot-process",
    "wynot-crash",
    "wynot-state",
    "wynot-supervisor",
    "wynot-session",
    "wynot-exec",
    "wynot-remote",
    "wynot-report",
    "wynot-serve",
    "wynot-mcp",
    "wynot",
];

/// A crate for tests alone, which no crate may ship.
const TEST_SUPPORT: &str = "wynot-test-support";

/// File names that say what kind of file it is rather than what it holds.
const SHARED_FILE_NAMES: [&str; 5] = ["mod.rs", "lib.rs", "main.rs", "error.rs", "tests.rs"];

/// Other file names that may occur more than once, with the reason.
const FILE_NAMES_ALLOWED_TWICE: [(&str, &str); 7] = [
    ("changes.rs", "the command and the search of the verb"),
    ("diff.rs", "the deltas between two texts, JSON texts or folders"),
    ("draft.rs", "what the reducer proposes, for a text or for a folder"),
    ("levels.rs", "groups of deltas from coarse to fine: over them, of texts, of folders"),
    ("options.rs", "the command, and the subject that it searches"),
    ("reduce.rs", "the command, and the reducer that it runs"),
    ("resume.rs", "the command, and what a resumed search knows"),
];

/// Names of public types that may be defined more than once, with the reason.
const TYPE_NAMES_ALLOWED_TWICE: [(&str, &str); 1] =
    [("Error", "the error of a crate or module, named by its path")];

/// Fails with everything that was found.
#[track_caller]
fn assert_none(rule: &str, found: &[String]) {
    assert!(found.is_empty(), "{rule}; broken {} times:\n{}", found.len(), found.join("\n"));
}

fn shipped() -> Vec<Source> {
    below(&["crates/*/src"])
}

/// The crates by name.
fn crates(sources: &[Source]) -> BTreeMap<String, Crate> {
    let mut by_name: BTreeMap<String, Vec<&Source>> = BTreeMap::new();
    for source in sources {
        by_name.entry(crate_of(&source.path)).or_default().push(source);
    }
    for files in by_name.values_mut() {
        // A program beside a library is a crate of its own.
        if files.iter().any(|file| file.path.ends_with("/src/lib.rs")) {
            files.retain(|file| !file.path.ends_with("/src/main.rs"));
        }
    }
    by_name.into_iter().map(|(name, files)| (name, Crate::new(&files))).collect()
}

/// The crate that a file belongs to: the library of a package, or one of its programs.
fn crate_of(path: &str) -> String {
    let mut parts = path.split('/').skip(1);
    let package = parts.next().unwrap_or_default();
    match (parts.next(), parts.next(), parts.next()) {
        (Some("src"), Some("bin"), Some(program)) => format!("{package}/src/bin/{program}"),
        _ => package.to_owned(),
    }
}

#[test]
fn no_modules_import_each_other() {
    let sources = shipped();
    let found: Vec<String> = crates(&sources).values().flat_map(cycles::cycles).collect();
    assert_none("the modules of a crate do not import each other in a cycle", &found);
}

#[test]
fn cycles_are_found_through_re_exports_and_not_in_tests() {
    let files = [
        ("crates/x/src/lib.rs", "mod a; mod b; pub use a::A; pub use b::thing::B;"),
        ("crates/x/src/a.rs", "use crate::b::B as Other;\npub struct A(Other);"),
        ("crates/x/src/b/mod.rs", "//! Front page.\npub mod thing; pub use thing::*;"),
        ("crates/x/src/b/thing.rs", "pub struct B;\n// crate::A\nfn f() { crate::A::new(\"\"); }"),
    ];
    let of = |files: &[(&str, &str)]| {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source::new(path, text)).collect();
        cycles::cycles(&Crate::new(&sources.iter().collect::<Vec<_>>()))
    };
    assert_eq!(
        of(&files),
        ["2 files import each other:\n  \
          crates/x/src/a.rs:1 uses crates/x/src/b/thing.rs (crate::b::B)\n  \
          crates/x/src/b/thing.rs:3 uses crates/x/src/a.rs (crate::A::new)"]
    );
    let mut fine = files;
    fine[3].1 =
        "pub struct B;\n#[cfg(test)]\nmod tests { use super::*; fn f() { crate::A::new(); } }";
    assert!(of(&fine).is_empty());
}

#[test]
fn crates_depend_downwards_only() {
    assert_none(
        &format!("crates depend on those before them: {}", CRATE_ORDER.join(", ")),
        &checks::upward_dependencies(),
    );
}

#[test]
fn files_have_names_of_their_own() {
    let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in shipped() {
        by_name.entry(source.name().to_owned()).or_default().push(source.path);
    }
    let is_allowed = |name: &str| {
        SHARED_FILE_NAMES.contains(&name)
            || FILE_NAMES_ALLOWED_TWICE.iter().any(|(allowed, _)| *allowed == name)
    };
    let twice = by_name.into_iter().filter(|(name, paths)| paths.len() > 1 && !is_allowed(name));
    let found: Vec<String> =
        twice.map(|(name, paths)| format!("{name}: {}", paths.join(", "))).collect();
    assert_none("no file name occurs twice below crates/*/src", &found);
}

#[test]
fn public_types_have_names_of_their_own() {
    let sources = shipped();
    let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, of) in &crates(&sources) {
        // A program has no public types.
        if of.files.iter().any(|file| file.path == format!("crates/{name}/src/lib.rs")) {
            for (_, name, file, line) in of.public_types() {
                let place = format!("{}:{line}", of.files[file].path);
                by_name.entry(name).or_default().push(place);
            }
        }
    }
    let is_allowed = |name: &str| TYPE_NAMES_ALLOWED_TWICE.iter().any(|(one, _)| *one == name);
    let twice = by_name.into_iter().filter(|(name, places)| places.len() > 1 && !is_allowed(name));
    let found: Vec<String> =
        twice.map(|(name, places)| format!("{name}: {}", places.join(", "))).collect();
    assert_none("no public type name is defined twice in the workspace", &found);
}

/// Every Rust file of the workspace.
fn all() -> Vec<Source> {
    below(&[
        "crates/*/src",
        "crates/*/tests",
        "crates/*/benches",
        "crates/*/examples",
        "examples",
        "xtask",
    ])
}

#[test]
fn files_are_short() {
    let long = all().into_iter().filter(|source| source.text.lines().count() > MAX_FILE_LINES);
    let found: Vec<String> = long
        .map(|source| format!("{}: {} lines", source.path, source.text.lines().count()))
        .collect();
    assert_none(&format!("no file has more than {MAX_FILE_LINES} lines"), &found);
}

#[test]
fn functions_are_short() {
    let found: Vec<String> = all()
        .iter()
        .flat_map(|source| {
            let functions = checks::functions(&source.code).into_iter();
            let long = functions.filter(|function| function.lines > MAX_FUNCTION_LINES);
            long.map(|function| {
                format!(
                    "{}:{}: {} has {} lines",
                    source.path, function.line, function.name, function.lines
                )
            })
        })
        .collect();
    assert_none(&format!("no function has more than {MAX_FUNCTION_LINES} lines"), &found);
}

#[test]
fn the_map_has_a_row_for_every_folder() {
    assert_none(
        "ARCHITECTURE.md is short and has one row, which begins with \"| `crates/\", for every folder of sources",
        &checks::map_errors(&shipped()),
    );
}

#[test]
fn every_folder_has_a_front_page() {
    let is_front = |source: &&Source| matches!(source.name(), "mod.rs" | "lib.rs" | "main.rs");
    let sources = shipped();
    let fronts = sources.iter().filter(is_front);
    let bare = fronts.filter(|source| !source.text.starts_with("//!"));
    let found: Vec<String> = bare.map(|source| format!("{}:1", source.path)).collect();
    assert_none("mod.rs, lib.rs and main.rs begin with a module doc", &found);
}

#[test]
fn unsafe_code_is_where_the_map_says() {
    assert_none(
        "unsafe code is in the files that the paragraph of ARCHITECTURE.md about it names, and in no others",
        &checks::unsafe_errors(&shipped()),
    );
}

#[test]
fn the_algorithms_do_no_io() {
    let forbidden = ["std::fs", "std::process", "std::thread", "std::time", "std::net", "println!"];
    let mut found = Vec::new();
    for source in below(&["crates/wynot-core/src", "crates/wynot-reduce/src"]) {
        let uses = forbidden.iter().filter_map(|word| Some((word, source.code.find(word)?)));
        found.extend(uses.map(|(word, at)| {
            format!("{}:{}: {word}", source.path, source::line(&source.code, at))
        }));
    }
    assert_none("wynot-core and wynot-reduce do no input or output and read no clock", &found);
}

#[test]
fn the_count_of_skipped_tests_comes_last() {
    // Cargo runs the tests of packages in the order of their names.
    for package in checks::packages() {
        assert!(
            package.as_str() < "xtask",
            "{package} would be tested after xtask/tests/skipped.rs"
        );
    }
}
