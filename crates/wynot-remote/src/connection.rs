//! A connection to a service: made once, shared by the tasks of all jobs.

use crate::remote_error::RemoteError;
use crate::remote_options::RemoteOptions;
use crate::service::Service;
use crate::storage::Storage;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use wynot_session::{ExecutorError, plain};

/// The first pause before a request is repeated.
pub(crate) const MIN_PAUSE: Duration = Duration::from_millis(100);

/// The longest pause before a request is repeated.
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(5);

/// A service that answers, its storage, and when it last answered.
#[derive(Debug)]
pub(crate) struct Connection {
    pub service: Service,
    pub storage: Storage,
    /// How long a job waits for a service that does not answer.
    pub patience: Duration,
    started: Instant,
    /// The time of the last answer of the service, in milliseconds after `started`.
    last_answer: AtomicU64,
    /// The last trouble, for display.
    trouble: Mutex<Option<String>>,
}

impl Connection {
    pub(crate) fn note_answer(&self) {
        self.last_answer.store(self.started.elapsed().as_millis() as u64, Ordering::Relaxed);
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(crate) fn note_trouble(&self, reason: &str) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        *trouble = Some(reason.to_owned());
    }

    /// The last trouble, unless the service has answered since.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The time since the service has last answered any job.
    pub(crate) fn silence(&self) -> Duration {
        let last = Duration::from_millis(self.last_answer.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(last)
    }
}

/// Connects to a service, and checks that it can do what is needed. The tasks of jobs belong to the runtime.
pub(crate) fn connect(
    options: &RemoteOptions,
    must_execute: bool,
) -> Result<(Runtime, Connection), ExecutorError> {
    let address = options.address.to_string();
    let failed = |reason: String| ExecutorError::Service { address: address.clone(), reason };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("wynot-remote")
        .enable_all()
        .build()
        .map_err(|error| failed(plain(&error)))?;
    let mut service = {
        let _context = runtime.enter();
        Service::new(options).map_err(failed)?
    };
    let asked = runtime.block_on(ask(&mut service, options.patience, must_execute));
    asked.map_err(failed)?;
    let connection = Connection {
        service,
        storage: Storage::default(),
        patience: options.patience,
        started: Instant::now(),
        last_answer: AtomicU64::new(0),
        trouble: Mutex::new(None),
    };
    Ok((runtime, connection))
}

/// Asks a service for its capabilities until it answers.
async fn ask(service: &mut Service, patience: Duration, must_execute: bool) -> Result<(), String> {
    let (started, mut pause) = (Instant::now(), MIN_PAUSE);
    loop {
        match service.ask_capabilities(must_execute).await {
            Ok(()) => return Ok(()),
            Err(RemoteError::Transient(_)) if started.elapsed() + pause < patience => {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(MAX_PAUSE);
            }
            Err(RemoteError::Transient(reason)) => {
                return Err(format!("it does not answer: {reason}"));
            }
            Err(
                RemoteError::Refused(reason)
                | RemoteError::MissingBlobs(reason)
                | RemoteError::NoObservation(reason),
            ) => return Err(reason),
        }
    }
}
