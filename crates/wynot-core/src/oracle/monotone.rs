//! Outcomes that need no test when failure is monotone (Section VII).

use crate::configuration::Configuration;
use crate::outcome::Outcome;

/// Outcomes, and what they imply about other configurations: a superset of a failing configuration fails,
/// a subset of a passing one passes.
///
/// Only the smallest failing and the largest passing configurations are stored; the others imply nothing
/// more. Where the test is *not* monotone, implied outcomes can be wrong. Monotonicity is therefore an
/// option, and a result that rests on an implied outcome has to be tested before it is trusted.
#[derive(Clone, Debug, Default)]
pub struct Monotonicity {
    failing: Vec<Configuration>,
    passing: Vec<Configuration>,
}

impl Monotonicity {
    /// Stores the outcome of a test.
    pub fn learn(&mut self, configuration: &Configuration, outcome: Outcome) {
        match outcome {
            Outcome::Fail => {
                self.failing.retain(|known| !configuration.is_subset(known));
                self.failing.push(configuration.clone());
            }
            Outcome::Pass => {
                self.passing.retain(|known| !known.is_subset(configuration));
                self.passing.push(configuration.clone());
            }
            Outcome::Unresolved => {}
        }
    }

    /// The outcome that the stored ones imply, if any. Where they contradict each other, failure wins.
    pub fn implied(&self, configuration: &Configuration) -> Option<Outcome> {
        if self.failing.iter().any(|failing| failing.is_subset(configuration)) {
            Some(Outcome::Fail)
        } else if self.passing.iter().any(|passing| configuration.is_subset(passing)) {
            Some(Outcome::Pass)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supersets_of_failing_sets_fail_and_subsets_of_passing_sets_pass() {
        let mut known = Monotonicity::default();
        known.learn(&Configuration::from([3, 4]), Outcome::Fail);
        known.learn(&Configuration::from([0, 1, 2]), Outcome::Pass);
        known.learn(&Configuration::from([5]), Outcome::Unresolved);
        let implied = |deltas: &[u32]| known.implied(&deltas.iter().copied().collect());
        assert_eq!(implied(&[0, 3, 4]), Some(Outcome::Fail));
        assert_eq!(implied(&[0, 2]), Some(Outcome::Pass));
        assert_eq!(implied(&[3]), None);
        assert_eq!(implied(&[5]), None);
    }
}
