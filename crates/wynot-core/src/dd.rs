//! The isolating algorithm, dd (Figure 15), and its maximizing instance, ddmax.

use crate::configuration::Configuration;
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Oracle, Stopped};
use crate::outcome::{Outcome, Outcomes};
use crate::partition::Partition;
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
        self.failing.difference(&self.passing)
    }

    /// Replaces the side that has the outcome of a decisive test by the configuration tested.
    pub(crate) fn narrow(&mut self, configuration: Configuration, outcome: Outcome) {
        match outcome {
            Outcome::Pass => self.passing = configuration,
            Outcome::Fail => self.failing = configuration,
            // Never decisive. An oracle that returns it nevertheless changes nothing.
            Outcome::Unresolved => {}
        }
    }
}

/// Isolates a 1-minimal difference between a passing and a failing configuration (Figure 15).
///
/// `start.passing` must be a subset of `start.failing`; they are assumed to pass and to fail and are
/// not tested. If the oracle stops early, the error holds the closest pair found until then.
///
/// ```
/// use wynot_core::{Configuration, Isolated, Memo, Outcome, dd};
///
/// let start = Isolated { passing: Configuration::empty(), failing: Configuration::full(1024) };
/// let mut oracle = Memo::of(|c: &Configuration| Outcome::fails_if(c.contains(600)));
/// let isolated = dd(start, &mut oracle).unwrap();
/// assert_eq!(isolated.difference(), Configuration::from([600]));
/// assert_eq!(oracle.tests(), 10);
/// ```
pub fn dd<O: Oracle<Configuration>>(
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    narrow(start, Outcomes::RESOLVED, oracle)
}

/// Grows the passing configuration until it is 1-maximal below the failing one (footnote 15).
///
/// This is [`dd()`] with every failure treated as unresolved, so the failing side stays as it is.
pub fn ddmax<O: Oracle<Configuration>>(
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    narrow(start, Outcomes::PASS, oracle)
}

/// Narrows the difference, using only tests with one of the `usable` outcomes.
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
                sides.narrow(decision.candidate, decision.outcome);
                granularity = decision.next;
            }
            Ok(None) => return Ok(sides),
            Err(cause) => return Err(Stopped { best: sides, cause }),
        }
    }
}

/// The rules of Figure 15 that test something.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// c✔ ∪ Δi fails and becomes c✘.
    ReduceToSubset,
    /// c✘ ∖ Δi passes and becomes c✔.
    IncreaseToComplement,
    /// c✔ ∪ Δi passes and becomes c✔.
    IncreaseToSubset,
    /// c✘ ∖ Δi fails and becomes c✘.
    ReduceToComplement,
}

impl Rule {
    /// The rules in the order in which they apply.
    ///
    /// "Increase to subset" and "reduce to complement" test the same configurations as the two rules before
    /// them, with the other outcome in mind. The oracle answers from memory.
    const IN_ORDER: [Self; 4] = [
        Self::ReduceToSubset,
        Self::IncreaseToComplement,
        Self::IncreaseToSubset,
        Self::ReduceToComplement,
    ];

    fn candidate(self, sides: &Isolated, part: &Configuration) -> Configuration {
        match self {
            Self::ReduceToSubset | Self::IncreaseToSubset => sides.passing.union(part),
            Self::IncreaseToComplement | Self::ReduceToComplement => sides.failing.difference(part),
        }
    }

    fn label(self) -> Label {
        match self {
            Self::ReduceToSubset | Self::IncreaseToSubset => Label::new("subset"),
            Self::IncreaseToComplement | Self::ReduceToComplement => Label::new("complement"),
        }
    }

    fn decisive(self) -> Outcomes {
        match self {
            Self::ReduceToSubset | Self::ReduceToComplement => Outcomes::FAIL,
            Self::IncreaseToComplement | Self::IncreaseToSubset => Outcomes::PASS,
        }
    }

    /// The granularity after the rule was applied at granularity `n`.
    fn next_granularity(self, n: usize) -> usize {
        match self {
            Self::ReduceToSubset | Self::IncreaseToComplement => 2,
            Self::IncreaseToSubset | Self::ReduceToComplement => (n - 1).max(2),
        }
    }
}

/// Everything that dd tests from (c✔, c✘, n) on while nothing is decisive.
fn attempts<'a>(
    sides: &'a Isolated,
    difference: &'a Configuration,
    granularity: usize,
    usable: Outcomes,
) -> impl Iterator<Item = Attempt<Configuration, usize>> + 'a {
    let finest = difference.len();
    let increase_granularity = move |n: &usize| (*n < finest).then(|| (2 * n).min(finest));
    iter::successors(Some(granularity), increase_granularity).flat_map(move |n| {
        let parts = Partition::new(difference, n);
        // With two parts c✔ ∪ Δ1 = c✘ ∖ Δ2, so the subsets are also the complements and "reduce to subset"
        // and "increase to complement" apply to them at the same time (Proposition 18).
        let rules = if n == 2 { 1 } else { Rule::IN_ORDER.len() };
        Rule::IN_ORDER.into_iter().take(rules).flat_map(move |rule| {
            let parts = parts.clone();
            let decisive = if n == 2 { Outcomes::RESOLVED } else { rule.decisive() };
            (0..n).map(move |i| Attempt {
                candidate: rule.candidate(sides, &parts.subset(i)),
                label: rule.label().numbered(i + 1, n),
                decisive: decisive.intersection(usable),
                next: rule.next_granularity(n),
            })
        })
    })
}
