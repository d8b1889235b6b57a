//! `wynot verify` for an explanation: all experiments run once more, and have to give the same chain.

use super::Command;
use super::resume::parse;
use super::search::print_error_object;
use super::verify::VerifyArgs;
use crate::output::display_options::DisplayOptions;
use crate::output::explain_observer::ExplainObserver;
use crate::output::json;
use crate::terminal::signals;
use std::path::Path;
use std::process::ExitCode;
use wynot::explain::chain_record;
use wynot::sessions::{self, FoundSession};
use wynot::verify::{CHECK_DIRECTORY, Refutation, Verification};
use wynot::{Control, Error, ErrorKind};
use wynot_report::number::{count, time};
use wynot_session::{ChainRecord, ChainStep, CommandLine, Digest, Record};
use wynot_subjects::Variant;

/// Checks the session if its last run was an explanation; `None` otherwise.
pub fn run_if_explained(args: &VerifyArgs, here: &Path) -> Result<Option<ExitCode>, Error> {
    let explained = last_explanation(args, here)
        .inspect_err(|error| print_error_object(error, "verify", args.json))?;
    let Some((found, line, chain)) = explained else { return Ok(None) };
    let verification = check(args, &found.directory, &line, &chain)
        .inspect_err(|error| print_error_object(error, "verify", args.json))?;
    if args.json {
        print_line!("{}", json::of_verification(&verification, &found.directory, &found.directory));
    }
    let directory = found.directory.display();
    if verification.refutation.is_some() {
        return Err(Error::new(
            ErrorKind::Indeterminate,
            format!("the chain in {directory} is another one when it is searched again"),
        )
        .hint("does the program behave differently from time to time?"));
    }
    if !args.json {
        let steps = count(chain.steps.len() as u64, "step");
        let tests = count(verification.tests, "test");
        let time = time(verification.elapsed);
        print_line!("{directory}: the chain of {steps}, confirmed by {tests} in {time}");
    }
    Ok(Some(ExitCode::SUCCESS))
}

/// The session, the command line and the chain of its last run, if that was an explanation.
fn last_explanation(
    args: &VerifyArgs,
    here: &Path,
) -> Result<Option<(FoundSession, CommandLine, ChainRecord)>, Error> {
    let found = sessions::find(args.session.as_deref(), here)?;
    let records = sessions::records(&found.directory)?;
    let run = found.last_run(&records)?;
    if run.command != "explain" {
        return Ok(None);
    }
    let mut chains = run.records.iter().rev().filter_map(|record| match record {
        Record::Chain(chain) if chain.stopped.is_none() => Some(ChainRecord::clone(chain)),
        _ => None,
    });
    let chain = chains.next().ok_or_else(|| {
        Error::usage("the chain is not complete yet").hint("wynot resume goes on with it")
    })?;
    let line = run.line.clone();
    Ok(Some((found, line, chain)))
}

/// Searches the chain again in a directory of its own.
fn check(
    args: &VerifyArgs,
    session: &Path,
    line: &CommandLine,
    chain: &ChainRecord,
) -> Result<Verification, Error> {
    let Command::Explain(explain) = parse(line)? else {
        return Err(Error::usage(format!("{} holds no explanation", session.display())));
    };
    let directory = Path::new(&line.directory);
    let mut request = explain.request(directory, Some(line.arguments.clone()));
    request.session = Some(session.join(CHECK_DIRECTORY));
    request.jobs = args.jobs.or(request.jobs);
    request.fresh = true;
    let control = Control::default();
    signals::listen(&control).map_err(|error| Error::unexpected(&error))?;
    let display = DisplayOptions { quiet: args.quiet, ..DisplayOptions::default() };
    let mut observer = ExplainObserver::new(&display, directory, &control, (None, None))?;
    let report = wynot::explain(&request, &mut observer, &control)?;
    if let Some(stop) = &report.chain.stopped {
        return Err(Error::from(stop).hint("nothing is refuted so far; verify again to be sure"));
    }
    let repeated = chain_record(&report, &report.chain.steps());
    let is_same = answer(&repeated) == answer(chain);
    let described = format!("{:?}", answer(&repeated));
    Ok(Verification {
        claim: None,
        refutation: (!is_same).then_some(Refutation::OtherAnswer),
        counterexample: None,
        tests: report.tests,
        elapsed: report.elapsed,
        digest: Digest::of(&Variant::Bytes(described.into_bytes())),
    })
}

/// What a chain says, without what differs from run to run: each place, and the variables that decide there.
fn answer(chain: &ChainRecord) -> Vec<(&str, Vec<[&str; 3]>)> {
    chain.steps.iter().map(|step| (step.place.as_str(), causes(step))).collect()
}

/// Each variable with its value in the passing and in the failing run.
fn causes(step: &ChainStep) -> Vec<[&str; 3]> {
    let causes = step.causes.iter();
    causes.map(|cause| [&*cause.variable, &*cause.passing, &*cause.failing]).collect()
}
