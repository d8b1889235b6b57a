//! Outcomes that need no test when failure is monotone (Section VII).

use crate::{Configuration, Outcome};

/// Remembers outcomes and says what they imply: a superset of a failed set fails, a subset of a
/// passed set passes.
///
/// Only the smallest failed and the largest passed sets are kept; the others imply nothing more.
/// Where the test is *not* monotone, implied outcomes can be wrong, so this is an option, and a
/// result that rests on one has to be tested before it is believed.
#[derive(Clone, Debug, Default)]
pub struct Monotony {
    failed: Vec<Configuration>,
    passed: Vec<Configuration>,
}

impl Monotony {
    /// Takes note of a tested outcome.
    pub fn learn(&mut self, configuration: &Configuration, outcome: Outcome) {
        match outcome {
            Outcome::Fail => {
                self.failed.retain(|known| !configuration.is_subset(known));
                self.failed.push(configuration.clone());
            }
            Outcome::Pass => {
                self.passed.retain(|known| !known.is_subset(configuration));
                self.passed.push(configuration.clone());
            }
            Outcome::Unresolved => {}
        }
    }

    /// The outcome that earlier ones imply, if any. Where they contradict each other, failure wins.
    pub fn implied(&self, configuration: &Configuration) -> Option<Outcome> {
        if self.failed.iter().any(|failed| failed.is_subset(configuration)) {
            Some(Outcome::Fail)
        } else if self.passed.iter().any(|passed| configuration.is_subset(passed)) {
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
    fn supersets_of_failed_sets_fail_and_subsets_of_passed_sets_pass() {
        let mut known = Monotony::default();
        known.learn(&Configuration::from_deltas([3, 4]), Outcome::Fail);
        known.learn(&Configuration::from_deltas([0, 1, 2]), Outcome::Pass);
        known.learn(&Configuration::from_deltas([5]), Outcome::Unresolved);
        let implied =
            |deltas: &[u32]| known.implied(&Configuration::from_deltas(deltas.iter().copied()));
        assert_eq!(implied(&[0, 3, 4]), Some(Outcome::Fail));
        assert_eq!(implied(&[0, 2]), Some(Outcome::Pass));
        assert_eq!(implied(&[3]), None);
        assert_eq!(implied(&[5]), None);
    }
}
