//! Explanations: the chain of variables that carries a failure from the input to the crash.
//!
//! Here: the request, the two runs, their judge, the places that a user names, experiments as jobs of a session, and the
//! record of the chain with its words and scripts for GDB. Not here: capturing and comparing states and searching the chain, which belong to `wynot-state`; printing the chain, which
//! belongs to the binary.

mod chain_recording;
mod chain_words;
mod ending_words;
mod error;
mod experiments;
mod explain_report;
mod explain_request;
mod function_names;
mod gdb_script;
mod judge;
mod place_names;
mod run_endings;
mod run_observation;
mod runs;
mod session;
mod time_limits;

use crate::control::Control;
use crate::error::{Error, ErrorKind};
use crate::observer::{ExplainStart, Forward, Observer};
use crate::plan::jobs;
use crate::sessions::known_outcomes;
use error::error_of;
use experiments::Experiments;
use run_endings::RunEndings;
use session::{open_session, run_record};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use wynot_core::Outcome;
use wynot_crash::{Cause, Crash};
use wynot_report::number::count;
use wynot_session::files::read_file;
use wynot_session::judge::Quorum;
use wynot_session::{
    Budget, CrashCollection, Journal, Lab, LabParts, Record, ResultFiles, Stop, plain,
};
use wynot_state::dwarf::Program;
use wynot_state::process::ExitStatus;
use wynot_state::{
    CauseEffectChain, ChainOptions, CommonPlace, ExaminedPlace, ExperimentError, HintFile,
    PlaceResult, RunPair, TypeRules, find_chain, find_chain_at, find_common_calls,
};

/// What is said about the function that a run does not leave.
const ENDLESS: &str = "the function does not return";

pub use chain_recording::chain_record;
pub use chain_words::{
    SHARED_VALUES, facts, last_stretch, open_questions, own_line, reasons, transition,
    undecided_in_words,
};
pub use ending_words::{both_in_words, in_words, output_differences};
pub use error::refuse;
pub use explain_report::ExplainReport;
pub use explain_request::ExplainRequest;
pub use gdb_script::gdb_script;
pub use judge::RunJudge;
pub use place_names::{find_places, function, line, name, source, source_line};
pub use runs::{ComparedRuns, MAX_RUN, executable, invocation};

/// Finds the chain of causes, to its end, to a limit, or until `control` stops it.
pub fn explain(
    request: &ExplainRequest,
    observer: &mut dyn Observer,
    control: &Control,
) -> Result<ExplainReport, Error> {
    let started = Instant::now();
    let here = &request.directory;
    let runs = parse_runs(request)?;
    let program = Program::read(&runs.program).map_err(Error::usage)?;
    let rules = type_rules(request.hints.as_deref(), here, &program)?;
    let JudgedRuns { runs, endings, judge } = judge_runs(request, runs, &program)?;
    runs.remarks.iter().for_each(|remark| observer.note(remark));
    let RunEndings { passing, mut failing, others, uncontrolled, timeout, endless_functions } =
        endings;
    failing.crash = failing.crash.or_else(|| endless_loop(&endless_functions));
    let (session, mut journal, past) = open_session(request, &runs, observer)?;
    let words = both_in_words(&passing, &failing);
    let start = ExplainStart {
        passing: words.0,
        also_passing: others.iter().map(in_words).collect(),
        failing: words.1,
        known_outcomes: known_outcomes(&past),
        session: &session,
    };
    observer.begin_explain(&start);
    journal
        .append(&Record::Run(run_record(request, &runs, &session)))
        .map_err(|error| Error::cannot_write(journal.path(), &error))?;
    let deadline = request.max_time.map(|limit| started + limit);
    let pair = RunPair {
        program: &program,
        passing: runs.passing.clone(),
        failing: runs.failing.clone(),
        others: runs.others.clone(),
        limits: runs.limits,
        experiment_timeout: timeout,
        hangs: failing.status == ExitStatus::TimedOut,
        endless_functions,
        rules,
        stop: control.stop_flag(),
        deadline,
    };
    let lab = Lab::new(LabParts {
        judge: &judge,
        journal,
        past: &past,
        budget: Budget::new(request.max_tests, deadline, None),
        listener: Box::new(Forward(&mut *observer)),
        stop: Arc::clone(control.stop_flag()),
        crashes: CrashCollection::default(),
        timeout: timeout.into(),
        quorum: Quorum::default(),
    });
    let place_name = |place: CommonPlace| name(&program, place);
    let experiments = Experiments { lab: &lab, results: ResultFiles::nowhere(), name: &place_name };
    let chain = search(request, &pair, &judge, &experiments);
    control.end();
    drop(experiments);
    let tests = lab.used_tests();
    let journal = lab.into_journal();
    observer.end();
    let chain = chain?;
    if let Some(error) = chain.stopped.as_ref().and_then(error_of) {
        return Err(error);
    }
    let elapsed = started.elapsed();
    let report = ExplainReport {
        runs,
        program,
        chain,
        passing,
        failing,
        uncontrolled,
        session,
        tests,
        elapsed,
    };
    record_chain(&report, journal)?;
    Ok(report)
}

/// Writes the chain to the journal, from which reports are made.
fn record_chain(report: &ExplainReport, mut journal: Journal) -> Result<(), Error> {
    let record = chain_record(report, &report.chain.steps());
    journal
        .append(&Record::Chain(Box::new(record)))
        .map_err(|error| Error::cannot_write(journal.path(), &error))
}

/// The runs of a request, in private files unless it says otherwise.
fn parse_runs(request: &ExplainRequest) -> Result<ComparedRuns, Error> {
    let here = &request.directory;
    let time = request.timeout.unwrap_or(MAX_RUN);
    let passing = (request.pass.as_str(), &request.also_pass[..]);
    let runs = ComparedRuns::parse(passing, &request.fail, here, time)?;
    Ok(if request.in_place { runs } else { runs.in_private_files(here) })
}

/// What words about a run that does not end say: it is no crash.
fn endless_loop(functions: &[String]) -> Option<Crash> {
    let cause = Cause::Report(ENDLESS.to_owned());
    (!functions.is_empty()).then(|| Crash::new(cause, functions.to_vec(), true))
}

/// The runs that are compared, how they end, and what counts as the failure.
struct JudgedRuns {
    runs: ComparedRuns,
    endings: RunEndings,
    judge: RunJudge,
}

/// Runs both commands, and finds out what counts as the failure. Where both are given files, they read them under one name,
/// unless they do not pass and fail then.
fn judge_runs(
    request: &ExplainRequest,
    runs: ComparedRuns,
    program: &Program,
) -> Result<JudgedRuns, Error> {
    let judged = |runs: ComparedRuns| {
        let endings = RunEndings::observe(&runs, program, request.timeout)?;
        let judge = RunJudge::new(request, &endings.passing, &endings.failing)
            .map_err(|error| endings.uncontrolled.iter().fold(error, Error::detail))?;
        for (line, ending) in runs.other_lines.iter().zip(&endings.others) {
            judge.refuse_other(line, ending)?;
        }
        Ok(JudgedRuns { runs, endings, judge })
    };
    if !request.own_names
        && let Some(runs) = runs.clone().under_one_name(&request.directory)
        && let Ok(judged) = judged(runs)
    {
        return Ok(judged);
    }
    judged(runs)
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
        let (places, others) = find_places(runs, &request.at)?;
        return Ok(find_chain_at(runs, &places, others, experiments, &options));
    }
    let common = match find_common_calls(runs) {
        Ok(common) => common,
        Err(ExperimentError::TimeLimit) => return Ok(CauseEffectChain::stopped(Stop::MaxTime)),
        Err(error) => return Err(refuse(&error)),
    };
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
            let shared = match cause.shared {
                0 => String::new(),
                shared => format!(", {shared} of them in other passing runs as well"),
            };
            let tests = count(cause.tests, "test");
            format!("{place}: {} ({deltas}{shared}, {tests})", deciding.join(", "))
        }
        PlaceResult::Incomplete(state) => {
            let deltas = count(state.deltas.len() as u64, "difference");
            format!("{place}: the state does not decide ({deltas})")
        }
        PlaceResult::Unreached => format!("{place}: not reached"),
    }
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
