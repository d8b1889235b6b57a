//! Simplifying by isolating again and again: what is needed is gathered one by one.
//!
//! [`dd()`] finds one delta that decides in about log2 |c| tests, but in the context of others. Here
//! that delta is put aside as needed, and dd goes on between what is needed and what fails, until what is
//! needed fails by itself. Where few deltas of many matter this takes far fewer tests than
//! [`ddmin()`]; for a single one, log2 |c| + 1. (Junker's QuickXplain does the same for constraints.)

use crate::hierarchy::{Simplifier, simplify_by_levels};
use crate::{
    Attempt, Configuration, Grouping, Isolated, Oracle, Outcomes, Part, Stopped, dd, ddmin,
};

/// Simplifies a configuration that fails; the result is 1-minimal.
///
/// ```
/// use wynot_core::{Configuration, Outcome, Recall, gather};
///
/// let all = Configuration::full(31);
/// let mut oracle = Recall::new(|c: &Configuration| Outcome::fails_if(c.contains(20)));
/// assert_eq!(gather(all, &mut oracle).unwrap(), Configuration::from_deltas([20]));
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
            configuration: needed.clone(),
            part: Part::Gathered { count: needed.len() },
            decisive: Outcomes::FAIL,
            next: (),
        };
        match oracle.first(std::iter::once(alone)) {
            Ok(Some(_)) => break,
            Ok(None) => {}
            Err(cause) => return Err(Stopped { best: failing, cause }),
        }
    }
    // What was needed in a larger context may not be needed in the end; few tests are left to ask.
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
    use crate::{Outcome, Recall};

    #[test]
    fn a_single_cause_takes_one_test_per_halving_and_one_more() {
        for size in [2, 3, 31, 32, 200, 1000] {
            let bound = 1 + (size as f64).log2().ceil() as usize;
            for cause in 0..size {
                let mut oracle =
                    Recall::new(|c: &Configuration| Outcome::fails_if(c.contains(cause)))
                        .with_known(Configuration::empty(), Outcome::Pass)
                        .with_known(Configuration::full(size), Outcome::Fail);
                let found = gather(Configuration::full(size), &mut oracle).unwrap();
                assert_eq!(found, Configuration::from_deltas([cause]));
                assert!(oracle.tests() <= bound, "{size} {cause}: {}", oracle.tests());
            }
        }
    }

    #[test]
    fn causes_that_act_together_are_gathered() {
        let needs = [3, 77, 130];
        let mut oracle = Recall::new(|c: &Configuration| {
            Outcome::fails_if(needs.iter().all(|&delta| c.contains(delta)))
        });
        let found = gather(Configuration::full(200), &mut oracle).unwrap();
        assert_eq!(found, Configuration::from_deltas(needs));
        assert!(oracle.tests() <= 32, "{}", oracle.tests());
    }
}
