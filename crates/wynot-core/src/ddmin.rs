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
    match oracle.run(Minimizing::new(failing)) {
        Ok(end) => Ok(end.into_failing()),
        Err(Stopped { best, cause }) => Err(Stopped { best: best.into_failing(), cause }),
    }
}

/// ddmin at (c✘, n), before one of its tests: the subsets in order, the complements in order, then both at granularity
/// 2n, and so on down to single deltas.
#[derive(Clone, Debug)]
struct Minimizing {
    failing: Rc<Configuration>,
    granularity: usize,
    /// The number of tests at this granularity so far.
    tested: usize,
    /// The configuration proposed last, and the granularity if it fails.
    proposed: Option<(Configuration, usize)>,
}

impl Minimizing {
    fn new(failing: Configuration) -> Self {
        Self { failing: Rc::new(failing), granularity: 2, tested: 0, proposed: None }
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
            if self.granularity == deltas {
                return NextStep::End;
            }
            (self.granularity, self.tested) = ((2 * self.granularity).min(deltas), 0);
        }
        let n = self.granularity;
        let part = Partition::new(&self.failing, n).subset(self.tested % n);
        let (candidate, label, next) = match self.tested < n {
            true => (part, Label::new("subset"), 2),
            false => (self.failing.difference(&part), Label::new("complement"), (n - 1).max(2)),
        };
        let label = label.numbered(self.tested % n + 1, n);
        self.tested += 1;
        self.proposed = Some((candidate.clone(), next));
        let (decisive, likeness) = (Outcomes::FAIL, Likeness::default());
        NextStep::Test(Proposal { candidate, label, decisive, likeness })
    }

    fn accept(&mut self, _: Outcome) {
        if let Some((failing, granularity)) = self.proposed.take() {
            self.granularity = granularity.min(failing.len());
            self.failing = Rc::new(failing);
            self.tested = 0;
        }
    }
}
