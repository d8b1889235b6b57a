//! The search in a row of versions that have names and no sources, such as releases of a package.

use super::deltas::certificate;
use super::engine::Engine;
use super::found::{Found, Status};
use super::versions_found::{RowConfidence, VersionsFound};
use crate::plan::Plan;
use crate::request::AlgorithmOptions;
use wynot_core::{Configuration, Gap, Isolated, Outcome, Posterior, Stopped, bisect, bisect_flaky};
use wynot_session::judge::Rate;
use wynot_session::{Certificate, Compose, Counts, ResultFiles, SingleRuns, Stop};
use wynot_subjects::VersionRow;

/// Finds the first bad version of a row, or the smallest range in which it lies.
pub(super) fn search_row(
    plan: &Plan,
    row: &VersionRow,
    options: &AlgorithmOptions,
    engine: &mut Engine<'_>,
) -> (Found, VersionsFound) {
    let names = row.names();
    let (gap, status, certificate, counts, confidence) = match engine.rate {
        Some(rate) => {
            let found = bisect_by_runs(row, names.len(), rate, plan.confidence, engine);
            let confidence = RowConfidence::of(&found.posterior, names);
            let status = found.stop.map_or(Status::Minimal, Status::Stopped);
            (found.posterior.located().gap, status, None, found.counts, Some(confidence))
        }
        None => {
            let (gap, status, certificate, counts) = bisect_by_outcomes(plan, row, options, engine);
            (gap, status, certificate, counts, None)
        }
    };
    let complete = !matches!(status, Status::Stopped(_));
    let versions = VersionsFound { confidence, ..VersionsFound::between(names, gap, complete) };
    let steps = |version: usize| Configuration::full(version as u32);
    let sides = Isolated { passing: steps(gap.passing), failing: steps(gap.failing) };
    let found = Found {
        status,
        certificate,
        failing: row.variant(gap.failing),
        passing: row.variant(gap.passing),
        deltas: (gap.failing - gap.passing) as u64,
        sides: Some(sides),
        counts,
        passes: Vec::new(),
        rate: None,
    };
    (found, versions)
}

/// Bisects a row by the outcomes of versions, and tests both sides of the answer once more.
fn bisect_by_outcomes(
    plan: &Plan,
    row: &VersionRow,
    options: &AlgorithmOptions,
    engine: &mut Engine<'_>,
) -> (Gap, Status, Option<Certificate>, Counts) {
    let whole = Gap { passing: 0, failing: row.names().len() - 1 };
    let mut session = engine.session(row, &plan.results);
    let gap = match bisect(whole, &mut session) {
        Ok(gap) => gap,
        Err(Stopped { best, cause }) => {
            return (best, Status::Stopped(cause), None, session.counts());
        }
    };
    let proved = certificate(plan.algorithm, options, &["version"]);
    let proved = proved.resting_on(session.timeouts_since_step());
    // The ends of the row were run before the search.
    let mut is_as_before = |version: usize, expected: Outcome| match version {
        version if version == whole.passing || version == whole.failing => Ok(true),
        version => session.verify(&version, expected),
    };
    let confirmed = is_as_before(gap.failing, Outcome::Fail)
        .and_then(|fails| Ok(fails && is_as_before(gap.passing, Outcome::Pass)?));
    let (status, certificate) = match confirmed {
        Ok(true) => (Status::Minimal, Some(proved)),
        Ok(false) => (Status::Indeterminate, None),
        Err(stop) => (Status::Stopped(stop), None),
    };
    (gap, status, certificate, session.counts())
}

/// The result of a bisection by single runs.
pub(super) struct BisectedByRuns {
    pub posterior: Posterior,
    pub counts: Counts,
    pub stop: Option<Stop>,
}

/// Bisects a row by single runs of versions, of which the last one fails at a rate, until one place has the probability
/// `confidence`.
pub(super) fn bisect_by_runs<S: Compose<usize>>(
    row: &S,
    versions: usize,
    rate: Rate,
    confidence: f64,
    engine: &mut Engine<'_>,
) -> BisectedByRuns {
    let (runs, nowhere) = (SingleRuns { row }, ResultFiles::nowhere());
    let mut session = engine.session(&runs, &nowhere).counting_single_runs();
    let start = Posterior::new(versions, rate.fails, rate.runs);
    let (posterior, stop) = match bisect_flaky(start, confidence, &mut session) {
        Ok(posterior) => (posterior, None),
        Err(Stopped { mut best, cause }) => {
            // Outcomes that were as expected are not part of it yet.
            while let Some((run, _)) = best.next_run(confidence)
                && let Some(outcome) = session.used_outcome(&run)
            {
                best.add(run.version, outcome);
            }
            (best, Some(cause))
        }
    };
    BisectedByRuns { posterior, counts: session.counts(), stop }
}
