//! What a cause needs, and what goes with it: the context in which it fails alone, and what must be removed with it.

use super::{DependentSearch, Learn, joined};
use crate::configuration::Configuration;
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Oracle};
use crate::outcome::{Outcome, Outcomes};

/// The largest number of tests that remove the context of a cause. It is shown, but it decides nothing.
const MAX_CONTEXT_TESTS: usize = 32;

/// The largest number of tests that simplify a failing configuration.
const MAX_SIMPLIFYING_TESTS: usize = 64;

/// The largest number of parts on each level whose removal is tested one by one.
const MAX_PARTS_OF_REMOVAL: usize = 8;

impl<L> DependentSearch<'_, L> {
    /// A small configuration that fails, contains `needed` and is within `failing`, which fails: what is needed itself, its
    /// group on one of the levels, or all.
    pub fn with_context<O: Oracle<Configuration>>(
        &mut self,
        needed: &Configuration,
        failing: &Configuration,
        oracle: &mut O,
    ) -> Result<Configuration, O::Stop>
    where
        L: Learn<O>,
    {
        let groups = self.levels.iter().rev().map(|level| level.around(needed));
        let mut scopes: Vec<Configuration> =
            std::iter::once(needed.clone()).chain(groups).collect();
        scopes.dedup();
        for scope in scopes {
            let scope = scope.difference(&scope.difference(failing));
            let (candidate, outcome) = self.test_with_needs(&scope, failing, oracle)?;
            if outcome == Outcome::Fail {
                return self.shrink(candidate, needed, MAX_CONTEXT_TESTS, oracle);
            }
        }
        self.shrink(failing.clone(), needed, MAX_CONTEXT_TESTS, oracle)
    }

    /// A smaller configuration that fails, by the removal of groups on each level; the same one if a number of tests finds
    /// none.
    pub fn simplify<O: Oracle<Configuration>>(
        &mut self,
        failing: &Configuration,
        oracle: &mut O,
    ) -> Result<Configuration, O::Stop>
    where
        L: Learn<O>,
    {
        self.shrink(failing.clone(), &Configuration::empty(), MAX_SIMPLIFYING_TESTS, oracle)
    }

    /// Removes groups on each level from a failing configuration as long as it fails, but not what is in `kept`. It ends
    /// after a number of tests, and when half as many in a row have removed nothing.
    fn shrink<O: Oracle<Configuration>>(
        &mut self,
        mut failing: Configuration,
        kept: &Configuration,
        max_tests: usize,
        oracle: &mut O,
    ) -> Result<Configuration, O::Stop> {
        let max_tests = max_tests.min(self.patience);
        let mut tests_left = max_tests;
        let mut vain_left = max_tests.div_ceil(2);
        for level in 0..self.levels.len() {
            let mut parts = self.parts(level, &failing.difference(kept));
            let (mut at, mut stride) = (0, (parts.len() / 4).max(1));
            while tests_left.min(vain_left) > 0 && !parts.is_empty() {
                let context = failing.difference(kept);
                let blocks = (at..parts.len()).step_by(stride).map(|from| {
                    let block = joined(&parts[from..(from + stride).min(parts.len())]);
                    let removed = self.dependencies.with_dependents(&block, &context);
                    (from, failing.difference(&removed))
                });
                let blocks = blocks.filter(|(_, candidate)| !candidate.is_empty());
                let attempts =
                    blocks.take(tests_left.min(vain_left)).map(|(from, candidate)| Attempt {
                        candidate,
                        label: Label::new("complement").numbered(from / stride + 1, parts.len()),
                        decisive: Outcomes::FAIL,
                        next: from,
                    });
                match oracle.first(attempts)? {
                    Some(decision) => {
                        tests_left -= ((decision.next - at) / stride + 1).min(tests_left);
                        vain_left = max_tests.div_ceil(2);
                        at = decision.next;
                        failing = decision.candidate;
                        parts = self.parts(level, &failing.difference(kept));
                    }
                    None => {
                        let tried = parts.len().saturating_sub(at).div_ceil(stride);
                        tests_left -= tried.min(tests_left);
                        vain_left -= tried.min(vain_left);
                        if stride == 1 {
                            break;
                        }
                        (at, stride) = (0, stride / 2);
                    }
                }
            }
        }
        Ok(failing)
    }

    /// The smallest set found that contains `needed`, is within `removed`, and without which `whole` passes, as it does
    /// without `removed`.
    pub fn smallest_removal<O: Oracle<Configuration>>(
        &mut self,
        needed: &Configuration,
        removed: &Configuration,
        whole: &Configuration,
        oracle: &mut O,
    ) -> Result<Configuration, O::Stop>
    where
        L: Learn<O>,
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
}
