//! Isolation where most mixtures of the two sides cannot be tested, as between two releases of a program.
//!
//! Halves and quarters of such a difference rarely build, and neither do eighths; the failing side without
//! a single group often does. Where halves and quarters are unresolved, each group is therefore removed on
//! its own, at the cost of one test. If the rest passes, the group contains the cause; if it fails, the
//! search continues without the group. The next level does the same inside the groups that are left.

use crate::configuration::Configuration;
use crate::dd::{Isolated, narrow};
use crate::grouping::Grouping;
use crate::levels::{deltas_of, groups_in};
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Oracle, Stopped};
use crate::outcome::{Outcome, Outcomes};
use crate::partition::Partition;

/// Isolates a difference on each level of groups in turn, removing single groups where parts of the
/// difference are unresolved; the difference is 1-minimal on the last level.
///
/// Each level must split the groups of the level before it.
pub fn remove_one_by_levels<O: Oracle<Configuration>>(
    levels: &[Grouping],
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let mut sides = start;
    for (level, grouping) in levels.iter().enumerate() {
        let is_last = level + 1 == levels.len();
        let groups = groups_in(grouping, &sides);
        oracle.enter(level, groups.difference().len());
        let mut over = grouping.over(oracle);
        let narrowed =
            narrow_by_parts(groups, &mut over).and_then(|sides| remove_one(sides, &mut over));
        let narrowed = narrowed.and_then(|sides| match is_last {
            true => narrow(sides, Outcomes::RESOLVED, &mut over),
            false => Ok(sides),
        });
        sides = match narrowed {
            Ok(closer) => deltas_of(grouping, &closer),
            Err(Stopped { best, cause }) => {
                return Err(Stopped { best: deltas_of(grouping, &best), cause });
            }
        };
    }
    Ok(sides)
}

/// Narrows the difference by halves and quarters as long as one of them is resolved.
fn narrow_by_parts<O: Oracle<Configuration>>(
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let mut sides = start;
    loop {
        let difference = sides.difference();
        if difference.len() < 2 {
            return Ok(sides);
        }
        match oracle.first(halves_and_quarters(&sides, &difference)) {
            Ok(Some(decision)) => sides.narrow(decision.candidate, decision.outcome),
            Ok(None) => return Ok(sides),
            Err(cause) => return Err(Stopped { best: sides, cause }),
        }
    }
}

/// Removes each group from the failing side in turn, until the rest passes.
fn remove_one<O: Oracle<Configuration>>(
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let mut sides = start;
    let mut left: Vec<u32> = sides.difference().iter().collect();
    while !left.is_empty() && sides.difference().len() > 1 {
        let attempts = left.iter().enumerate().map(|(index, &group)| Attempt {
            candidate: sides.failing.difference(&Configuration::from([group])),
            label: Label::new("complement").numbered(index + 1, left.len()),
            decisive: Outcomes::RESOLVED,
            next: index,
        });
        match oracle.first(attempts) {
            Ok(Some(decision)) => {
                let passed = decision.outcome == Outcome::Pass;
                sides.narrow(decision.candidate, decision.outcome);
                if passed {
                    break;
                }
                left.drain(..=decision.next);
            }
            Ok(None) => break,
            Err(cause) => return Err(Stopped { best: sides, cause }),
        }
    }
    Ok(sides)
}

/// Halves and quarters of the difference, added to the passing side and removed from the failing side.
fn halves_and_quarters<'a>(
    sides: &'a Isolated,
    difference: &'a Configuration,
) -> impl Iterator<Item = Attempt<Configuration, ()>> + 'a {
    [2, 4].into_iter().filter(|n| *n <= difference.len()).flat_map(move |n| {
        let parts = Partition::new(difference, n);
        let added = parts.clone();
        let subsets = (0..n).map(move |i| {
            (sides.passing.union(&added.subset(i)), Label::new("subset").numbered(i + 1, n))
        });
        // With two parts, each complement is the other subset.
        let complements = (0..if n == 2 { 0 } else { n }).map(move |i| {
            let complement = sides.failing.difference(&parts.subset(i));
            (complement, Label::new("complement").numbered(i + 1, n))
        });
        subsets.chain(complements).map(|(candidate, label)| Attempt {
            candidate,
            label,
            decisive: Outcomes::RESOLVED,
            next: (),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::memo::Memo;

    #[test]
    fn a_group_that_can_be_removed_alone_is_found_among_many_that_depend_on_each_other() {
        // Sixty files of ten lines. The first fifty files must be of one version; the cause is line 555.
        let core = 0..500;
        let mut oracle = Memo::of(|c: &Configuration| {
            let there = core.clone().filter(|delta| c.contains(*delta)).count();
            match there {
                0 | 500 => Outcome::fails_if(c.contains(555)),
                _ => Outcome::Unresolved,
            }
        });
        let files = Grouping::new((0..60).map(|file| file * 10).collect(), 600);
        let levels = [files, Grouping::singles(600)];
        let all = Configuration::full(600);
        let start = Isolated { passing: Configuration::empty(), failing: all };
        let sides = remove_one_by_levels(&levels, start, &mut oracle).unwrap();
        assert_eq!(sides.difference(), Configuration::from([555]));
        assert!(oracle.tests() <= 75, "{}", oracle.tests());
    }

    #[test]
    fn without_unresolved_outcomes_it_takes_one_test_per_halving() {
        let mut oracle = Memo::of(|c: &Configuration| Outcome::fails_if(c.contains(555)));
        let levels = [Grouping::singles(600)];
        let start = Isolated { passing: Configuration::empty(), failing: Configuration::full(600) };
        let sides = remove_one_by_levels(&levels, start, &mut oracle).unwrap();
        assert_eq!(sides.difference(), Configuration::from([555]));
        assert!(oracle.tests() <= 10, "{}", oracle.tests());
    }
}
