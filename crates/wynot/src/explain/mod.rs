//! Explanations: the chain of variables that carries a failure from the input to the crash.
//!
//! Here: the request, the two runs, their judge, the places that a user names, and experiments as jobs of a session. Not
//! here: capturing and comparing states and searching the chain, which belong to `wynot-state`; printing the chain, which
//! belongs to the binary.

mod error;
mod experiments;
mod explain_report;
mod explain_request;
mod judge;
mod place_names;
mod runs;
mod session;

use crate::control::Control;
use crate::error::{Error, ErrorKind};
use crate::observer::{ExplainStart, Forward, Observer};
use crate::plan::jobs;
use crate::sessions::known_outcomes;
use error::error_of;
use experiments::Experiments;
use session::{open_session, run_record};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wynot_core::Outcome;
use wynot_report::number::count;
use wynot_session::files::read_file;
use wynot_session::judge::Quorum;
use wynot_session::{Budget, CrashCollection, Lab, LabParts, Record, ResultFiles, Stop, plain};
use wynot_state::dwarf::{Program, name_frames};
use wynot_state::process::{Inferior, InferiorLimits, Invocation, RunEnd};
use wynot_state::{
    CauseEffectChain, ChainOptions, CommonPlace, ExaminedPlace, HintFile, PlaceResult, RunPair,
    TypeRules, find_chain, find_chain_at, find_common_calls,
};

pub use error::refuse;
pub use explain_report::ExplainReport;
pub use explain_request::ExplainRequest;
pub use judge::{RunJudge, in_words};
pub use place_names::{find_places, function, line, name, source, source_line};
pub use runs::{ComparedRuns, MAX_RUN, executable, invocation};

/// The shortest timeout of an experiment that is chosen automatically.
const MIN_EXPERIMENT_TIMEOUT: Duration = Duration::from_secs(1);

/// The factor between the time of the slower run and the timeout of experiments.
const EXPERIMENT_TIMEOUT_FACTOR: u32 = 10;

/// Finds the chain of causes, to its end, to a limit, or until `control` stops it.
pub fn explain(
    request: &ExplainRequest,
    observer: &mut dyn Observer,
    control: &Control,
) -> Result<ExplainReport, Error> {
    let started = Instant::now();
    let here = &request.directory;
    let time = request.timeout.unwrap_or(MAX_RUN);
    let runs = ComparedRuns::parse(&request.pass, &request.fail, here, time)?;
    let program = Program::read(&runs.program).map_err(Error::usage)?;
    let rules = type_rules(request.hints.as_deref(), here, &program)?;
    let (passing, passing_time) = run_uninterrupted(&runs.passing, &runs.limits)?;
    let (failing, failing_time) = run_uninterrupted(&runs.failing, &runs.limits)?;
    let judge = RunJudge::new(request, &passing, &failing)?;
    let (session, mut journal, past) = open_session(request, &runs, observer)?;
    let start = ExplainStart {
        passing: in_words(&passing),
        failing: in_words(&failing),
        known_outcomes: known_outcomes(&past),
        session: &session,
    };
    observer.begin_explain(&start);
    journal
        .append(&Record::Run(run_record(request, &runs, &session)))
        .map_err(|error| Error::cannot_write(journal.path(), &error))?;
    let slower = passing_time.max(failing_time);
    let timeout = (slower * EXPERIMENT_TIMEOUT_FACTOR).max(MIN_EXPERIMENT_TIMEOUT);
    let timeout = request.timeout.unwrap_or(timeout);
    let pair = RunPair {
        program: &program,
        passing: runs.passing.clone(),
        failing: runs.failing.clone(),
        limits: runs.limits,
        experiment_timeout: timeout,
        rules,
        stop: control.stop_flag(),
    };
    let deadline = request.max_time.map(|limit| started + limit);
    let lab = Lab::new(LabParts {
        judge: &judge,
        journal,
        past: &past,
        budget: Budget::new(request.max_tests, deadline, None),
        listener: Box::new(Forward(&mut *observer)),
        stop: Arc::clone(control.stop_flag()),
        crashes: CrashCollection::default(),
        timeout,
        quorum: Quorum::default(),
    });
    let place_name = |place: CommonPlace| name(&program, place);
    let experiments = Experiments { lab: &lab, results: ResultFiles::nowhere(), name: &place_name };
    let chain = search(request, &pair, &judge, &experiments);
    control.end();
    drop(experiments);
    let tests = lab.used_tests();
    drop(lab);
    observer.end();
    let chain = chain?;
    if let Some(error) = chain.stopped.as_ref().and_then(error_of) {
        return Err(error);
    }
    let elapsed = started.elapsed();
    Ok(ExplainReport { runs, program, chain, passing, failing, session, tests, elapsed })
}

/// Searches the chain at the places of the request, or among all that the two runs have in common.
fn search(
    request: &ExplainRequest,
    runs: &RunPair<'_>,
    judge: &RunJudge,
    experiments: &Experiments<'_, '_>,
) -> Result<CauseEffectChain<Stop>, Error> {
    let on_place = |place: &ExaminedPlace| {
        experiments.lab.remark(&describe_place(runs.program, place));
    };
    let options = ChainOptions {
        first_places: request.first_places,
        max_places: request.max_places,
        jobs: jobs(request.jobs),
        on_place: &on_place,
    };
    if !request.at.is_empty() {
        let places = find_places(runs, &request.at)?;
        return Ok(find_chain_at(runs, &places, experiments, &options));
    }
    let common = find_common_calls(runs).map_err(|error| refuse(&error))?;
    if (judge.of(&common.passing), judge.of(&common.failing)) != (Outcome::Pass, Outcome::Fail) {
        let message =
            "the runs end differently from time to time, so nothing can be learned from them";
        return Err(Error::new(ErrorKind::Indeterminate, message)
            .detail(format!("passing, once more: {}", in_words(&common.passing)))
            .detail(format!("failing, once more: {}", in_words(&common.failing))));
    }
    if common.places.is_empty() {
        let message = "the two runs come through no common function";
        return Err(Error::new(ErrorKind::Indeterminate, message));
    }
    Ok(find_chain(runs, &common, experiments, &options))
}

/// The result at a place, in a line.
fn describe_place(program: &Program, examined: &ExaminedPlace) -> String {
    let place = name(program, examined.place);
    match &examined.result {
        PlaceResult::Cause(cause) => {
            let deciding: Vec<&str> =
                cause.deciding.iter().map(|delta| delta.expression.as_str()).collect();
            let deltas = count(cause.deltas as u64, "difference");
            let tests = count(cause.tests, "test");
            format!("{place}: {} ({deltas}, {tests})", deciding.join(", "))
        }
        PlaceResult::Incomplete(state) => {
            let deltas = count(state.deltas.len() as u64, "difference");
            format!("{place}: the state does not decide ({deltas})")
        }
        PlaceResult::Unreached => format!("{place}: not reached"),
    }
}

/// Runs a command to its end without experiments; its ending, and how long it took.
fn run_uninterrupted(
    invocation: &Invocation,
    limits: &InferiorLimits,
) -> Result<(RunEnd, Duration), Error> {
    let started = Instant::now();
    let ending = Inferior::start(invocation, limits, name_frames)
        .and_then(|mut inferior| inferior.finish(limits.time))
        .map_err(|error| refuse(&error.into()))?;
    Ok((ending, started.elapsed()))
}

/// The type rules of a hint file for a program; no rules without a file.
pub fn type_rules(path: Option<&Path>, here: &Path, program: &Program) -> Result<TypeRules, Error> {
    let Some(path) = path else { return Ok(TypeRules::default()) };
    let bad_file =
        |reason: &dyn std::fmt::Display| Error::usage(format!("{}: {reason}", path.display()));
    let bytes = read_file(&here.join(path)).map_err(|error| bad_file(&plain(&error)))?;
    let text = String::from_utf8(bytes).map_err(|_| bad_file(&"it is no UTF-8 text"))?;
    let hints = HintFile::parse(&text).map_err(|error| bad_file(&error))?;
    hints.resolve(program.types()).map_err(|error| bad_file(&error))
}
