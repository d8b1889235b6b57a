//! Skipping tests: the line that names one, and the record from which all of a run are counted.

use crate::Tool;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::process::parent_id;
use std::path::PathBuf;

/// The environment variable that turns skipped tests into failures.
pub const REQUIRE_ALL_TOOLS: &str = "WYNOT_REQUIRE_ALL_TOOLS";

/// Whether all tools are available. If not, the test is reported as skipped, for the macros of this crate.
///
/// # Panics
///
/// If one is missing while [`REQUIRE_ALL_TOOLS`] is set.
pub fn are_available(tools: &[Tool], package: &str, test: &str) -> bool {
    let missing: Vec<Tool> = tools.iter().copied().filter(|tool| !tool.is_available()).collect();
    if missing.is_empty() {
        return true;
    }
    let names = missing.iter().map(|tool| tool.name()).collect::<Vec<_>>().join(", ");
    let mut packages: Vec<&str> = missing.iter().map(|tool| tool.package()).collect();
    packages.dedup();
    let needs = format!("needs {names} (Debian: apt-get install {})", packages.join(" "));
    let is_required = env::var_os(REQUIRE_ALL_TOOLS).is_some_and(|value| value != "0");
    assert!(!is_required, "{test} {needs}; it is not skipped because {REQUIRE_ALL_TOOLS} is set");
    let line = format!("skipped: {package} {test} {needs}\n");
    // Not `eprint`: the test harness hides what passing tests print that way.
    let _ = io::stderr().write_all(line.as_bytes());
    if let Err(error) = record(&line) {
        panic!("cannot record that a test was skipped: {error}");
    }
    false
}

/// The lines of the tests that were skipped since this `cargo test` began. Reading them removes the record.
pub fn skipped_in_this_run() -> io::Result<Vec<String>> {
    let path = record_path()?;
    match fs::read_to_string(&path) {
        Ok(text) => {
            fs::remove_file(path)?;
            Ok(text.lines().map(str::to_owned).collect())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn record(line: &str) -> io::Result<()> {
    let path = record_path()?;
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    // A short line in one write: lines of several threads do not mix.
    OpenOptions::new().create(true).append(true).open(path)?.write_all(line.as_bytes())
}

/// `target/PROFILE/skipped-tests/RUN`. All test binaries of one `cargo test` have the same parent, whose
/// process id and start time name the run.
fn record_path() -> io::Result<PathBuf> {
    let parent = parent_id();
    let status = fs::read_to_string(format!("/proc/{parent}/stat"))?;
    // The name of the program in parentheses may hold blanks; the start time is the 20th field after it.
    let fields = status.rsplit(')').next().unwrap_or_default();
    let started = fields.split_whitespace().nth(19).unwrap_or_default();
    let binary = env::current_exe()?;
    let profile = binary.ancestors().nth(2).unwrap_or(&binary);
    Ok(profile.join("skipped-tests").join(format!("{parent}-{started}")))
}
