//! What a cause needs, and what goes with it: the context in which it fails alone, and what must be removed with it.

use super::{DependentSearch, joined};
use crate::configuration::Configuration;
use crate::dependencies::Dependencies;
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Oracle};
use crate::outcome::{Outcome, Outcomes};

/// The largest number of tests that remove the context of a cause. It is shown, but it decides nothing.
const MAX_CONTEXT_TESTS: usize = 24;

/// The largest number of tests that simplify a failing configuration.
const MAX_SIMPLIFYING_TESTS: usize = 64;

/// The largest number of places that are tested one by one.
const MAX_PLACES_TESTED: usize = 48;

/// The largest number of parts on each level whose removal is tested one by one.
const MAX_PARTS_OF_REMOVAL: usize = 8;

impl<L> DependentSearch<'_, L> {
    /// A small configuration that fails, contains `needed` and is within `failing`, which fails: what is needed itself, its
    /// group on one of the levels, or all.
    pub fn with_context<O>(
        &mut self,
        needed: &Configuration,
        failing: &Configuration,
        oracle: &mut O,
    ) -> Result<Configuration, O::Stop>
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        let groups = self.levels.iter().rev().map(|level| level.around(needed));
        let mut scopes: Vec<Configuration> =
            std::iter::once(needed.clone()).chain(groups).collect();
        scopes.dedup();
        for scope in scopes {
            let scope = scope.difference(&scope.difference(failing));
            let (candidate, outcome) = self.test_with_needs(&scope, failing, oracle)?;
            if outcome == Outcome::Fail {
                return self.without_context(needed, candidate, oracle);
            }
        }
        self.without_context(needed, failing.clone(), oracle)
    }

    /// A smaller configuration that fails, by the removal of groups on each level; the same one if a number of tests finds
    /// none.
    pub fn simplify<O>(
        &mut self,
        failing: &Configuration,
        oracle: &mut O,
    ) -> Result<Configuration, O::Stop>
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        let (mut failing, mut tests_left) = (failing.clone(), MAX_SIMPLIFYING_TESTS);
        for level in 0..self.levels.len() {
            let mut parts = self.parts(level, &failing);
            let (mut at, mut stride) = (0, (parts.len() / 4).max(1));
            while tests_left > 0 && parts.len() > 1 {
                let blocks = (at..parts.len()).step_by(stride).map(|from| {
                    let block = joined(&parts[from..(from + stride).min(parts.len())]);
                    (from, failing.difference(&self.dependencies.with_dependents(&block, &failing)))
                });
                let attempts = blocks.take(tests_left).map(|(from, candidate)| Attempt {
                    candidate,
                    label: Label::new("complement").numbered(from / stride + 1, parts.len()),
                    decisive: Outcomes::FAIL,
                    next: from,
                });
                match oracle.first(attempts)? {
                    Some(decision) => {
                        tests_left -= ((decision.next - at) / stride + 1).min(tests_left);
                        at = decision.next;
                        failing = decision.candidate;
                        parts = self.parts(level, &failing);
                    }
                    None if stride == 1 => break,
                    None => {
                        tests_left -= (parts.len() - at).div_ceil(stride).min(tests_left);
                        (at, stride) = (0, stride / 2);
                    }
                }
            }
        }
        Ok(failing)
    }

    /// The smallest set found that contains `needed`, is within `removed`, and without which `whole` passes, as it does
    /// without `removed`.
    pub fn smallest_removal<O>(
        &mut self,
        needed: &Configuration,
        removed: &Configuration,
        whole: &Configuration,
        oracle: &mut O,
    ) -> Result<Configuration, O::Stop>
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        let mut removed = removed.clone();
        for level in 0..self.levels.len() {
            let parts = self.parts(level, &removed.difference(needed));
            for block in parts.chunks(parts.len().div_ceil(MAX_PARTS_OF_REMOVAL).max(1)) {
                if !self.has_patience() {
                    return Ok(removed);
                }
                let smaller = removed.difference(&joined(block));
                let (_, outcome) = self.test_without(&smaller, whole, oracle)?;
                if outcome == Outcome::Pass {
                    removed = smaller;
                }
            }
        }
        Ok(removed)
    }

    /// The smallest group of deltas found, with what needs it, without which both `failing` and `whole` pass; `None` if
    /// none with fewer than `limit` deltas was found in a number of tests. What needs a group is found by ties alone, and
    /// by all dependencies.
    ///
    /// Where old code is replaced by new code that is wrong in one place, this is the place, while the narrowest
    /// difference is the whole replacement.
    pub fn smallest_place<O>(
        &mut self,
        failing: &Configuration,
        whole: &Configuration,
        limit: usize,
        oracle: &mut O,
    ) -> Result<Option<Configuration>, O::Stop>
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        let (mut found, mut tests_left) = (None, MAX_PLACES_TESTED);
        let mut scope = failing.clone();
        for level in 0..self.levels.len() {
            let parts = self.parts(level, &scope);
            let removals = [&self.ties, &self.dependencies].into_iter().flat_map(|dependencies| {
                parts.iter().map(|part| dependencies.with_dependents(part, failing))
            });
            let limit = found.as_ref().map_or(limit, Configuration::len);
            let mut removals: Vec<Configuration> =
                removals.filter(|removed| removed.len() < limit).collect();
            removals.sort_by_key(|removed| (removed.len(), removed.iter().next()));
            removals.dedup();
            while !removals.is_empty() && tests_left > 0 {
                removals.truncate(tests_left);
                let attempts = removals.iter().enumerate().map(|(index, removed)| Attempt {
                    candidate: failing.difference(removed),
                    label: Label::new("complement").numbered(index + 1, removals.len()),
                    decisive: Outcomes::PASS,
                    next: index,
                });
                let Some(decision) = oracle.first(attempts)? else {
                    tests_left -= removals.len();
                    break;
                };
                tests_left -= decision.next + 1;
                let place = removals[decision.next].clone();
                removals.drain(..=decision.next);
                if self.test_without(&place, whole, oracle)?.1 == Outcome::Pass {
                    scope = place.clone();
                    found = Some(place);
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Removes deltas from a failing configuration as long as it fails, but not those in `needed`.
    fn without_context<O>(
        &mut self,
        needed: &Configuration,
        failing: Configuration,
        oracle: &mut O,
    ) -> Result<Configuration, O::Stop>
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        let mut failing = failing;
        let mut tests_left = MAX_CONTEXT_TESTS;
        for level in 0..self.levels.len() {
            let mut left = self.parts(level, &failing.difference(needed));
            while !left.is_empty() && tests_left > 0 && self.has_patience() {
                left.truncate(tests_left);
                let context = failing.difference(needed);
                let attempts = left.iter().enumerate().map(|(index, part)| Attempt {
                    candidate: failing
                        .difference(&self.dependencies.with_dependents(part, &context)),
                    label: Label::new("complement").numbered(index + 1, left.len()),
                    decisive: Outcomes::FAIL,
                    next: index,
                });
                let Some(decision) = oracle.first(attempts)? else {
                    tests_left -= left.len();
                    break;
                };
                failing = decision.candidate;
                tests_left -= decision.next + 1;
                left.drain(..=decision.next);
            }
        }
        Ok(failing)
    }
}
