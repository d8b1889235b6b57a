//! Results of flaky tests: do they fail as often as the original?

use wynot_run::{Compose, Local, Rate, Session, Stop};

/// How many failures are expected among the runs of a result.
const EXPECTED: f64 = 30.0;

/// How many runs there are at least and at most.
const FEWEST: u32 = 40;
const MOST: u32 = 400;

/// What came of asking a result many times.
pub enum Settled<C> {
    /// It fails as often as the original.
    AsOften(Rate),
    /// It fails less often; the last accepted step that does not, or the original, takes its place.
    TakenBack(Option<C>, Rate),
}

/// Finds out how often a result fails. If that is less often than the original, goes back to the last of
/// the accepted steps that fails as often, on the assumption that the ones before do so, too.
pub fn settled<C: Clone, S: Compose<C>>(
    result: &C,
    usual: Rate,
    session: &mut Session<'_, C, S, Local>,
) -> Result<Settled<C>, Stop> {
    let runs = ((EXPECTED / usual.share()).ceil() as u32).clamp(FEWEST, MOST);
    let rate = session.rate(result, runs)?;
    if !rate.is_below(usual) {
        return Ok(Settled::AsOften(rate));
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
    Ok(Settled::TakenBack(good.0, good.1))
}
