//! The walk back through a row of versions, of which the newest fails and no good one is known.
//!
//! The row is ordered from the oldest version to the newest. [`walk_back`] looks for a version that passes, [`bisect_testable`]
//! narrows the gap when there is one, and [`find_border`] finds the neighbours at the newer end of a stretch of versions that
//! cannot be tested. There, and never across a jump, a patch can be derived that makes the stretch testable: between
//! neighbours lies one change only, and if that is not the one that introduced the failure, the patch does not contain it.

use crate::bisect::{Gap, middles};
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Oracle, Stopped};
use crate::outcome::{Outcome, Outcomes};

/// How far a walk goes back at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// This many versions, then twice as many, and so on.
    Galloping(usize),
    /// One version after the other, as in Artho's paper.
    Linear,
}

/// The number of further versions that are tried when one is unresolved, before the stretch counts as one that cannot be
/// tested. A patch for it costs more tests than that.
const MAX_VERSIONS_BEYOND: usize = 2;

/// The number of unresolved versions within a gap that are tried before it counts as one that cannot be tested.
const MAX_UNRESOLVED_IN_GAP: usize = 3;

/// The result of a walk, of a bisection, or of the search for a border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// A version passes, and a later one fails.
    Passing(Gap),
    /// A version fails, and an older one is unresolved.
    Unresolved {
        /// The oldest version known to fail that is newer than the unresolved one.
        failing: usize,
        /// The unresolved version.
        unresolved: usize,
    },
    /// The oldest version fails.
    Oldest,
}

/// Walks back from a version that fails to the oldest one, until a version passes or the way is blocked.
///
/// If a version is unresolved, the next ones of a gallop are tried as well: single versions that cannot be tested need no
/// patch. The version that failed last is the best result so far.
///
/// ```
/// use wynot_core::{Gap, Memo, Outcome, Pace, Reached, walk_back};
///
/// let mut oracle = Memo::of(|version: &usize| Outcome::fails_if(*version >= 613));
/// let reached = walk_back(1000, 0, Pace::Galloping(1), &mut oracle).unwrap();
/// assert_eq!(reached, Reached::Passing(Gap { passing: 488, failing: 744 }));
/// assert_eq!(oracle.tests(), 10);
/// ```
pub fn walk_back<O: Oracle<usize>>(
    failing: usize,
    oldest: usize,
    pace: Pace,
    oracle: &mut O,
) -> Result<Reached, Stopped<usize, O::Stop>> {
    let mut failing = failing;
    loop {
        let positions: Vec<usize> = positions(failing, oldest, pace).collect();
        let attempts = positions.iter().map(|&version| attempt(version, Outcomes::NOT_FAIL));
        let decision = match oracle.first(attempts) {
            Ok(decision) => decision,
            Err(cause) => return Err(Stopped { best: failing, cause }),
        };
        let Some(decision) = decision else { return Ok(Reached::Oldest) };
        let at = positions.iter().position(|&version| version == decision.candidate);
        let at = at.unwrap_or_default();
        if at > 0 {
            failing = positions[at - 1];
        }
        if decision.outcome == Outcome::Pass {
            return Ok(Reached::Passing(Gap { passing: decision.candidate, failing }));
        }
        let blocked = Reached::Unresolved { failing, unresolved: decision.candidate };
        if pace == Pace::Linear {
            return Ok(blocked);
        }
        let beyond = positions[at + 1..].iter().take(MAX_VERSIONS_BEYOND);
        let attempts = beyond.map(|&version| attempt(version, Outcomes::RESOLVED));
        match oracle.first(attempts) {
            Ok(Some(found)) if found.outcome == Outcome::Pass => {
                return Ok(Reached::Passing(Gap { passing: found.candidate, failing }));
            }
            Ok(Some(found)) => failing = found.candidate,
            Ok(None) => return Ok(blocked),
            Err(cause) => return Err(Stopped { best: failing, cause }),
        }
    }
}

/// The versions that a walk visits.
fn positions(failing: usize, oldest: usize, pace: Pace) -> impl Iterator<Item = usize> {
    let mut distance = match pace {
        Pace::Galloping(first) => first.max(1),
        Pace::Linear => 1,
    };
    let mut last = failing;
    std::iter::from_fn(move || {
        if last <= oldest {
            return None;
        }
        last = failing.saturating_sub(distance).max(oldest);
        distance = match pace {
            Pace::Galloping(_) => distance.saturating_mul(2),
            Pace::Linear => distance + 1,
        };
        Some(last)
    })
}

/// Narrows a gap until its two versions are neighbours, or until no version in the middle can be tested.
///
/// In the latter case, the unresolved version is one in the newest stretch of those that were tried.
pub fn bisect_testable<O: Oracle<usize>>(
    start: Gap,
    oracle: &mut O,
) -> Result<Reached, Stopped<Gap, O::Stop>> {
    let mut gap = start;
    loop {
        if gap.between() == 0 {
            return Ok(Reached::Passing(gap));
        }
        let middles: Vec<usize> = middles(gap).take(MAX_UNRESOLVED_IN_GAP).collect();
        let attempts = middles.iter().map(|&version| attempt(version, Outcomes::RESOLVED));
        match oracle.first(attempts) {
            Ok(Some(found)) if found.outcome == Outcome::Pass => gap.passing = found.candidate,
            Ok(Some(found)) => gap.failing = found.candidate,
            Ok(None) => {
                let unresolved = middles.iter().copied().max().unwrap_or(gap.passing);
                return Ok(Reached::Unresolved { failing: gap.failing, unresolved });
            }
            Err(cause) => return Err(Stopped { best: gap, cause }),
        }
    }
}

/// Finds two neighbours between a failing version and an older unresolved one, of which the newer fails and the older is
/// unresolved. If a version on the way passes, the gap is returned.
///
/// `likely` are versions that probably differ from their predecessors in what matters, in ascending order. They are tested
/// first; whatever their outcomes are, the others are bisected afterwards.
pub fn find_border<O: Oracle<usize>>(
    failing: usize,
    unresolved: usize,
    likely: &[usize],
    oracle: &mut O,
) -> Result<Reached, Stopped<usize, O::Stop>> {
    let (mut failing, mut unresolved) = (failing, unresolved);
    while failing - unresolved > 1 {
        let inside = &likely[likely.partition_point(|version| *version <= unresolved)..];
        let inside = &inside[..inside.partition_point(|version| *version < failing)];
        let next = match inside {
            [] if likely.binary_search(&failing).is_ok() => failing - 1,
            [] => unresolved.midpoint(failing),
            inside => inside[inside.len() / 2],
        };
        let attempts = std::iter::once(attempt(next, Outcomes::ANY));
        match oracle.first(attempts) {
            Ok(Some(found)) => match found.outcome {
                Outcome::Pass => return Ok(Reached::Passing(Gap { passing: next, failing })),
                Outcome::Fail => failing = next,
                Outcome::Unresolved => unresolved = next,
            },
            Ok(None) => unresolved = next,
            Err(cause) => return Err(Stopped { best: failing, cause }),
        }
    }
    Ok(Reached::Unresolved { failing, unresolved })
}

fn attempt(version: usize, decisive: Outcomes) -> Attempt<usize, ()> {
    Attempt { candidate: version, label: Label::new("version").count(version), decisive, next: () }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::memo::Memo;

    /// Versions that fail from 500 on, which lies in a stretch that cannot be tested.
    fn outcome(version: &usize) -> Outcome {
        match *version {
            400..=600 => Outcome::Unresolved,
            version => Outcome::fails_if(version >= 500),
        }
    }

    #[test]
    fn single_versions_that_cannot_be_tested_are_passed_over() {
        let mut oracle = Memo::of(|version: &usize| match *version {
            996 => Outcome::Unresolved,
            version => Outcome::fails_if(version >= 300),
        });
        let reached = walk_back(1000, 0, Pace::Galloping(1), &mut oracle).unwrap();
        assert!(
            matches!(reached, Reached::Passing(gap) if gap.passing < 300 && gap.failing >= 300)
        );
    }

    #[test]
    fn a_stretch_that_cannot_be_tested_has_a_border() {
        let mut oracle = Memo::of(outcome);
        let reached = bisect_testable(Gap { passing: 390, failing: 700 }, &mut oracle).unwrap();
        let Reached::Unresolved { failing, unresolved } = reached else { panic!("{reached:?}") };
        assert!(failing > 600 && (400..=600).contains(&unresolved));
        let border = find_border(failing, unresolved, &[], &mut oracle).unwrap();
        assert_eq!(border, Reached::Unresolved { failing: 601, unresolved: 600 });
    }

    #[test]
    fn a_version_that_passes_on_the_way_to_a_border_is_an_answer() {
        let mut oracle = Memo::of(|version: &usize| match *version {
            0..=9 => Outcome::Unresolved,
            version => Outcome::fails_if(version >= 40),
        });
        let reached = find_border(41, 5, &[], &mut oracle).unwrap();
        assert_eq!(reached, Reached::Passing(Gap { passing: 23, failing: 41 }));
    }

    #[test]
    fn likely_versions_save_tests_and_decide_nothing() {
        let border = |likely: &[usize]| {
            let mut oracle = Memo::of(outcome);
            let border = find_border(1600, 550, likely, &mut oracle).unwrap();
            assert_eq!(border, Reached::Unresolved { failing: 601, unresolved: 600 }, "{likely:?}");
            oracle.tests()
        };
        assert_eq!(border(&[]), 10);
        assert_eq!(border(&[560, 601, 1400]), 3);
        assert!(border(&[570, 601]) <= 3 && border(&[560, 900, 1400]) <= 13);
    }

    #[test]
    fn a_linear_walk_tests_each_version_once() {
        let mut oracle = Memo::of(|version: &usize| Outcome::fails_if(*version >= 30));
        let reached = walk_back(50, 0, Pace::Linear, &mut oracle).unwrap();
        assert_eq!(reached, Reached::Passing(Gap { passing: 29, failing: 30 }));
        assert_eq!(oracle.tests(), 21);
        let mut oracle = Memo::of(|_: &usize| Outcome::Fail);
        assert_eq!(walk_back(50, 7, Pace::Linear, &mut oracle).unwrap(), Reached::Oldest);
        assert_eq!(oracle.tests(), 43);
    }

    #[test]
    fn the_oldest_version_is_tested() {
        let mut oracle = Memo::of(|version: &usize| Outcome::fails_if(*version > 0));
        let reached = walk_back(1000, 0, Pace::Galloping(1), &mut oracle).unwrap();
        assert_eq!(reached, Reached::Passing(Gap { passing: 0, failing: 488 }));
        assert_eq!(walk_back(0, 0, Pace::Galloping(1), &mut oracle).unwrap(), Reached::Oldest);
    }
}
