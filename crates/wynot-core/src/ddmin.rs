//! The minimizing algorithm, ddmin (Figure 5).

use crate::configuration::Configuration;
use crate::oracle::label::Label;
use crate::oracle::strategy::{Likeness, NextStep, Proposal, Strategy};
use crate::oracle::{Oracle, Stopped};
use crate::outcome::{Outcome, Outcomes};
use crate::partition::Partition;
use std::rc::Rc;

/// Simplifies a failing configuration until it is 1-minimal: no single delta can be removed (Figure 5).
///
/// `failing` is assumed to fail and the empty configuration to pass; neither is tested. If the oracle
/// stops early, the error holds the smallest failing configuration found until then.
pub fn ddmin<O: Oracle<Configuration>>(
    failing: Configuration,
    oracle: &mut O,
) -> Result<Configuration, Stopped<Configuration, O::Stop>> {
    minimize(failing, AfterComplement::StartOver, oracle)
}

/// [`ddmin()`] that goes on with the next complement after one that fails, instead of starting over with the first subset.
///
/// The paper defines ddmin by recursion, which starts over; most implementations go on, and need fewer tests where much can
/// be removed. At the granularity of single deltas, the complements are tested until none of them fails: the result is
/// 1-minimal as well, but need not be the same one.
pub fn ddmin_next<O: Oracle<Configuration>>(
    failing: Configuration,
    oracle: &mut O,
) -> Result<Configuration, Stopped<Configuration, O::Stop>> {
    minimize(failing, AfterComplement::GoOn, oracle)
}

fn minimize<O: Oracle<Configuration>>(
    failing: Configuration,
    after_complement: AfterComplement,
    oracle: &mut O,
) -> Result<Configuration, Stopped<Configuration, O::Stop>> {
    match oracle.run(Minimizing::new(failing, after_complement)) {
        Ok(end) => Ok(end.into_failing()),
        Err(Stopped { best, cause }) => Err(Stopped { best: best.into_failing(), cause }),
    }
}

/// What is tested after a complement that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AfterComplement {
    /// The subsets of it, as Figure 5 has it.
    StartOver,
    /// The next complement, at the same size of parts.
    GoOn,
}

/// ddmin at (c✘, n), before one of its tests: the subsets in order, the complements in order, then both at granularity
/// 2n, and so on down to single deltas.
#[derive(Clone, Debug)]
struct Minimizing {
    failing: Rc<Configuration>,
    granularity: usize,
    /// The number of tests at this granularity so far.
    tested: usize,
    /// The configuration proposed last, and where to go on if it fails.
    proposed: Option<(Configuration, NextTest)>,
    after_complement: AfterComplement,
    /// Whether a complement of this granularity has failed since the first one was tested.
    has_failed: bool,
}

/// A place among the tests of a configuration.
#[derive(Clone, Copy, Debug)]
struct NextTest {
    granularity: usize,
    /// The number of tests of this granularity before it.
    tested: usize,
}

impl Minimizing {
    fn new(failing: Configuration, after_complement: AfterComplement) -> Self {
        Self {
            failing: Rc::new(failing),
            granularity: 2,
            tested: 0,
            proposed: None,
            after_complement,
            has_failed: false,
        }
    }

    /// Where to go on after a complement that fails.
    fn after_complement(&self, index: usize) -> NextTest {
        let granularity = (self.granularity - 1).max(2);
        match self.after_complement {
            // Of two parts, each is the complement of the other, so both are new.
            AfterComplement::GoOn if granularity > 2 => {
                NextTest { granularity, tested: granularity + index }
            }
            _ => NextTest { granularity, tested: 0 },
        }
    }

    fn into_failing(self) -> Configuration {
        Rc::unwrap_or_clone(self.failing)
    }
}

impl Strategy<Configuration> for Minimizing {
    fn advance(&mut self) -> NextStep<Configuration> {
        let deltas = self.failing.len();
        if deltas < 2 {
            return NextStep::End;
        }
        // With two parts, each complement is the other subset, so there is nothing new to test.
        let tests = |n: usize| if n > 2 { 2 * n } else { n };
        if self.tested == tests(self.granularity) {
            match (self.granularity == deltas, std::mem::take(&mut self.has_failed)) {
                (true, false) => return NextStep::End,
                // The complements before the last one that failed are new.
                (true, true) => self.tested = self.granularity,
                (false, _) => {
                    (self.granularity, self.tested) = ((2 * self.granularity).min(deltas), 0);
                }
            }
        }
        let n = self.granularity;
        let part = Partition::new(&self.failing, n).subset(self.tested % n);
        let (candidate, label, next) = match self.tested < n {
            true => (part, Label::new("subset"), NextTest { granularity: 2, tested: 0 }),
            false => {
                let next = self.after_complement(self.tested - n);
                (self.failing.difference(&part), Label::new("complement"), next)
            }
        };
        let label = label.numbered(self.tested % n + 1, n);
        self.tested += 1;
        self.proposed = Some((candidate.clone(), next));
        let (decisive, likeness) = (Outcomes::FAIL, Likeness::default());
        NextStep::Test(Proposal { candidate, label, decisive, likeness })
    }

    fn accept(&mut self, _: Outcome) {
        if let Some((failing, next)) = self.proposed.take() {
            self.granularity = next.granularity.min(failing.len());
            self.failing = Rc::new(failing);
            self.tested = next.tested;
            self.has_failed = next.tested > 0;
        }
    }
}
