//! Checking again what a session has proved, with tests that know nothing of the old ones.

use crate::args::VerifyArgs;
use crate::control::Control;
use crate::failure::{Code, Failure};
use crate::listen::Watchers;
use crate::look::{Looked, look, stopped};
use crate::plan::Plan;
use crate::progress::{Outlook, Progress};
use crate::refutation::{Checked, Claim, Refuted, deltas, refute};
use crate::results::tagged;
use crate::search::local;
use crate::sessions::{self, Typed};
use crate::strategy::Surroundings;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use wynot_report::number::{count, time};
use wynot_run::{
    Bounds, Collection, Compose, Digest, End, Form, Journal, Keeper, Record, Side, Stop, plain,
    take_in,
};
use wynot_subjects::Variant;

/// Where a check keeps its own journal, in the session's directory.
const PLACE: &str = "verification";

/// Verifies the last result of a session.
pub fn run(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let session = sessions::find(args.session.as_deref())?;
    let records = Journal::read(&session).map_err(|error| Failure::unexpected(&error))?;
    let (end, until) = proved(&session, &records)?;
    let (typed, output) = sessions::typed(&session, until)?;
    if typed.versions.is_some() {
        let message = "the answer of changes was tried both ways when it was found";
        return Err(Failure::usage(message).hint("wynot changes --fresh finds it again"));
    }
    let mut plan = plan(&session, &typed, &records)?;
    if let Some(jobs) = args.jobs {
        plan.jobs = usize::from(jobs);
    }
    let result = result(&plan, &output, end)?;
    let claim = Claim { result: &result, end, minimality: typed.args.algorithm.minimality.into() };
    let checked = check(&mut plan, &typed, &claim, &records, args, &output)?;
    Verdict { session: &session, output: &output, claim: &claim, plan: &plan, checked }
        .tell(args.json, started.elapsed())
}

/// Tries to refute a claim, in a place of its own.
fn check(
    plan: &mut Plan,
    typed: &Typed,
    claim: &Claim<'_>,
    records: &[Record],
    args: &VerifyArgs,
    output: &Path,
) -> Result<Checked, Failure> {
    let dir = plan.session.join(PLACE);
    let (mut journal, _) =
        Journal::open(&dir, plan.key, true).map_err(|error| Failure::unexpected(&error))?;
    plan.keeper = counterexample(&dir, plan);
    for old in [Some(&plan.keeper.failing), plan.keeper.passing.as_ref()].into_iter().flatten() {
        // Of an earlier check; usually there is none.
        let _ = std::fs::remove_dir_all(old).or_else(|_| std::fs::remove_file(old));
    }
    let plan = &*plan;
    let control = Control::listening().map_err(|error| Failure::unexpected(&error))?;
    let mut executor =
        local(plan, &typed.args, false).map_err(|error| stopped(&Stop::Executor(error)))?;
    let looked = look(plan, records, &mut journal, &mut executor, control.interrupt())?;
    let quorum = looked.quorum(plan);
    let Looked { judge, timeout, rate, .. } = looked;
    if !args.quiet {
        told!("wynot: {judge} (timeout {})", time(timeout));
        told!("wynot: checking that {} is {}", output.display(), claim.words());
    }
    let outlook = Outlook {
        original: claim.result,
        deltas: claim.end.deltas,
        isolating: false,
        skippable: false,
    };
    let mut watchers = Watchers {
        subject: plan.subject(),
        trace: None,
        events: None,
        progress: Progress::new(args.quiet, true, &control, &outlook),
        verbose: false,
        quiet: true,
        started: Instant::now(),
    };
    let surroundings = Surroundings {
        executor: &mut executor,
        judge: &judge,
        journal: &mut journal,
        listener: &mut watchers,
        interrupt: control.interrupt(),
        past: Vec::new().into(),
        bounds: Bounds {
            timeout,
            max_tests: None,
            tests_before: 0,
            deadline: None,
            until_size: None,
            quorum,
        },
        collection: &mut Collection::default(),
        rate,
    };
    refute(plan, claim, surroundings)
        .map_err(|stop| stopped(&stop).hint("nothing is refuted so far; verify again to be sure"))
}

/// What came of a check.
struct Verdict<'a> {
    session: &'a Path,
    output: &'a Path,
    claim: &'a Claim<'a>,
    plan: &'a Plan,
    checked: Checked,
}

impl Verdict<'_> {
    /// Where something is that shows that the claim does not hold.
    fn example(&self) -> Option<&PathBuf> {
        match self.checked.refuted {
            Some(Refuted::NotMinimal(Side::Failing)) => Some(&self.plan.keeper.failing),
            Some(Refuted::NotMinimal(Side::Passing)) => self.plan.keeper.passing.as_ref(),
            _ => None,
        }
    }

    fn tell(&self, as_json: bool, elapsed: Duration) -> Result<ExitCode, Failure> {
        let (claim, Checked { refuted, tests }) = (self.claim.words(), &self.checked);
        if as_json {
            let value = json!({
                "schema": 1,
                "command": "verify",
                "session": self.session.to_string_lossy(),
                "output": self.output.to_string_lossy(),
                "minimality": claim,
                "confirmed": refuted.is_none(),
                "tests": {"executed": tests},
                "counterexample": self.example().map(|path| path.to_string_lossy()),
                "seconds": (elapsed.as_secs_f64() * 1000.0).round() / 1000.0,
            });
            printed!("{value}");
        }
        let output = self.output.display();
        let gone = |message: String| {
            Err(Failure::new(Code::NoFailure, message)
                .hint("has something that the test depends on changed? Else it is flaky"))
        };
        match refuted {
            None => {
                if !as_json {
                    let tests = count(*tests, "test");
                    printed!("{output}: {claim}, confirmed by {tests} in {}", time(elapsed));
                }
                Ok(ExitCode::SUCCESS)
            }
            Some(Refuted::DoesNotFail) => gone(format!("{output} does not fail any more")),
            Some(Refuted::DoesNotPass) => {
                gone("the passing side does not pass any more".to_owned())
            }
            Some(Refuted::Unclear) => {
                let message =
                    format!("{} does not hold what {claim} is about", self.session.display());
                Err(Failure::new(Code::Indeterminate, message).hint("run the search again"))
            }
            Some(Refuted::NotMinimal(side)) => {
                let found = match side {
                    Side::Failing => "something smaller fails, too",
                    Side::Passing => "something larger passes, too",
                };
                let shown = self.example().cloned().unwrap_or_default();
                Err(Failure::new(Code::Indeterminate, format!("{output} is not {claim}: {found}"))
                    .detail(format!("see {}", shown.display()))
                    .hint("if the test is flaky, try --flaky --fresh"))
            }
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
fn result(plan: &Plan, output: &Path, end: &End) -> Result<Variant, Failure> {
    let changed = || {
        let message = format!("{} is not what the session has ended with", output.display());
        Failure::new(Code::Indeterminate, message)
            .hint("it was changed since; wynot resume writes the result again")
    };
    let fits = |artefact: &Variant| Digest::of(artefact).to_string() == end.result;
    let ended = end.sides.clone().map(|[failing, _]| plan.subject().artefact(&deltas(failing)));
    match (plan.matter.form, ended) {
        // What is varied in a call is not read from a file, nor is a folder of which only a part is kept.
        (Form::Call | Form::Folder, Some(artefact)) => Ok(artefact),
        (Form::Folder, None) => {
            let places = plan.matter.places.as_slice();
            let place = if let [place] = places { place.as_path() } else { Path::new("") };
            let folder = take_in(output, place, &[]).map_err(Failure::usage)?;
            let whole = Variant::Folder(plan.matter.fixed.overlay(&folder));
            // The fixed part is known; what is checked is the rest.
            if fits(&whole) { Ok(Variant::Folder(folder)) } else { Err(changed()) }
        }
        _ => {
            let bytes = std::fs::read(output).map_err(|error| {
                Failure::usage(format!("cannot read {}: {}", output.display(), plain(&error)))
            })?;
            let artefact = Variant::Bytes(bytes);
            if fits(&artefact) { Ok(artefact) } else { Err(changed()) }
        }
    }
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
    let named = |word: &str| -> PathBuf { dir.join(tagged(&plan.matter.name, word)) };
    Keeper {
        failing: named("smaller"),
        passing: plan.keeper.passing.as_ref().map(|_| named("passing")),
        mode: plan.matter.mode,
        places: plan.keeper.places.clone(),
        tag: plan.keeper.tag.clone(),
    }
}
