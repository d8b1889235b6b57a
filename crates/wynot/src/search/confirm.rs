//! The confirmation of a result: it must fail once more, and as often as the original.

use super::found::Status;
use wynot_core::{Configuration, Isolated, Outcome};
use wynot_session::judge::Rate;
use wynot_session::{Certificate, Compose, Executor, Session, Stop};

/// The number of failures that are expected among the runs that measure the rate of a result.
const EXPECTED_FAILURES: f64 = 30.0;

/// The minimum number of runs that measure the rate of a result.
const MIN_RATE_RUNS: u32 = 40;

/// The maximum number of runs that measure the rate of a result.
const MAX_RATE_RUNS: u32 = 400;

/// A result after its confirmation.
pub(super) struct Confirmed<C> {
    pub status: Status,
    pub certificate: Option<Certificate>,
    /// The result; `None` if it is the original.
    pub candidate: Option<C>,
    pub rate: Option<Rate>,
}

/// Tests a result once more, unless it is the original. For a flaky test, the rate of failures is measured; if it is below
/// the rate of the original, accepted steps are undone.
pub(super) fn confirm<C: Clone, S: Compose<C>, E: Executor>(
    search_end: Result<Option<Certificate>, Stop>,
    candidate: Option<C>,
    original_rate: Option<Rate>,
    session: &mut Session<'_, '_, C, S, E>,
) -> Confirmed<C> {
    let keep = |status, certificate, rate| {
        let candidate = candidate.clone();
        Confirmed { status, certificate, candidate, rate }
    };
    match (search_end, &candidate, original_rate) {
        (Err(cause), ..) => keep(Status::Stopped(cause), None, None),
        (Ok(None), ..) => keep(Status::Stopped(Stop::Skipped), None, None),
        (Ok(proved), None, original_rate) => keep(Status::Minimal, proved, original_rate),
        (Ok(proved), Some(result), None) => match session.verify(result, Outcome::Fail) {
            Ok(true) => keep(Status::Minimal, proved, None),
            Ok(false) => keep(Status::Indeterminate, None, None),
            Err(stop) => keep(Status::Stopped(stop), None, None),
        },
        (Ok(proved), Some(result), Some(original_rate)) => {
            match confirm_rate(result, original_rate, session) {
                Ok(ConfirmedRate::AsOften(rate)) => keep(Status::Minimal, proved, Some(rate)),
                Ok(ConfirmedRate::StepsUndone(candidate, rate)) => {
                    let (status, rate) = (Status::Minimal, Some(rate));
                    Confirmed { status, certificate: None, candidate, rate }
                }
                Err(stop) => keep(Status::Stopped(stop), None, None),
            }
        }
    }
}

/// The rate of a result, compared with that of the original.
enum ConfirmedRate<C> {
    /// The result fails as often as the original.
    AsOften(Rate),
    /// The result fails less often. The last accepted step that fails as often replaces it, or `None` for the original.
    StepsUndone(Option<C>, Rate),
}

/// Measures how often a result fails. If it fails less often than the original, finds the last of the accepted steps that
/// fails as often by bisection, which assumes that all steps before it do so, too.
fn confirm_rate<C: Clone, S: Compose<C>, E: Executor>(
    result: &C,
    original_rate: Rate,
    session: &mut Session<'_, '_, C, S, E>,
) -> Result<ConfirmedRate<C>, Stop> {
    let runs = ((EXPECTED_FAILURES / original_rate.share()).ceil() as u32)
        .clamp(MIN_RATE_RUNS, MAX_RATE_RUNS);
    let rate = session.rate(result, runs)?;
    if !rate.is_below(original_rate) {
        return Ok(ConfirmedRate::AsOften(rate));
    }
    let steps = session.accepted().to_vec();
    let mut good = (None, original_rate);
    let (mut from, mut to) = (0, steps.len().saturating_sub(1));
    while from < to {
        let middle = from.midpoint(to);
        let rate = session.rate(&steps[middle], runs)?;
        if rate.is_below(original_rate) {
            to = middle;
        } else {
            good = (Some(steps[middle].clone()), rate);
            from = middle + 1;
        }
    }
    Ok(ConfirmedRate::StepsUndone(good.0, good.1))
}

/// Tests both sides of a difference once more, unless they are those from which the search started.
pub(super) fn confirm_pair<S: Compose<Configuration>, E: Executor>(
    search_end: Result<Option<Certificate>, Stop>,
    start: &Isolated,
    sides: &Isolated,
    session: &mut Session<'_, '_, Configuration, S, E>,
) -> Confirmed<Configuration> {
    let mut verify =
        |side: &Configuration, expected: Outcome| match side.is_empty() || *side == start.failing {
            true => Ok(true),
            false => session.verify(side, expected),
        };
    let search_end = search_end.and_then(|proved| {
        let fails = verify(&sides.failing, Outcome::Fail)?;
        let passes = fails && verify(&sides.passing, Outcome::Pass)?;
        Ok((proved, passes))
    });
    let (status, certificate) = match search_end {
        Ok((proved, true)) => (Status::Minimal, proved),
        Ok((_, false)) => (Status::Indeterminate, None),
        Err(stop) => (Status::Stopped(stop), None),
    };
    Confirmed { status, certificate, candidate: None, rate: None }
}
