//! An executor without processes: jobs run on simulated workers, in virtual time.
//!
//! A closure gives each job its completion and its duration, from a table or from a recorded run. Time advances to the
//! end of the next job whenever the session waits, so a search over a thousand workers takes as long as its
//! bookkeeping. This shows what look-ahead gains, and that results do not depend on the number of workers.

use crate::executor::{Completion, Executor, ExecutorError, Job, JobId, Submitted};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wynot_subjects::Variant;

/// Simulated workers.
pub struct VirtualTime<F> {
    workers: usize,
    run: F,
    now: Duration,
    /// The jobs under way by the moment of their end.
    ends: BinaryHeap<Reverse<(Duration, JobId)>>,
    /// What will be reported of each job.
    completions: HashMap<JobId, Completion>,
    started: u64,
}

impl<F: FnMut(&Variant) -> (Completion, Duration)> VirtualTime<F> {
    /// So many workers, each of which runs a job as the closure says.
    pub fn new(workers: usize, run: F) -> Self {
        let (ends, completions) = (BinaryHeap::new(), HashMap::new());
        Self { workers, run, now: Duration::ZERO, ends, completions, started: 0 }
    }

    /// The virtual time that has passed.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// How many jobs were started.
    pub fn started(&self) -> u64 {
        self.started
    }

    /// The specification of simulated tests, which is empty.
    pub fn spec() -> Arc<()> {
        Arc::new(())
    }
}

impl<F: FnMut(&Variant) -> (Completion, Duration)> Executor for VirtualTime<F> {
    type Spec = ();

    fn capacity(&self) -> usize {
        self.workers - self.completions.len()
    }

    fn submit(&mut self, job: Job<()>) -> Result<Submitted, ExecutorError> {
        let (completion, duration) = (self.run)(&job.variant);
        self.started += 1;
        self.ends.push(Reverse((self.now + duration, job.id)));
        self.completions.insert(job.id, completion);
        Ok(Submitted::Accepted)
    }

    fn cancel(&mut self, id: JobId) -> Result<(), ExecutorError> {
        if let Some(completion) = self.completions.get_mut(&id) {
            *completion = Completion::Cancelled;
            // A cancelled job ends at once; its planned end is skipped when its turn comes.
            self.ends.push(Reverse((self.now, id)));
        }
        Ok(())
    }

    fn wait(&mut self, _: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        while let Some(Reverse((end, id))) = self.ends.pop() {
            if let Some(completion) = self.completions.remove(&id) {
                self.now = self.now.max(end);
                return Ok(Some((id, completion)));
            }
        }
        Ok(None)
    }
}
