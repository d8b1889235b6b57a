//! Which variables carry a failure from the input to the crash.

use crate::account::Account;
use crate::args::ExplainArgs;
use crate::control::Control;
use crate::explain_oracle::{ExplainOracles, ExplainStop};
use crate::failure::{Code, Failure};
use crate::places;
use crate::runs::{Decision, PATIENCE, Runs, told as ended};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use wynot_report::number::count;
use wynot_run::plain;
use wynot_state::dwarf::name_frames;
use wynot_state::dwarf::{Program, ProgramError};
use wynot_state::process::{Inferior, InferiorLimits, Invocation, ProcessError, RunEnd};
use wynot_state::{
    CauseEffectChain, ChainOptions, ExaminedPlace, ExperimentError, HintFile, PlaceResult, RunPair,
    TypeRules, find_chain, find_chain_at, find_common_calls,
};

/// The shortest time that an experiment gets.
const LEAST: Duration = Duration::from_secs(1);

/// Finds the chain and tells it.
pub fn run(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let time = args.timeout.unwrap_or(PATIENCE);
    let runs = Runs::of(&args.pass, &args.fail, time)?;
    let program = Program::read(&runs.program).map_err(unreadable)?;
    let rules = rules(args.hints.as_deref(), &program)?;
    let control = Control::listening().map_err(|error| Failure::unexpected(&error))?;
    let (passing, one) = alone(&runs.passing, &runs.limits)?;
    let (failing, other) = alone(&runs.failing, &runs.limits)?;
    let decision = Decision::new(args, &passing, &failing)?;
    let pair = RunPair {
        program: &program,
        passing: runs.passing.clone(),
        failing: runs.failing.clone(),
        limits: runs.limits,
        experiment_timeout: args.timeout.unwrap_or((one.max(other) * 10).max(LEAST)),
        rules,
        stop: control.interrupt(),
    };
    if !args.quiet {
        told!("wynot: passing: {}", ended(&passing));
        told!("wynot: failing: {}", ended(&failing));
    }
    let on_place = |place: &ExaminedPlace| {
        if args.verbose {
            told!("wynot: {}", looked_at(&program, place));
        }
    };
    let options = ChainOptions {
        first_places: args.places.into(),
        max_places: args.most.into(),
        jobs: args.jobs.map_or_else(cores, usize::from),
        on_place: &on_place,
    };
    let found = search(args, &pair, &options, &decision)?;
    if let Some(ExplainStop::Error(error)) = found.stopped {
        return Err(failed(error));
    }
    let account = Account {
        runs: &runs,
        program: &program,
        chain: &found,
        passing: &passing,
        failing: &failing,
        elapsed: started.elapsed(),
    };
    account.show(args)?;
    Ok(account.code().into())
}

fn search(
    args: &ExplainArgs,
    runs: &RunPair<'_>,
    options: &ChainOptions<'_>,
    decision: &Decision,
) -> Result<CauseEffectChain<ExplainStop>, Failure> {
    let oracles = ExplainOracles { decision, stop: runs.stop };
    if !args.at.is_empty() {
        let wanted = places::read(runs, &args.at)?;
        return Ok(find_chain_at(runs, &wanted, &oracles, options));
    }
    let common = find_common_calls(runs).map_err(failed)?;
    let outcomes = (decision.of(&common.passing), decision.of(&common.failing));
    if outcomes != (wynot_core::Outcome::Pass, wynot_core::Outcome::Fail) {
        let message =
            "the runs end otherwise from time to time, so nothing can be learned from them";
        return Err(Failure::new(Code::Indeterminate, message)
            .detail(format!("passing, once more: {}", ended(&common.passing)))
            .detail(format!("failing, once more: {}", ended(&common.failing))));
    }
    if common.places.is_empty() {
        return Err(Failure::new(
            Code::Indeterminate,
            "the two runs come through no common function",
        ));
    }
    Ok(find_chain(runs, &common, &oracles, options))
}

/// A run as it is, and how long it takes.
fn alone(invocation: &Invocation, limits: &InferiorLimits) -> Result<(RunEnd, Duration), Failure> {
    let started = Instant::now();
    let ending = Inferior::start(invocation, limits, name_frames)
        .and_then(|mut inferior| inferior.finish(limits.time))
        .map_err(|error| failed(error.into()))?;
    Ok((ending, started.elapsed()))
}

/// What a hint file says about a program.
pub fn rules(path: Option<&Path>, program: &Program) -> Result<TypeRules, Failure> {
    let Some(path) = path else { return Ok(TypeRules::default()) };
    let cannot =
        |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| cannot(&plain(&error)))?;
    let hints = HintFile::parse(&text).map_err(|error| cannot(&error))?;
    hints.resolve(program.types()).map_err(|error| cannot(&error))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn looked_at(program: &Program, examined: &ExaminedPlace) -> String {
    let place = places::name(program, examined.place);
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

fn unreadable(error: ProgramError) -> Failure {
    Failure::usage(error)
}

pub fn failed(error: ExperimentError) -> Failure {
    if matches!(error, ExperimentError::Interrupted) {
        return Failure::new(Code::Interrupted, "interrupted before anything was found");
    }
    let usage = matches!(
        error,
        ExperimentError::Process(
            ProcessError::Program { .. }
                | ProcessError::NotExecutable { .. }
                | ProcessError::NotBinary { .. }
                | ProcessError::OtherMachine { .. }
                | ProcessError::Privileged { .. }
                | ProcessError::Input { .. }
                | ProcessError::Directory { .. }
        )
    );
    Failure::new(if usage { Code::Usage } else { Code::Unexpected }, error)
}
