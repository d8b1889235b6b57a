//! What a user says about a service and its workers.

use crate::service_address::ServiceAddress;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The options of the executor on the workers of a service.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// The address of the service.
    pub address: ServiceAddress,
    /// The number of tests that are in flight at the same time.
    pub jobs: usize,
    /// The properties that a worker must have, as pairs of name and value.
    pub platform: Vec<(String, String)>,
    /// The headers of all requests, which may be secret.
    pub headers: Vec<Header>,
    /// The certificates that identify the two ends, for encrypted connections.
    pub tls: TlsFiles,
    /// How long a job waits for a service that does not answer.
    pub patience: Duration,
    /// The environment variables of tests.
    pub environment: Vec<(String, String)>,
    /// The further files that tests need, and where they are relative to the others.
    pub needed: Vec<NeededFile>,
    /// The files of the project that are not sent, because the search writes them.
    pub excluded: Vec<PathBuf>,
    /// Whether results of earlier tests are used, and those of new ones are shared.
    pub use_cache: bool,
}

/// A header of a request. Its value is not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=…", self.name)
    }
}

/// The files with certificates and keys, in PEM format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificates of the authorities that may sign that of the service; those of the system if absent.
    pub roots: Option<PathBuf>,
    /// The certificate of the client.
    pub certificate: Option<PathBuf>,
    /// The key of the client's certificate.
    pub key: Option<PathBuf>,
}

/// A file or directory that tests need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeededFile {
    /// Its absolute path on this machine.
    pub path: PathBuf,
    /// Its path on workers, relative to the other needed files.
    pub name: PathBuf,
}
