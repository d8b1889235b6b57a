//! Checking again what a session has proved, with tests that know nothing of the old ones.

use crate::args::VerifyArgs;
use crate::control::Control;
use crate::failure::{Code, Failure};
use crate::listen::Watchers;
use crate::look::{Looked, look, stopped};
use crate::plan::{Algorithm, Plan};
use crate::progress::{Outlook, Progress};
use crate::search::local;
use crate::sessions::{self, Typed};
use crate::strategy::{self, Checked, Claim, Refuted, Surroundings};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use wynot_report::number::{count, time};
use wynot_run::{Bounds, Digest, End, Journal, Keeper, Record, Stop};

/// Where a check keeps its own journal, in the session's directory.
const PLACE: &str = "verification";

/// Verifies the last result of a session.
pub fn run(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let session = sessions::find(args.session.as_deref())?;
    let session = session.canonicalize().unwrap_or(session);
    let records = Journal::read(&session).map_err(|error| Failure::unexpected(&error))?;
    let end = proved(&session, &records)?;
    let (typed, output) = sessions::typed(&session, &records)?;
    let result = result(&output, end)?;
    let mut plan = plan(&session, &typed, &records)?;
    if let Some(jobs) = args.jobs {
        plan.jobs = usize::from(jobs);
    }
    let dir = session.join(PLACE);
    let (mut journal, _) =
        Journal::open(&dir, plan.key, true).map_err(|error| Failure::unexpected(&error))?;
    plan.keeper = counterexample(&dir, &plan);
    let control = Control::listening().map_err(|error| Failure::unexpected(&error))?;
    let mut executor =
        local(&plan, &typed.args).map_err(|error| stopped(&Stop::Executor(error)))?;
    let Looked { judge, timeout, .. } =
        look(&plan, &records, &mut journal, &mut executor, control.interrupt())?;
    let claim = end.minimality.clone().unwrap_or_default();
    if !args.quiet {
        told!("wynot: {judge} (timeout {})", time(timeout));
        told!("wynot: checking that {} is {claim}", output.display());
    }
    let outlook =
        Outlook { original: &result, deltas: end.deltas, isolating: false, skippable: false };
    let mut watchers = Watchers {
        subject: &plan.subject,
        trace: None,
        events: None,
        progress: Progress::new(args.quiet, true, &control, &outlook),
        verbose: false,
        quiet: true,
        started,
    };
    let surroundings = Surroundings {
        executor: &mut executor,
        judge: &judge,
        journal: &mut journal,
        listener: &mut watchers,
        interrupt: control.interrupt(),
        past: &[],
        bounds: Bounds { timeout, max_tests: None, deadline: None, quorum: plan.quorum },
    };
    let minimality = typed.args.algorithm.minimality;
    let claim_of = Claim { result: &result, end, minimality: usize::from(minimality) };
    let Checked { refuted, tests } = match plan.algorithm {
        Algorithm::Smart => strategy::refute_syntax(&plan, &claim_of, surroundings),
        _ => strategy::refute_deltas(&plan, &claim_of, surroundings),
    }
    .map_err(|stop| stopped(&stop).hint("nothing is refuted so far; verify again to be sure"))?;
    drop(watchers);
    let smaller = matches!(refuted, Some(Refuted::NotMinimal)).then(|| plan.keeper.failing.clone());
    if args.json {
        let value = json!({
            "schema": 1,
            "command": "verify",
            "session": session.to_string_lossy(),
            "output": output.to_string_lossy(),
            "minimality": claim,
            "confirmed": refuted.is_none(),
            "tests": {"executed": tests},
            "counterexample": smaller.as_deref().map(Path::to_string_lossy),
            "seconds": (started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0,
        });
        printed!("{value}");
    }
    let output = output.display();
    match refuted {
        None => {
            if !args.json {
                let tests = count(tests, "test");
                printed!("{output}: {claim}, confirmed by {tests} in {}", time(started.elapsed()));
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(Refuted::DoesNotFail) => {
            Err(Failure::new(Code::NoFailure, format!("{output} does not fail any more"))
                .hint("has something that the test depends on changed? Else it is flaky"))
        }
        Some(Refuted::NotMinimal) => {
            let message = format!("{output} is not {claim}: something smaller fails, too");
            Err(Failure::new(Code::Indeterminate, message)
                .detail(format!("see {}", plan.keeper.failing.display()))
                .hint("if the test is flaky, try --repeat 5 --quorum 3 --fresh"))
        }
    }
}

/// The end of the session that has proved something.
fn proved<'r>(session: &Path, records: &'r [Record]) -> Result<&'r End, Failure> {
    let end = records.iter().rev().find_map(|record| match record {
        Record::End(end) => Some(end),
        _ => None,
    });
    end.filter(|end| end.minimality.is_some()).ok_or_else(|| {
        let message = format!("nothing is proved yet in {}", session.display());
        Failure::usage(message).hint("wynot resume goes on with it")
    })
}

/// The result as it is now, if it is what the session has ended with.
fn result(output: &Path, end: &End) -> Result<Vec<u8>, Failure> {
    let result = std::fs::read(output).map_err(|error| {
        let message = format!("cannot read {}: {}", output.display(), wynot_run::plain(&error));
        Failure::usage(message)
    })?;
    if Digest::of_bytes(&result).to_string() == end.result {
        return Ok(result);
    }
    let message = format!("{} is not what the session has ended with", output.display());
    Err(Failure::new(Code::Indeterminate, message)
        .hint("it was changed since; wynot resume writes the result again"))
}

/// The plan of the session, if all it depends on is still the same.
fn plan(session: &Path, typed: &Typed, records: &[Record]) -> Result<Plan, Failure> {
    let plan = Plan::new(typed)?;
    let key = plan.key.to_string();
    match records.first() {
        Some(Record::Session { key: known, .. }) if *known == key => Ok(plan),
        _ => {
            let message = format!(
                "the input or the test has changed since the session in {}",
                session.display()
            );
            Err(Failure::new(Code::Indeterminate, message)
                .hint("what was proved then says nothing about the test of today; reduce again"))
        }
    }
}

/// A counterexample is kept beside the journal of the check.
fn counterexample(dir: &Path, plan: &Plan) -> Keeper {
    let named = |word: &str| -> PathBuf { dir.join(crate::results::tagged(&plan.name, word)) };
    Keeper {
        failing: named("smaller"),
        passing: plan.keeper.passing.as_ref().map(|_| named("passing")),
        mode: plan.mode,
        tag: plan.keeper.tag.clone(),
    }
}
