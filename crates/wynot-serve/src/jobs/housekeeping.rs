//! What happens from time to time: old jobs are removed, and the database is copied for backups.

use super::job_context::JobContext;
use super::live_jobs::LiveJobs;
use crate::store::StoreError;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time between two rounds.
const INTERVAL: Duration = Duration::from_secs(60);

/// The longest time until a stop is noticed.
const NAP: Duration = Duration::from_millis(200);

/// Starts the thread that does it.
pub fn start(context: &Arc<JobContext>, live: &Arc<LiveJobs>) -> std::io::Result<JoinHandle<()>> {
    let (context, live) = (Arc::clone(context), Arc::clone(live));
    std::thread::Builder::new().name("housekeeping".to_owned()).spawn(move || {
        let mut copy = Snapshot { of_changes: None, next: Instant::now() };
        let mut next = Instant::now();
        while !context.is_stopping.load(Ordering::Relaxed) {
            if Instant::now() >= next {
                if let Err(error) = round(&context, &mut copy) {
                    context.log.add_error("housekeeping", &error);
                }
                live.forget_unwatched();
                next = Instant::now() + INTERVAL;
            }
            std::thread::sleep(NAP);
        }
        copy.next = Instant::now();
        if let Err(error) = round(&context, &mut copy) {
            context.log.add_error("housekeeping", &error);
        }
    })
}

/// The last copy of the database.
struct Snapshot {
    /// The number of changes that it has.
    of_changes: Option<u64>,
    /// The earliest time of the next one.
    next: Instant,
}

fn round(context: &JobContext, copy: &mut Snapshot) -> Result<(), StoreError> {
    if let Some(keep) = context.config.keep {
        let keep = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
        let codes = context.store.remove_ended_before(crate::store::now().saturating_sub(keep))?;
        for code in codes {
            context.data.remove_job(&code)?;
        }
    }
    let changes = context.store.changes();
    if copy.of_changes != Some(changes) && Instant::now() >= copy.next {
        let started = Instant::now();
        context.store.write_snapshot(&context.data.snapshot())?;
        // A large database is copied less often: copies take a fiftieth of the time at most.
        *copy =
            Snapshot { of_changes: Some(changes), next: Instant::now() + started.elapsed() * 50 };
    }
    Ok(())
}

/// Removes the directories of jobs that no row knows, such as those whose submission was interrupted. Returns how many.
pub fn remove_strays(context: &JobContext) -> Result<usize, StoreError> {
    let mut removed = 0;
    for code in context.data.job_codes()? {
        if context.store.job(&code)?.is_none() {
            context.data.remove_job(&code)?;
            removed += 1;
        }
    }
    Ok(removed)
}
