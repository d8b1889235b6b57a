//! The seam between the search at a place and the engine that runs, judges and remembers experiments.
//!
//! The search decides which experiments it needs, and asks a [`PlaceOracle`] for their outcomes. The oracle
//! runs an experiment with the function that it was given, judges how the run ended, and may remember
//! outcomes, write them to a journal, or end the search. So this crate has no stop flag, no limits and no
//! judge for experiments.

use super::common_place::CommonPlace;
use super::experiment_error::ExperimentError;
use crate::process::RunEnd;
use wynot_core::{Configuration, Grouping, Oracle, Outcome};

/// Makes the oracles that answer about the differences at each place. Places are examined by several threads;
/// each oracle stays on the thread that it was made on.
pub trait ExperimentOracles: Sync {
    /// Why no more answers are available: a limit, an interruption, an error.
    type Stop: Send;

    /// The oracle for one place.
    type Oracle<'p>: PlaceOracle<Stop = Self::Stop>
    where
        Self: 'p;

    /// An oracle about the differences at a place. `run` makes one experiment.
    fn at_place<'p>(
        &'p self,
        differences: PlaceDifferences,
        run: RunExperiment<'p>,
    ) -> Self::Oracle<'p>;

    /// The reason to stop after an error, of an experiment or of a run that should be stopped or traced.
    fn stop_after(&self, error: ExperimentError) -> Self::Stop;
}

/// Answers about the differences at one place: configurations are sets of them.
pub trait PlaceOracle: Oracle<Configuration> {
    /// The outcome of a configuration in a run that starts at the beginning of the program, even if the outcome
    /// of an experiment with a copy of the stopped run is known.
    fn outcome_from_start(&mut self, configuration: &Configuration) -> Result<Outcome, Self::Stop>;

    /// How the experiment with a configuration ended, in words; `None` if it was not run, or if its outcome is
    /// remembered without words.
    fn ending_in_words(&self, configuration: &Configuration) -> Option<String>;

    /// The number of experiments at this place.
    fn tests(&self) -> u64;
}

/// The differences at a place.
#[derive(Clone, Debug)]
pub struct PlaceDifferences {
    /// The place.
    pub place: CommonPlace,
    /// The number of deltas. Configurations are subsets of `0..count`.
    pub count: u32,
    /// The groups of deltas that the search tries, from coarse to fine.
    pub levels: Vec<Grouping>,
    /// Bytes that are the same for the same deltas, and differ if any of their writes does.
    pub identity: Vec<u8>,
}

impl PlaceDifferences {
    /// Stable bytes for the place and its differences. Digested once, together with what identifies the program
    /// and its two runs, they identify an experiment by its own [bytes](Experiment::to_bytes).
    pub fn to_bytes(&self) -> Vec<u8> {
        let CommonPlace { address, hits } = self.place;
        let mut bytes = Vec::with_capacity(self.identity.len() + 16);
        bytes.extend(address.to_le_bytes());
        bytes.extend(hits.0.to_le_bytes());
        bytes.extend(hits.1.to_le_bytes());
        bytes.extend(&self.identity);
        bytes
    }
}

/// An experiment: the passing run goes on from the place with some of the differences.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Experiment {
    /// The differences that are applied.
    pub configuration: Configuration,
    /// The run that is altered.
    pub origin: ExperimentOrigin,
}

/// The run that an experiment alters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExperimentOrigin {
    /// A copy of the run that is stopped at the place; a new run where the program cannot be copied.
    Copy,
    /// A new run from the beginning of the program.
    NewRun,
}

impl Experiment {
    /// An experiment with a copy of the stopped run.
    pub fn with_copy(configuration: Configuration) -> Self {
        Self { configuration, origin: ExperimentOrigin::Copy }
    }

    /// An experiment with a new run from the beginning of the program.
    pub fn with_new_run(configuration: Configuration) -> Self {
        Self { configuration, origin: ExperimentOrigin::NewRun }
    }

    /// Stable bytes for the experiment among those at its place.
    pub fn to_bytes(&self) -> Vec<u8> {
        let origin = match self.origin {
            ExperimentOrigin::Copy => 0,
            ExperimentOrigin::NewRun => 1,
        };
        let mut bytes = vec![origin];
        for run in self.configuration.ranges() {
            bytes.extend(run.start.to_le_bytes());
            bytes.extend(run.end.to_le_bytes());
        }
        bytes
    }

    /// The experiment with these bytes; `None` if they are not those of an experiment.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (origin, ranges) = bytes.split_first()?;
        let origin = match origin {
            0 => ExperimentOrigin::Copy,
            1 => ExperimentOrigin::NewRun,
            _ => return None,
        };
        let (bounds, rest) = ranges.as_chunks::<4>();
        let (pairs, single) = bounds.as_chunks::<2>();
        let deltas =
            |[start, end]: &[[u8; 4]; 2]| u32::from_le_bytes(*start)..u32::from_le_bytes(*end);
        let is_whole = rest.is_empty() && single.is_empty();
        is_whole.then(|| Self { configuration: pairs.iter().flat_map(deltas).collect(), origin })
    }
}

/// Makes one experiment. An error means that runs cannot be controlled, and must end the search.
pub type RunExperiment<'p> =
    Box<dyn FnMut(&Experiment) -> Result<ExperimentEnd, ExperimentError> + 'p>;

/// How an experiment ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExperimentEnd {
    /// The run was altered and went on to its end.
    Ended(RunEnd),
    /// The run did not come to the place, or died while it was being altered. Its outcome is unresolved.
    Aborted,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn different_places_and_experiments_have_different_bytes() {
        let place = CommonPlace { address: 0x1234, hits: (1, 2) };
        let identity = vec![1, 2, 3];
        let differences = PlaceDifferences { place, count: 9, levels: Vec::new(), identity };
        let places = [
            differences.clone(),
            PlaceDifferences {
                place: CommonPlace { hits: (2, 1), ..place },
                ..differences.clone()
            },
            PlaceDifferences {
                place: CommonPlace { address: 0x1235, ..place },
                ..differences.clone()
            },
            PlaceDifferences { identity: vec![1, 2, 4], ..differences.clone() },
        ];
        let distinct: HashSet<_> = places.iter().map(PlaceDifferences::to_bytes).collect();
        assert_eq!(distinct.len(), places.len());
        let configurations = [&[][..], &[0], &[0, 1], &[0, 2], &[1, 2, 5]];
        let experiments = configurations.into_iter().flat_map(|deltas| {
            let deltas = Configuration::from_deltas(deltas.iter().copied());
            [Experiment::with_copy(deltas.clone()), Experiment::with_new_run(deltas)]
        });
        let experiments: Vec<Experiment> = experiments.collect();
        for experiment in &experiments {
            let read = Experiment::from_bytes(&experiment.to_bytes());
            assert_eq!(read.as_ref(), Some(experiment));
        }
        assert_eq!(Experiment::from_bytes(&[0, 1]), None);
        let distinct: HashSet<_> = experiments.iter().map(Experiment::to_bytes).collect();
        assert_eq!(distinct.len(), 2 * configurations.len());
    }
}
