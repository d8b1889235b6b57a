//! The connection to a service: channels, headers and capabilities.

use crate::remote_error::RemoteError;
use crate::remote_options::{Header, RemoteOptions, TlsFiles};
use crate::service_address::ServiceAddress;
use bazel_remote_apis::build::bazel::remote::execution::v2::capabilities_client::CapabilitiesClient;
use bazel_remote_apis::build::bazel::remote::execution::v2::digest_function::Value as DigestFunction;
use bazel_remote_apis::build::bazel::remote::execution::v2::{
    GetCapabilitiesRequest, RequestMetadata, ServerCapabilities, ToolDetails,
};
use prost::Message;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tonic::metadata::{AsciiMetadataKey, AsciiMetadataValue, MetadataMap, MetadataValue};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

/// The number of jobs that share a connection. Many services accept 100 streams on each.
const JOBS_PER_CONNECTION: usize = 48;

/// The longest time in which a connection is made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The idle time after which the system checks that the other end is still there.
const TCP_KEEPALIVE: Duration = Duration::from_secs(10);

/// The time limit of a request that needs no worker.
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// The number of bytes in a batch of blobs if the service does not say: the usual limit of messages, less some space for
/// what is around the blobs.
const MAX_BATCH_BYTES: usize = (4 << 20) - (64 << 10);

/// The largest message that is accepted.
pub(crate) const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// The header that describes the client of a request.
const REQUEST_METADATA: &str = "build.bazel.remote.execution.v2.requestmetadata-bin";

/// A service, and the connections to it.
#[derive(Debug)]
pub(crate) struct Service {
    pub address: ServiceAddress,
    channels: Vec<Channel>,
    next_channel: AtomicUsize,
    headers: MetadataMap,
    /// The number of bytes that a batch of blobs may have.
    pub max_batch_bytes: usize,
    /// Whether commands name their outputs as paths, as services since version 2.1 expect.
    pub has_output_paths: bool,
}

impl Service {
    /// Prepares connections, which are made when they are needed.
    pub(crate) fn new(options: &RemoteOptions) -> Result<Self, String> {
        let address = options.address.clone();
        let count = options.jobs.div_ceil(JOBS_PER_CONNECTION).max(1);
        let channels = (0..count).map(|_| Ok(endpoint(&address, &options.tls)?.connect_lazy()));
        Ok(Self {
            channels: channels.collect::<Result<_, String>>()?,
            next_channel: AtomicUsize::new(0),
            headers: metadata(&options.headers)?,
            max_batch_bytes: MAX_BATCH_BYTES,
            has_output_paths: true,
            address,
        })
    }

    /// One of the connections.
    pub(crate) fn channel(&self) -> Channel {
        let index = self.next_channel.fetch_add(1, Ordering::Relaxed);
        self.channels[index % self.channels.len()].clone()
    }

    /// A request with the headers of this service. A time limit holds for the whole request, with its reply.
    pub(crate) fn request<T>(&self, message: T, limit: Option<Duration>) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        *request.metadata_mut() = self.headers.clone();
        if let Some(limit) = limit {
            request.set_timeout(limit);
        }
        request
    }

    /// Asks for the capabilities of the service, and checks that it can run tests.
    pub(crate) async fn ask_capabilities(&mut self, must_execute: bool) -> Result<(), RemoteError> {
        let message = GetCapabilitiesRequest { instance_name: self.address.instance.clone() };
        let mut client = CapabilitiesClient::new(self.channel());
        let reply = client.get_capabilities(self.request(message, Some(REQUEST_TIMEOUT))).await;
        let capabilities = reply.map_err(|status| RemoteError::of_status(&status))?.into_inner();
        check(&capabilities, must_execute).map_err(RemoteError::Refused)?;
        let cache = capabilities.cache_capabilities.unwrap_or_default();
        if let Ok(limit @ 1..) = usize::try_from(cache.max_batch_total_size_bytes) {
            self.max_batch_bytes = self.max_batch_bytes.min(limit);
        }
        let high = capabilities.high_api_version.unwrap_or_default();
        self.has_output_paths = (high.major, high.minor) != (2, 0);
        Ok(())
    }
}

/// Checks that a service can do what is needed. An error says what it cannot do.
fn check(capabilities: &ServerCapabilities, must_execute: bool) -> Result<(), String> {
    let sha256 = DigestFunction::Sha256 as i32;
    let cache = capabilities.cache_capabilities.as_ref();
    let functions = cache.map(|cache| &cache.digest_functions[..]).unwrap_or_default();
    if !functions.is_empty() && !functions.contains(&sha256) {
        return Err("it does not use SHA-256 digests".to_owned());
    }
    let execution = capabilities.execution_capabilities.as_ref();
    let executes = execution.is_some_and(|execution| execution.exec_enabled);
    match must_execute && !executes {
        true => {
            Err("it stores results but executes nothing; --remote-cache-only uses it so".to_owned())
        }
        false => Ok(()),
    }
}

/// The way to a service.
fn endpoint(address: &ServiceAddress, tls: &TlsFiles) -> Result<Endpoint, String> {
    let endpoint = Endpoint::from_shared(address.uri())
        .map_err(|error| error.to_string())?
        .user_agent(concat!("wynot/", env!("CARGO_PKG_VERSION")))
        .map_err(|error| error.to_string())?
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_keepalive(Some(TCP_KEEPALIVE))
        .tcp_nodelay(true);
    if !address.is_secure {
        return Ok(endpoint);
    }
    let mut config = ClientTlsConfig::new().domain_name(address.host());
    config = match &tls.roots {
        Some(path) => config.ca_certificate(Certificate::from_pem(read(path)?)),
        None => config.with_native_roots(),
    };
    if let (Some(certificate), Some(key)) = (&tls.certificate, &tls.key) {
        config = config.identity(Identity::from_pem(read(certificate)?, read(key)?));
    }
    endpoint.tls_config(config).map_err(|error| match std::error::Error::source(&error) {
        Some(source) => format!("the certificates cannot be used: {source}"),
        None => format!("the certificates cannot be used: {error}"),
    })
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| {
        format!("cannot read {}: {}", path.display(), wynot_session::plain(&error))
    })
}

/// The headers of all requests. Errors name a header, but not its value.
fn metadata(headers: &[Header]) -> Result<MetadataMap, String> {
    let mut map = MetadataMap::new();
    for Header { name, value } in headers {
        let key = AsciiMetadataKey::from_bytes(name.to_ascii_lowercase().as_bytes())
            .map_err(|_| format!("'{name}' is no name of a header"))?;
        let mut value = AsciiMetadataValue::try_from(&**value).map_err(|_| {
            format!("the value of the header {name} has characters that it must not have")
        })?;
        value.set_sensitive(true);
        map.append(key, value);
    }
    let client = RequestMetadata {
        tool_details: Some(ToolDetails {
            tool_name: "wynot".to_owned(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        }),
        ..RequestMetadata::default()
    };
    map.insert_bin(REQUEST_METADATA, MetadataValue::from_bytes(&client.encode_to_vec()));
    Ok(map)
}
