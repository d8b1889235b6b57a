//! The first runs, of the original and of the passing side: they decide how outcomes are judged.

mod refusal;

use crate::error::{Error, ErrorKind};
use crate::plan::Plan;
use refusal::{passing_side_unresolved, refuse, with_runs};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use wynot_core::Outcome;
use wynot_exec::{Local, TestSpec};
use wynot_session::judge::{FirstRunsError, Quorum, Rate, TestJudge};
use wynot_session::{Ending, Journal, Judge, Observation, Record, RunSummary, observe};
use wynot_subjects::Variant;

/// How long the very first run may take when the user has set no timeout.
const MAX_FIRST_RUN: Duration = Duration::from_secs(60);

/// The same if it builds something first, from nothing.
const MAX_FIRST_BUILD: Duration = Duration::from_secs(30 * 60);

/// The shortest timeout that is chosen automatically.
const MIN_TIMEOUT: Duration = Duration::from_secs(1);

/// How often the original is run to find out how often it fails: until it has failed often enough.
const MIN_RUNS: u32 = 20;
pub(crate) const MAX_RUNS: u32 = 120;
const ENOUGH_FAILURES: u32 = 16;

/// What the first runs decided.
#[derive(Debug)]
pub(crate) struct FirstRuns {
    /// The judge of all further runs.
    pub judge: TestJudge,
    /// How long a test may take.
    pub timeout: Duration,
    /// The run of the original.
    pub original: RunSummary,
    /// How often the original fails, if that was measured.
    pub rate: Option<Rate>,
}

impl FirstRuns {
    /// How often each variant is tested.
    pub(crate) fn quorum(&self, plan: &Plan) -> Quorum {
        self.rate.map_or(plan.quorum, |rate| Quorum::Rate { usual: rate.share() })
    }
}

/// Runs the test on both sides and decides how to judge, or takes over what an earlier run decided.
pub(crate) fn first_runs(
    plan: &Plan,
    past: &[Record],
    journal: &mut Journal,
    executor: &mut Local,
    spec: &Arc<TestSpec>,
    stop: &AtomicBool,
) -> Result<FirstRuns, Error> {
    if let Some(recalled) = recall(plan, past) {
        return recalled;
    }
    let longest = match plan.command.build {
        Some(_) => MAX_FIRST_BUILD,
        None => MAX_FIRST_RUN,
    };
    let longest = plan.timeout.unwrap_or(longest);
    let mut run = |variant: Variant| {
        observe(executor, spec, variant, longest, stop).map_err(|stop| Error::from(&stop))
    };
    let first = run(plan.subject().original())?;
    let passing = run(plan.subject().baseline())?;
    let most = if plan.flaky { MAX_RUNS } else { plan.quorum.most() };
    let original = match most {
        0 | 1 => first,
        // A test that fails now and then is asked until it does.
        most => until_it_fails(first, &passing, plan, most, &mut run)?,
    };
    let judge = TestJudge::from_first_runs(&original, &passing, &plan.criteria)
        .map_err(|reason| refuse(plan, reason, &original, &passing))?;
    let rate = match plan.flaky {
        true => Some(measure_rate(plan, &judge, &passing, &original, &mut run)?),
        false => None,
    };
    let passes = judge.outcome(&passing).is_ok_and(|outcome| outcome == Outcome::Pass);
    if plan.algorithm.isolates() && !passes {
        let seen = (RunSummary::from(&original), RunSummary::from(&passing));
        return Err(passing_side_unresolved(plan, &judge, &seen.0, &seen.1));
    }
    let timeout = plan.timeout.unwrap_or_else(|| automatic_timeout(&[&original, &passing]));
    journal
        .append(&Record::FirstRuns {
            judge: judge.record(),
            timeout_ms: timeout.as_millis() as u64,
            original: RunSummary::from(&original),
            passing: RunSummary::from(&passing),
            passes,
            rate,
        })
        .map_err(|error| Error::cannot_write(journal.path(), &error))?;
    Ok(FirstRuns { judge, timeout, original: RunSummary::from(&original), rate })
}

/// What an earlier run decided, if there was one.
fn recall(plan: &Plan, past: &[Record]) -> Option<Result<FirstRuns, Error>> {
    past.iter().rev().find_map(|record| {
        let Record::FirstRuns { judge, timeout_ms, original, passing, passes, rate } = record
        else {
            return None;
        };
        let judge = TestJudge::from_record(judge, &plan.criteria);
        if plan.algorithm.isolates() && !passes {
            return Some(Err(passing_side_unresolved(plan, &judge, original, passing)));
        }
        let timeout = plan.timeout.unwrap_or(Duration::from_millis(*timeout_ms));
        Some(Ok(FirstRuns { judge, timeout, original: original.clone(), rate: *rate }))
    })
}

/// The first run of the original that ends otherwise than the passing side, or the first one at all.
fn until_it_fails(
    first: Observation,
    passing: &Observation,
    plan: &Plan,
    most: u32,
    run: &mut impl FnMut(Variant) -> Result<Observation, Error>,
) -> Result<Observation, Error> {
    let fails =
        |seen: &Observation| TestJudge::from_first_runs(seen, passing, &plan.criteria).is_ok();
    if fails(&first) {
        return Ok(first);
    }
    let original = plan.subject().original();
    for _ in 1..most {
        let seen = run(original.clone())?;
        if fails(&seen) {
            return Ok(seen);
        }
    }
    Ok(first)
}

/// How often the original fails; the passing side must not fail at all.
fn measure_rate(
    plan: &Plan,
    judge: &TestJudge,
    passing: &Observation,
    failing: &Observation,
    run: &mut impl FnMut(Variant) -> Result<Observation, Error>,
) -> Result<Rate, Error> {
    let fails = |seen: &Observation| judge.outcome(seen).is_ok_and(|o| o == Outcome::Fail);
    let original = plan.subject().original();
    let mut rate = Rate { fails: 0, runs: 0 };
    while rate.runs < MIN_RUNS || (rate.fails < ENOUGH_FAILURES && rate.runs < MAX_RUNS) {
        rate.fails += u32::from(fails(&run(original.clone())?));
        rate.runs += 1;
    }
    if rate.fails == 0 {
        let message = format!("the failure shows in none of {} runs but the first", rate.runs);
        return Err(with_runs(
            Error::new(ErrorKind::NoFailure, message),
            plan,
            &RunSummary::from(failing),
            &RunSummary::from(passing),
        )
        .hint("it is too rare to search for; can something make it more frequent?"));
    }
    let baseline = plan.subject().baseline();
    for _ in 0..(3.0 / rate.share()).ceil() as u32 {
        let seen = run(baseline.clone())?;
        if fails(&seen) {
            return Err(refuse(plan, FirstRunsError::PassingSideFails, failing, &seen));
        }
    }
    Ok(rate)
}

/// Ten times the slowest run that ended by itself.
fn automatic_timeout(runs: &[&Observation]) -> Duration {
    let ended = runs.iter().filter(|run| run.ending != Ending::Timeout);
    let slowest = ended.map(|run| run.elapsed).max().unwrap_or(MAX_FIRST_RUN / 10);
    // Whole milliseconds, as the journal keeps it.
    Duration::from_millis((slowest * 10).max(MIN_TIMEOUT).as_millis() as u64)
}
