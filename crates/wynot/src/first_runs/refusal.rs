//! The errors of first runs that leave nothing to search, with hints at what the user can do.

use super::MAX_RATE_RUNS;
use super::missing_program::missing_test;
use super::several_inputs::{input_path, two_inputs, with_names};
use super::side_names::{reason_of_sides, side_names};
use super::test_advice::{test_in_words, with_test_advice};
use super::untracked_files::{is_about_missing_file, with_untracked};
use crate::error::{Error, ErrorKind};
use crate::plan::Plan;
use crate::request::Verb;
use std::time::Duration;
use wynot_core::Outcome;
use wynot_crash::BacktraceTooShort;
use wynot_exec::VariantForm;
use wynot_exec::command::{StandardInput, WorkDir, with_version};
use wynot_report::number::time;
use wynot_session::judge::{FirstRunsError, TestJudge};
use wynot_session::{BUILD_FAILED, Ending, Observation, RunSummary};
use wynot_subjects::{Subject, quote};

/// How many of the last lines on standard error are shown for each side.
const STDERR_LINES_SHOWN: usize = 3;

/// The error of first runs from which no judge can be made.
pub(super) fn refuse(
    plan: &Plan,
    reason: FirstRunsError,
    original: &Observation,
    passing: &Observation,
) -> Error {
    if plan.verb == Verb::History {
        return refuse_history(plan, reason, original);
    }
    let unbuilt = unbuilt_version(original, passing);
    if let Some(error) = missing_test(plan, original) {
        return error;
    }
    let of_versions = plan.version_names().and(reason_of_versions(&reason));
    let message = match unbuilt.or(of_versions) {
        Some(message) => message.to_owned(),
        None => reason_of_sides(plan, &reason),
    };
    let error = Error::new(ErrorKind::NoFailure, message);
    let (original_run, passing_run) = (RunSummary::from(original), RunSummary::from(passing));
    let error = two_inputs(with_runs(error, plan, &original_run, &passing_run), plan);
    let advised = with_test_advice(error.clone(), plan);
    let error = match advised == error {
        true => without_placeholder(error, plan),
        false => advised,
    };
    let error = match plan.isolation.sandbox {
        None => error,
        Some(_) => error.hint(
            "the sandbox hides home directories, /run and the files in /tmp; --sandbox-read PATH shows \
             what the test needs of them",
        ),
    };
    let runs = [&original_run, &passing_run];
    if unbuilt.is_some() {
        return with_untracked(error.hint(build_directory(plan)), plan, runs);
    }
    if plan.version_names().is_some() {
        return refuse_versions(error, plan, reason, runs);
    }
    let not_found = matches!(original.ending, Ending::Exit(126 | 127));
    match reason {
        _ if not_found => error.hint(
            "exit 126 and 127 usually mean that a command inside the test was not found; \
             tests run in a private directory, so use absolute paths, or --in . for commands that are here",
        ),
        FirstRunsError::BothSucceed if plan.flaky => error.hint(format!(
            "it did not fail once in {MAX_RATE_RUNS} runs; it is too rare to search for"
        )),
        FirstRunsError::BothSucceed => with_private_directory(error, plan).hint(
            "say what the failure is, for instance --fail-when 'stderr~TEXT', or write a script that \
             exits 0 only when the failure is there",
        )
        .hint("if it fails only now and then, add --flaky"),
        FirstRunsError::PassingSideFails => passing_side_fails(error, plan, runs),
        FirstRunsError::OriginalDoesNotFail { .. } => match plan.criteria.fail_when.first() {
            Some(condition) => error.hint(format!(
                "{condition} does not hold for the original; without --fail-when, what it does is the failure"
            )),
            None => error.hint("check the conditions and the way the test is called"),
        },
        FirstRunsError::NothingPrevents => error.hint(
            "--prevent is for a test that fails without the options and passes with all of them",
        ),
        FirstRunsError::NoCrash => error.hint(
            "without --same-crash, exit codes and signals are compared; crashes inside of a debugger, and \
             those that are only in a log file, cannot be detected",
        ),
        FirstRunsError::NotKnown(BacktraceTooShort { known, .. }) => match known {
            0 => error
                .hint("programs that the test runs in a debugger or tracer cannot be inspected")
                .hint("--crash-with gdb uses gdb instead"),
            known => error
                .hint(format!("--same-crash={known} compares these only"))
                .hint("--crash-with gdb uses gdb instead"),
        },
        _ => error,
    }
}

/// Adds how to ask for a failure that only the original has.
fn passing_side_fails(error: Error, plan: &Plan, runs: [&RunSummary; 2]) -> Error {
    let [original, passing] = runs.map(|run| run.stderr.last().map(|line| line.trim().to_owned()));
    let distinct = original.filter(|line| Some(line) != passing.as_ref());
    let hint = match distinct.filter(|line| !line.is_empty()) {
        Some(line) => {
            let condition = format!("stderr~{}", regex::escape(&line));
            let quoted = quote::command(&[condition]);
            format!("they say different things; to ask for the first, add --fail-when {quoted}")
        }
        None => "the test may fail for a reason of its own; say what the failure is, for \
                 instance --fail-when 'stderr~TEXT'"
            .to_owned(),
    };
    let error = with_private_directory(error.hint(hint), plan);
    with_passing_input(error, plan)
}

/// Adds how the test gets the path of the input, if nothing says where, so that it has it as standard input.
fn without_placeholder(error: Error, plan: &Plan) -> Error {
    let name = plan.input.name.to_string_lossy();
    let is_named = plan.command.args.iter().any(|arg| arg.to_string_lossy().contains(&*name));
    match plan.command.stdin {
        StandardInput::Variant if !is_named => error.hint(format!(
            "without {{}}, the test has {name} as standard input; if it takes a path, write -- {} {{}}",
            test_in_words(plan)
        )),
        _ => error,
    }
}

/// Adds what finds a difference where nothing of the input is needed for its failure.
fn with_passing_input(error: Error, plan: &Plan) -> Error {
    if plan.verb != Verb::Reduce || plan.results.places.len() > 1 {
        return error;
    }
    let name = quote::command(&[plan.input.name.to_string_lossy().into_owned()]);
    let line = format!("wynot isolate --passing FILE {name} -- {}", test_in_words(plan));
    error.hint(format!("to compare it with an input that passes: {line}")).next(line)
}

/// The error of a failing version of a history from which no judge can be made.
fn refuse_history(plan: &Plan, reason: FirstRunsError, original: &Observation) -> Error {
    let name = plan.version_names().map_or("the version", |(_, from)| from);
    let is_unbuilt = original.did_not_build();
    let message = match reason {
        _ if is_unbuilt => format!("{name} does not build"),
        FirstRunsError::OriginalDoesNotFail { seen: Outcome::Pass } => {
            format!("the test passes on {name}")
        }
        FirstRunsError::OriginalDoesNotFail { .. } => {
            format!("the test does not decide whether {name} fails")
        }
        reason => reason.to_string(),
    };
    let run = RunSummary::from(original);
    let mut error = Error::new(ErrorKind::NoFailure, message);
    let elapsed = Duration::from_micros(run.micros);
    error = error.detail(format!("{name}: {} after {}", run.ending, time(elapsed)));
    for line in &run.stderr {
        error = error.detail(format!("    {line}"));
    }
    let error = match is_unbuilt {
        true => error.hint(build_directory(plan)),
        false => error
            .hint("exit codes are those of git bisect run: 0 is good, 1 to 127 bad, 125 neither")
            .hint("tests run in a private directory that holds the version and nothing else"),
    };
    with_untracked(error, plan, [&run, &run])
}

/// The version that does not build, in words, if there is one.
fn unbuilt_version(original: &Observation, passing: &Observation) -> Option<&'static str> {
    match (original.did_not_build(), passing.did_not_build()) {
        (true, _) => Some("the bad version does not build"),
        (false, true) => Some("the good version does not build"),
        (false, false) => None,
    }
}

/// The reason in the words of versions, where they differ.
fn reason_of_versions(reason: &FirstRunsError) -> Option<&'static str> {
    match reason {
        FirstRunsError::BothSucceed => Some("the test passes on both versions"),
        FirstRunsError::PassingSideFails => Some("the good version fails like the bad one"),
        FirstRunsError::OriginalDoesNotFail { seen: Outcome::Pass } => {
            Some("the test passes on the bad version")
        }
        _ => None,
    }
}

/// The hints for versions from which no judge can be made.
fn refuse_versions(
    error: Error,
    plan: &Plan,
    reason: FirstRunsError,
    runs: [&RunSummary; 2],
) -> Error {
    let error = match reason {
        FirstRunsError::BothSucceed if plan.flaky => error.hint(format!(
            "it did not fail once in {MAX_RATE_RUNS} runs; it is too rare to search for"
        )),
        FirstRunsError::BothSucceed => error.hint("if it fails only now and then, add --flaky"),
        FirstRunsError::PassingSideFails => {
            error.hint("to ask for one failure of several, add --fail-when 'stderr~TEXT'")
        }
        FirstRunsError::OriginalDoesNotFail { seen: Outcome::Unresolved } => error
            .hint("exit codes are those of git bisect run: 0 is good, 1 to 127 bad, 125 neither"),
        FirstRunsError::OriginalDoesNotFail { .. } => error
            .hint("exit codes are those of git bisect run: 0 is good, 1 to 127 bad, 125 neither")
            .hint(match plan.subject() {
                Subject::Versions(_) => {
                    "the list begins with the oldest version, on which the test has to pass"
                }
                _ => "are --good and --bad the other way round?",
            }),
        _ => error.hint("check the conditions and the way the test is called"),
    };
    let error = match plan.versions {
        Some(_) => {
            error.hint("tests run in a private directory that holds the version and nothing else")
        }
        None => error,
    };
    let is_missing = |run: &&RunSummary| run.stderr.iter().any(|line| is_about_missing_file(line));
    let error = match plan.command.build {
        None if runs.iter().any(is_missing) => error
            .hint("a version that has to be built first needs --build, for instance --build make"),
        _ => error,
    };
    with_untracked(error, plan, runs)
}

/// A hint at the directory in which builds run.
fn build_directory(plan: &Plan) -> &'static str {
    match plan.subject() {
        Subject::Versions(_) => {
            "builds run in a private directory that is empty, or in a copy of the project of --in"
        }
        _ => "builds run in a private directory that holds the version and nothing else",
    }
}

/// Adds the directory in which tests run, unless a hint has named it already.
fn with_private_directory(error: Error, plan: &Plan) -> Error {
    match error.hints.iter().any(|hint| hint.contains("--in .")) {
        true => error,
        false => error.hint(private_directory(plan)),
    }
}

/// A hint at the directory in which tests run: tests often fail because they expect other files there.
fn private_directory(plan: &Plan) -> String {
    if let Some(test) = with_names(plan) {
        return format!(
            "of several inputs, {{}} is the directory that holds them; to name them, write -- {test}"
        );
    }
    let name = plan.input.name.to_string_lossy();
    match (plan.command.work_dir, &plan.project) {
        _ if plan.input.form == VariantForm::Call => {
            "tests run in a private directory that is empty; if yours needs the files here, use --in ."
                .to_owned()
        }
        (WorkDir::Here, _) => format!("the test has to read {{}}, not {name} itself"),
        (WorkDir::Private, Some(_)) => {
            "tests run in a copy of the project; do they read files elsewhere?".to_owned()
        }
        (WorkDir::Private, None) => format!(
            "tests run in a private directory that holds {name} and nothing else; if yours needs the \
             files beside it, use --in ."
        ),
    }
}

/// The error of a passing side that does not pass, if the algorithm needs one.
pub(super) fn passing_side_unresolved(
    plan: &Plan,
    judge: &TestJudge,
    original: &RunSummary,
    passing: &RunSummary,
) -> Error {
    if plan.versions.is_some() {
        let message = format!("the good version does not pass: {judge}");
        let error = with_runs(Error::new(ErrorKind::NoFailure, message), plan, original, passing);
        let hint = "give a version with --good on which the test exits with 0";
        return with_untracked(error.hint(hint), plan, [original, passing]);
    }
    let message =
        format!("the passing side does not pass, so it cannot be a starting point: {judge}");
    let error = with_runs(Error::new(ErrorKind::NoFailure, message), plan, original, passing);
    if plan.version_names().is_some() {
        return error.hint("choose another good version, or say what passes with --pass-when");
    }
    error
        .hint("give an input that passes with --passing INPUT, or say what passes with --pass-when")
        .hint("wynot reduce needs no passing side")
}

/// The error of an original on which the command of `--valid-when` does not succeed.
pub(super) fn original_not_valid(ending: Ending, check: &Observation) -> Error {
    let message =
        format!("the original is not valid: the command of --valid-when ends with {ending}");
    let mut error = Error::new(ErrorKind::NoFailure, message);
    for output in [&check.stdout, &check.stderr] {
        for line in output.last_lines(STDERR_LINES_SHOWN) {
            error = error.detail(format!("    {line}"));
        }
    }
    error.hint("it must succeed on the original; it runs in a directory that holds the input, {} being its path")
}

/// Adds to an error how both runs ended, and how to repeat them by hand.
pub(super) fn with_runs(
    mut error: Error,
    plan: &Plan,
    original: &RunSummary,
    passing: &RunSummary,
) -> Error {
    let [original_side, passing_side] = side_names(plan);
    for (name, run) in [(original_side, original), (passing_side, passing)] {
        let elapsed = Duration::from_micros(run.micros);
        error = error.detail(format!("{name}: {} after {}", run.ending, time(elapsed)));
        let is_build =
            run.stderr.last().is_some_and(|last| BUILD_FAILED.starts_with(last.as_bytes()));
        let shown = if is_build { run.stderr.len() } else { STDERR_LINES_SHOWN };
        for line in run.stderr.iter().rev().take(shown).rev() {
            error = error.detail(format!("    {line}"));
        }
    }
    let words = std::iter::once(plan.command.program.as_os_str())
        .chain(plan.command.args.iter().map(|arg| arg.as_os_str()))
        .map(|word| match plan.subject() {
            Subject::Versions(_) => with_version(word, &plan.input.name.to_string_lossy()),
            _ => word.to_owned(),
        })
        .map(|word| word.to_string_lossy().replace("{}", &input_path(plan)));
    let redirection = match plan.command.stdin {
        StandardInput::Variant => {
            format!(" < {}", quote::command(&[plan.input.name.to_string_lossy().into()]))
        }
        StandardInput::Nothing => String::new(),
    };
    let command = quote::command(&words.collect::<Vec<_>>());
    // A program of a version is named by its path there.
    let is_in_version = plan.versions.is_some() && plan.command.program.is_relative();
    let command = if is_in_version { format!("./{command}") } else { command };
    let build = plan.command.build.as_ref().map(|build| build.to_string_lossy());
    let build = build.map(|build| format!("{build} && ")).unwrap_or_default();
    error.detail(format!("try: {build}{command}{redirection}"))
}
