//! Tests of deltas with what they need, or without what needs them, which are repeated when more of that is learned.

use super::{DependentSearch, Learn};
use crate::configuration::Configuration;
use crate::dependencies::Dependencies;
use crate::oracle::Oracle;
use crate::outcome::Outcome;

impl<L> DependentSearch<'_, L> {
    /// The outcome of some deltas of a configuration with what they need; again if more was learned to be
    /// needed.
    pub fn test_with_needs<O: Oracle<Configuration>>(
        &mut self,
        part: &Configuration,
        available: &Configuration,
        oracle: &mut O,
    ) -> Result<(Configuration, Outcome), O::Stop>
    where
        L: Learn<O>,
    {
        self.test_repaired(oracle, |dependencies| dependencies.with_needs(part, available))
    }

    /// The outcome of a configuration without some deltas and what needs them; again if more was learned to
    /// need them.
    pub fn test_without<O: Oracle<Configuration>>(
        &mut self,
        part: &Configuration,
        whole: &Configuration,
        oracle: &mut O,
    ) -> Result<(Configuration, Outcome), O::Stop>
    where
        L: Learn<O>,
    {
        self.test_repaired(oracle, |dependencies| {
            whole.difference(&dependencies.with_dependents(part, whole))
        })
    }

    /// A configuration without some deltas and what needs them.
    pub fn without(&self, part: &Configuration, whole: &Configuration) -> Configuration {
        whole.difference(&self.dependencies.with_dependents(part, whole))
    }

    /// Whether some deltas need any of others, within a configuration.
    pub fn needs(
        &self,
        deltas: &Configuration,
        others: &Configuration,
        within: &Configuration,
    ) -> bool {
        let needed = self.dependencies.with_needs(deltas, within);
        !needed.difference(deltas).intersection(others).is_empty()
    }

    /// Tests what `make` makes of the dependencies until it is resolved, or nothing more is learned.
    fn test_repaired<O: Oracle<Configuration>>(
        &mut self,
        oracle: &mut O,
        make: impl Fn(&Dependencies) -> Configuration,
    ) -> Result<(Configuration, Outcome), O::Stop>
    where
        L: Learn<O>,
    {
        loop {
            let candidate = make(&self.dependencies);
            let outcome = oracle.each(std::iter::once(candidate.clone()))?[0];
            if outcome != Outcome::Unresolved || !self.is_repaired(&candidate, oracle, &make) {
                return Ok((candidate, outcome));
            }
        }
    }

    /// Learns from an unresolved candidate. Returns whether `make` now makes another one.
    fn is_repaired<O: Oracle<Configuration>>(
        &mut self,
        candidate: &Configuration,
        oracle: &O,
        make: impl Fn(&Dependencies) -> Configuration,
    ) -> bool
    where
        L: Learn<O>,
    {
        self.note_unresolved(candidate, oracle);
        self.has_patience() && make(&self.dependencies) != *candidate
    }
}
