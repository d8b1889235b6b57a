//! The search for the deciding changes between two trees.
//!
//! Most mixtures of two versions do not build, so that halves and quarters of the changes are unresolved. Single groups
//! of changes (directories, files, functions, hunks) are removed instead, unless the user names an algorithm, which is
//! then run as published.

use super::deltas::narrow;
use crate::request::{Algorithm, AlgorithmOptions};
use wynot_core::{
    Configuration, GaveUp, Isolated, Oracle, Outcome, Patient, Stopped, ddmin, remove_one_by_levels,
};
use wynot_subjects::Subject;

/// How many tests may decide nothing before the search within a commit gives up.
const MAX_INDECISIVE_TESTS: usize = 12;

/// Isolates the deciding changes between two trees.
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

/// Whether single groups of changes are removed, instead of running a published algorithm.
pub(super) fn removes_single_groups(options: &AlgorithmOptions, subject: &Subject) -> bool {
    options.algorithm.is_none() && options.minimality == 1 && subject.levels().len() > 1
}

/// Isolates the deciding changes of a commit, and returns whether the search was complete.
///
/// The commit alone is a useful result already. If it rewrites the code that it changes, its parts often cannot be tested,
/// or fail for other reasons with the same message. So the search gives up early, and the changes that it could not
/// separate stay together.
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
    let (sides, complete) = accept_incomplete(isolated)?;
    if !complete {
        return match smallest_sufficient_scope(subject, &sides.difference(), oracle) {
            Ok(failing) => Ok((Isolated { passing: Configuration::empty(), failing }, false)),
            Err(cause) => Err(Stopped { best: sides, cause }),
        };
    }
    // If removing the context takes too many tests, the result within its context is kept.
    let without_context =
        remove_context(subject, sides, &mut Patient::new(&mut *oracle, MAX_INDECISIVE_TESTS));
    Ok((accept_incomplete(without_context)?.0, true))
}

/// The smallest scope around some changes with which the good version fails, and without which the bad one passes. A
/// search that has given up may have separated changes from others that they need.
fn smallest_sufficient_scope<O: Oracle<Configuration>>(
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

/// Turns a search that has given up into a result that is not complete.
fn accept_incomplete<S>(
    found: Result<Isolated, Stopped<Isolated, GaveUp<S>>>,
) -> Result<(Isolated, bool), Stopped<Isolated, S>> {
    match found {
        Ok(sides) => Ok((sides, true)),
        Err(Stopped { best, cause: GaveUp::TooManyAttempts }) => Ok((best, false)),
        Err(Stopped { best, cause: GaveUp::Stopped(cause) }) => Err(Stopped { best, cause }),
    }
}

/// The deciding changes with as few others as they need to make the good version fail. dd isolates them in the context of
/// many other changes; often their hunk or their function is enough.
pub(super) fn remove_context<O: Oracle<Configuration>>(
    subject: &Subject,
    sides: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let difference = sides.difference();
    let scopes = subject.levels().iter().rev().map(|level| level.around(&difference));
    let all = Configuration::full(subject.deltas());
    for candidate in scopes.chain([all]) {
        let found = oracle.each(std::iter::once(candidate.clone())).and_then(|outcomes| {
            match outcomes.contains(&Outcome::Fail) {
                true => ddmin(candidate, oracle).map(Some).map_err(|stopped| stopped.cause),
                false => Ok(None),
            }
        });
        match found {
            Ok(Some(failing)) => {
                return Ok(Isolated { passing: Configuration::empty(), failing });
            }
            Ok(None) => {}
            Err(cause) => return Err(Stopped { best: sides, cause }),
        }
    }
    Ok(sides)
}
