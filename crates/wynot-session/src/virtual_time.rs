//! An executor without processes: jobs run on simulated workers, in virtual time.
//!
//! A closure computes the completion and the duration of each job, from a table or from a recorded run. Time advances
//! to the end of the next job whenever the session waits, so a search over a thousand workers takes only as long as its
//! bookkeeping. Such runs measure the gain of look-ahead, and show that results do not depend on the number of workers.

use crate::executor::{Completion, Executor, ExecutorError, Job, Submitted};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wynot_subjects::Variant;
use wynot_supervisor::JobId;

/// An executor over simulated workers.
pub struct VirtualTime<F> {
    workers: usize,
    run: F,
    now: Duration,
    /// The jobs in flight, ordered by the time of their end.
    ends: BinaryHeap<Reverse<(Duration, JobId)>>,
    /// The completion of each job in flight.
    completions: HashMap<JobId, Completion>,
    started: u64,
}

impl<F: FnMut(&Variant) -> (Completion, Duration)> VirtualTime<F> {
    /// Creates an executor with this many workers; `run` computes the completion and the duration of a job.
    pub fn new(workers: usize, run: F) -> Self {
        let (ends, completions) = (BinaryHeap::new(), HashMap::new());
        Self { workers, run, now: Duration::ZERO, ends, completions, started: 0 }
    }

    /// The elapsed virtual time.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// The number of started jobs.
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
        if job.alone && !self.completions.is_empty() {
            return Ok(Submitted::NoSpace);
        }
        let (completion, duration) = (self.run)(&job.variant);
        self.started += 1;
        self.ends.push(Reverse((self.now + duration, job.id)));
        self.completions.insert(job.id, completion);
        Ok(Submitted::Accepted)
    }

    fn cancel(&mut self, id: JobId) -> Result<(), ExecutorError> {
        if let Some(completion) = self.completions.get_mut(&id) {
            *completion = Completion::Cancelled;
            // A cancelled job ends at once; its original entry in `ends` is skipped later.
            self.ends.push(Reverse((self.now, id)));
        }
        Ok(())
    }

    /// The completion of the next job to end. A caller that does not want to wait gets only those that have ended.
    fn wait(&mut self, until: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        let has_to_wait = |end: Duration| end > self.now && until <= Instant::now();
        while let Some(Reverse((end, id))) = self.ends.peek().copied() {
            if self.completions.contains_key(&id) && has_to_wait(end) {
                return Ok(None);
            }
            self.ends.pop();
            if let Some(completion) = self.completions.remove(&id) {
                self.now = self.now.max(end);
                return Ok(Some((id, completion)));
            }
        }
        Ok(None)
    }
}
