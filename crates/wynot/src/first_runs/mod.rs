//! The first runs, of the original and of the passing side: from them follow the judge, the timeout and the rate of
//! failures.
//!
//! Here: running both sides, measuring the rate, recalling what an earlier run of the session decided, and the errors if
//! there is nothing to search (`refusal`). Not here: how a judge is made from two runs, which belongs to `wynot-session`.

mod first_run_watch;
mod missing_neighbour;
mod missing_program;
mod reading_remark;
mod refusal;
mod several_inputs;
mod side_names;
mod test_advice;
mod timeout;
mod untracked_files;

use crate::error::{Error, ErrorKind};
use crate::plan::{Plan, TestSpecs};
use crate::request::Verb;
use crate::test_executor::TestExecutor;
pub(crate) use first_run_watch::FirstRunWatch;
use missing_neighbour::missing_neighbour;
use missing_program::missing_program;
use reading_remark::remark_on_reading;
use refusal::{original_not_valid, passing_side_unresolved, refuse, with_runs};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use wynot_core::Outcome;
use wynot_crash::InputWords;
use wynot_exec::{TestSpec, VariantForm};
use wynot_session::judge::{FirstRunsError, Quorum, Rate, TestJudge};
use wynot_session::{
    Ending, ExecutorError, Journal, Judge, Observation, Record, RunSummary, Stop, Timeout, observe,
};
use wynot_subjects::Variant;

use timeout::{automatic_timeout, first_run_timeout};

/// The minimum number of runs that measure the rate of the original.
const MIN_RATE_RUNS: u32 = 20;

/// The maximum number of runs that measure the rate of the original.
const MAX_RATE_RUNS: u32 = 120;

/// The number of failures after which the rate of the original is known well enough.
const ENOUGH_FAILURES: u32 = 16;

/// The number of failures that would be expected among the runs of the passing side, if it failed as often as the
/// original.
const EXPECTED_FAILURES_OF_PASSING_SIDE: f64 = 3.0;

/// The results of the first runs.
#[derive(Debug)]
pub(crate) struct FirstRuns {
    /// The judge of all further runs.
    pub judge: TestJudge,
    /// How long a test may take.
    pub timeout: Timeout,
    /// The run of the original.
    pub original: RunSummary,
    /// The time that the run of the original has used.
    pub cost: Duration,
    /// The files of the varying folder that one of the runs has read, if that is known.
    pub read: Option<BTreeSet<String>>,
    /// How often the original fails, if that was measured.
    pub rate: Option<Rate>,
    /// The specifications of the commands; the test's with crash detection if the failure can only be recognised by its
    /// backtrace.
    pub specs: TestSpecs,
}

impl FirstRuns {
    /// How often each variant is tested.
    pub(crate) fn quorum(&self, plan: &Plan) -> Quorum {
        self.rate.map_or(plan.quorum, |rate| Quorum::Rate { usual: rate.assured_share() })
    }
}

/// Runs the test on both sides and makes the judge, or recalls the one of an earlier run.
pub(crate) fn first_runs(
    plan: &Plan,
    past: &[Record],
    journal: &mut Journal,
    executor: &mut TestExecutor,
    mut specs: TestSpecs,
    watch: &FirstRunWatch<'_>,
) -> Result<FirstRuns, Error> {
    if let Some(recalled) = recall(plan, past, &specs) {
        return recalled;
    }
    let timeout = first_run_timeout(plan).into();
    // Both sides are built from nothing: the products of one must not help or hinder the other.
    let keeps_products = specs.test.keeps_products;
    let records_reads = plan.criteria.program_varies && specs.test.form == VariantForm::Folder;
    let clean = TestSpec { keeps_products: false, records_reads, ..(*specs.test).clone() };
    let clean = Arc::new(clean);
    let (clean, first) = first_observation(plan, executor, &clean, timeout, watch)?;
    specs.test = match keeps_products || records_reads {
        true => Arc::new(TestSpec { keeps_products, records_reads: false, ..(*clean).clone() }),
        false => Arc::clone(&clean),
    };
    let check = match &specs.validity {
        Some(validity) => Some(check_validity(plan, executor, validity, timeout, watch)?),
        None => None,
    };
    let mut run = |variant: Variant| {
        observe(executor, &clean, variant, timeout, || watch.check())
            .map_err(|stop| Error::from(&stop))
    };
    let has_passing = plan.verb != Verb::History;
    let passing = has_passing.then(|| run(plan.subject().baseline())).transpose()?;
    let passing = passing.as_ref();
    let max_runs = if plan.flaky { MAX_RATE_RUNS } else { plan.quorum.most() };
    let input = input_words(plan);
    let fails = |original: &Observation| make_judge(plan, &input, original, passing).is_ok();
    let original = match max_runs {
        0 | 1 => first,
        max_runs => run_until_failure(first, fails, plan, max_runs, &mut run)?,
    };
    let judge = make_judge(plan, &input, &original, passing)
        .map_err(|reason| refuse(plan, reason, &original, passing.unwrap_or(&original)))?;
    let missing = missing_program(plan, &original);
    missing.or_else(|| missing_neighbour(plan, &judge, &original)).map_or(Ok(()), Err)?;
    if let Some(remark) = passing.and_then(|passing| remark_on_reading(plan, &judge, passing)) {
        watch.note(&remark);
    }
    let rate = match (plan.flaky, passing) {
        (true, Some(passing)) => Some(measure_rate(plan, &judge, passing, &original, &mut run)?),
        _ => None,
    };
    let is_pass = |run| judge.outcome(run).is_ok_and(|outcome| outcome == Outcome::Pass);
    let passes = passing.is_none_or(is_pass);
    if let Some(passing) = passing.filter(|_| plan.algorithm.isolates() && !passes) {
        let (original, passing) = (RunSummary::from(&original), RunSummary::from(passing));
        return Err(passing_side_unresolved(plan, &judge, &original, &passing));
    }
    let runs: Vec<&Observation> = std::iter::once(&original).chain(passing).chain(&check).collect();
    let timeout = plan.timeout.map_or_else(|| automatic_timeout(&runs), Timeout::from);
    let cost = original.time_used();
    let read = files_read(std::iter::once(&original).chain(passing));
    let original = RunSummary::judged(&original, &judge);
    journal
        .append(&Record::FirstRuns {
            judge: Box::new(judge.record()),
            timeout_ms: timeout.whole.as_millis() as u64,
            timeout_after_build_ms: (timeout.after_build != timeout.whole)
                .then_some(timeout.after_build.as_millis() as u64),
            original: original.clone(),
            passing: passing.map(RunSummary::from),
            passes,
            rate,
            traced: specs.test.crashes.is_some(),
            cost_ms: cost.as_millis() as u64,
            read: read.clone(),
        })
        .map_err(|error| Error::cannot_write(journal.path(), &error))?;
    Ok(FirstRuns { judge, timeout, original, cost, read, rate, specs })
}

/// The results of the first runs in an earlier run of the session, if there was one.
fn recall(plan: &Plan, past: &[Record], specs: &TestSpecs) -> Option<Result<FirstRuns, Error>> {
    past.iter().rev().find_map(|record| {
        let Record::FirstRuns {
            judge,
            timeout_ms,
            timeout_after_build_ms,
            original,
            passing,
            passes,
            rate,
            traced,
            cost_ms,
            read,
        } = record
        else {
            return None;
        };
        let judge = TestJudge::from_record(judge, &plan.criteria, input_words(plan));
        if let Some(passing) = passing.as_ref().filter(|_| plan.algorithm.isolates() && !passes) {
            return Some(Err(passing_side_unresolved(plan, &judge, original, passing)));
        }
        let [whole, after_build] =
            [*timeout_ms, timeout_after_build_ms.unwrap_or(*timeout_ms)].map(Duration::from_millis);
        let timeout = plan.timeout.map_or(Timeout { whole, after_build }, Timeout::from);
        let mut specs = specs.clone();
        if *traced && specs.test.crashes.is_none() {
            specs.test = plan.traced_spec(&specs.test);
        }
        let (original, cost) = (original.clone(), Duration::from_millis(*cost_ms));
        let (read, rate) = (read.clone(), *rate);
        Some(Ok(FirstRuns { judge, timeout, original, cost, read, rate, specs }))
    })
}

/// The files that at least one of the runs has read, if that was recorded in all of them.
fn files_read<'a>(runs: impl Iterator<Item = &'a Observation>) -> Option<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for run in runs {
        all.extend(run.read.as_ref()?.iter().filter_map(|path| path.to_str().map(str::to_owned)));
    }
    Some(all)
}

/// The judge that two runs determine.
fn make_judge(
    plan: &Plan,
    input: &Arc<InputWords>,
    original: &Observation,
    passing: Option<&Observation>,
) -> Result<TestJudge, FirstRunsError> {
    TestJudge::from_first_runs(original, passing, &plan.criteria, Arc::clone(input))
}

/// The words of the input from which messages may take names. The messages of a program that varies have no such input.
fn input_words(plan: &Plan) -> Arc<InputWords> {
    let failing_side = match plan.criteria.prevent {
        true => plan.subject().baseline(),
        false => plan.subject().original(),
    };
    Arc::new(match plan.verb {
        // A mixture of versions could otherwise show a failure of the same kind that is another one.
        Verb::Changes | Verb::History => InputWords::keeping_quotations(),
        _ if plan.criteria.program_varies => InputWords::default(),
        _ => InputWords::of(&failing_side.parts()),
    })
}

/// Runs the original. If it dies by a signal and says no more, it is run once more with crash detection, as are all tests
/// after it.
fn first_observation(
    plan: &Plan,
    executor: &mut TestExecutor,
    spec: &Arc<TestSpec>,
    timeout: Timeout,
    watch: &FirstRunWatch<'_>,
) -> Result<(Arc<TestSpec>, Observation), Error> {
    let original = || plan.subject().original();
    let first = observe(executor, spec, original(), timeout, || watch.check())
        .map_err(|stop| Error::from(&stop))?;
    let is_untraced = spec.crashes.is_none() && plan.criteria.same_failure;
    if !is_untraced || !first.needs_backtrace(&plan.criteria.variant_files) {
        return Ok((Arc::clone(spec), first));
    }
    let traced = plan.traced_spec(spec);
    match observe(executor, &traced, original(), timeout, || watch.check()) {
        Ok(observation) if observation.ending == first.ending => Ok((traced, observation)),
        // The program behaves differently when it is traced, or the system does not permit tracing.
        Ok(_) | Err(Stop::Executor(ExecutorError::CannotTrace(_))) => Ok((Arc::clone(spec), first)),
        Err(stop) => Err(Error::from(&stop)),
    }
}

/// Runs the command that checks validity on the original. It is an error if it does not succeed.
fn check_validity(
    plan: &Plan,
    executor: &mut TestExecutor,
    validity: &Arc<TestSpec>,
    timeout: Timeout,
    watch: &FirstRunWatch<'_>,
) -> Result<Observation, Error> {
    let original = plan.subject().original();
    let check = observe(executor, validity, original, timeout, || watch.check())
        .map_err(|stop| Error::from(&stop))?;
    match check.ending {
        Ending::Exit(0) => Ok(check),
        ending => Err(original_not_valid(ending, &check)),
    }
}

/// Repeats the run of the original until it fails; if it never does, the first run is returned.
fn run_until_failure(
    first: Observation,
    fails: impl Fn(&Observation) -> bool,
    plan: &Plan,
    max_runs: u32,
    run: &mut impl FnMut(Variant) -> Result<Observation, Error>,
) -> Result<Observation, Error> {
    if fails(&first) {
        return Ok(first);
    }
    let original = plan.subject().original();
    for _ in 1..max_runs {
        let observation = run(original.clone())?;
        if fails(&observation) {
            return Ok(observation);
        }
    }
    Ok(first)
}

/// Measures how often the original fails. It is an error if the passing side fails even once.
fn measure_rate(
    plan: &Plan,
    judge: &TestJudge,
    passing: &Observation,
    failing: &Observation,
    run: &mut impl FnMut(Variant) -> Result<Observation, Error>,
) -> Result<Rate, Error> {
    let fails = |observation: &Observation| {
        judge.outcome(observation).is_ok_and(|outcome| outcome == Outcome::Fail)
    };
    let original = plan.subject().original();
    let mut rate = Rate { fails: 0, runs: 0 };
    while rate.runs < MIN_RATE_RUNS || (rate.fails < ENOUGH_FAILURES && rate.runs < MAX_RATE_RUNS) {
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
    for _ in 0..(EXPECTED_FAILURES_OF_PASSING_SIDE / rate.share()).ceil() as u32 {
        let observation = run(baseline.clone())?;
        if fails(&observation) {
            return Err(refuse(plan, FirstRunsError::PassingSideFails, failing, &observation));
        }
    }
    Ok(rate)
}
