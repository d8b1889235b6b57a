//! What the project promises to its users: the commands of the README work, help has examples, licences are there.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Place, ran};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Runs a command line of the README, with the built wynot in place of an installed one.
fn run_readme_line(place: &Place, line: &str) -> support::Ran {
    let own = env!("CARGO_BIN_EXE_wynot");
    let line = line.replacen("cargo run --release --", own, 1);
    let line = if line.starts_with("wynot ") { line.replacen("wynot", own, 1) } else { line };
    let mut sh = Command::new("sh");
    place.prepare(&mut sh);
    // Compilers choose their quotation marks by the locale.
    ran(sh.env("LC_ALL", "C.UTF-8").args(["-c", &line]))
}

#[test]
fn the_commands_of_the_readme_do_what_it_shows() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let place = Place::new();
    let mut command = Command::new("cp");
    command.arg("-r").arg(root().join("examples")).arg(place.dir.path());
    assert_eq!(ran(&mut command).code, Some(0));
    for name in ["inventory.c", "ledger_yesterday.rs", "ledger_today.rs"] {
        fs::copy(place.path("examples").join(name), place.path(name)).unwrap();
    }
    for name in ["mean.c", "mean.sh", "options.txt"] {
        fs::copy(place.path("examples/options").join(name), place.path(name)).unwrap();
    }
    let run_line = readme.lines().find(|line| line.starts_with("cargo run --release --")).unwrap();
    let first = run_readme_line(&place, run_line);
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(first.stdout.contains("\na(){}a()\n"), "{first:?}");
    let mut shown = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let (line, expected) = block.strip_prefix("$ ").unwrap().split_once('\n').unwrap();
        let ran =
            run_readme_line(&place, &line.replacen("wynot reduce", "wynot reduce --fresh", 1));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        // Times and the count of tests may differ with the compiler; the rest has to be there.
        for wanted in expected
            .lines()
            .filter(|line| !line.contains(" tests in ") && !line.contains("timeout"))
            .filter(|line| !line.starts_with("unresolved: "))
        {
            let found = ran.stdout.lines().chain(ran.stderr.lines()).any(|line| line == wanted);
            assert!(found, "{wanted:?} is not in {ran:?}");
        }
        shown += 1;
    }
    assert_eq!(shown, 3);
}

#[test]
fn help_of_every_verb_has_an_example_or_needs_none() {
    let place = Place::new();
    for verb in ["reduce", "isolate", "options", "changes"] {
        let help = place.wynot(&format!("{verb} --help")).stdout;
        assert!(help.contains("Examples:") && help.contains(&format!("wynot {verb}")), "{help}");
    }
}

#[test]
fn both_licences_are_there() {
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        assert!(fs::read_to_string(root().join(name)).unwrap().len() > 900, "{name}");
    }
}
