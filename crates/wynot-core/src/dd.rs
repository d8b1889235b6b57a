//! The isolating algorithm, dd (Figure 15), and its maximizing instance, ddmax.

use crate::{Attempt, Configuration, Oracle, Outcome, Outcomes, Part, Partition, Stopped};
use std::iter;

/// A passing configuration within a failing one. Their difference is what was isolated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isolated {
    /// c✔: passes, and is a subset of `failing`.
    pub passing: Configuration,
    /// c✘: fails.
    pub failing: Configuration,
}

impl Isolated {
    /// Δ = c✘ ∖ c✔.
    pub fn difference(&self) -> Configuration {
        self.failing.minus(&self.passing)
    }

    /// Puts what a decisive test showed in the place of the old passing or failing side.
    pub(crate) fn narrow(&mut self, configuration: Configuration, outcome: Outcome) {
        match outcome {
            Outcome::Pass => self.passing = configuration,
            Outcome::Fail => self.failing = configuration,
            // Never decisive; an oracle that says so changes nothing.
            Outcome::Unresolved => {}
        }
    }
}

/// Isolates a 1-minimal difference between a passing and a failing configuration (Figure 15).
///
/// `start.passing` must be a subset of `start.failing`; they are taken to pass and to fail and are
/// not tested. Where the oracle stops early, the error holds the closest pair found until then.
pub fn dd<O: Oracle<Configuration>>(
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    narrow(start, Outcomes::RESOLVED, oracle)
}

/// Grows the passing configuration until it is 1-maximal below the failing one (footnote 15).
///
/// This is [`dd()`] with every other failure taken for unresolved: the failing side stays.
pub fn ddmax<O: Oracle<Configuration>>(
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    narrow(start, Outcomes::PASS, oracle)
}

/// Narrows the difference by the outcomes that are usable.
pub(crate) fn narrow<O: Oracle<Configuration>>(
    start: Isolated,
    usable: Outcomes,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let (mut sides, mut granularity) = (start, 2);
    loop {
        let difference = sides.difference();
        if difference.len() < 2 {
            return Ok(sides);
        }
        let n = granularity.min(difference.len());
        match oracle.first(attempts(&sides, &difference, n, usable)) {
            Ok(Some(decision)) => {
                sides.narrow(decision.configuration, decision.outcome);
                granularity = decision.next;
            }
            Ok(None) => return Ok(sides),
            Err(cause) => return Err(Stopped { best: sides, cause }),
        }
    }
}

/// All that dd tests from (c✔, c✘, n) on while nothing is decisive.
///
/// The rules of Figure 15 apply in order. Two of them look again at configurations that an earlier rule
/// has tested, now with another outcome in mind; the oracle answers those from memory.
fn attempts<'a>(
    sides: &'a Isolated,
    difference: &'a Configuration,
    granularity: usize,
    usable: Outcomes,
) -> impl Iterator<Item = Attempt<Configuration, usize>> + 'a {
    let finest = difference.len();
    let doubled = move |n: &usize| (*n < finest).then(|| (2 * n).min(finest));
    iter::successors(Some(granularity), doubled).flat_map(move |n| {
        let same_granularity = (n - 1).max(2);
        let parts = Partition::new(difference, n);
        // With two parts c✔ ∪ Δ1 = c✘ ∖ Δ2, so a Pass is already a passing complement (Proposition 18).
        let at_once = if n == 2 { Outcomes::RESOLVED } else { Outcomes::FAIL };
        let rules = [
            (Side::Subset, at_once, 2),
            (Side::Complement, Outcomes::PASS, 2),
            (Side::Subset, Outcomes::PASS, same_granularity),
            (Side::Complement, Outcomes::FAIL, same_granularity),
        ];
        let applicable = if n == 2 { 1 } else { rules.len() };
        rules.into_iter().take(applicable).flat_map(move |(side, decisive, next)| {
            let parts = parts.clone();
            (0..n).map(move |i| Attempt {
                configuration: match side {
                    Side::Subset => sides.passing.union(&parts.subset(i)),
                    Side::Complement => sides.failing.minus(&parts.subset(i)),
                },
                part: match side {
                    Side::Subset => Part::Subset { index: i + 1, of: n },
                    Side::Complement => Part::Complement { index: i + 1, of: n },
                },
                decisive: decisive.and(usable),
                next,
            })
        })
    })
}

#[derive(Clone, Copy)]
enum Side {
    /// c✔ ∪ Δi
    Subset,
    /// c✘ ∖ Δi
    Complement,
}
