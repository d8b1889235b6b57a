//! Experiments as jobs of a session: an experiment is a variant, and the stopped run is an executor.
//!
//! So an explanation has a journal, limits, events and counts like all other searches.

use super::error::stop_after;
use super::run_observation::observation;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wynot_core::{Attempt, Configuration, Decision, Oracle, Outcome};
use wynot_session::{
    Completion, Compose, Digest, Ending, Executor, ExecutorError, Fingerprint, Job, JobId, Lab,
    Observation, Output, ResultFiles, Session, Stop, Submitted,
};
use wynot_state::{
    CommonPlace, Experiment, ExperimentEnd, ExperimentError, ExperimentOracles, PlaceDifferences,
    PlaceOracle, RunExperiment,
};
use wynot_subjects::Variant;

/// The names of the levels on which the differences at a place are searched.
const LEVEL_NAMES: [&str; 4] = ["function", "variable", "object", "value"];

/// The length of the digest in front of an experiment's own bytes.
const KEY_BYTES: usize = 32;

/// Creates the sessions for the places of one explanation.
pub(super) struct Experiments<'e, 'l> {
    pub lab: &'e Lab<'l>,
    /// The result files, which are never written: the result is the chain.
    pub results: ResultFiles,
    /// Names a place.
    pub name: &'e (dyn Fn(CommonPlace) -> String + Sync),
}

impl<'l> ExperimentOracles for Experiments<'_, 'l> {
    type Stop = Stop;
    type Oracle<'p>
        = PlaceSession<'p, 'l>
    where
        Self: 'p;

    fn at_place<'p>(
        &'p self,
        differences: PlaceDifferences,
        run: RunExperiment<'p>,
    ) -> PlaceSession<'p, 'l> {
        let subject = PlaceSubject {
            name: (self.name)(differences.place),
            key: Fingerprint::default().add("place", differences.to_bytes()).digest().to_string(),
            deltas: differences.count,
        };
        let executor = StoppedRunExecutor { run, done: None };
        let (key, spec) = (subject.key.clone(), Arc::new(()));
        PlaceSession { key, session: self.lab.session(subject, executor, &spec, &self.results) }
    }

    fn stop_after(&self, error: ExperimentError) -> Stop {
        stop_after(error)
    }
}

/// The differences at one place, as a subject.
pub(super) struct PlaceSubject {
    name: String,
    /// The digest of the place and its differences.
    key: String,
    deltas: u32,
}

/// An experiment as a variant: the key of its place, and its own bytes.
fn variant_of(key: &str, experiment: &Experiment) -> Variant {
    Variant::Bytes([key.as_bytes(), &experiment.to_bytes()].concat())
}

impl Compose<Configuration> for PlaceSubject {
    fn identity(&self, candidate: &Configuration) -> Option<Digest> {
        Some(Digest::of(&self.variant(candidate)))
    }

    fn compose(&self, candidate: &Configuration, variant: &mut Variant) {
        *variant = variant_of(&self.key, &Experiment::with_copy(candidate.clone()));
    }

    fn deltas(&self, candidate: &Configuration) -> u64 {
        candidate.len() as u64
    }

    fn size(&self) -> u64 {
        u64::from(self.deltas)
    }

    fn configuration<'c>(&self, candidate: &'c Configuration) -> Option<&'c Configuration> {
        Some(candidate)
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        Vec::new()
    }

    fn level_name(&self, level: usize) -> Option<&'static str> {
        LEVEL_NAMES.get(level).copied()
    }

    fn question(&self) -> Option<&str> {
        Some(&self.name)
    }
}

/// Runs experiments with the run that is stopped at a place, one at a time.
pub(super) struct StoppedRunExecutor<'p> {
    run: RunExperiment<'p>,
    /// The experiment that has ended and is not reported yet.
    done: Option<(JobId, Completion)>,
}

impl Executor for StoppedRunExecutor<'_> {
    type Spec = ();

    fn capacity(&self) -> usize {
        usize::from(self.done.is_none())
    }

    fn submit(&mut self, job: Job<()>) -> Result<Submitted, ExecutorError> {
        let started = Instant::now();
        let Variant::Bytes(bytes) = &*job.variant else {
            unreachable!("the variants of a place are bytes");
        };
        let experiment = bytes.get(KEY_BYTES..).and_then(Experiment::from_bytes);
        let experiment = experiment.expect("the variants of a place are experiments");
        let end =
            (self.run)(&experiment).map_err(|error| ExecutorError::Experiment(Box::new(error)))?;
        let observation = match end {
            ExperimentEnd::Ended(ending) => observation(ending),
            ExperimentEnd::Aborted => unreached_observation(),
        };
        let elapsed = started.elapsed();
        let observation = Observation { elapsed, ..observation };
        self.done = Some((job.id, Completion::Observed(Box::new(observation))));
        Ok(Submitted::Accepted)
    }

    fn cancel(&mut self, _: JobId) -> Result<(), ExecutorError> {
        Ok(())
    }

    fn wait(&mut self, _: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        Ok(self.done.take())
    }
}

/// The observation of a run that did not reach its place.
fn unreached_observation() -> Observation {
    Observation {
        ending: Ending::NotReached,
        stdout: Output::default(),
        stderr: Output::default(),
        elapsed: Duration::ZERO,
        cpu: Duration::ZERO,
        waited: Duration::ZERO,
        memory: 0,
        build: Duration::ZERO,
        crash: None,
        read: None,
    }
}

/// Answers about the differences at one place.
pub(super) struct PlaceSession<'p, 'l> {
    key: String,
    session: Session<'p, 'l, Configuration, PlaceSubject, StoppedRunExecutor<'p>>,
}

impl Oracle<Configuration> for PlaceSession<'_, '_> {
    type Stop = Stop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<Configuration, N>>,
    ) -> Result<Option<Decision<Configuration, N>>, Stop> {
        self.session.first(attempts)
    }

    fn each(
        &mut self,
        candidates: impl Iterator<Item = Configuration>,
    ) -> Result<Vec<Outcome>, Stop> {
        self.session.each(candidates)
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        self.session.enter(level, deltas);
    }
}

impl PlaceOracle for PlaceSession<'_, '_> {
    fn outcome_from_start(&mut self, configuration: &Configuration) -> Result<Outcome, Stop> {
        let experiment = Experiment::with_new_run(configuration.clone());
        self.session.outcome_of(variant_of(&self.key, &experiment))
    }

    fn ending_in_words(&self, configuration: &Configuration) -> Option<String> {
        self.session.summary_of(configuration)
    }

    fn tests(&self) -> u64 {
        self.session.counts().executed
    }
}
