//! Isolating where most mixtures cannot be tested, as between two releases of a program.
//!
//! Halves and quarters of such a difference rarely build, and neither do eighths: the parts that do are
//! single ones, taken out of what fails. So where halves and quarters are unresolved, each group is
//! taken out by itself, one test for each; what passes without it needs no more, and what fails without it
//! goes on without it. Then the same with what is inside.

use crate::dd::narrow;
use crate::{
    Attempt, Configuration, Grouping, Isolated, Oracle, Outcome, Outcomes, Part, Partition, Stopped,
};

/// Isolates a difference on each level of groups in turn; it is 1-minimal on the last level.
pub fn dd_sweeping<O: Oracle<Configuration>>(
    levels: &[Grouping],
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let mut sides = start;
    for (level, grouping) in levels.iter().enumerate() {
        let last = level + 1 == levels.len();
        let groups = Isolated {
            passing: grouping.groups_in(&sides.passing),
            failing: grouping.groups_in(&sides.failing),
        };
        oracle.enter(level, groups.difference().len());
        let mut over = grouping.over(oracle);
        let found = swept(groups, &mut over).and_then(|sides| match last {
            true => narrow(sides, Outcomes::RESOLVED, &mut over),
            false => Ok(sides),
        });
        let deltas = |groups: &Isolated| Isolated {
            passing: grouping.deltas_of(&groups.passing),
            failing: grouping.deltas_of(&groups.failing),
        };
        sides = match found {
            Ok(closer) => deltas(&closer),
            Err(Stopped { best, cause }) => return Err(Stopped { best: deltas(&best), cause }),
        };
    }
    Ok(sides)
}

/// Halves and quarters as long as they can be tested, then each group by itself.
fn swept<O: Oracle<Configuration>>(
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let mut sides = start;
    loop {
        let difference = sides.difference();
        if difference.len() < 2 {
            return Ok(sides);
        }
        match oracle.first(coarse(&sides, &difference)) {
            Ok(Some(decision)) => sides.narrow(decision.configuration, decision.outcome),
            Ok(None) => break,
            Err(cause) => return Err(Stopped { best: sides, cause }),
        }
    }
    let mut left: Vec<u32> = sides.difference().deltas().collect();
    while !left.is_empty() && sides.difference().len() > 1 {
        let attempts = left.iter().enumerate().map(|(index, &group)| Attempt {
            configuration: sides.failing.minus(&Configuration::from_deltas([group])),
            part: Part::Complement { index: index + 1, of: left.len() },
            decisive: Outcomes::RESOLVED,
            next: index,
        });
        match oracle.first(attempts) {
            Ok(Some(decision)) => {
                let passed = decision.outcome == Outcome::Pass;
                sides.narrow(decision.configuration, decision.outcome);
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

/// Halves and quarters, added to what passes and taken from what fails.
fn coarse<'a>(
    sides: &'a Isolated,
    difference: &'a Configuration,
) -> impl Iterator<Item = Attempt<Configuration, ()>> + 'a {
    [2, 4].into_iter().filter(|n| *n <= difference.len()).flat_map(move |n| {
        let parts = Partition::new(difference, n);
        let with = parts.clone();
        let subsets = (0..n).map(move |i| {
            (sides.passing.union(&with.subset(i)), Part::Subset { index: i + 1, of: n })
        });
        // With two parts, the complement of one is the other.
        let complements = (0..if n == 2 { 0 } else { n }).map(move |i| {
            (sides.failing.minus(&parts.subset(i)), Part::Complement { index: i + 1, of: n })
        });
        subsets.chain(complements).map(|(configuration, part)| Attempt {
            configuration,
            part,
            decisive: Outcomes::RESOLVED,
            next: (),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recall;

    #[test]
    fn a_group_that_can_go_by_itself_is_found_among_many_that_need_each_other() {
        // Sixty files of ten lines. All but the last ten files must be of one version; the cause is line 555.
        let core = 0..500;
        let mut oracle = Recall::new(|c: &Configuration| {
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
        let sides = dd_sweeping(&levels, start, &mut oracle).unwrap();
        assert_eq!(sides.difference(), Configuration::from_deltas([555]));
        assert!(oracle.tests() <= 75, "{}", oracle.tests());
    }

    #[test]
    fn where_everything_can_be_tested_it_takes_one_test_per_halving() {
        let mut oracle = Recall::new(|c: &Configuration| Outcome::fails_if(c.contains(555)));
        let levels = [Grouping::singles(600)];
        let start = Isolated { passing: Configuration::empty(), failing: Configuration::full(600) };
        let sides = dd_sweeping(&levels, start, &mut oracle).unwrap();
        assert_eq!(sides.difference(), Configuration::from_deltas([555]));
        assert!(oracle.tests() <= 10, "{}", oracle.tests());
    }
}
