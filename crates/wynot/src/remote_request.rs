//! Where tests run, if not on this machine.

use std::path::PathBuf;
use std::time::Duration;
use wynot_remote::{Header, ServiceAddress, TlsFiles};

/// How long a search waits for a service that does not answer, by default.
pub const USUAL_PATIENCE: Duration = Duration::from_secs(60);

/// The number of tests that are in flight at the same time on workers, by default.
pub const USUAL_REMOTE_JOBS: u16 = 32;

/// A service whose workers run the tests, and what they need.
#[derive(Clone, Debug)]
pub struct RemoteRequest {
    /// The address of the service.
    pub address: ServiceAddress,
    /// The properties that a worker must have.
    pub platform: Vec<(String, String)>,
    /// The headers of all requests, which are secret.
    pub headers: Vec<Header>,
    /// The certificates of an encrypted connection.
    pub tls: TlsFiles,
    /// How long the search waits for a service that does not answer.
    pub patience: Duration,
    /// The environment variables of tests.
    pub environment: Vec<(String, String)>,
    /// The further files and directories that tests need.
    pub with: Vec<PathBuf>,
    /// Whether tests run on this machine, and only their results are shared.
    pub cache_only: bool,
}

impl RemoteRequest {
    /// Tests on the workers of a service, with everything else as usual.
    pub fn new(address: ServiceAddress) -> Self {
        Self {
            address,
            platform: Vec::new(),
            headers: Vec::new(),
            tls: TlsFiles::default(),
            patience: USUAL_PATIENCE,
            environment: Vec::new(),
            with: Vec::new(),
            cache_only: false,
        }
    }
}
