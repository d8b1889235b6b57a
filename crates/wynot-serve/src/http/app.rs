//! What all requests share.

use super::api_error::ApiError;
use super::metrics::Metrics;
use super::rate_limit::RateLimit;
use crate::jobs::LiveJobs;
use crate::jobs::job_context::JobContext;
use crate::jobs::job_slots::QueueBell;
use crate::store::{Store, StoreError};
use std::sync::Arc;

/// The state of a server, as requests see it.
#[derive(Clone)]
pub struct App {
    /// What jobs and requests share.
    pub context: Arc<JobContext>,
    /// The jobs that run or are watched.
    pub live: Arc<LiveJobs>,
    /// Wakes slots.
    pub bell: Arc<QueueBell>,
    /// Limits of submitters.
    pub rate_limit: Arc<RateLimit>,
    /// What was counted.
    pub metrics: Arc<Metrics>,
    /// What makes forms of this server recognisable.
    pub form_secret: Arc<[u8; 32]>,
}

impl App {
    /// Asks the database on a thread where waiting is allowed.
    pub async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let context = Arc::clone(&self.context);
        self.blocking(move || question(&context.store).map_err(ApiError::from)).await
    }

    /// Does something on a thread where waiting is allowed.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        match tokio::task::spawn_blocking(work).await {
            Ok(result) => result,
            Err(_) => Err(ApiError::internal("the request was interrupted")),
        }
    }
}
