//! Outcomes of the experiments of `wynot explain`: run one at a time, judged and remembered for each place.

use crate::runs::{Decision, told as ended};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use wynot_core::{Attempt, Configuration, Oracle, Outcome, Recall};
use wynot_state::{
    Experiment, ExperimentEnd, ExperimentError, ExperimentOracles, PlaceDifferences, PlaceOracle,
    RunExperiment,
};

/// Why no more experiments are made.
#[derive(Debug)]
pub enum ExplainStop {
    /// The user has interrupted the search.
    Interrupted,
    /// A run could not be controlled.
    Error(ExperimentError),
}

impl From<ExperimentError> for ExplainStop {
    fn from(error: ExperimentError) -> Self {
        match error {
            ExperimentError::Interrupted => Self::Interrupted,
            error => Self::Error(error),
        }
    }
}

/// Makes the oracles for the places of one search.
pub struct ExplainOracles<'e> {
    /// Judges how an experiment ends.
    pub decision: &'e Decision,
    /// The flag that ends the search.
    pub stop: &'e AtomicBool,
}

impl ExperimentOracles for ExplainOracles<'_> {
    type Stop = ExplainStop;
    type Oracle<'p>
        = ExplainOracle<'p>
    where
        Self: 'p;

    fn at_place<'p>(&'p self, _: PlaceDifferences, run: RunExperiment<'p>) -> ExplainOracle<'p> {
        let (endings, from_start, stopped) = (HashMap::new(), 0, None);
        let runner =
            Runner { decision: self.decision, stop: self.stop, run, endings, from_start, stopped };
        let runner = Rc::new(RefCell::new(runner));
        let shared = Rc::clone(&runner);
        let test = move |configuration: &Configuration| {
            shared.borrow_mut().outcome(&Experiment::with_copy(configuration.clone()))
        };
        ExplainOracle { memo: Recall::new(Box::new(test)), runner }
    }

    fn stop_after(&self, error: ExperimentError) -> ExplainStop {
        error.into()
    }
}

type Test<'p> = Box<dyn FnMut(&Configuration) -> Outcome + 'p>;

/// Answers about the differences at one place.
pub struct ExplainOracle<'p> {
    memo: Recall<Test<'p>>,
    runner: Rc<RefCell<Runner<'p>>>,
}

impl ExplainOracle<'_> {
    /// An answer, unless the search has to stop.
    fn unless_stopped<T>(&self, answer: T) -> Result<T, ExplainStop> {
        self.runner.borrow_mut().stopped.take().map_or(Ok(answer), Err)
    }
}

impl Oracle<Configuration> for ExplainOracle<'_> {
    type Stop = ExplainStop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<Configuration, N>>,
    ) -> Result<Option<wynot_core::Decision<Configuration, N>>, ExplainStop> {
        let Ok(decision) = self.memo.first(attempts);
        self.unless_stopped(decision)
    }

    fn each(
        &mut self,
        configurations: impl Iterator<Item = Configuration>,
    ) -> Result<Vec<Outcome>, ExplainStop> {
        let Ok(outcomes) = self.memo.each(configurations);
        self.unless_stopped(outcomes)
    }
}

impl PlaceOracle for ExplainOracle<'_> {
    fn outcome_from_start(
        &mut self,
        configuration: &Configuration,
    ) -> Result<Outcome, ExplainStop> {
        let outcome = {
            let mut runner = self.runner.borrow_mut();
            runner.from_start += 1;
            runner.outcome(&Experiment::with_new_run(configuration.clone()))
        };
        self.unless_stopped(outcome)
    }

    fn ending_in_words(&self, configuration: &Configuration) -> Option<String> {
        self.runner.borrow().endings.get(configuration).cloned()
    }

    fn tests(&self) -> u64 {
        self.memo.tests() as u64 + self.runner.borrow().from_start
    }
}

/// Runs and judges experiments.
struct Runner<'p> {
    decision: &'p Decision,
    stop: &'p AtomicBool,
    run: RunExperiment<'p>,
    /// How experiments with copies ended, in words.
    endings: HashMap<Configuration, String>,
    /// The number of runs from the beginning of the program.
    from_start: u64,
    /// Why no more experiments are made.
    stopped: Option<ExplainStop>,
}

impl Runner<'_> {
    /// The outcome of an experiment; unresolved and without a run once the search has to stop.
    fn outcome(&mut self, experiment: &Experiment) -> Outcome {
        if self.stop.load(Ordering::Relaxed) {
            self.stopped.get_or_insert(ExplainStop::Interrupted);
        }
        if self.stopped.is_some() {
            return Outcome::Unresolved;
        }
        match (self.run)(experiment) {
            Ok(ExperimentEnd::Ended(ending)) => {
                self.endings.insert(experiment.configuration.clone(), ended(&ending));
                self.decision.of(&ending)
            }
            Ok(ExperimentEnd::Aborted) => Outcome::Unresolved,
            Err(error) => {
                self.stopped = Some(error.into());
                Outcome::Unresolved
            }
        }
    }
}
