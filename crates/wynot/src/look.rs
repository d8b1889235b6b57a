//! Looking before asking: the first runs, and what they say about the test.

use crate::failure::{Code, Failure};
use crate::plan::Plan;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use wynot_core::Outcome;
use wynot_report::number::time;
use wynot_run::quotation;
use wynot_run::{
    BacktraceTooShort, Ending, Executor, ExecutorError, Form, Journal, Judge, NoReading,
    Observation, Place, Quorum, Rate, Record, Seen, Stdin, Stop, observe,
};
use wynot_subjects::{Artefact, Circumstances};

/// How long the very first run may take when the user has set no timeout.
const PATIENCE: Duration = Duration::from_secs(60);

/// The same if it builds something first, from nothing.
const PATIENCE_TO_BUILD: Duration = Duration::from_secs(30 * 60);

/// The shortest timeout that is chosen automatically.
const LEAST: Duration = Duration::from_secs(1);

/// How often the original is run to find out how often it fails: until it has failed often enough.
const LEAST_RUNS: u32 = 20;
const MOST_RUNS: u32 = 120;
const ENOUGH_FAILS: u32 = 16;

/// What the first runs taught.
#[derive(Debug)]
pub struct Looked {
    pub judge: Judge,
    pub timeout: Duration,
    /// The run of the original.
    pub original: Seen,
    /// How often the original fails, if that was measured.
    pub rate: Option<Rate>,
}

impl Looked {
    /// How to ask about variants.
    pub fn quorum(&self, plan: &Plan) -> Quorum {
        self.rate.map_or(plan.quorum, |rate| Quorum::Rate { usual: rate.share() })
    }
}

/// Runs the test on both sides and decides how to judge, or takes over what an earlier run decided.
pub fn look(
    plan: &Plan,
    past: &[Record],
    journal: &mut Journal,
    executor: &mut impl Executor,
    interrupt: &AtomicBool,
) -> Result<Looked, Failure> {
    let recalled = past.iter().rev().find_map(|record| match record {
        Record::Looked { looked, timeout_ms, original, passing, passes, rate } => {
            let judge = Judge::recall(looked, &plan.wishes);
            let timeout = plan.timeout.unwrap_or(Duration::from_millis(*timeout_ms));
            let looked = Looked { judge, timeout, original: original.clone(), rate: *rate };
            Some((looked, passing, *passes))
        }
        _ => None,
    });
    if let Some((looked, passing, passes)) = recalled {
        if plan.algorithm.isolates() && !passes {
            return Err(passing_side_unresolved(plan, &looked.judge, &looked.original, passing));
        }
        return Ok(looked);
    }
    let patience = match plan.command.build {
        Some(_) => PATIENCE_TO_BUILD,
        None => PATIENCE,
    };
    let patience = plan.timeout.unwrap_or(patience);
    let mut run = |variant: &Artefact| {
        observe(executor, variant, patience, interrupt).map_err(|stop| stopped(&stop))
    };
    let first = run(&plan.subject().original())?;
    let passing = run(&plan.subject().baseline())?;
    let most = if plan.flaky { MOST_RUNS } else { plan.quorum.most() };
    let original = match most {
        0 | 1 => first,
        // A test that fails now and then is asked until it does.
        most => until_it_fails(first, &passing, plan, most, &mut run)?,
    };
    let judge = Judge::look(&original, &passing, &plan.wishes)
        .map_err(|reason| refused(plan, reason, &original, &passing))?;
    let rate = match plan.flaky {
        true => Some(measured(plan, &judge, &passing, &original, &mut run)?),
        false => None,
    };
    let passes = judge.outcome(&passing).is_ok_and(|outcome| outcome == Outcome::Pass);
    if plan.algorithm.isolates() && !passes {
        let seen = (Seen::from(&original), Seen::from(&passing));
        return Err(passing_side_unresolved(plan, &judge, &seen.0, &seen.1));
    }
    let timeout = plan.timeout.unwrap_or_else(|| automatic_timeout(&[&original, &passing]));
    journal
        .append(&Record::Looked {
            looked: judge.looked(),
            timeout_ms: timeout.as_millis() as u64,
            original: Seen::from(&original),
            passing: Seen::from(&passing),
            passes,
            rate,
        })
        .map_err(|error| Failure::cannot_write(journal.path(), &error))?;
    Ok(Looked { judge, timeout, original: Seen::from(&original), rate })
}

/// The first run of the original that ends otherwise than the passing side, or the first one at all.
fn until_it_fails(
    first: Observation,
    passing: &Observation,
    plan: &Plan,
    most: u32,
    run: &mut impl FnMut(&Artefact) -> Result<Observation, Failure>,
) -> Result<Observation, Failure> {
    let fails = |seen: &Observation| Judge::look(seen, passing, &plan.wishes).is_ok();
    if fails(&first) {
        return Ok(first);
    }
    let original = plan.subject().original();
    for _ in 1..most {
        let seen = run(&original)?;
        if fails(&seen) {
            return Ok(seen);
        }
    }
    Ok(first)
}

/// How often the original fails; the passing side must not fail at all.
fn measured(
    plan: &Plan,
    judge: &Judge,
    passing: &Observation,
    failing: &Observation,
    run: &mut impl FnMut(&Artefact) -> Result<Observation, Failure>,
) -> Result<Rate, Failure> {
    let fails = |seen: &Observation| judge.outcome(seen).is_ok_and(|o| o == Outcome::Fail);
    let original = plan.subject().original();
    let mut rate = Rate { fails: 0, runs: 0 };
    while rate.runs < LEAST_RUNS || (rate.fails < ENOUGH_FAILS && rate.runs < MOST_RUNS) {
        rate.fails += u32::from(fails(&run(&original)?));
        rate.runs += 1;
    }
    if rate.fails == 0 {
        let message = format!("the failure shows in none of {} runs but the first", rate.runs);
        return Err(with_runs(
            Failure::new(Code::NoFailure, message),
            plan,
            &Seen::from(failing),
            &Seen::from(passing),
        )
        .hint("it is too rare to search for; can something make it more frequent?"));
    }
    let baseline = plan.subject().baseline();
    for _ in 0..(3.0 / rate.share()).ceil() as u32 {
        let seen = run(&baseline)?;
        if fails(&seen) {
            return Err(refused(plan, NoReading::PassingSideFails, failing, &seen));
        }
    }
    Ok(rate)
}

/// Ten times the slowest run that ended by itself.
fn automatic_timeout(runs: &[&Observation]) -> Duration {
    let ended = runs.iter().filter(|run| run.ending != Ending::Timeout);
    let slowest = ended.map(|run| run.elapsed).max().unwrap_or(PATIENCE / 10);
    // Whole milliseconds, as the journal keeps it.
    Duration::from_millis((slowest * 10).max(LEAST).as_millis() as u64)
}

fn refused(
    plan: &Plan,
    reason: NoReading,
    original: &Observation,
    passing: &Observation,
) -> Failure {
    let (original_seen, passing_seen) = (Seen::from(original), Seen::from(passing));
    let failure = Failure::new(Code::NoFailure, reason);
    let failure = with_runs(failure, plan, &original_seen, &passing_seen);
    let not_found = matches!(original.ending, Ending::Exit(126 | 127));
    match reason {
        _ if original.did_not_build() => {
            let failure = Failure::new(Code::NoFailure, "the bad version does not build");
            with_runs(failure, plan, &original_seen, &passing_seen)
                .hint("builds run in a private directory that holds the version and nothing else")
        }
        _ if passing.did_not_build() => {
            let failure = Failure::new(Code::NoFailure, "the good version does not build");
            with_runs(failure, plan, &original_seen, &passing_seen)
                .hint("builds run in a private directory that holds the version and nothing else")
        }
        _ if not_found => failure.hint(
            "exit 126 and 127 usually mean that a command inside the test was not found; \
             tests run in a private directory, so use absolute paths or --in DIR",
        ),
        NoReading::BothSucceed if plan.flaky => failure.hint(format!(
            "it did not fail once in {MOST_RUNS} runs; it is too rare to search for"
        )),
        NoReading::BothSucceed => failure.hint(
            "say what the failure is, for instance --fail-when 'stderr~TEXT', or write a script that \
             exits 0 only when the failure is there",
        )
        .hint(private_directory(plan))
        .hint("if it fails only now and then, add --flaky"),
        NoReading::PassingSideFails => {
            let last = |seen: &Seen| seen.stderr.last().map(|line| line.trim().to_owned());
            let (was, also) = (last(&original_seen), last(&passing_seen));
            let hint = match was.filter(|line| Some(line) != also.as_ref() && !line.is_empty()) {
                Some(line) => {
                    let condition = format!("stderr~{}", regex::escape(&line));
                    let quoted = quotation::command(&[condition]);
                    format!("they say different things; to ask for the first, add --fail-when {quoted}")
                }
                None => "the test may fail for a reason of its own; say what the failure is, for \
                         instance --fail-when 'stderr~TEXT'"
                    .to_owned(),
            };
            failure.hint(hint).hint(private_directory(plan))
        }
        NoReading::OriginalDoesNotFail { .. } | NoReading::NothingPrevents => {
            failure.hint("check the conditions and the way the test is called")
        }
        NoReading::NoCrash => failure.hint(
            "without --same-crash, exit codes and signals are compared; crashes inside of a debugger, and \
             those that only a log file tells of, cannot be seen",
        ),
        NoReading::NotKnown(BacktraceTooShort { known, .. }) => match known {
            0 => failure
                .hint("what runs in a debugger or tracer inside of the test cannot be looked at")
                .hint("--crash-with gdb asks gdb instead"),
            known => failure
                .hint(format!("--same-crash={known} looks at these only"))
                .hint("--crash-with gdb asks gdb instead"),
        },
        NoReading::Abort(_) => failure,
    }
}

/// What people forget about the directory of a test.
fn private_directory(plan: &Plan) -> String {
    let name = plan.matter.name.to_string_lossy();
    match (plan.command.place, &plan.project) {
        _ if plan.matter.form == Form::Call => {
            "tests run in a private directory that is empty; if yours needs the files here, use --in ."
                .to_owned()
        }
        (Place::Here, _) => format!("the test has to look at {{}}, not at {name} itself"),
        (Place::Private, Some(_)) => {
            "tests run in a copy of the project; do they look at files elsewhere?".to_owned()
        }
        (Place::Private, None) => format!(
            "tests run in a private directory that holds {name} and nothing else; if yours needs the \
             files beside it, use --in ."
        ),
    }
}

fn passing_side_unresolved(plan: &Plan, judge: &Judge, original: &Seen, passing: &Seen) -> Failure {
    let message =
        format!("the passing side does not pass, so it cannot be a starting point: {judge}");
    with_runs(Failure::new(Code::NoFailure, message), plan, original, passing)
        .hint("give an input that passes with --passing INPUT, or say what passes with --pass-when")
        .hint("wynot reduce needs no passing side")
}

/// What the two sides are called.
fn side_names(plan: &Plan) -> (&'static str, &'static str) {
    match plan.subject() {
        _ if plan.versions.is_some() => ("bad version", "good version"),
        Circumstances::Options(_) => ("with all options", "without options"),
        Circumstances::Environment(_) => ("with this environment", "with the clean one"),
        subject if subject.baseline().is_empty() => ("original", "empty input"),
        _ => ("original", "passing side"),
    }
}

/// Shows both runs and how to repeat them.
fn with_runs(failure: Failure, plan: &Plan, original: &Seen, passing: &Seen) -> Failure {
    let (original_side, passing_side) = side_names(plan);
    let mut failure = failure;
    for (name, seen) in [(original_side, original), (passing_side, passing)] {
        let elapsed = Duration::from_micros(seen.micros);
        failure = failure.detail(format!("{name}: {} after {}", seen.ending, time(elapsed)));
        for line in seen.stderr.iter().rev().take(3).rev() {
            failure = failure.detail(format!("    {line}"));
        }
    }
    let words = std::iter::once(plan.command.program.as_os_str())
        .chain(plan.command.args.iter().map(|arg| arg.as_os_str()))
        .map(|word| word.to_string_lossy().replace("{}", &plan.matter.name.to_string_lossy()));
    let reads = match plan.command.stdin {
        Stdin::Variant => {
            format!(" < {}", quotation::command(&[plan.matter.name.to_string_lossy().into()]))
        }
        Stdin::Nothing => String::new(),
    };
    let command = quotation::command(&words.collect::<Vec<_>>());
    failure.detail(format!("try: {command}{reads}"))
}

/// Why tests cannot go on, for people.
pub fn stopped(stop: &Stop) -> Failure {
    let code = match stop {
        Stop::Interrupted => Code::Interrupted,
        _ => Code::Unexpected,
    };
    let failure = Failure::new(code, stop);
    match stop {
        Stop::Executor(ExecutorError::CannotStart { source, .. }) => match source.kind() {
            std::io::ErrorKind::PermissionDenied => failure.hint("is the program executable?"),
            std::io::ErrorKind::NotFound => {
                failure.hint("does the interpreter named in its first line exist?")
            }
            _ => failure,
        },
        Stop::Executor(ExecutorError::CannotTrace(_)) => failure.hint(
            "--same-crash needs ptrace: in a container, allow it (--cap-add SYS_PTRACE, or a newer seccomp \
             profile); it does not work inside of a debugger or strace",
        ),
        Stop::Executor(ExecutorError::Sandbox(_)) => failure.hint(
            "--sandbox needs user namespaces, which this system or container does not allow; without it, \
             tests can write wherever you can",
        ),
        Stop::Executor(ExecutorError::Scratch { source, .. })
            if source.kind() == std::io::ErrorKind::StorageFull =>
        {
            failure.hint("use --scratch DIR with a directory that has room")
        }
        Stop::Write { .. } => failure.hint(
            "-o and --session choose other places; nothing is lost, the same command resumes",
        ),
        _ => failure,
    }
}
