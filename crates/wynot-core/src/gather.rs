//! Simplification by repeated isolation: the needed deltas are gathered one by one.
//!
//! [`dd()`] finds one decisive delta in about log2 |c| tests, but in the context of others. Here that delta
//! is added to the needed ones, and dd continues between the needed deltas and the failing configuration,
//! until the needed deltas fail on their own. Where few of many deltas are needed, this takes far fewer
//! tests than [`ddmin()`]: log2 |c| + 1 for a single one. (Junker's QuickXplain does the same for
//! constraints.)

use crate::configuration::Configuration;
use crate::dd::{Isolated, dd};
use crate::ddmin::ddmin;
use crate::grouping::Grouping;
use crate::levels::{Simplifier, simplify_by_levels};
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Oracle, Stopped};
use crate::outcome::Outcomes;

/// Simplifies a failing configuration by repeated [`dd()`]; the result is 1-minimal.
///
/// `failing` is assumed to fail and the empty configuration to pass; neither is tested.
///
/// ```
/// use wynot_core::{Configuration, Memo, Outcome, gather};
///
/// let all = Configuration::full(31);
/// let mut oracle = Memo::of(|c: &Configuration| Outcome::fails_if(c.contains(20)));
/// assert_eq!(gather(all, &mut oracle).unwrap(), Configuration::from([20]));
/// assert_eq!(oracle.tests(), 6);
/// ```
pub fn gather<O: Oracle<Configuration>>(
    failing: Configuration,
    oracle: &mut O,
) -> Result<Configuration, Stopped<Configuration, O::Stop>> {
    let mut needed = Configuration::empty();
    let mut failing = failing;
    while needed.len() < failing.len() {
        let sides = match dd(Isolated { passing: needed.clone(), failing }, oracle) {
            Ok(sides) => sides,
            Err(Stopped { best, cause }) => return Err(Stopped { best: best.failing, cause }),
        };
        needed = needed.union(&sides.difference());
        failing = sides.failing;
        if needed.len() == failing.len() {
            break;
        }
        let alone = Attempt {
            candidate: needed.clone(),
            label: Label::new("needed").count_first(needed.len()),
            decisive: Outcomes::FAIL,
            next: (),
        };
        match oracle.first(std::iter::once(alone)) {
            Ok(Some(_)) => break,
            Ok(None) => {}
            Err(cause) => return Err(Stopped { best: failing, cause }),
        }
    }
    // A delta that was needed in a larger context may not be needed in the end. Few tests are left.
    ddmin(needed, oracle)
}

/// [`gather()`] on each level of groups in turn; the result is 1-minimal on the last level.
pub fn gather_by_levels<O: Oracle<Configuration>>(
    levels: &[Grouping],
    failing: Configuration,
    oracle: &mut O,
) -> Result<Configuration, Stopped<Configuration, O::Stop>> {
    simplify_by_levels::<Gather, O>(levels, failing, oracle)
}

struct Gather;

impl Simplifier for Gather {
    fn simplify<O: Oracle<Configuration>>(
        failing: Configuration,
        oracle: &mut O,
    ) -> Result<Configuration, Stopped<Configuration, O::Stop>> {
        gather(failing, oracle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::memo::Memo;
    use crate::outcome::Outcome;

    #[test]
    fn a_single_cause_takes_one_test_per_halving_and_one_more() {
        for size in [2, 3, 31, 32, 200, 1000] {
            let bound = 1 + (size as f64).log2().ceil() as usize;
            for cause in 0..size {
                let mut oracle = Memo::of(|c: &Configuration| Outcome::fails_if(c.contains(cause)))
                    .with_known(Configuration::empty(), Outcome::Pass)
                    .with_known(Configuration::full(size), Outcome::Fail);
                let found = gather(Configuration::full(size), &mut oracle).unwrap();
                assert_eq!(found, Configuration::from([cause]));
                assert!(oracle.tests() <= bound, "{size} {cause}: {}", oracle.tests());
            }
        }
    }

    #[test]
    fn causes_that_act_together_are_gathered() {
        let needs = [3, 77, 130];
        let mut oracle = Memo::of(|c: &Configuration| {
            Outcome::fails_if(needs.iter().all(|&delta| c.contains(delta)))
        });
        let found = gather(Configuration::full(200), &mut oracle).unwrap();
        assert_eq!(found, Configuration::from(needs));
        assert!(oracle.tests() <= 32, "{}", oracle.tests());
    }
}
