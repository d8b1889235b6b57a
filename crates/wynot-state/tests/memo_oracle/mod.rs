//! Oracles for tests, which compare endings and remember outcomes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use wynot_core::{Attempt, Configuration, Decision, Memo, Oracle, Outcome};
use wynot_state::{
    EndingComparison, Experiment, ExperimentEnd, ExperimentError, ExperimentOracles,
    PlaceDifferences, PlaceOracle, RunExperiment,
};

/// Why a search in a test ends early.
#[derive(Debug, thiserror::Error)]
pub enum TestStop {
    /// The limit on experiments is reached.
    #[error("the limit is reached")]
    Limit,
    /// An experiment could not be made.
    #[error(transparent)]
    Error(#[from] ExperimentError),
}

/// Makes oracles that judge by comparison with the two runs.
pub struct MemoOracles {
    comparison: EndingComparison,
    /// The number of experiments that may still be made.
    left: AtomicU64,
    /// The stable bytes of all experiments that were made.
    pub made: Mutex<Vec<Vec<u8>>>,
}

impl MemoOracles {
    pub fn new(comparison: EndingComparison, max_tests: u64) -> Self {
        Self { comparison, left: AtomicU64::new(max_tests), made: Mutex::default() }
    }
}

impl ExperimentOracles for MemoOracles {
    type Stop = TestStop;
    type Oracle<'p> = MemoOracle<'p>;

    fn at_place<'p>(
        &'p self,
        differences: PlaceDifferences,
        run: RunExperiment<'p>,
    ) -> MemoOracle<'p> {
        let runner =
            Runner { oracles: self, differences, run, endings: HashMap::new(), from_start: 0 };
        let runner = Rc::new(RefCell::new(runner));
        let shared = Rc::clone(&runner);
        let test = move |configuration: &Configuration| {
            shared.borrow_mut().outcome(&Experiment::with_copy(configuration.clone()))
        };
        MemoOracle { memo: Memo::new(Box::new(test)), runner }
    }

    fn stop_after(&self, error: ExperimentError) -> TestStop {
        error.into()
    }
}

type Test<'p> = Box<dyn FnMut(&Configuration) -> Result<Outcome, TestStop> + 'p>;

/// Remembers the outcomes at one place.
pub struct MemoOracle<'p> {
    memo: Memo<Configuration, Test<'p>>,
    runner: Rc<RefCell<Runner<'p>>>,
}

impl Oracle<Configuration> for MemoOracle<'_> {
    type Stop = TestStop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<Configuration, N>>,
    ) -> Result<Option<Decision<Configuration, N>>, TestStop> {
        self.memo.first(attempts)
    }

    fn each(
        &mut self,
        configurations: impl Iterator<Item = Configuration>,
    ) -> Result<Vec<Outcome>, TestStop> {
        self.memo.each(configurations)
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        self.memo.enter(level, deltas);
    }
}

impl PlaceOracle for MemoOracle<'_> {
    fn outcome_from_start(&mut self, configuration: &Configuration) -> Result<Outcome, TestStop> {
        let mut runner = self.runner.borrow_mut();
        runner.from_start += 1;
        runner.outcome(&Experiment::with_new_run(configuration.clone()))
    }

    fn ending_in_words(&self, configuration: &Configuration) -> Option<String> {
        self.runner.borrow().endings.get(configuration).cloned()
    }

    fn tests(&self) -> u64 {
        self.memo.tests() as u64 + self.runner.borrow().from_start
    }
}

struct Runner<'p> {
    oracles: &'p MemoOracles,
    differences: PlaceDifferences,
    run: RunExperiment<'p>,
    endings: HashMap<Configuration, String>,
    from_start: u64,
}

impl Runner<'_> {
    fn outcome(&mut self, experiment: &Experiment) -> Result<Outcome, TestStop> {
        let left = &self.oracles.left;
        let take_one = |left: u64| left.checked_sub(1);
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one)
            .map_err(|_| TestStop::Limit)?;
        let identity = [self.differences.to_bytes(), experiment.to_bytes()].concat();
        self.oracles.made.lock().unwrap().push(identity);
        match (self.run)(experiment)? {
            ExperimentEnd::Ended(ending) => {
                let words = format!("{:?}", ending.status);
                self.endings.insert(experiment.configuration.clone(), words);
                Ok(self.oracles.comparison.outcome(&ending))
            }
            ExperimentEnd::Aborted => Ok(Outcome::Unresolved),
        }
    }
}
