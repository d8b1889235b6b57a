//! Which of the changes between two trees decide.
//!
//! Most mixtures of two versions do not build, so where halves and quarters cannot be tested, single groups are
//! removed. What was asked for by name is done as published.

use super::deltas::narrow;
use crate::request::{Algorithm, AlgorithmOptions};
use wynot_core::{
    Configuration, GaveUp, Isolated, Oracle, Outcome, Patient, Stopped, ddmin, remove_one_by_levels,
};
use wynot_subjects::Subject;

/// The algorithm over the changes of two trees.
pub(super) fn isolate<O: Oracle<Configuration>>(
    algorithm: Algorithm,
    options: &AlgorithmOptions,
    subject: &Subject,
    start: &Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    if removes_single_groups(options, subject) {
        return remove_one_by_levels(subject.levels(), start.clone(), oracle);
    }
    let minimality = usize::from(options.minimality);
    narrow(algorithm, subject.levels(), minimality, start.clone(), oracle)
}

/// Most mixtures of two versions do not build. What was asked for by name is done as published.
pub(super) fn removes_single_groups(options: &AlgorithmOptions, subject: &Subject) -> bool {
    options.algorithm.is_none() && options.minimality == 1 && subject.levels().len() > 1
}

/// How many tests in a commit may decide nothing.
const MAX_INDECISIVE_TESTS: usize = 12;

/// What decides in a commit, and whether all was tried. The commit is an answer already. Where it rewrites what it
/// changes, its parts cannot be tested, or fail in ways of their own that look the same; so what cannot be told
/// apart soon stays together.
pub(super) fn isolate_in_commit<O: Oracle<Configuration>>(
    subject: &Subject,
    start: &Isolated,
    oracle: &mut O,
) -> Result<(Isolated, bool), Stopped<Isolated, O::Stop>> {
    let isolated = remove_one_by_levels(
        subject.levels(),
        start.clone(),
        &mut Patient::new(&mut *oracle, MAX_INDECISIVE_TESTS),
    );
    let (sides, complete) = keep_if_given_up(isolated)?;
    if !complete {
        return match both_ways(subject, &sides.difference(), oracle) {
            Ok(failing) => Ok((Isolated { passing: Configuration::empty(), failing }, false)),
            Err(cause) => Err(Stopped { best: sides, cause }),
        };
    }
    // What was isolated in its context stands if it takes too much to do without.
    let alone =
        simplify_alone(subject, sides, &mut Patient::new(&mut *oracle, MAX_INDECISIVE_TESTS));
    Ok((keep_if_given_up(alone)?.0, true))
}

/// The least around some changes that makes the good version fail, and without which the bad one passes: what was
/// given up half way may be torn from what it needs.
fn both_ways<O: Oracle<Configuration>>(
    subject: &Subject,
    changes: &Configuration,
    oracle: &mut O,
) -> Result<Configuration, O::Stop> {
    let all = Configuration::full(subject.deltas());
    let mut wider: Vec<Configuration> =
        subject.levels().iter().rev().map(|level| level.around(changes)).collect();
    wider.dedup();
    for with in wider.into_iter().filter(|with| *with != all) {
        let without = all.difference(&with);
        if oracle.each([with.clone(), without].into_iter())? == [Outcome::Fail, Outcome::Pass] {
            return Ok(with);
        }
    }
    Ok(all)
}

/// What there was when patience ended counts as a result, though not as a complete one.
fn keep_if_given_up<S>(
    found: Result<Isolated, Stopped<Isolated, GaveUp<S>>>,
) -> Result<(Isolated, bool), Stopped<Isolated, S>> {
    match found {
        Ok(sides) => Ok((sides, true)),
        Err(Stopped { best, cause: GaveUp::TooManyAttempts }) => Ok((best, false)),
        Err(Stopped { best, cause: GaveUp::Stopped(cause) }) => Err(Stopped { best, cause }),
    }
}

/// What decides, with as little as it needs to make the good version fail by itself. dd finds it in the
/// context of other changes; often its hunk or its function is enough.
pub(super) fn simplify_alone<O: Oracle<Configuration>>(
    subject: &Subject,
    sides: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let difference = sides.difference();
    let alone = |failing| Isolated { passing: Configuration::empty(), failing };
    let finer = subject.levels().iter().rev().map(|level| level.around(&difference));
    let all = Configuration::full(subject.deltas());
    for candidate in finer.chain([all]) {
        let found = oracle.each(std::iter::once(candidate.clone())).and_then(|outcomes| {
            match outcomes.contains(&Outcome::Fail) {
                true => ddmin(candidate, oracle).map(Some).map_err(|stopped| stopped.cause),
                false => Ok(None),
            }
        });
        match found {
            Ok(Some(failing)) => return Ok(alone(failing)),
            Ok(None) => {}
            Err(cause) => return Err(Stopped { best: sides, cause }),
        }
    }
    Ok(sides)
}
