//! A search from its request to its report: plan, first runs, strategy, last tests, results.
//!
//! Here: one file for each kind of search (`text_reduction`, `folder_reduction`, `deltas`, `causes`, `changes`,
//! `row_bisection`, `upgrades`), the engine that they share, the confirmation of results (`confirm`, `audit`), and the
//! report. Not here: algorithms, which belong to `wynot-core` and `wynot-reduce`; the judging of outcomes, which belongs to
//! `wynot-session`; arguments and output, which belong to the binary.

mod audit;
mod causes;
mod change_lines;
mod changes;
mod commit_bisection;
mod confirm;
mod deciding_changes;
#[cfg(test)]
mod deciding_changes_tests;
mod deltas;
mod engine;
mod external_tools;
mod failure_text;
mod folder_reduction;
mod found;
mod history;
mod keep;
mod outside_proposals;
mod package_sources;
mod patience;
mod place_order;
mod revert;
mod row_bisection;
mod search_report;
mod text_reduction;
mod upgrades;
mod versions_found;

use crate::control::Control;
use crate::error::Error;
use crate::first_runs::{FirstRunWatch, FirstRuns, first_runs};
use crate::observer::{Forward, Observer, SearchStart};
use crate::plan::Plan;
use crate::request::{Algorithm, Request};
use crate::session_list::prune_old_sessions;
use crate::sessions;
use crate::test_executor::{CacheUse, TestExecutor};
use external_tools::ExternalTools;
use history::HistorySearch;
use keep::{is_original_or_result, is_result_path_taken, move_away, save_first};
use outside_proposals::OutsideProposals;
use patience::Spending;
use search_report::excerpt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wynot_session::{Budget, CrashCollection, Digest, Journal, Lab, LabParts, Record, RunRecord};
use wynot_subjects::Subject;

pub use audit::{Audit, needed_in_words};
pub use causes::Causes;
pub use changes::ChangesFound;
pub(crate) use engine::Engine;
pub use found::{Found, Status};
pub use history::{Blocker, Derivation, Fix, HistoryFound, PartCounts, Verdict, Visit};
pub use revert::Revert;
pub use search_report::SearchReport;
pub use versions_found::{RowConfidence, VersionsFound};

/// The file name of the patch that a search of versions writes to its session.
const PATCH_NAME: &str = "changes.patch";

/// Runs a search to its end, to a limit, or until `control` stops it.
///
/// Results are written as the request says; the observer receives what happens on the way.
pub fn search(
    request: &Request,
    observer: &mut dyn Observer,
    control: &Control,
) -> Result<SearchReport, Error> {
    search_with(request, CacheUse::Known, observer, control)
}

/// The same, with or without the results that a cache of workers has.
pub(crate) fn search_with(
    request: &Request,
    cache: CacheUse,
    observer: &mut dyn Observer,
    control: &Control,
) -> Result<SearchReport, Error> {
    let (started, mut request) = (Instant::now(), request.clone());
    let plan = plan(&mut request, observer)?;
    prune_old_sessions();
    let (is_path_taken, fresh) = (is_result_path_taken(&plan, &request), request.run.fresh);
    let (journal, past) = sessions::open_journal(&plan.session, plan.key, fresh, observer)?;
    let (mut journal, executor, first) =
        start(&plan, &request, cache, (journal, &past), observer, control)
            .inspect_err(|_| control.end())?;
    let known = sessions::known_outcomes(&past);
    let tools = external_tools(&plan, &request, control, executor.scratch(), &past);
    observer.begin(&SearchStart {
        plan: &plan,
        judge: first.judge.to_string(),
        timeout: first.timeout,
        rate: first.rate,
        max_runs_per_variant: first.quorum(&plan).most(),
        known_outcomes: known,
        limits: (request.algorithm.max_tests, request.algorithm.max_time),
        external_tool: tools.clang.as_ref().map(|(clang, _)| clang.program()),
    });
    if is_path_taken && known == 0 {
        move_away(&plan, observer)?;
    }
    save_first(&plan, &request, known > 0)?;
    journal
        .append(&Record::Run(run_record(&plan, &request, first.judge.to_string())))
        .map_err(|error| Error::cannot_write(journal.path(), &error))?;
    let deadline = request.algorithm.max_time.map(|limit| started + limit);
    let lab = Lab::new(LabParts {
        judge: &first.judge,
        journal,
        past: &past,
        budget: Budget::new(request.algorithm.max_tests, deadline, request.algorithm.until_size),
        listener: Box::new(Forward(&mut *observer)),
        stop: Arc::clone(control.stop_flag()),
        crashes: crash_collection(&plan, &request, &first),
        timeout: first.timeout,
        quorum: first.quorum(&plan),
    });
    let mut engine = Engine::new(lab, executor, &first);
    let strategy_end = run_strategy(&plan, &request, &tools, first.cost, &mut engine);
    control.end();
    let StrategyEnd { causes, changes, versions, history } = strategy_end?;
    let (own_cpu, runs, remote) =
        (engine.own_cpu(), engine.runs(), engine.executor.remote_counts());
    let failure = engine.lab.failure_of(Digest::of(&causes.found[0].failing));
    let unresolved = engine.lab.unresolved_reasons();
    let (mut journal, crashes) = engine.finish();
    observer.end();
    let report = SearchReport {
        patch: (changes.is_some() || history.is_some())
            .then(|| request.output.clone().unwrap_or_else(|| plan.session.join(PATCH_NAME))),
        plan,
        causes,
        changes,
        versions,
        history,
        crashes,
        failure: failure.or_else(|| first.original.failure.clone()),
        decision: first.judge.to_string(),
        unresolved,
        original: first.original,
        rate: first.rate,
        runs,
        resumed: known > 0,
        elapsed: started.elapsed(),
        own_cpu,
        remote,
    };
    report.write(&mut journal, &request)?;
    Ok(report)
}

/// The journal, the executor, and the results of the first runs on it. A search that is refused leaves no session.
fn start(
    plan: &Plan,
    request: &Request,
    cache: CacheUse,
    (mut journal, past): (Journal, &[Record]),
    observer: &mut dyn Observer,
    control: &Control,
) -> Result<(Journal, TestExecutor, FirstRuns), Error> {
    let specs = plan.specs(request.build().is_some());
    let started =
        TestExecutor::new(plan, request, &specs, cache, observer).and_then(|mut executor| {
            let watch = FirstRunWatch::new(control.stop_flag(), observer);
            let first = first_runs(plan, past, &mut journal, &mut executor, specs.clone(), &watch);
            match first {
                Ok(first) => Ok((executor, first)),
                Err(error) => Err(executor.with_differences(error, plan, request, &specs)),
            }
        });
    match started {
        Ok((executor, first)) => Ok((journal, executor, first)),
        Err(error) => {
            if sessions::is_unused(past) {
                // It would be listed without a command. That it cannot be removed is less important than the refusal.
                let _ = journal.discard();
            }
            Err(error)
        }
    }
}

/// The result of a strategy.
struct StrategyEnd {
    causes: Causes,
    changes: Option<ChangesFound>,
    versions: Option<VersionsFound>,
    history: Option<HistoryFound>,
}

impl StrategyEnd {
    fn of(causes: Causes) -> Self {
        Self { causes, changes: None, versions: None, history: None }
    }
}

/// Runs the strategy of a plan.
fn run_strategy(
    plan: &Plan,
    request: &Request,
    tools: &ExternalTools<'_>,
    cost: Duration,
    engine: &mut Engine<'_>,
) -> Result<StrategyEnd, Error> {
    if let Subject::Versions(row) = plan.subject() {
        let (found, versions) = row_bisection::search_row(plan, row, &request.algorithm, engine);
        let end = StrategyEnd::of(Causes::single(found));
        return Ok(StrategyEnd { versions: Some(versions), ..end });
    }
    if let (Some(versions), Some(options)) = (&plan.versions, &request.history)
        && let Some(history) = &versions.history
    {
        let (effort, is_built) = (options.effort, options.build.is_some());
        let spending = Spending { effort, cost, is_built, has_history: true };
        let algorithm = &request.algorithm;
        let search = HistorySearch { plan, versions, history, options, algorithm, spending };
        let (found, history) = search.run(engine)?;
        let end = StrategyEnd::of(Causes::single(found));
        return Ok(StrategyEnd { history: Some(history), ..end });
    }
    if let (Some(versions), Some(options)) = (&plan.versions, &request.versions) {
        let spending = Spending {
            effort: options.effort,
            cost,
            is_built: options.build.is_some(),
            has_history: versions.history.is_some(),
        };
        let group = options.group;
        let (found, changes) =
            changes::search_changes(plan, versions, group, &request.algorithm, spending, engine)?;
        let end = StrategyEnd::of(Causes::single(found));
        return Ok(StrategyEnd { changes: Some(changes), ..end });
    }
    let all = request.finds_all_causes();
    let causes = match (plan.algorithm, plan.subject()) {
        (Algorithm::Smart, Subject::Text(input)) if all => {
            causes::causes_among_lines(plan, input, tools, engine)?
        }
        (Algorithm::Smart, Subject::Text(input)) => {
            let results = &plan.results;
            Causes::single(text_reduction::reduce_text(
                plan,
                results,
                input.original(),
                tools,
                engine,
            ))
        }
        (Algorithm::Smart, _) => {
            Causes::single(folder_reduction::reduce_files(plan, tools, engine))
        }
        _ => causes::causes_among_deltas(plan, &request.algorithm, all, engine),
    };
    Ok(StrategyEnd::of(causes))
}

/// The plan of a request. If a search `--in-place` was stopped and has left its original, it is the plan of that search.
fn plan(request: &mut Request, observer: &mut dyn Observer) -> Result<Plan, Error> {
    if !request.input.in_place || request.run.fresh {
        return Plan::new(request, observer);
    }
    let is_resume = std::mem::replace(&mut request.resumed, true);
    match Plan::new(request, observer) {
        Ok(plan) if is_original_or_result(&plan, &request.at(&request.inputs[0])) => {
            return Ok(plan);
        }
        Err(error) if is_resume => return Err(error),
        Ok(_) if is_resume => {
            let input = request.inputs[0].display();
            let message = format!("{input} has been changed since the search was stopped");
            let hint = "going on would overwrite it; reduce it as a new input";
            return Err(Error::usage(message).hint(hint));
        }
        _ => request.resumed = false,
    }
    Plan::new(request, observer)
}

/// The external tools that the default reducer of a text may use, with a directory for temporary files.
fn external_tools<'c>(
    plan: &Plan,
    request: &Request,
    control: &'c Control,
    scratch: &Path,
    past: &[Record],
) -> ExternalTools<'c> {
    let is_text = matches!(plan.subject(), Subject::Text(_));
    let is_used = plan.algorithm == Algorithm::Smart && is_text && request.input.external_tools;
    let outside = OutsideProposals::new(plan, past);
    ExternalTools::new(control, plan.input.language, is_used.then_some(scratch), outside)
}

/// The collection of other crashes; an empty one unless all causes are searched.
fn crash_collection(plan: &Plan, request: &Request, first: &FirstRuns) -> CrashCollection {
    if !request.input.all_causes {
        return CrashCollection::default();
    }
    let name = plan.input.name.to_string_lossy().into_owned();
    CrashCollection::new(plan.session.join("crashes"), name, first.original.crash.clone())
}

/// The record of a run for the journal.
fn run_record(plan: &Plan, request: &Request, judge: String) -> RunRecord {
    let result = match plan.versions {
        Some(_) => plan.session.join(PATCH_NAME),
        None => plan.results.failing.clone(),
    };
    let result = request.at(&result);
    let output = result.canonicalize().unwrap_or(result);
    RunRecord {
        command: plan.verb.name().to_owned(),
        algorithm: plan.algorithm_name().to_owned(),
        units: plan.units(),
        input: plan.input.name.to_string_lossy().into_owned(),
        test: request.test.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        reading: judge,
        bytes: plan.subject().size(),
        deltas: u64::from(plan.subject().deltas()),
        excerpt: match plan.version_names() {
            Some((good, bad)) => format!("from {good} to {bad}\n"),
            None => excerpt(&plan.subject().original()),
        },
        command_line: sessions::command_line_to_record(
            request.command_line.as_deref(),
            &request.directory,
            &output,
        ),
    }
}
