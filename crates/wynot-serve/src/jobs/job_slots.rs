//! Slots: threads that run jobs, the oldest first.

use super::job_context::JobContext;
use super::job_process::run_job;
use super::live_jobs::LiveJobs;
use super::webhook::call_webhook;
use crate::store::{JobEnd, JobState, ServedJob, StoreError};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The longest time between two looks at the queue.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// The threads that run jobs.
#[derive(Debug)]
pub struct JobSlots {
    threads: Vec<JoinHandle<()>>,
}

/// Wakes slots when there is a new job.
#[derive(Debug, Default)]
pub struct QueueBell {
    rung: Mutex<bool>,
    bell: Condvar,
}

impl QueueBell {
    /// Wakes a slot.
    pub fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bell.notify_one();
    }

    /// Waits for a new job, or for a moment.
    fn wait(&self) {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.bell.wait_timeout_while(rung, LOOK_INTERVAL, |rung| !*rung);
        let (mut rung, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *rung = false;
    }
}

impl JobSlots {
    /// Starts the threads.
    pub fn start(
        context: &Arc<JobContext>,
        live: &Arc<LiveJobs>,
        bell: &Arc<QueueBell>,
    ) -> std::io::Result<Self> {
        let start = |number: usize| {
            let (context, live, bell) = (Arc::clone(context), Arc::clone(live), Arc::clone(bell));
            std::thread::Builder::new()
                .name(format!("slot {number}"))
                .spawn(move || run_jobs(&context, &live, &bell))
        };
        let threads = (0..context.config.slots).map(start).collect::<Result<_, _>>()?;
        Ok(Self { threads })
    }

    /// Waits until all slots have ended, after the server was stopped.
    pub fn join(self) {
        for thread in self.threads {
            // A slot that has panicked has nothing to wait for; its job is queued at the next start.
            let _ = thread.join();
        }
    }
}

/// Runs jobs until the server stops.
fn run_jobs(context: &JobContext, live: &LiveJobs, bell: &QueueBell) {
    while !context.is_stopping.load(Ordering::Relaxed) {
        match context.store.claim_job() {
            Ok(Some(job)) => run_and_record(context, live, &job),
            Ok(None) => bell.wait(),
            Err(error) => {
                context.log.add_error("the next job cannot be read", &error);
                bell.wait();
            }
        }
    }
}

fn run_and_record(context: &JobContext, live: &LiveJobs, job: &ServedJob) {
    let state = live.job(&job.code);
    let ended = run_job(context, job, &state);
    drop(state);
    let recorded = match ended {
        Ok(Some((state, end))) => record_end(context, job, state, &end),
        Ok(None) => context.store.requeue(&job.code),
        Err(error) => {
            let message = Some(format!("the server could not run it: {error}"));
            record_end(context, job, JobState::Failed, &JobEnd { message, ..JobEnd::default() })
        }
    };
    if let Err(error) = recorded {
        context.log.add_error("the end of a job cannot be recorded", &error);
    }
    live.end(&job.code);
}

fn record_end(
    context: &JobContext,
    job: &ServedJob,
    state: JobState,
    end: &JobEnd,
) -> Result<(), StoreError> {
    context.store.end_job(&job.code, state, end)?;
    context.log.add(&serde_json::json!({
        "event": "job ended", "job": job.code.as_str(), "state": state.name(),
        "exit": end.exit, "message": end.message, "attempt": job.attempts,
    }));
    call_webhook(context, job, state)
}
