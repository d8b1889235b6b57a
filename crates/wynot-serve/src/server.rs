//! The server: it opens its data, starts slots, and answers requests until it is stopped.

use crate::http::App;
use crate::http::metrics::Metrics;
use crate::http::rate_limit::RateLimit;
use crate::http::routes::routes;
use crate::jobs::job_context::JobContext;
use crate::jobs::{ControlGroups, JobSlots, containment_probe, housekeeping};
use crate::server_config::{ServerConfig, ServerLog};
use crate::store::{DataDirectory, Store, StoreError};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde_json::json;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// The most connections at the same time.
const MAX_CONNECTIONS: usize = 4096;

/// How long a client may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(20);

/// How long connections may take to end after a stop.
const MAX_DRAIN_TIME: Duration = Duration::from_secs(5);

/// Why a server cannot start or go on.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ServeError {
    #[error("cannot use the data directory {}: {error}", path.display())]
    Data { path: PathBuf, error: io::Error },
    #[error("another server uses the data directory {}", .0.display())]
    InUse(PathBuf),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot listen on {address}: {error}")]
    Listen { address: SocketAddr, error: io::Error },
    #[error("jobs cannot be contained here: {0}")]
    NotContained(String),
    #[error("{address} can be reached by others, but {missing}")]
    Exposed { address: SocketAddr, missing: String },
    #[error("{0}")]
    System(#[from] io::Error),
}

/// What a server reports when it has started.
#[derive(Debug)]
pub struct Started {
    /// The address at which it listens.
    pub address: SocketAddr,
    /// What cannot be enforced on this system, one sentence each.
    pub missing: Vec<String>,
    /// The number of jobs that wait.
    pub waiting: u64,
    /// Whether everybody who reaches the server has all rights.
    pub is_open: bool,
}

/// Opens the store of a data directory, for administration.
pub fn open_store(data: &DataDirectory) -> Result<Store, StoreError> {
    Store::open(&data.database(), &data.snapshot())
}

/// Runs a server until `stop` is set. `started` is called once, when requests are answered.
pub fn serve(
    config: ServerConfig,
    log: ServerLog,
    stop: &Arc<AtomicBool>,
    started: impl FnOnce(&Started),
) -> Result<(), ServeError> {
    let data = open_data(&config)?;
    let store = open_store(&data)?;
    let groups = ControlGroups::new();
    let context =
        JobContext { config, data, store, groups, log, is_stopping: AtomicBool::new(false) };
    let missing = check_containment(&context)?;
    check_exposure(&context, &missing)?;
    if !context.store.is_restored() {
        housekeeping::remove_strays(&context)?;
    }
    let resumed = context.store.requeue_running()?;
    if resumed > 0 {
        context.log.add(&json!({"event": "resumed", "jobs": resumed}));
    }
    let app = App {
        rate_limit: Arc::new(RateLimit::new(context.config.submissions_per_second)),
        context: Arc::new(context),
        live: Arc::default(),
        bell: Arc::default(),
        metrics: Arc::new(Metrics::default()),
        form_secret: Arc::new(crate::store::random_bytes()),
    };
    run(&app, stop, missing, started)
}

fn run(
    app: &App,
    stop: &Arc<AtomicBool>,
    missing: Vec<String>,
    started: impl FnOnce(&Started),
) -> Result<(), ServeError> {
    let context = &app.context;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let address = context.config.listen;
    let listener = runtime
        .block_on(TcpListener::bind(address))
        .map_err(|error| ServeError::Listen { address, error })?;
    let slots = JobSlots::start(context, &app.live, &app.bell)?;
    let housekeeper = housekeeping::start(context, &app.live)?;
    let waiting = context.store.count_queued_all()?;
    started(&Started {
        address: listener.local_addr()?,
        missing,
        waiting,
        is_open: context.store.tokens()?.is_empty(),
    });
    runtime.block_on(accept_until_stopped(app, listener, stop));
    context.is_stopping.store(true, Ordering::Relaxed);
    slots.join();
    // A panic there has been reported, and there is nothing to wait for.
    let _ = housekeeper.join();
    runtime.shutdown_timeout(MAX_DRAIN_TIME);
    Ok(())
}

fn open_data(config: &ServerConfig) -> Result<DataDirectory, ServeError> {
    let path = config.data.clone();
    DataDirectory::open(&path, config.job_user).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => ServeError::InUse(path),
        _ => ServeError::Data { path, error },
    })
}

/// Runs a small job, and returns what cannot be enforced. Without `is_partial`, that is an error if it concerns the sandbox.
fn check_containment(context: &JobContext) -> Result<Vec<String>, ServeError> {
    let mut missing: Vec<String> = context
        .groups
        .missing()
        .iter()
        .map(|(resource, reason)| {
            let resource = match *resource {
                "pids" => "processes",
                "cpu" => "processor time",
                other => other,
            };
            format!("no limit of {resource} for a job as a whole: {reason}")
        })
        .collect();
    missing.extend(containment_probe::probe(context).map_err(ServeError::NotContained)?);
    Ok(missing)
}

/// Refuses addresses that others can reach, unless tokens and all limits are in force.
fn check_exposure(context: &JobContext, missing: &[String]) -> Result<(), ServeError> {
    let address = context.config.listen;
    if address.ip().is_loopback() {
        return Ok(());
    }
    let exposed = |missing: &str| ServeError::Exposed { address, missing: missing.to_owned() };
    if context.store.tokens()?.is_empty() {
        return Err(exposed("there are no tokens: make one with wynot serve token add NAME"));
    }
    match missing.first() {
        Some(first) => Err(exposed(first)),
        None => Ok(()),
    }
}

async fn accept_until_stopped(app: &App, listener: TcpListener, stop: &Arc<AtomicBool>) {
    let service = routes(app);
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopped(stop) => return,
        };
        let Ok((stream, _)) = accepted else {
            // There are too many open files; some will be closed.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return };
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
            // An error means that the client has closed the connection or does not speak HTTP.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
            drop(permit);
        });
    }
}

async fn stopped(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
