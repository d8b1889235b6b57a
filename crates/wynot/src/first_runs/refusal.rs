//! Why the first runs give nothing to search for, and what the user can do about it.

use super::MAX_RUNS;
use crate::error::{Error, ErrorKind};
use crate::plan::Plan;
use std::time::Duration;
use wynot_crash::BacktraceTooShort;
use wynot_exec::VariantForm;
use wynot_exec::command::{StandardInput, WorkDir};
use wynot_report::number::time;
use wynot_session::judge::{FirstRunsError, TestJudge};
use wynot_session::{Ending, Observation, RunSummary};
use wynot_subjects::{Subject, quote};

pub(super) fn refuse(
    plan: &Plan,
    reason: FirstRunsError,
    original: &Observation,
    passing: &Observation,
) -> Error {
    let (original_seen, passing_seen) = (RunSummary::from(original), RunSummary::from(passing));
    let error = Error::new(ErrorKind::NoFailure, reason);
    let error = with_runs(error, plan, &original_seen, &passing_seen);
    let not_found = matches!(original.ending, Ending::Exit(126 | 127));
    match reason {
        _ if original.did_not_build() => {
            let error = Error::new(ErrorKind::NoFailure, "the bad version does not build");
            with_runs(error, plan, &original_seen, &passing_seen)
                .hint("builds run in a private directory that holds the version and nothing else")
        }
        _ if passing.did_not_build() => {
            let error = Error::new(ErrorKind::NoFailure, "the good version does not build");
            with_runs(error, plan, &original_seen, &passing_seen)
                .hint("builds run in a private directory that holds the version and nothing else")
        }
        _ if not_found => error.hint(
            "exit 126 and 127 usually mean that a command inside the test was not found; \
             tests run in a private directory, so use absolute paths or --in DIR",
        ),
        FirstRunsError::BothSucceed if plan.flaky => error.hint(format!(
            "it did not fail once in {MAX_RUNS} runs; it is too rare to search for"
        )),
        FirstRunsError::BothSucceed => error.hint(
            "say what the failure is, for instance --fail-when 'stderr~TEXT', or write a script that \
             exits 0 only when the failure is there",
        )
        .hint(private_directory(plan))
        .hint("if it fails only now and then, add --flaky"),
        FirstRunsError::PassingSideFails => {
            let last = |seen: &RunSummary| seen.stderr.last().map(|line| line.trim().to_owned());
            let (was, also) = (last(&original_seen), last(&passing_seen));
            let hint = match was.filter(|line| Some(line) != also.as_ref() && !line.is_empty()) {
                Some(line) => {
                    let condition = format!("stderr~{}", regex::escape(&line));
                    let quoted = quote::command(&[condition]);
                    format!("they say different things; to ask for the first, add --fail-when {quoted}")
                }
                None => "the test may fail for a reason of its own; say what the failure is, for \
                         instance --fail-when 'stderr~TEXT'"
                    .to_owned(),
            };
            error.hint(hint).hint(private_directory(plan))
        }
        FirstRunsError::OriginalDoesNotFail { .. } | FirstRunsError::NothingPrevents => {
            error.hint("check the conditions and the way the test is called")
        }
        FirstRunsError::NoCrash => error.hint(
            "without --same-crash, exit codes and signals are compared; crashes inside of a debugger, and \
             those that only a log file tells of, cannot be seen",
        ),
        FirstRunsError::NotKnown(BacktraceTooShort { known, .. }) => match known {
            0 => error
                .hint("what runs in a debugger or tracer inside of the test cannot be looked at")
                .hint("--crash-with gdb asks gdb instead"),
            known => error
                .hint(format!("--same-crash={known} looks at these only"))
                .hint("--crash-with gdb asks gdb instead"),
        },
        FirstRunsError::Abort(_) => error,
    }
}

/// What people forget about the directory of a test.
fn private_directory(plan: &Plan) -> String {
    let name = plan.input.name.to_string_lossy();
    match (plan.command.work_dir, &plan.project) {
        _ if plan.input.form == VariantForm::Call => {
            "tests run in a private directory that is empty; if yours needs the files here, use --in ."
                .to_owned()
        }
        (WorkDir::Here, _) => format!("the test has to look at {{}}, not at {name} itself"),
        (WorkDir::Private, Some(_)) => {
            "tests run in a copy of the project; do they look at files elsewhere?".to_owned()
        }
        (WorkDir::Private, None) => format!(
            "tests run in a private directory that holds {name} and nothing else; if yours needs the \
             files beside it, use --in ."
        ),
    }
}

pub(super) fn passing_side_unresolved(
    plan: &Plan,
    judge: &TestJudge,
    original: &RunSummary,
    passing: &RunSummary,
) -> Error {
    let message =
        format!("the passing side does not pass, so it cannot be a starting point: {judge}");
    with_runs(Error::new(ErrorKind::NoFailure, message), plan, original, passing)
        .hint("give an input that passes with --passing INPUT, or say what passes with --pass-when")
        .hint("wynot reduce needs no passing side")
}

/// What the two sides are called.
fn side_names(plan: &Plan) -> (&'static str, &'static str) {
    match plan.subject() {
        _ if plan.versions.is_some() => ("bad version", "good version"),
        Subject::Options(_) => ("with all options", "without options"),
        Subject::Environment(_) => ("with this environment", "with the clean one"),
        subject if subject.baseline().is_empty() => ("original", "empty input"),
        _ => ("original", "passing side"),
    }
}

/// Shows both runs and how to repeat them.
pub(super) fn with_runs(
    error: Error,
    plan: &Plan,
    original: &RunSummary,
    passing: &RunSummary,
) -> Error {
    let (original_side, passing_side) = side_names(plan);
    let mut error = error;
    for (name, seen) in [(original_side, original), (passing_side, passing)] {
        let elapsed = Duration::from_micros(seen.micros);
        error = error.detail(format!("{name}: {} after {}", seen.ending, time(elapsed)));
        for line in seen.stderr.iter().rev().take(3).rev() {
            error = error.detail(format!("    {line}"));
        }
    }
    let words = std::iter::once(plan.command.program.as_os_str())
        .chain(plan.command.args.iter().map(|arg| arg.as_os_str()))
        .map(|word| word.to_string_lossy().replace("{}", &plan.input.name.to_string_lossy()));
    let reads = match plan.command.stdin {
        StandardInput::Variant => {
            format!(" < {}", quote::command(&[plan.input.name.to_string_lossy().into()]))
        }
        StandardInput::Nothing => String::new(),
    };
    let command = quote::command(&words.collect::<Vec<_>>());
    error.detail(format!("try: {command}{reads}"))
}
