//! The algorithms from coarse to fine: first on whole lines, then on the characters of the lines that are
//! left (Section IV-B does this by hand for Mozilla's HTML input).

use crate::configuration::Configuration;
use crate::dd::{Isolated, narrow};
use crate::ddmin::{ddmin, ddmin_next};
use crate::grouping::Grouping;
use crate::oracle::{Oracle, Stopped};
use crate::outcome::Outcomes;

/// [`ddmin()`] on each level of groups in turn; the result is 1-minimal on the last level.
///
/// Each level must split the groups of the level before it. For a result that is 1-minimal in single
/// deltas, the last level is [`Grouping::singles`].
///
/// # Panics
/// If the levels do not nest.
pub fn ddmin_by_levels<O: Oracle<Configuration>>(
    levels: &[Grouping],
    failing: Configuration,
    oracle: &mut O,
) -> Result<Configuration, Stopped<Configuration, O::Stop>> {
    simplify_by_levels::<Ddmin, O>(levels, failing, oracle)
}

/// [`ddmin_next()`] on each level of groups in turn; the result is 1-minimal on the last level.
///
/// # Panics
/// If the levels do not nest.
pub fn ddmin_next_by_levels<O: Oracle<Configuration>>(
    levels: &[Grouping],
    failing: Configuration,
    oracle: &mut O,
) -> Result<Configuration, Stopped<Configuration, O::Stop>> {
    simplify_by_levels::<DdminNext, O>(levels, failing, oracle)
}

/// An algorithm that simplifies a failing configuration.
pub(crate) trait Simplifier {
    fn simplify<O: Oracle<Configuration>>(
        failing: Configuration,
        oracle: &mut O,
    ) -> Result<Configuration, Stopped<Configuration, O::Stop>>;
}

struct Ddmin;

impl Simplifier for Ddmin {
    fn simplify<O: Oracle<Configuration>>(
        failing: Configuration,
        oracle: &mut O,
    ) -> Result<Configuration, Stopped<Configuration, O::Stop>> {
        ddmin(failing, oracle)
    }
}

struct DdminNext;

impl Simplifier for DdminNext {
    fn simplify<O: Oracle<Configuration>>(
        failing: Configuration,
        oracle: &mut O,
    ) -> Result<Configuration, Stopped<Configuration, O::Stop>> {
        ddmin_next(failing, oracle)
    }
}

/// Runs an algorithm on each level of groups in turn.
pub(crate) fn simplify_by_levels<S: Simplifier, O: Oracle<Configuration>>(
    levels: &[Grouping],
    failing: Configuration,
    oracle: &mut O,
) -> Result<Configuration, Stopped<Configuration, O::Stop>> {
    let mut failing = failing;
    for (level, grouping) in levels.iter().enumerate() {
        let groups = grouping.groups_in(&failing);
        assert_eq!(grouping.deltas_of(&groups), failing, "the levels nest");
        oracle.enter(level, groups.len());
        failing = match S::simplify(groups, &mut grouping.over(oracle)) {
            Ok(groups) => grouping.deltas_of(&groups),
            Err(Stopped { best, cause }) => {
                return Err(Stopped { best: grouping.deltas_of(&best), cause });
            }
        };
    }
    Ok(failing)
}

/// [`dd()`](crate::dd()) on each level of groups in turn; the difference is 1-minimal on the last level.
///
/// Each level must split the groups of the level before it.
pub fn dd_by_levels<O: Oracle<Configuration>>(
    levels: &[Grouping],
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    narrow_by_levels(levels, start, Outcomes::RESOLVED, oracle)
}

/// [`ddmax()`](crate::ddmax()) on each level of groups in turn.
///
/// Each level must split the groups of the level before it.
pub fn ddmax_by_levels<O: Oracle<Configuration>>(
    levels: &[Grouping],
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    narrow_by_levels(levels, start, Outcomes::PASS, oracle)
}

fn narrow_by_levels<O: Oracle<Configuration>>(
    levels: &[Grouping],
    start: Isolated,
    usable: Outcomes,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let mut sides = start;
    for (level, grouping) in levels.iter().enumerate() {
        let groups = groups_in(grouping, &sides);
        oracle.enter(level, groups.difference().len());
        sides = match narrow(groups, usable, &mut grouping.over(oracle)) {
            Ok(closer) => deltas_of(grouping, &closer),
            Err(Stopped { best, cause }) => {
                return Err(Stopped { best: deltas_of(grouping, &best), cause });
            }
        };
    }
    Ok(sides)
}

/// The groups all of whose deltas are in each side.
pub(crate) fn groups_in(grouping: &Grouping, sides: &Isolated) -> Isolated {
    Isolated {
        passing: grouping.groups_in(&sides.passing),
        failing: grouping.groups_in(&sides.failing),
    }
}

/// The deltas of the groups of each side.
pub(crate) fn deltas_of(grouping: &Grouping, groups: &Isolated) -> Isolated {
    Isolated {
        passing: grouping.deltas_of(&groups.passing),
        failing: grouping.deltas_of(&groups.failing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::memo::Memo;
    use crate::outcome::Outcome;

    /// Ten lines of ten characters; the failure needs characters 41, 44 and 87.
    fn needs(c: &Configuration) -> Outcome {
        Outcome::fails_if([41, 44, 87].iter().all(|&delta| c.contains(delta)))
    }

    fn lines_then_characters() -> [Grouping; 2] {
        let lines = Grouping::new((0..10).map(|line| line * 10).collect(), 100);
        [lines, Grouping::singles(100)]
    }

    #[test]
    fn coarse_levels_lead_to_the_same_minimum_in_fewer_tests() {
        let mut by_levels = Memo::of(needs);
        let minimal =
            ddmin_by_levels(&lines_then_characters(), Configuration::full(100), &mut by_levels);
        let mut flat = Memo::of(needs);
        assert_eq!(minimal, ddmin(Configuration::full(100), &mut flat));
        assert_eq!(minimal.unwrap(), Configuration::from([41, 44, 87]));
        assert!(by_levels.tests() < flat.tests(), "{} {}", by_levels.tests(), flat.tests());
    }

    #[test]
    fn isolating_by_levels_ends_with_a_single_delta() {
        let start = Isolated { passing: Configuration::empty(), failing: Configuration::full(100) };
        let mut oracle = Memo::of(needs);
        let sides = dd_by_levels(&lines_then_characters(), start, &mut oracle).unwrap();
        assert_eq!(sides.difference(), Configuration::from([87]));
        assert_eq!(needs(&sides.passing), Outcome::Pass);
        assert_eq!(needs(&sides.failing), Outcome::Fail);
    }
}
