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
        let mut copied = None;
        let mut next = Instant::now();
        while !context.is_stopping.load(Ordering::Relaxed) {
            if Instant::now() >= next {
                if let Err(error) = round(&context, &mut copied) {
                    context.log.add_error("housekeeping", &error);
                }
                live.forget_unwatched();
                next = Instant::now() + INTERVAL;
            }
            std::thread::sleep(NAP);
        }
        if let Err(error) = round(&context, &mut copied) {
            context.log.add_error("housekeeping", &error);
        }
    })
}

fn round(context: &JobContext, copied: &mut Option<u64>) -> Result<(), StoreError> {
    if let Some(keep) = context.config.keep {
        let keep = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
        let codes = context.store.remove_ended_before(crate::store::now().saturating_sub(keep))?;
        for code in codes {
            context.data.remove_job(&code)?;
        }
    }
    let changes = context.store.changes();
    if *copied != Some(changes) {
        context.store.write_snapshot(&context.data.snapshot())?;
        *copied = Some(changes);
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
