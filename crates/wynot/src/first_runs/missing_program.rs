//! A test of a history that fails because the program was not built: a failure that every version has.

use super::untracked_files::{is_about_missing_file, with_untracked};
use crate::error::{Error, ErrorKind};
use crate::plan::Plan;
use crate::request::Verb;
use crate::similar_name::similar_name;
use std::path::Path;
use wynot_session::{Observation, RunSummary};

/// What the supervisor says about a test that cannot be run, before and after its name.
const MISSING_TEST: &str = "wynot: the test ";
const NO_SUCH_FILE: &str = " cannot be run in this version: no such file";

/// The refusal of a failing version whose test misses a file that no version has, unless the user has said what the failure
/// is. Between two versions, the good one would show it; a walk back would only find that every version fails.
pub(super) fn missing_program(plan: &Plan, original: &Observation) -> Option<Error> {
    let is_asked_for = !plan.criteria.fail_when.is_empty();
    if plan.verb != Verb::History || plan.command.build.is_some() || is_asked_for {
        return None;
    }
    let versions = plan.versions.as_ref()?;
    let repository = &versions.history.as_ref()?.repository;
    let run = RunSummary::from(original);
    let complaints = run.stderr.iter().filter(|line| is_about_missing_file(line));
    let mut paths = complaints.flat_map(|line| relative_paths(line));
    let path = paths.find(|path| !repository.was_ever_tracked(&versions.names.1, path))?;
    let message = format!("the test misses {path}, which no version has");
    let error = run.stderr.iter().fold(Error::new(ErrorKind::NoFailure, message), |error, line| {
        error.detail(format!("    {line}"))
    });
    let has_makefile =
        ["Makefile", "makefile"].iter().any(|name| versions.bad.get(Path::new(name)).is_some());
    let build = if has_makefile { "--build make" } else { "--build COMMAND" };
    let error = error
        .hint(format!("a program that has to be built first needs {build}"))
        .hint("if this is the failure to search for, say so: --fail-when 'stderr~TEXT'");
    Some(with_untracked(error, plan, [&run, &run]))
}

/// The refusal of a test that the bad version does not contain.
pub(super) fn missing_test(plan: &Plan, original: &Observation) -> Option<Error> {
    let versions = plan.versions.as_ref()?;
    let run = RunSummary::from(original);
    let is_missing = |line: &String| line.contains(MISSING_TEST) && line.contains(NO_SUCH_FILE);
    run.stderr.iter().find(|line| is_missing(line))?;
    let program = plan.command.program.display().to_string();
    let message = format!("there is no {program} in {}", versions.names.1);
    let paths: Vec<&str> = versions.bad.leaves().filter_map(|(path, _)| path.to_str()).collect();
    let similar = similar_name(&program, paths);
    let error = Error::new(ErrorKind::NoFailure, message);
    let error = match similar {
        Some(similar) => error.hint(format!("did you mean ./{similar}?")),
        None => error,
    };
    let error = with_untracked(error, plan, [&run, &run]);
    Some(error.hint("a test that is elsewhere is named by its absolute path"))
}

/// The words of a line that are paths below the directory of the test.
fn relative_paths(line: &str) -> impl Iterator<Item = &str> {
    let is_outside = |c: char| c.is_whitespace() || "'\"‘’`:;,()".contains(c);
    line.split(is_outside)
        .filter_map(|word| word.strip_prefix("./"))
        .filter(|path| !path.is_empty() && Path::new(path).is_relative())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_name_what_they_miss() {
        for line in [
            "/usr/bin/sh: 1: ./calc: not found",
            "bash: line 1: ./calc: No such file or directory",
            "env: ‘./calc’: No such file or directory",
            "make: ./calc: No such file or directory",
        ] {
            assert_eq!(relative_paths(line).collect::<Vec<_>>(), ["calc"], "{line}");
        }
        assert_eq!(relative_paths("fatal: no such file /usr/lib/x.h").count(), 0);
    }
}
