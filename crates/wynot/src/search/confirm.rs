//! The last test of a result: does it fail once more, and as often as the original?

use super::found::Status;
use wynot_core::{Configuration, Isolated, Outcome};
use wynot_session::judge::Rate;
use wynot_session::{Certificate, Compose, Executor, Observation, Session, Stop};

/// How many failures are expected among the runs of a result of a flaky test.
const EXPECTED_FAILURES: f64 = 30.0;

/// How many runs of such a result there are at least and at most.
const MIN_RUNS: u32 = 40;
const MAX_RUNS: u32 = 400;

/// A result after its last test.
pub(super) struct Confirmed<C> {
    pub status: Status,
    pub certificate: Option<Certificate>,
    pub last_run: Option<Observation>,
    /// The result; `None` if it is the original.
    pub candidate: Option<C>,
    pub rate: Option<Rate>,
}

/// Tests a result once more, if it is not the original. For a flaky test, its rate of failures is measured; if that is
/// below the rate of the original, accepted steps are taken back.
pub(super) fn confirm<C: Clone, S: Compose<C>, E: Executor>(
    ended: Result<Option<Certificate>, Stop>,
    candidate: Option<C>,
    usual: Option<Rate>,
    session: &mut Session<'_, '_, C, S, E>,
) -> Confirmed<C> {
    let as_it_is = |status, certificate, last_run, rate| {
        let candidate = candidate.clone();
        Confirmed { status, certificate, last_run, candidate, rate }
    };
    match (ended, &candidate, usual) {
        (Err(cause), ..) => as_it_is(Status::Stopped(cause), None, None, None),
        (Ok(None), ..) => as_it_is(Status::Stopped(Stop::Skipped), None, None, None),
        (Ok(proved), None, usual) => as_it_is(Status::Minimal, proved, None, usual),
        (Ok(proved), Some(result), None) => match session.verify(result, Outcome::Fail) {
            Ok((true, run)) => as_it_is(Status::Minimal, proved, Some(run), None),
            Ok((false, run)) => as_it_is(Status::Indeterminate, None, Some(run), None),
            Err(stop) => as_it_is(Status::Stopped(stop), None, None, None),
        },
        (Ok(proved), Some(result), Some(usual)) => match confirm_rate(result, usual, session) {
            Ok(ConfirmedRate::AsOften(rate)) => as_it_is(Status::Minimal, proved, None, Some(rate)),
            Ok(ConfirmedRate::TakenBack(candidate, rate)) => {
                let (status, rate) = (Status::Minimal, Some(rate));
                Confirmed { status, certificate: None, last_run: None, candidate, rate }
            }
            Err(stop) => as_it_is(Status::Stopped(stop), None, None, None),
        },
    }
}

/// The rate of a result, compared with that of the original.
enum ConfirmedRate<C> {
    /// The result fails as often as the original.
    AsOften(Rate),
    /// It fails less often; the last accepted step that does not, or the original, takes its place.
    TakenBack(Option<C>, Rate),
}

/// Measures how often a result fails. If that is less often than the original, goes back to the last of the accepted
/// steps that fails as often, on the assumption that the ones before do so, too.
fn confirm_rate<C: Clone, S: Compose<C>, E: Executor>(
    result: &C,
    usual: Rate,
    session: &mut Session<'_, '_, C, S, E>,
) -> Result<ConfirmedRate<C>, Stop> {
    let runs = ((EXPECTED_FAILURES / usual.share()).ceil() as u32).clamp(MIN_RUNS, MAX_RUNS);
    let rate = session.rate(result, runs)?;
    if !rate.is_below(usual) {
        return Ok(ConfirmedRate::AsOften(rate));
    }
    let steps = session.accepted().to_vec();
    let mut good = (None, usual);
    let (mut from, mut to) = (0, steps.len().saturating_sub(1));
    while from < to {
        let middle = from.midpoint(to);
        let rate = session.rate(&steps[middle], runs)?;
        if rate.is_below(usual) {
            to = middle;
        } else {
            good = (Some(steps[middle].clone()), rate);
            from = middle + 1;
        }
    }
    Ok(ConfirmedRate::TakenBack(good.0, good.1))
}

/// Tests both sides of a difference once more, where they are not those of the start.
pub(super) fn confirm_pair<S: Compose<Configuration>, E: Executor>(
    ended: Result<Option<Certificate>, Stop>,
    start: &Isolated,
    sides: &Isolated,
    session: &mut Session<'_, '_, Configuration, S, E>,
) -> Confirmed<Configuration> {
    let mut verify =
        |side: &Configuration, expected: Outcome| match side.is_empty() || *side == start.failing {
            true => Ok((true, None)),
            false => session.verify(side, expected).map(|(same, run)| (same, Some(run))),
        };
    let ended = ended.and_then(|proved| {
        let (fails, run) = verify(&sides.failing, Outcome::Fail)?;
        let passes = fails && verify(&sides.passing, Outcome::Pass)?.0;
        Ok((proved, fails && passes, run))
    });
    let (status, certificate, last_run) = match ended {
        Ok((proved, true, run)) => (Status::Minimal, proved, run),
        Ok((_, false, run)) => (Status::Indeterminate, None, run),
        Err(stop) => (Status::Stopped(stop), None, None),
    };
    Confirmed { status, certificate, last_run, candidate: None, rate: None }
}
