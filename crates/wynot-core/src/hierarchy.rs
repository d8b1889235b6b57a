//! From coarse to fine: first whole lines, then the characters of the lines that are left
//! (Section IV-B does this by hand for Mozilla's HTML input).

use crate::dd::narrow;
use crate::{Configuration, Grouping, Isolated, Oracle, Outcomes, Stopped, ddmin};

/// [`ddmin()`] on each level of groups in turn; the result is 1-minimal on the last level.
///
/// Each level must split the groups of the one before. To end on single deltas, let the last level be
/// [`Grouping::singles`].
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

/// A way to simplify a configuration that fails.
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

/// Simplifies on each level of groups in turn.
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
pub fn dd_by_levels<O: Oracle<Configuration>>(
    levels: &[Grouping],
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    narrow_by_levels(levels, start, Outcomes::RESOLVED, oracle)
}

/// [`ddmax()`](crate::ddmax()) on each level of groups in turn.
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
        let groups = Isolated {
            passing: grouping.groups_in(&sides.passing),
            failing: grouping.groups_in(&sides.failing),
        };
        let deltas = |groups: &Isolated| Isolated {
            passing: grouping.deltas_of(&groups.passing),
            failing: grouping.deltas_of(&groups.failing),
        };
        oracle.enter(level, groups.difference().len());
        sides = match narrow(groups, usable, &mut grouping.over(oracle)) {
            Ok(closer) => deltas(&closer),
            Err(Stopped { best, cause }) => return Err(Stopped { best: deltas(&best), cause }),
        };
    }
    Ok(sides)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outcome, Recall};

    /// Ten lines of ten characters; the failure needs characters 41, 44 and 87.
    fn needs(c: &Configuration) -> Outcome {
        Outcome::fails_if([41, 44, 87].iter().all(|&delta| c.contains(delta)))
    }

    fn lines_then_characters() -> [Grouping; 2] {
        let lines = Grouping::new((0..10).map(|line| line * 10).collect(), 100);
        [lines, Grouping::singles(100)]
    }

    #[test]
    fn coarse_levels_first_end_at_the_same_minimum_in_fewer_tests() {
        let mut by_levels = Recall::new(needs);
        let minimal =
            ddmin_by_levels(&lines_then_characters(), Configuration::full(100), &mut by_levels);
        let mut flat = Recall::new(needs);
        assert_eq!(minimal, ddmin(Configuration::full(100), &mut flat));
        assert_eq!(minimal.unwrap(), Configuration::from_deltas([41, 44, 87]));
        assert!(by_levels.tests() < flat.tests(), "{} {}", by_levels.tests(), flat.tests());
    }

    #[test]
    fn isolating_by_levels_ends_with_a_single_delta() {
        let start = Isolated { passing: Configuration::empty(), failing: Configuration::full(100) };
        let mut oracle = Recall::new(needs);
        let sides = dd_by_levels(&lines_then_characters(), start, &mut oracle).unwrap();
        assert_eq!(sides.difference(), Configuration::from_deltas([87]));
        assert_eq!(needs(&sides.passing), Outcome::Pass);
        assert_eq!(needs(&sides.failing), Outcome::Fail);
    }
}
