//! Checking N-minimality (Definitions 10 and 15).
//!
//! ddmin and dd end 1-minimal. That no choice of up to N deltas can go has to be checked separately,
//! with a number of tests that grows like |c|^N. Both functions return a counterexample, from which
//! the search goes on, or `None`: then N-minimality is proved.

use crate::{Attempt, Configuration, Decision, Isolated, Oracle, Outcomes, Part};

/// A failing configuration with up to `count` deltas fewer, if there is one (Definition 10).
///
/// ```
/// use std::convert::Infallible;
/// use wynot_core::{Configuration, Outcome, Recall, ddmin, smaller_failing};
///
/// // Quotes matter only in pairs, so removing any single one is noticed.
/// let mut oracle = Recall::new(|c: &Configuration| {
///     Outcome::fails_if(c.contains(5) && c.contains(1) == c.contains(2))
/// });
/// let start = Configuration::from_deltas([1, 2, 5]);
/// let larger = smaller_failing(&start, 1, &mut oracle)?;
/// assert_eq!(larger, None);
/// let pair = smaller_failing(&start, 2, &mut oracle)?;
/// assert_eq!(pair, Some(Configuration::from_deltas([5])));
/// # Ok::<(), Infallible>(())
/// ```
pub fn smaller_failing<O: Oracle<Configuration>>(
    failing: &Configuration,
    count: usize,
    oracle: &mut O,
) -> Result<Option<Configuration>, O::Stop> {
    // The empty configuration passes by axiom, so choices stay below the whole.
    let largest = count.min(failing.len().saturating_sub(1));
    let attempts = (1..=largest).flat_map(|size| {
        choices(failing, size).map(move |choice| Attempt {
            configuration: failing.minus(&choice),
            part: Part::Without { count: size },
            decisive: Outcomes::FAIL,
            next: (),
        })
    });
    Ok(oracle.first(attempts)?.map(|decision| decision.configuration))
}

/// A closer pair of sides, if moving up to `count` deltas of the difference gives one (Definition 15).
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
                configuration: sides.passing.union(&choice),
                part: Part::With { count: size },
                decisive: Outcomes::RESOLVED,
                next: (),
            };
            let removed = Attempt {
                configuration: sides.failing.minus(&choice),
                part: Part::Without { count: size },
                decisive: Outcomes::RESOLVED,
                next: (),
            };
            [added, removed]
        })
    });
    Ok(oracle.first(attempts)?.map(|Decision { configuration, outcome, .. }| {
        let mut closer = sides.clone();
        closer.narrow(configuration, outcome);
        closer
    }))
}

/// All choices of `size` deltas, in lexicographic order.
fn choices(from: &Configuration, size: usize) -> impl Iterator<Item = Configuration> + use<> {
    let deltas: Vec<u32> = from.deltas().collect();
    let mut ranks: Option<Vec<usize>> = (size <= deltas.len()).then(|| (0..size).collect());
    std::iter::from_fn(move || {
        let current = ranks.take()?;
        let choice = Configuration::from_deltas(current.iter().map(|&rank| deltas[rank]));
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
