//! The isolating algorithm, dd (Figure 15), and its maximizing instance, ddmax.

use crate::configuration::Configuration;
use crate::oracle::label::Label;
use crate::oracle::strategy::{Likeness, NextStep, Proposal, Strategy};
use crate::oracle::{Oracle, Stopped};
use crate::outcome::{Outcome, Outcomes};
use crate::partition::Partition;
use std::rc::Rc;

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
    match oracle.run(Narrowing::new(start, usable)) {
        Ok(end) => Ok(end.into_sides()),
        Err(Stopped { best, cause }) => Err(Stopped { best: best.into_sides(), cause }),
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

/// dd at (c✔, c✘, n), before one of its tests: each rule for all parts in order, then all of them at granularity 2n, and
/// so on down to single deltas.
#[derive(Clone, Debug)]
struct Narrowing {
    sides: Rc<Isolated>,
    difference: Rc<Configuration>,
    usable: Outcomes,
    granularity: usize,
    /// The number of tests at this granularity so far.
    tested: usize,
    /// The configuration proposed last, and the granularity if its outcome is decisive.
    proposed: Option<(Configuration, usize)>,
}

impl Narrowing {
    fn new(sides: Isolated, usable: Outcomes) -> Self {
        let difference = Rc::new(sides.difference());
        let (granularity, tested, proposed) = (difference.len().min(2), 0, None);
        Self { sides: Rc::new(sides), difference, usable, granularity, tested, proposed }
    }

    fn into_sides(self) -> Isolated {
        Rc::unwrap_or_clone(self.sides)
    }
}

impl Strategy<Configuration> for Narrowing {
    fn advance(&mut self) -> NextStep<Configuration> {
        let deltas = self.difference.len();
        if deltas < 2 {
            return NextStep::End;
        }
        // With two parts c✔ ∪ Δ1 = c✘ ∖ Δ2, so the subsets are also the complements and "reduce to subset"
        // and "increase to complement" apply to them at the same time (Proposition 18).
        let rules = |n: usize| if n == 2 { 1 } else { Rule::IN_ORDER.len() };
        if self.tested == rules(self.granularity) * self.granularity {
            if self.granularity == deltas {
                return NextStep::End;
            }
            (self.granularity, self.tested) = ((2 * self.granularity).min(deltas), 0);
        }
        let n = self.granularity;
        let (rule, part) = (Rule::IN_ORDER[self.tested / n], self.tested % n);
        let decisive = if n == 2 { Outcomes::RESOLVED } else { rule.decisive() };
        let subset = Partition::new(&self.difference, n).subset(part);
        let candidate = rule.candidate(&self.sides, &subset);
        self.tested += 1;
        self.proposed = Some((candidate.clone(), rule.next_granularity(n)));
        NextStep::Test(Proposal {
            candidate,
            label: rule.label().numbered(part + 1, n),
            decisive: decisive.intersection(self.usable),
            likeness: Likeness::default(),
        })
    }

    fn accept(&mut self, outcome: Outcome) {
        if let Some((configuration, granularity)) = self.proposed.take() {
            Rc::make_mut(&mut self.sides).narrow(configuration, outcome);
            self.difference = Rc::new(self.sides.difference());
            self.granularity = granularity.min(self.difference.len());
            self.tested = 0;
        }
    }
}
