//! The whole story of one search: plan, look, search, verify, tell.

use crate::args::SearchArgs;
use crate::assistant::Aides;
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
use crate::trace::Trace;
use std::ffi::OsString;
use std::fs::File;
use std::io::LineWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use wynot_report::number::{count, time};
use wynot_run::{
    Bounds, Journal, JournalError, Local, LocalSetup, Record, RunRecord, Side, Stop, own_cpu,
    write_whole,
};

/// Runs a search and tells what came of it.
pub fn run(typed: &mut Typed) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let plan = plan(typed)?;
    let args = &typed.args;
    let control = Control::listening().map_err(|error| Failure::unexpected(&error))?;
    let is_taken = is_taken(&plan, args);
    let (mut journal, past) = open_journal(&plan, args.run.fresh)?;
    let mut executor = local(&plan, args).map_err(|error| stopped(&Stop::Executor(error)))?;
    let Looked { judge, timeout, original } =
        look(&plan, &past, &mut journal, &mut executor, control.interrupt())?;
    let subject = &plan.subject;
    let say = |text: String| {
        if !args.output.quiet {
            told!("{text}");
        }
    };
    say(format!("wynot: {judge} (timeout {})", time(timeout)));
    let known = past.iter().filter(|record| matches!(record, Record::Test(_))).count();
    if known > 0 {
        say(format!(
            "wynot: resuming with {} known (--fresh starts over)",
            count(known as u64, "outcome")
        ));
    }
    if args.output.verbose {
        say(format!("wynot: session {}", plan.session.display()));
    }
    if is_taken && known == 0 {
        keep_other(&plan.keeper.failing)?;
    }
    keep_first(&plan, args, known > 0)?;
    let reading = judge.to_string();
    journal
        .append(&Record::Run(run_record(&plan, typed, reading)))
        .map_err(|error| Failure::cannot_write(journal.path(), &error))?;
    let outlook = Outlook {
        original: subject.original(),
        deltas: u64::from(subject.deltas()),
        isolating: plan.algorithm.isolates(),
        skippable: plan.algorithm == Algorithm::Smart,
    };
    let mut watchers = Watchers {
        subject,
        trace: args.output.trace.then(|| Trace::new(subject, args.output.verbose)),
        events: args.output.events.as_deref().map(create).transpose()?.map(LineWriter::new),
        progress: Progress::new(args.output.quiet, !args.output.trace, &control, &outlook),
        verbose: args.output.verbose,
        quiet: args.output.quiet,
        started,
    };
    let bounds = Bounds {
        timeout,
        max_tests: args.algorithm.max_tests,
        deadline: args.algorithm.max_time.map(|limit| started + limit),
        quorum: plan.quorum,
    };
    let surroundings = Surroundings {
        executor: &mut executor,
        judge: &judge,
        journal: &mut journal,
        listener: &mut watchers,
        interrupt: control.interrupt(),
        past: &past,
        bounds,
    };
    let found = match plan.algorithm {
        Algorithm::Smart => {
            let aides = Aides::new(&control, plan.language, !args.algorithm.no_external);
            if let (Some((clang, _)), true) = (&aides.clang, args.output.verbose) {
                say(format!("wynot: with {}", clang.program().display()));
            }
            strategy::by_syntax(&plan, &aides, surroundings)
        }
        _ => strategy::by_deltas(&plan, &args.algorithm, surroundings),
    };
    drop(watchers);
    let own_cpu = own_cpu() + executor.own_cpu();
    drop(executor);
    let resumed = known > 0;
    let seconds = started.elapsed();
    Finish { plan: &plan, args, found, original, resumed, seconds, own_cpu }.tell(&mut journal)
}

/// The plan; that of an earlier run if one with `--in-place` was stopped and has left its original.
fn plan(typed: &mut Typed) -> Result<Plan, Failure> {
    if typed.args.output.in_place && !typed.resumed && !typed.args.run.fresh {
        typed.resumed = true;
        if let Ok(plan) = Plan::new(typed)
            && Journal::changed(&plan.session).is_some()
        {
            return Ok(plan);
        }
        typed.resumed = false;
    }
    Plan::new(typed)
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

pub fn local(plan: &Plan, args: &SearchArgs) -> Result<Local, wynot_run::ExecutorError> {
    // The link works even if the file has been replaced in the meantime, but not under every debugger.
    let file = std::env::current_exe().ok().filter(|path| path.exists());
    let program = file.unwrap_or_else(|| PathBuf::from("/proc/self/exe"));
    let own = (program, vec![OsString::from(crate::SUPERVISE)]);
    Local::new(&LocalSetup {
        supervisor: own,
        command: &plan.command,
        name: &plan.variant,
        mode: plan.mode,
        project: plan.project.as_deref(),
        limits: plan.limits,
        crashes: plan.crashes,
        slots: plan.jobs,
        scratch: args.run.scratch.as_deref(),
        variant_size: plan.subject.original().len() as u64,
    })
}

/// From the first moment on there is a complete result that fails: the original.
fn keep_first(plan: &Plan, args: &SearchArgs, resuming: bool) -> Result<(), Failure> {
    let kept = |stop: Stop| stopped(&stop);
    if args.output.in_place {
        let orig = kept_original(&args.input);
        let kept = std::fs::read(&orig);
        if kept.as_ref().is_ok_and(|kept| kept != plan.subject.original()) {
            let message = format!("{} is there already and holds something else", orig.display());
            return Err(Failure::usage(message).hint("move it away; it would be lost"));
        }
        write_whole(&orig, plan.subject.original(), plan.mode, &plan.keeper.tag)
            .map_err(|error| Failure::cannot_write(&orig, &error))?;
    }
    // When resuming, the file holds something better already.
    if !resuming || !plan.keeper.failing.exists() {
        plan.keeper.save(Side::Failing, plan.subject.original()).map_err(kept)?;
    }
    let there = plan.keeper.passing.as_ref().is_some_and(|path| path.exists());
    if !resuming || !there {
        plan.keeper.save(Side::Passing, plan.subject.baseline()).map_err(kept)?;
    }
    Ok(())
}

/// Whether the place of the result is taken by something that comes from no search.
fn is_taken(plan: &Plan, args: &SearchArgs) -> bool {
    let by_default = !args.output.in_place && args.output.output.is_none();
    let result = &plan.keeper.failing;
    by_default && result.exists() && sessions::find(Some(result)).is_err()
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
        input: plan.name.to_string_lossy().into_owned(),
        test: typed.args.test.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        reading,
        bytes: plan.subject.original().len() as u64,
        deltas: u64::from(plan.subject.deltas()),
        excerpt: finish::excerpt(plan.subject.original()),
        again: typed.again(&plan.keeper.failing),
    }
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| Failure::cannot_write(path, &error))
}
