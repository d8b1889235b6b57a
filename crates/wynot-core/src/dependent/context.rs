//! What a cause needs, and what goes with it: the context in which it fails alone, and what must be removed with it.

use super::shrink::{Least, Task};
use super::{DependentSearch, Learn};
use crate::configuration::Configuration;
use crate::dependencies::Dependencies;
use crate::oracle::Oracle;
use crate::outcome::{Outcome, Outcomes};

/// The largest number of tests that remove the context of a cause. It is shown, but it decides nothing.
const MAX_CONTEXT_TESTS: usize = 32;

/// The number of changes from which on a context may take more tests, and their number.
const LARGE_CONTEXT: (u64, usize) = (64, 128);

/// The largest number of tests that simplify a failing configuration.
const MAX_SIMPLIFYING_TESTS: usize = 64;

/// The largest number of tests that make a removal smaller.
const MAX_REMOVAL_TESTS: usize = 24;

/// A configuration that fails, with a cause in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The cause, and what it needs.
    pub failing: Configuration,
    /// Whether it was shown that nothing of what it needs can be left out by itself.
    pub is_least: bool,
}

impl<L> DependentSearch<'_, L> {
    /// A small configuration that fails, contains `needed` and is within `failing`, which fails: what is needed itself, with
    /// what its own builds mention; else with all that it is known to need, or its group on one of the levels, or all.
    pub fn with_context<O: Oracle<Configuration>>(
        &mut self,
        needed: &Configuration,
        failing: &Configuration,
        oracle: &mut O,
    ) -> Result<Context, O::Stop>
    where
        L: Learn<O>,
    {
        let with_needs = |ties: &Dependencies| ties.with_needs(needed, failing);
        let (candidate, outcome) = self.test_by_ties(oracle, with_needs)?;
        if outcome == Outcome::Fail {
            let ties = self.ties.clone();
            return self.least_context(candidate, needed, &ties, oracle);
        }
        let groups = self.levels.iter().rev().map(|level| level.around(needed));
        let mut scopes: Vec<Configuration> =
            std::iter::once(needed.clone()).chain(groups).collect();
        scopes.dedup();
        let mut whole = failing.clone();
        for scope in scopes {
            let scope = scope.difference(&scope.difference(failing));
            let (candidate, outcome) = self.test_with_needs(&scope, failing, oracle)?;
            if outcome == Outcome::Fail {
                whole = candidate;
                break;
            }
        }
        let dependencies = self.dependencies.clone();
        self.least_context(whole, needed, &dependencies, oracle)
    }

    /// The least of a failing configuration around what is needed.
    fn least_context<O: Oracle<Configuration>>(
        &self,
        failing: Configuration,
        needed: &Configuration,
        dependencies: &Dependencies,
        oracle: &mut O,
    ) -> Result<Context, O::Stop> {
        let max_tests = match failing.len() - needed.len() {
            context if context as u64 > LARGE_CONTEXT.0 => LARGE_CONTEXT.1,
            _ => MAX_CONTEXT_TESTS,
        };
        let Least { deltas, is_proved } =
            self.shrink_failing(failing, needed, dependencies, max_tests, oracle)?;
        Ok(Context { failing: deltas, is_least: is_proved })
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
        let (failing, kept) = (failing.clone(), Configuration::empty());
        let dependencies = &self.dependencies;
        let least =
            self.shrink_failing(failing, &kept, dependencies, MAX_SIMPLIFYING_TESTS, oracle)?;
        Ok(least.deltas)
    }

    /// Removes groups from a failing configuration as long as it fails, but not what is in `kept`.
    fn shrink_failing<O: Oracle<Configuration>>(
        &self,
        failing: Configuration,
        kept: &Configuration,
        dependencies: &Dependencies,
        max_tests: usize,
        oracle: &mut O,
    ) -> Result<Least, O::Stop> {
        let task = Task {
            kept,
            candidate: &Configuration::clone,
            with_part: &Dependencies::with_dependents,
            wanted: Outcomes::FAIL,
            max_tests,
        };
        self.shrink(failing, dependencies, &task, oracle)
    }

    /// The fewest deltas found that contain `part`, and without which `whole` passes, as it does without `removed`.
    pub fn least_removal<O: Oracle<Configuration>>(
        &mut self,
        part: &Configuration,
        removed: Configuration,
        whole: &Configuration,
        oracle: &mut O,
    ) -> Result<Configuration, O::Stop> {
        let task = Task {
            kept: part,
            candidate: &|removed| whole.difference(removed),
            with_part: &Dependencies::with_needs,
            wanted: Outcomes::PASS,
            max_tests: MAX_REMOVAL_TESTS,
        };
        Ok(self.shrink(removed, &self.dependencies, &task, oracle)?.deltas)
    }
}
