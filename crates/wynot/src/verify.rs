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
use wynot_run::{Bounds, Digest, End, Journal, Keeper, Record, Side, Stop};

/// Where a check keeps its own journal, in the session's directory.
const PLACE: &str = "verification";

/// Verifies the last result of a session.
pub fn run(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let session = sessions::find(args.session.as_deref())?;
    let records = Journal::read(&session).map_err(|error| Failure::unexpected(&error))?;
    let (end, until) = proved(&session, &records)?;
    let (typed, output) = sessions::typed(&session, until)?;
    let result = result(&output, end)?;
    let mut plan = plan(&session, &typed, &records)?;
    if let Some(jobs) = args.jobs {
        plan.jobs = usize::from(jobs);
    }
    let dir = session.join(PLACE);
    let (mut journal, _) =
        Journal::open(&dir, plan.key, true).map_err(|error| Failure::unexpected(&error))?;
    plan.keeper = counterexample(&dir, &plan);
    for old in [Some(&plan.keeper.failing), plan.keeper.passing.as_ref()].into_iter().flatten() {
        // Of an earlier check; usually there is none.
        let _ = std::fs::remove_file(old);
    }
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
    let example = match refuted {
        Some(Refuted::NotMinimal(Side::Failing)) => Some(plan.keeper.failing.clone()),
        Some(Refuted::NotMinimal(Side::Passing)) => plan.keeper.passing.clone(),
        _ => None,
    };
    if args.json {
        let value = json!({
            "schema": 1,
            "command": "verify",
            "session": session.to_string_lossy(),
            "output": output.to_string_lossy(),
            "minimality": claim,
            "confirmed": refuted.is_none(),
            "tests": {"executed": tests},
            "counterexample": example.as_deref().map(Path::to_string_lossy),
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
        Some(Refuted::DoesNotPass) => {
            Err(Failure::new(Code::NoFailure, "the passing side does not pass any more")
                .hint("has something that the test depends on changed? Else it is flaky"))
        }
        Some(Refuted::Unclear) => {
            let message = format!("{} does not hold what {claim} is about", session.display());
            Err(Failure::new(Code::Indeterminate, message).hint("run the search again"))
        }
        Some(Refuted::NotMinimal(side)) => {
            let found = match side {
                Side::Failing => "something smaller fails, too",
                Side::Passing => "something larger passes, too",
            };
            let shown = example.unwrap_or_default();
            Err(Failure::new(Code::Indeterminate, format!("{output} is not {claim}: {found}"))
                .detail(format!("see {}", shown.display()))
                .hint("if the test is flaky, try --repeat 5 --quorum 3 --fresh"))
        }
    }
}

/// The last end in the session that has proved something, and all records up to it.
fn proved<'r>(session: &Path, records: &'r [Record]) -> Result<(&'r End, &'r [Record]), Failure> {
    let ends = records.iter().enumerate().rev().filter_map(|(at, record)| match record {
        Record::End(end) => Some((end, &records[..at])),
        _ => None,
    });
    let mut ends = ends.filter(|(end, _)| end.minimality.is_some());
    ends.next().ok_or_else(|| {
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
