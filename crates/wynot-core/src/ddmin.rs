//! The minimizing algorithm, ddmin (Figure 5).

use crate::configuration::Configuration;
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Oracle, Stopped};
use crate::outcome::Outcomes;
use crate::partition::Partition;
use std::iter;

/// Simplifies a failing configuration until it is 1-minimal: no single delta can be removed (Figure 5).
///
/// `failing` is assumed to fail and the empty configuration to pass; neither is tested. If the oracle
/// stops early, the error holds the smallest failing configuration found until then.
pub fn ddmin<O: Oracle<Configuration>>(
    failing: Configuration,
    oracle: &mut O,
) -> Result<Configuration, Stopped<Configuration, O::Stop>> {
    let (mut failing, mut granularity) = (failing, 2);
    while failing.len() > 1 {
        match oracle.first(attempts(&failing, granularity.min(failing.len()))) {
            Ok(Some(decision)) => {
                (failing, granularity) = (decision.candidate, decision.next);
            }
            Ok(None) => break,
            Err(cause) => return Err(Stopped { best: failing, cause }),
        }
    }
    Ok(failing)
}

/// Everything that ddmin tests from (c✘, n) on while nothing fails: the subsets in order, the complements
/// in order, then both at granularity 2n, and so on down to single deltas.
fn attempts(
    failing: &Configuration,
    granularity: usize,
) -> impl Iterator<Item = Attempt<Configuration, usize>> + '_ {
    let finest = failing.len();
    let increase_granularity = move |n: &usize| (*n < finest).then(|| (2 * n).min(finest));
    iter::successors(Some(granularity), increase_granularity).flat_map(move |n| {
        let parts = Partition::new(failing, n);
        let subsets = parts.clone();
        let reduce_to_subset = (0..n).map(move |i| Attempt {
            candidate: subsets.subset(i),
            label: Label::new("subset").numbered(i + 1, n),
            decisive: Outcomes::FAIL,
            next: 2,
        });
        // With two parts, each complement is the other subset, so there is nothing new to test.
        let complements = if n > 2 { 0..n } else { 0..0 };
        let reduce_to_complement = complements.map(move |i| Attempt {
            candidate: failing.difference(&parts.subset(i)),
            label: Label::new("complement").numbered(i + 1, n),
            decisive: Outcomes::FAIL,
            next: (n - 1).max(2),
        });
        reduce_to_subset.chain(reduce_to_complement)
    })
}
