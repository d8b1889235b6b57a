//! The places of a failing configuration that decide by themselves.
//!
//! The narrowest difference that was isolated is one of several, in most cases: where new code fails together, each of its
//! statements without which it does not fail decides as well. And where old code is replaced by new code that is
//! wrong in one place, the narrowest difference is the whole replacement. The places are found by removing one after the other.

use super::{DependentSearch, Learn};
use crate::configuration::Configuration;
use crate::dependencies::Dependencies;
use crate::oracle::Oracle;
use crate::outcome::Outcome;

/// The largest number of places whose removal from the failing configuration is tested.
const MAX_PLACES_TESTED: usize = 48;

/// The largest number of places whose removal from all deltas is tested.
const MAX_PLACES_CONFIRMED: usize = 12;

/// Deltas that decide by themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidingPlace {
    /// A group of deltas, with those of the failing configuration that need it.
    pub deltas: Configuration,
    /// All deltas but these and those that go with them. It passes.
    pub without: Configuration,
}

impl<L> DependentSearch<'_, L> {
    /// The groups of `failing`, as small as they were found in a number of tests, without each of which both `failing` and
    /// `whole` pass. None contains another one. What has to be removed with a group is found by ties
    /// alone, and if that is unresolved by all dependencies.
    pub fn deciding_places<O: Oracle<Configuration>>(
        &mut self,
        failing: &Configuration,
        whole: &Configuration,
        oracle: &mut O,
    ) -> Result<Vec<DecidingPlace>, O::Stop>
    where
        L: Learn<O>,
    {
        let mut tests_left = MAX_PLACES_TESTED.min(self.patience);
        let levels = self.levels.len();
        let is_affordable = |level: &usize| self.parts(*level, failing).len() <= tests_left;
        let first = (0..levels).rev().find(is_affordable).unwrap_or(0);
        // The finest level on which all parts can be tested, or else the first coarser one on which something is found.
        let mut places = Vec::new();
        for level in (0..=first).rev() {
            let parts = self.parts(level, failing);
            places = self.passing_removals(&parts, failing, &mut tests_left, oracle)?;
            if !places.is_empty() {
                break;
            }
        }
        // What is found on a coarse level may have smaller places in it.
        for level in first + 1..levels {
            let scope = places.iter().fold(Configuration::empty(), |all, place| all.union(place));
            let parts = self.parts(level, &scope);
            let smaller = self.passing_removals(&parts, failing, &mut tests_left, oracle)?;
            let is_split = |place: &Configuration| smaller.iter().any(|part| part.is_subset(place));
            places.retain(|place| !is_split(place));
            places.extend(smaller);
        }
        places.sort_by_key(|place| (place.len(), place.iter().next()));
        places.truncate(MAX_PLACES_CONFIRMED);
        let mut confirmed = Vec::new();
        for deltas in places {
            let (without, outcome) = self.test_removal(&deltas, whole, oracle)?;
            if outcome == Outcome::Pass {
                confirmed.push(DecidingPlace { deltas, without });
            }
        }
        Ok(confirmed)
    }

    /// The parts of a failing configuration, each with what needs it, without which it passes.
    fn passing_removals<O: Oracle<Configuration>>(
        &self,
        parts: &[Configuration],
        failing: &Configuration,
        tests_left: &mut usize,
        oracle: &mut O,
    ) -> Result<Vec<Configuration>, O::Stop> {
        let mut passing = Vec::new();
        let mut undecided: Vec<&Configuration> = parts.iter().collect();
        for dependencies in [&self.ties, &self.dependencies] {
            let removals = removals(&undecided, failing, dependencies, *tests_left);
            *tests_left -= removals.len();
            let candidates = removals.iter().map(|(_, removed)| failing.difference(removed));
            let outcomes = oracle.each(candidates)?;
            let outcome_of = |wanted: Outcome| {
                removals.iter().zip(&outcomes).filter(move |(_, outcome)| **outcome == wanted)
            };
            passing.extend(outcome_of(Outcome::Pass).map(|((_, removed), _)| removed.clone()));
            undecided = outcome_of(Outcome::Unresolved).map(|((part, _), _)| *part).collect();
        }
        let is_least = |place: &Configuration| {
            let is_part = |other: &Configuration| other != place && other.is_subset(place);
            !passing.iter().any(is_part)
        };
        let mut least: Vec<Configuration> =
            passing.iter().filter(|place| is_least(place)).cloned().collect();
        least.sort_by_key(|place| place.iter().next());
        least.dedup();
        Ok(least)
    }
}

/// At most so many parts, the smallest first, each with what has to be removed with it. A removal of everything is left out.
fn removals<'p>(
    parts: &[&'p Configuration],
    failing: &Configuration,
    dependencies: &Dependencies,
    max: usize,
) -> Vec<(&'p Configuration, Configuration)> {
    let removal = |part: &&'p Configuration| (*part, dependencies.with_dependents(part, failing));
    let mut removals: Vec<_> =
        parts.iter().map(removal).filter(|(_, removed)| removed != failing).collect();
    removals.sort_by_key(|(_, removed)| (removed.len(), removed.iter().next()));
    removals.dedup_by(|(_, removed), (_, before)| removed == before);
    removals.truncate(max);
    removals
}
