//! Checking N-minimality (Definitions 10 and 15).
//!
//! The results of ddmin and dd are 1-minimal. That no choice of up to N deltas can be removed has to be
//! checked separately, with a number of tests that grows like |c|^N. Both functions return either a
//! counterexample, from which the search continues, or `None`, which proves N-minimality.

use crate::configuration::Configuration;
use crate::dd::Isolated;
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Decision, Oracle};
use crate::outcome::Outcomes;

/// A failing configuration with up to `count` fewer deltas, if there is one (Definition 10).
///
/// ```
/// use std::convert::Infallible;
/// use wynot_core::{Configuration, Memo, Outcome, smaller_failing};
///
/// // Quotes have to come in pairs, so no single one can be removed.
/// let mut oracle = Memo::of(|c: &Configuration| {
///     Outcome::fails_if(c.contains(5) && c.contains(1) == c.contains(2))
/// });
/// let start = Configuration::from([1, 2, 5]);
/// assert_eq!(smaller_failing(&start, 1, &mut oracle)?, None);
/// assert_eq!(smaller_failing(&start, 2, &mut oracle)?, Some(Configuration::from([5])));
/// # Ok::<(), Infallible>(())
/// ```
pub fn smaller_failing<O: Oracle<Configuration>>(
    failing: &Configuration,
    count: usize,
    oracle: &mut O,
) -> Result<Option<Configuration>, O::Stop> {
    // The empty configuration passes by axiom, so no choice is the whole configuration.
    let largest = count.min(failing.len().saturating_sub(1));
    let attempts = (1..=largest).flat_map(|size| {
        choices(failing, size).map(move |choice| Attempt {
            candidate: failing.difference(&choice),
            label: Label::new("without").count(size),
            decisive: Outcomes::FAIL,
            next: (),
        })
    });
    Ok(oracle.first(attempts)?.map(|decision| decision.candidate))
}

/// A closer pair, if adding up to `count` deltas of the difference to the passing side or removing them
/// from the failing side gives one (Definition 15).
pub fn larger_passing_or_smaller_failing<O: Oracle<Configuration>>(
    sides: &Isolated,
    count: usize,
    oracle: &mut O,
) -> Result<Option<Isolated>, O::Stop> {
    let difference = &sides.difference();
    let largest = count.min(difference.len().saturating_sub(1));
    let attempts = (1..=largest).flat_map(|size| {
        choices(difference, size).flat_map(move |choice| {
            let added = Attempt {
                candidate: sides.passing.union(&choice),
                label: Label::new("with").count_more(size),
                decisive: Outcomes::RESOLVED,
                next: (),
            };
            let removed = Attempt {
                candidate: sides.failing.difference(&choice),
                label: Label::new("without").count(size),
                decisive: Outcomes::RESOLVED,
                next: (),
            };
            [added, removed]
        })
    });
    Ok(oracle.first(attempts)?.map(|Decision { candidate, outcome, .. }| {
        let mut closer = sides.clone();
        closer.narrow(candidate, outcome);
        closer
    }))
}

/// All choices of `size` deltas, in lexicographic order.
fn choices(from: &Configuration, size: usize) -> impl Iterator<Item = Configuration> + use<> {
    let deltas: Vec<u32> = from.iter().collect();
    let mut ranks: Option<Vec<usize>> = (size <= deltas.len()).then(|| (0..size).collect());
    std::iter::from_fn(move || {
        let current = ranks.take()?;
        let choice = current.iter().map(|&rank| deltas[rank]).collect();
        ranks = successor(current, deltas.len());
        Some(choice)
    })
}

/// The next choice of ranks below `end` in lexicographic order.
fn successor(mut ranks: Vec<usize>, end: usize) -> Option<Vec<usize>> {
    let size = ranks.len();
    let movable = (0..size).rev().find(|&i| ranks[i] < end - (size - i))?;
    ranks[movable] += 1;
    for i in movable + 1..size {
        ranks[i] = ranks[i - 1] + 1;
    }
    Some(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_complete_and_in_order() {
        let all: Vec<String> =
            choices(&Configuration::full(4), 2).map(|choice| choice.to_string()).collect();
        assert_eq!(all, ["{0-1}", "{0, 2}", "{0, 3}", "{1-2}", "{1, 3}", "{2-3}"]);
        assert_eq!(choices(&Configuration::full(2), 3).count(), 0);
    }
}
