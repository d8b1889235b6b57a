//! Tests of deltas with what they need, or without what needs them, which are repeated when more of that is learned.

use super::{DependentSearch, Learn};
use crate::configuration::Configuration;
use crate::dependencies::Dependencies;
use crate::oracle::Oracle;
use crate::outcome::Outcome;

/// How often a test with ties alone is repeated with what the run before it has mentioned.
const MAX_REPAIRS_BY_TIES: usize = 4;

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

    /// The outcome of a configuration without some deltas: first without what is tied to them and what the runs of these tests
    /// mention, and if that does not pass without all that needs them.
    pub fn test_removal<O: Oracle<Configuration>>(
        &mut self,
        part: &Configuration,
        whole: &Configuration,
        oracle: &mut O,
    ) -> Result<(Configuration, Outcome), O::Stop>
    where
        L: Learn<O>,
    {
        let by_ties =
            self.test_by_ties(oracle, |ties| whole.difference(&ties.with_dependents(part, whole)))?;
        match by_ties.1 {
            Outcome::Pass => Ok(by_ties),
            _ => self.test_without(part, whole, oracle),
        }
    }

    /// A configuration without some deltas and what is tied to them.
    pub fn without_tied(&self, part: &Configuration, whole: &Configuration) -> Configuration {
        whole.difference(&self.ties.with_dependents(part, whole))
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

    /// Tests what `make` makes of the ties, and of what the runs of these tests mention, until it is resolved, or for a number of
    /// times. What other tests have mentioned does not count.
    pub(super) fn test_by_ties<O: Oracle<Configuration>>(
        &mut self,
        oracle: &mut O,
        make: impl Fn(&Dependencies) -> Configuration,
    ) -> Result<(Configuration, Outcome), O::Stop>
    where
        L: Learn<O>,
    {
        let mut dependencies = self.ties.clone();
        let mut repairs_left = MAX_REPAIRS_BY_TIES;
        loop {
            let candidate = make(&dependencies);
            let outcome = oracle.each(std::iter::once(candidate.clone()))?[0];
            if outcome != Outcome::Unresolved || repairs_left == 0 || !self.has_patience() {
                return Ok((candidate, outcome));
            }
            repairs_left -= 1;
            if self.unresolved.insert(candidate.clone()) {
                self.patience = self.patience.saturating_sub(1);
            }
            (self.learn)(oracle, &candidate, &mut dependencies);
            if make(&dependencies) == candidate {
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
