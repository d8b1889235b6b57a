//! The whole story of one search: plan, look, search, verify, tell.

use crate::args::SearchArgs;
use crate::failure::{Code, Failure};
use crate::finish::{self, Finish, Status};
use crate::listen::Watchers;
use crate::look::{Looked, look, stopped};
use crate::plan::{Algorithm, Plan, Verb};
use crate::progress::Progress;
use crate::trace::Trace;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::ffi::OsString;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use wynot_core::{
    Configuration, Isolated, Oracle, Outcome, Stopped, dd, dd_by_levels, ddmax, ddmax_by_levels,
    ddmin, ddmin_by_levels, larger_passing_or_smaller_failing, smaller_failing,
};
use wynot_report::number::{count, time};
use wynot_run::{
    Bounds, Journal, JournalError, Local, LocalSetup, Parts, Record, RunRecord, Session, Side, Stop,
};

/// Runs a search and tells what came of it.
pub fn run(verb: Verb, args: &SearchArgs, passing: Option<&Path>) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let plan = Plan::new(verb, args, passing)?;
    let interrupt = interrupts().map_err(|error| Failure::unexpected(&error))?;
    let (mut journal, past) = open_journal(&plan, args.run.fresh)?;
    let mut executor = local(&plan, args).map_err(|error| stopped(&Stop::Executor(error)))?;
    let Looked { judge, timeout } = look(&plan, &past, &mut journal, &mut executor, &interrupt)?;
    executor.want_output = args.outcome.same_output
        || !args.outcome.fail_when.is_empty()
        || !args.outcome.pass_when.is_empty();
    let subject = &plan.subject;
    let say = |text: String| {
        if !args.output.quiet {
            eprintln!("{text}");
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
    keep_first(&plan, args, known > 0)?;
    let reading = judge.to_string();
    journal
        .append(&Record::Run(run_record(&plan, args, reading)))
        .map_err(|error| Failure::cannot_write(journal.path(), &error))?;
    let mut watchers = Watchers {
        subject,
        trace: args.output.trace.then(|| Trace::new(subject, args.output.verbose)),
        events: args.output.events.as_deref().map(create).transpose()?.map(BufWriter::new),
        progress: Progress::new(
            args.output.quiet,
            subject.original().len() as u64,
            u64::from(subject.deltas()),
            plan.algorithm.isolates(),
        ),
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
    let parts = Parts {
        subject,
        executor: &mut executor,
        judge: &judge,
        journal: &mut journal,
        keeper: &plan.keeper,
        listener: &mut watchers,
        interrupt: &interrupt,
    };
    let mut session = Session::new(parts, bounds, args.algorithm.assume_monotone, &past);
    let searched = search(&plan, usize::from(args.algorithm.minimality), &mut session);
    let (sides, status) = match searched {
        Ok(sides) => match verified(&plan, &sides, &mut session) {
            Ok(true) => (sides, Status::Minimal),
            Ok(false) => (sides, Status::Indeterminate),
            Err(stop) => (sides, Status::Stopped(stop)),
        },
        Err(Stopped { best, cause }) => (best, Status::Stopped(cause)),
    };
    let counts = session.counts();
    drop(session);
    drop(watchers);
    let own_cpu = finish::own_cpu() + executor.own_cpu();
    drop(executor);
    let finish =
        Finish { plan: &plan, args, sides, status, counts, seconds: started.elapsed(), own_cpu };
    finish.tell(&mut journal)
}

/// A flag that the first request to stop raises; the second one ends wynot at once.
fn interrupts() -> std::io::Result<Arc<AtomicBool>> {
    let raised = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register_conditional_shutdown(signal, Code::Interrupted as i32, Arc::clone(&raised))?;
        flag::register(signal, Arc::clone(&raised))?;
    }
    Ok(raised)
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

fn local(plan: &Plan, args: &SearchArgs) -> Result<Local, wynot_run::ExecutorError> {
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
        slots: plan.jobs,
        scratch: args.run.scratch.as_deref(),
        variant_size: plan.subject.original().len() as u64,
    })
}

/// From the first moment on there is a complete result that fails: the original.
fn keep_first(plan: &Plan, args: &SearchArgs, resuming: bool) -> Result<(), Failure> {
    let kept = |stop: Stop| stopped(&stop);
    if args.output.in_place {
        let mut name = plan.name.clone();
        name.push(".orig");
        let orig = args.input.with_file_name(name);
        if !orig.exists() {
            std::fs::copy(&args.input, &orig)
                .map_err(|error| Failure::cannot_write(&orig, &error))?;
        }
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

fn run_record(plan: &Plan, args: &SearchArgs, reading: String) -> RunRecord {
    RunRecord {
        command: plan.verb.name().to_owned(),
        algorithm: plan.algorithm.name().to_owned(),
        units: plan.subject.units().to_string(),
        input: plan.name.to_string_lossy().into_owned(),
        test: args.test.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        reading,
        bytes: plan.subject.original().len() as u64,
        deltas: u64::from(plan.subject.deltas()),
        excerpt: finish::excerpt(plan.subject.original()),
    }
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| Failure::cannot_write(path, &error))
}

/// The algorithm, and then again wherever the check for more than 1-minimality finds something.
fn search<O: Oracle<Configuration>>(
    plan: &Plan,
    minimality: usize,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let levels = plan.subject.levels();
    let all = Configuration::full(plan.subject.deltas());
    let start = Isolated { passing: Configuration::empty(), failing: all };
    let mut sides = match plan.algorithm {
        Algorithm::Ddmin => simplified(ddmin_by_levels(levels, start.failing, oracle))?,
        Algorithm::Dd => dd_by_levels(levels, start, oracle)?,
        Algorithm::Ddmax => ddmax_by_levels(levels, start, oracle)?,
    };
    if minimality == 1 {
        return Ok(sides);
    }
    loop {
        let closer = match plan.algorithm {
            Algorithm::Ddmin => smaller_failing(&sides.failing, minimality, oracle)
                .map(|smaller| smaller.map(|failing| Isolated { failing, ..sides.clone() })),
            Algorithm::Dd | Algorithm::Ddmax => {
                larger_passing_or_smaller_failing(&sides, minimality, oracle)
            }
        };
        sides = match closer {
            Ok(None) => return Ok(sides),
            Ok(Some(closer)) => match plan.algorithm {
                Algorithm::Ddmin => simplified(ddmin(closer.failing, oracle))?,
                Algorithm::Dd => dd(closer, oracle)?,
                Algorithm::Ddmax => ddmax(closer, oracle)?,
            },
            Err(cause) => return Err(Stopped { best: sides, cause }),
        };
    }
}

/// The result of simplifying, as two sides: nothing passes.
fn simplified<S>(
    result: Result<Configuration, Stopped<Configuration, S>>,
) -> Result<Isolated, Stopped<Isolated, S>> {
    let sides = |failing| Isolated { passing: Configuration::empty(), failing };
    result.map(sides).map_err(|Stopped { best, cause }| Stopped { best: sides(best), cause })
}

/// Tests the result once more. A test that now says something else has changed its mind.
fn verified(plan: &Plan, sides: &Isolated, session: &mut Session<'_, Local>) -> Result<bool, Stop> {
    let full = Configuration::full(plan.subject.deltas());
    let narrowed = |side: &Configuration| !side.is_empty() && *side != full;
    if narrowed(&sides.failing) && !session.verify(&sides.failing, Outcome::Fail)? {
        return Ok(false);
    }
    if plan.algorithm.isolates() && narrowed(&sides.passing) {
        return session.verify(&sides.passing, Outcome::Pass);
    }
    Ok(true)
}
