//! The whole story of one search: plan, look, search, verify, tell.

use crate::args::CommonArgs;
use crate::assistant::Aides;
use crate::causes::{self, Causes};
use crate::changes::{self, Investigation};
use crate::control::Control;
use crate::failure::Failure;
use crate::finish::{self, Finish};
use crate::listen::Watchers;
use crate::look::{Looked, look, stopped};
use crate::plan::{Algorithm, Plan};
use crate::progress::{Outlook, Progress};
use crate::results::kept_original;
use crate::sessions::{self, Typed};
use crate::strategy::{self, Surroundings};
use crate::telling::rate_in_words;
use crate::trace::Trace;
use std::ffi::OsString;
use std::fs::File;
use std::io::LineWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use wynot_core::Outcome;
use wynot_report::number::{count, time};
use wynot_run::{
    Bounds, Collection, Digest, Journal, JournalError, Local, LocalSetup, Record, RunRecord, Side,
    Stop, own_cpu, write_whole,
};
use wynot_subjects::{Subject, Variant};

/// Runs a search and tells what came of it.
pub fn run(typed: &mut Typed) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let plan = plan(typed)?;
    let args = &typed.args;
    let control = Control::listening().map_err(|error| Failure::unexpected(&error))?;
    let is_taken = is_taken(&plan, typed);
    let (mut journal, past) = open_journal(&plan, args.run.fresh)?;
    let builds = typed.versions.as_ref().is_some_and(|versions| versions.build.is_some());
    let mut executor =
        local(&plan, args, builds).map_err(|error| stopped(&Stop::Executor(error)))?;
    let looked = look(&plan, &past, &mut journal, &mut executor, control.interrupt())?;
    let known = past.iter().filter(|record| matches!(record, Record::Test(_))).count() as u64;
    introduce(&plan, args, &looked, known);
    if is_taken && known == 0 {
        keep_other(&plan.keeper.failing)?;
    }
    keep_first(&plan, typed, known > 0)?;
    journal
        .append(&Record::Run(run_record(&plan, typed, looked.judge.to_string())))
        .map_err(|error| Failure::cannot_write(journal.path(), &error))?;
    let mut watchers = watchers(&plan, args, &control, started)?;
    let mut collection = collection(&plan, typed, &looked);
    let surroundings = Surroundings {
        executor: &mut executor,
        judge: &looked.judge,
        journal: &mut journal,
        listener: &mut watchers,
        interrupt: control.interrupt(),
        past: past.as_slice().into(),
        bounds: Bounds {
            timeout: looked.timeout,
            max_tests: args.algorithm.max_tests,
            tests_before: 0,
            deadline: args.algorithm.max_time.map(|limit| started + limit),
            until_size: args.algorithm.until_size,
            quorum: looked.quorum(&plan),
        },
        collection: &mut collection,
        rate: looked.rate,
    };
    let (causes, investigation) = searched(&plan, typed, &control, surroundings)?;
    let causes = if known == 0 { causes.without_earlier_runs() } else { causes };
    drop(watchers);
    let own_cpu = own_cpu() + executor.own_cpu();
    drop(executor);
    let finish = Finish {
        plan: &plan,
        typed,
        causes,
        investigation,
        crashes: collection.met(),
        original: looked.original,
        rate: looked.rate,
        resumed: known > 0,
        seconds: started.elapsed(),
        own_cpu,
    };
    finish.tell(&mut journal)
}

/// Says how outcomes are read, and what is known already.
fn introduce(plan: &Plan, args: &CommonArgs, looked: &Looked, known: u64) {
    if args.output.quiet {
        return;
    }
    let Looked { judge, timeout, rate, .. } = looked;
    told!("wynot: {judge} (timeout {})", time(*timeout));
    if let Some(rate) = rate {
        let most = looked.quorum(plan).most();
        let often = rate_in_words(*rate);
        told!("wynot: it fails {often}; a variant is asked up to about {most} times");
    }
    if known > 0 {
        let known = count(known, "outcome");
        told!("wynot: resuming with {known} known (--fresh starts over)");
    }
    if args.output.verbose {
        told!("wynot: session {}", plan.session.display());
    }
}

/// Those who watch the search.
fn watchers<'a>(
    plan: &'a Plan,
    args: &CommonArgs,
    control: &Control,
    started: Instant,
) -> Result<Watchers<'a>, Failure> {
    let subject = plan.subject();
    let output = &args.output;
    let outlook = Outlook {
        original: &subject.original(),
        deltas: plan.distance(),
        isolating: plan.algorithm.isolates(),
        skippable: plan.algorithm == Algorithm::Smart,
    };
    Ok(Watchers {
        subject,
        trace: output.trace.then(|| Trace::new(subject, output.verbose)),
        events: output.events.as_deref().map(create).transpose()?.map(LineWriter::new),
        progress: Progress::new(output.quiet, !output.trace, control, &outlook),
        verbose: output.verbose,
        quiet: output.quiet,
        started,
    })
}

/// Where other crashes are kept, if anybody wants them.
fn collection(plan: &Plan, typed: &Typed, looked: &Looked) -> Collection {
    if !typed.input.all_causes {
        return Collection::default();
    }
    let name = plan.matter.name.to_string_lossy().into_owned();
    Collection::new(plan.session.join("crashes"), name, looked.original.crash.clone())
}

/// The strategy that the plan asks for, run to its end.
fn searched(
    plan: &Plan,
    typed: &Typed,
    control: &Control,
    mut surroundings: Surroundings<'_>,
) -> Result<(Causes, Option<Investigation>), Failure> {
    let args = &typed.args;
    if let Some(versions) = &plan.versions {
        let group = typed.versions.as_ref().and_then(|versions| versions.group);
        let (found, about) = changes::search(plan, versions, group, args, surroundings)?;
        return Ok((Causes::alone(found), Some(about)));
    }
    let causes = match (plan.algorithm, plan.subject()) {
        (Algorithm::Smart, Subject::Text(input)) => {
            let aides = Aides::new(control, plan.matter.language, !typed.input.no_external);
            if let (Some((clang, _)), true) = (&aides.clang, args.output.verbose) {
                told!("wynot: with {}", clang.program().display());
            }
            let (keeper, text) = (&plan.keeper, input.original());
            match typed.goes_on() {
                true => causes::over_lines(plan, input, &aides, surroundings)?,
                false => {
                    let found = strategy::by_syntax(plan, keeper, text, &aides, &mut surroundings);
                    Causes::alone(found)
                }
            }
        }
        (Algorithm::Smart, _) => {
            let aides = Aides::new(control, plan.matter.language, false);
            Causes::alone(strategy::by_files(plan, &aides, surroundings))
        }
        _ => causes::over_deltas(plan, &args.algorithm, typed.goes_on(), surroundings)?,
    };
    Ok((causes, None))
}

/// The plan; that of an earlier run if one with `--in-place` was stopped and has left its original.
fn plan(typed: &mut Typed) -> Result<Plan, Failure> {
    if !typed.input.in_place || typed.args.run.fresh {
        return Plan::new(typed);
    }
    let asked = std::mem::replace(&mut typed.resumed, true);
    match Plan::new(typed) {
        Ok(plan) if is_own(&plan, &typed.inputs[0]) => return Ok(plan),
        Err(failure) if asked => return Err(failure),
        Ok(_) if asked => {
            let input = typed.inputs[0].display();
            let message = format!("{input} has been changed since the search was stopped");
            let hint = "going on would overwrite it; reduce it as a new input";
            return Err(Failure::usage(message).hint(hint));
        }
        _ => typed.resumed = false,
    }
    Plan::new(typed)
}

/// Whether a file that is going to be replaced is the original, or was written by the session.
fn is_own(plan: &Plan, input: &Path) -> bool {
    let Ok(now) = std::fs::read(input) else { return true };
    let digest = Digest::of_bytes(&now).to_string();
    let past = Journal::read(&plan.session).unwrap_or_default();
    let written = past.iter().any(|record| match record {
        Record::Test(test) => test.digest == digest && test.outcome == Outcome::Fail.to_string(),
        Record::End(end) => end.result == digest,
        _ => false,
    });
    !past.is_empty() && (written || Variant::Bytes(now) == plan.subject().original())
}

fn open_journal(plan: &Plan, fresh: bool) -> Result<(Journal, Vec<Record>), Failure> {
    Journal::open(&plan.session, plan.key, fresh).map_err(|error| {
        let failure = Failure::unexpected(&error);
        match error {
            JournalError::InUse(_) => {
                failure.hint("wait for it, or choose another place with --session DIR")
            }
            JournalError::Foreign(_) | JournalError::Unreadable(_) => {
                failure.hint("use --fresh to throw it away, or another place with --session DIR")
            }
            JournalError::Io { .. } => failure.hint("choose another place with --session DIR"),
        }
    })
}

/// The tests of a plan; with `keeps_products`, what they make stays.
pub fn local(
    plan: &Plan,
    args: &CommonArgs,
    keeps_products: bool,
) -> Result<Local, wynot_run::ExecutorError> {
    // The link works even if the file has been replaced in the meantime, but not under every debugger.
    let file = std::env::current_exe().ok().filter(|path| path.exists());
    let program = file.unwrap_or_else(|| PathBuf::from("/proc/self/exe"));
    let own = (program, vec![OsString::from(crate::SUPERVISE)]);
    Local::new(&LocalSetup {
        supervisor: own,
        command: &plan.command,
        form: plan.matter.form,
        name: &plan.matter.variant,
        mode: plan.matter.mode,
        project: plan.project.as_deref(),
        limits: plan.limits,
        sandbox: plan.sandbox,
        keeps_products,
        crashes: plan.crashes,
        slots: plan.jobs,
        scratch: args.run.scratch.as_deref(),
        variant_size: plan.subject().size(),
    })
}

/// From the first moment on there is a complete result that fails: the original.
fn keep_first(plan: &Plan, typed: &Typed, resuming: bool) -> Result<(), Failure> {
    let kept = |stop: Stop| stopped(&stop);
    let (original, baseline) = (plan.subject().original(), plan.subject().baseline());
    if let (true, Variant::Bytes(bytes)) = (typed.input.in_place, &original) {
        let orig = kept_original(&typed.inputs[0]);
        if std::fs::read(&orig).is_ok_and(|kept| kept != *bytes) {
            let message = format!("{} is there already and holds something else", orig.display());
            return Err(Failure::usage(message).hint("move it away; it would be lost"));
        }
        write_whole(&orig, bytes, plan.matter.mode, &plan.keeper.tag)
            .map_err(|error| Failure::cannot_write(&orig, &error))?;
    }
    // When resuming, the file holds something better already.
    if !resuming || plan.keeper.size(Side::Failing).is_none() {
        plan.keeper.save(Side::Failing, &original).map_err(kept)?;
    }
    if !resuming || plan.keeper.size(Side::Passing).is_none() {
        plan.keeper.save(Side::Passing, &baseline).map_err(kept)?;
    }
    Ok(())
}

/// Whether the place of the result is taken by something that comes from no search.
fn is_taken(plan: &Plan, typed: &Typed) -> bool {
    let by_default = !typed.input.in_place && typed.args.output.output.is_none();
    let result = &plan.keeper.failing;
    by_default && !plan.is_silent() && result.exists() && sessions::find(Some(result)).is_err()
}

/// Moves what is in the place of the result out of the way.
fn keep_other(result: &Path) -> Result<(), Failure> {
    let first = kept_original(result);
    let numbered = (2..).map(|number| PathBuf::from(format!("{}{number}", first.display())));
    let kept = std::iter::once(first.clone()).chain(numbered).find(|path| !path.exists());
    let kept = kept.unwrap_or(first);
    std::fs::rename(result, &kept).map_err(|error| Failure::cannot_write(&kept, &error))?;
    told!("wynot: {} was there already; it is {} now", result.display(), kept.display());
    Ok(())
}

fn run_record(plan: &Plan, typed: &Typed, reading: String) -> RunRecord {
    RunRecord {
        command: plan.verb.name().to_owned(),
        algorithm: plan.algorithm.name().to_owned(),
        units: plan.units(),
        input: plan.matter.name.to_string_lossy().into_owned(),
        test: typed.args.test.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        reading,
        bytes: plan.subject().size(),
        deltas: u64::from(plan.subject().deltas()),
        excerpt: match &plan.versions {
            Some(versions) => format!("from {} to {}\n", versions.names.0, versions.names.1),
            None => finish::excerpt(&plan.subject().original()),
        },
        again: typed.again(&match plan.versions {
            Some(_) => plan.session.join("changes.patch"),
            None => plan.keeper.failing.clone(),
        }),
    }
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| Failure::cannot_write(path, &error))
}
