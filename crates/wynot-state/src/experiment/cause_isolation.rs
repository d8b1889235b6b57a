//! Isolating the differences that decide at a place, with few tests and few differences.
//!
//! First the causes of the places around are tried: what decided before mostly still does, and a chain in which
//! a cause stays the same is short. Otherwise dd isolates a cause. Where that decides only together with
//! others, ddmin looks for a few differences that decide alone.

use std::iter;
use wynot_core::{
    Configuration, Grouping, Isolated, Oracle, Outcome, Stopped, dd_by_levels, ddmin,
};

/// The number of differences up to which a failing side is minimised.
const MAX_MINIMISED: usize = 60;

/// The number of differences up to which a minimal failing side is a cause.
const MAX_DECIDING: usize = 4;

/// Isolates the differences that decide, given that none of them pass and all of them fail. The `expected`
/// configurations are tried first, in their order.
pub(crate) fn isolate<O: Oracle<Configuration>>(
    levels: &[Grouping],
    count: u32,
    expected: &[Configuration],
    oracle: &mut O,
) -> Result<Isolated, O::Stop> {
    let cause_of = |stopped: Stopped<Configuration, O::Stop>| stopped.cause;
    let alone = |failing: Configuration| Isolated { passing: Configuration::empty(), failing };
    for configuration in expected.iter().filter(|configuration| !configuration.is_empty()) {
        if fails(oracle, configuration)? {
            return Ok(alone(ddmin(configuration.clone(), oracle).map_err(cause_of)?));
        }
    }
    let start = alone(Configuration::full(count));
    let sides = dd_by_levels(levels, start, oracle).map_err(|Stopped { cause, .. }| cause)?;
    if sides.passing.is_empty() {
        return Ok(sides);
    }
    let difference = sides.difference();
    if fails(oracle, &difference)? {
        return Ok(alone(difference));
    }
    if sides.failing.len() <= MAX_MINIMISED {
        let minimal = ddmin(sides.failing.clone(), oracle).map_err(cause_of)?;
        if minimal.len() <= MAX_DECIDING {
            return Ok(alone(minimal));
        }
    }
    Ok(sides)
}

fn fails<O: Oracle<Configuration>>(
    oracle: &mut O,
    configuration: &Configuration,
) -> Result<bool, O::Stop> {
    Ok(oracle.each(iter::once(configuration.clone()))? == [Outcome::Fail])
}

#[cfg(test)]
mod tests {
    use super::*;
    use wynot_core::Memo;

    fn isolated(
        test: impl FnMut(&Configuration) -> Outcome,
        expected: &[Configuration],
    ) -> (Isolated, usize) {
        let mut oracle = Memo::of(test);
        let levels = [Grouping::new(vec![0, 20, 40], 60), Grouping::singles(60)];
        let Ok(sides) = isolate(&levels, 60, expected, &mut oracle);
        (sides, oracle.tests())
    }

    #[test]
    fn a_cause_that_still_decides_needs_one_test_for_each_of_its_differences() {
        let either = |c: &Configuration| Outcome::fails_if(c.contains(7) || c.contains(50));
        let (sides, tests) = isolated(either, &[Configuration::from([50])]);
        assert_eq!(sides.failing, Configuration::from([50]));
        assert_eq!(tests, 1);
        let (sides, _) = isolated(either, &[Configuration::from([3]), Configuration::from([7, 9])]);
        assert_eq!(sides.failing, Configuration::from([7]));
    }

    #[test]
    fn differences_that_decide_only_together_are_all_named() {
        let needs = |c: &Configuration| {
            Outcome::fails_if([5, 25, 45].iter().all(|delta| c.contains(*delta)))
        };
        let (sides, _) = isolated(needs, &[]);
        assert!(sides.passing.is_empty());
        assert_eq!(sides.failing, Configuration::from([5, 25, 45]));
    }

    #[test]
    fn a_cause_that_needs_many_others_keeps_them_as_its_context() {
        let needs =
            |c: &Configuration| Outcome::fails_if((0..10).all(|delta| c.contains(delta * 5)));
        let (sides, _) = isolated(needs, &[]);
        assert_eq!(sides.difference().len(), 1);
        assert!(sides.passing.len() >= 9);
    }
}
