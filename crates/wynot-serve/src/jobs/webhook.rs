//! Webhooks: the address of a project that is called when one of its jobs has ended.

use super::job_context::JobContext;
use crate::store::{JobState, ServedJob, StoreError};
use serde_json::json;
use std::time::Duration;

/// How long a call may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The number of attempts, with a pause before each but the first.
const ATTEMPTS: u32 = 3;

/// Calls the webhook of the project of a job, if it has one. The slot does not wait for it, and an error is only logged.
pub fn call_webhook(
    context: &JobContext,
    job: &ServedJob,
    state: JobState,
) -> Result<(), StoreError> {
    let Some(url) = context.store.webhook(&job.submission.project)? else { return Ok(()) };
    let address = context.config.public_url.clone();
    let address = address.unwrap_or_else(|| format!("http://{}", context.config.listen));
    let body = json!({
        "job": job.code.as_str(),
        "project": job.submission.project,
        "title": job.submission.title,
        "verb": job.submission.verb,
        "state": state,
        "page": format!("{address}/jobs/{}", job.code),
    });
    let log = context.log.clone();
    std::thread::spawn(move || {
        let config = ureq::Agent::config_builder().timeout_global(Some(TIMEOUT)).build();
        let agent = ureq::Agent::new_with_config(config);
        for attempt in 1..=ATTEMPTS {
            let sent = agent
                .post(&url)
                .header("content-type", "application/json")
                .send(body.to_string().as_bytes());
            match sent {
                Ok(_) => return,
                Err(error) if attempt == ATTEMPTS => {
                    log.add_error(&format!("the webhook {url} cannot be called"), &error);
                }
                Err(_) => std::thread::sleep(Duration::from_secs(u64::from(attempt))),
            }
        }
    });
    Ok(())
}
