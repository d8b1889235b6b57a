//! A client of a server: requests, uploads, and the events of a job.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};
use wynot::{Error, ErrorKind};
use wynot_report::number::count;

/// The server, unless another one is named.
const DEFAULT_SERVER: &str = "http://127.0.0.1:8411";

/// How long to wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a server may be gone while a job is followed.
const MAX_GONE: Duration = Duration::from_secs(120);

/// The time between two messages about progress.
const MESSAGE_INTERVAL: Duration = Duration::from_secs(2);

/// The most bytes of a download.
const MAX_DOWNLOAD_BYTES: u64 = 4 << 30;

/// One part of a form.
#[derive(Clone, Debug)]
pub struct UploadPart {
    name: &'static str,
    file_name: Option<String>,
    contents: Vec<u8>,
}

impl UploadPart {
    /// A text.
    pub fn text(name: &'static str, text: String) -> Self {
        Self { name, file_name: None, contents: text.into_bytes() }
    }

    /// A file.
    pub fn file(name: &'static str, file_name: &str, contents: Vec<u8>) -> Self {
        Self { name, file_name: Some(file_name.to_owned()), contents }
    }

    /// Whether it is a file of this name.
    pub fn is_called(&self, name: &str) -> bool {
        self.file_name.as_deref() == Some(name)
    }
}

/// A server.
pub struct ServerClient {
    agent: ureq::Agent,
    server: String,
    token: Option<String>,
}

impl ServerClient {
    /// The server at an address, the one that the environment names, or the one of this machine.
    pub fn new(server: Option<&str>, token: Option<String>) -> Self {
        let named = std::env::var("WYNOT_SERVER").ok().filter(|server| !server.is_empty());
        let server = server.map(str::to_owned).or(named);
        let server = server.unwrap_or_else(|| DEFAULT_SERVER.to_owned());
        let config = ureq::Agent::config_builder()
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .http_status_as_error(false)
            .build();
        let server = server.trim_end_matches('/').to_owned();
        Self { agent: ureq::Agent::new_with_config(config), server, token }
    }

    /// The address of a path.
    pub fn address(&self, path: &str) -> String {
        format!("{}{path}", self.server)
    }

    /// Submits a form, and returns the job.
    pub fn submit(&self, parts: &[UploadPart]) -> Result<Value, Error> {
        let (boundary, body) = form(parts);
        let mut request = self.agent.post(self.address("/api/v1/jobs"));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let kind = format!("multipart/form-data; boundary={boundary}");
        let response = request.header("content-type", kind).send(&body[..]);
        parse(&self.checked(response)?)
    }

    /// A job with everything about it.
    pub fn job(&self, code: &str) -> Result<Value, Error> {
        parse(&self.download(&format!("/api/v1/jobs/{code}"))?)
    }

    /// What is at a path.
    pub fn download(&self, path: &str) -> Result<Vec<u8>, Error> {
        let response = self.get(path, None);
        self.checked(response)
    }

    /// Follows a job to its end. Reports progress from time to time, and connects again if the server was away.
    pub fn follow(&self, code: &str, mut report: impl FnMut(&str)) -> Result<(), Error> {
        let (mut last_id, mut last_seen) = (None::<String>, Instant::now());
        let mut progress = FollowedJob::default();
        loop {
            let response = self.get(&format!("/api/v1/jobs/{code}/events"), last_id.as_deref());
            match response {
                Ok(response) if response.status().is_success() => {
                    let reader = BufReader::new(response.into_body().into_reader());
                    for line in reader.lines() {
                        // The connection was cut.
                        let Ok(line) = line else { break };
                        last_seen = Instant::now();
                        if let Some(id) = line.strip_prefix("id: ") {
                            last_id = Some(id.to_owned());
                        }
                        if progress.add(&line, &mut report) {
                            return Ok(());
                        }
                    }
                }
                Ok(response) => {
                    self.checked(Ok(response))?;
                }
                Err(error) if last_seen.elapsed() > MAX_GONE => {
                    return Err(self.unreachable(&error).hint(format!(
                        "the job goes on there; see {}",
                        self.address(&format!("/jobs/{code}"))
                    )));
                }
                Err(_) => {}
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    fn get(
        &self,
        path: &str,
        last_id: Option<&str>,
    ) -> Result<ureq::http::Response<ureq::Body>, ureq::Error> {
        let mut request = self.agent.get(self.address(path));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(id) = last_id {
            request = request.header("last-event-id", id);
        }
        request.call()
    }

    fn unreachable(&self, error: &ureq::Error) -> Error {
        Error::new(ErrorKind::Unexpected, format!("cannot reach {}: {error}", self.server))
    }

    /// The body of a response, or the error that it reports.
    fn checked(
        &self,
        response: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<Vec<u8>, Error> {
        let response = response.map_err(|error| {
            self.unreachable(&error)
                .hint("is it running? wynot serve starts one; --server URL names another one")
        })?;
        let status = response.status();
        let mut body = Vec::new();
        let mut reader = response.into_body().into_reader().take(MAX_DOWNLOAD_BYTES);
        reader.read_to_end(&mut body).map_err(|error| Error::unexpected(&error))?;
        if status.is_success() {
            return Ok(body);
        }
        let object: Value = serde_json::from_slice(&body).unwrap_or_default();
        let message = object["error"]["message"].as_str().unwrap_or("it gives no reason");
        let kind = if status.is_client_error() { ErrorKind::Usage } else { ErrorKind::Unexpected };
        let error = Error::new(kind, format!("the server refuses ({status}): {message}"));
        Err(match object["error"]["hint"].as_str() {
            Some(hint) => error.hint(hint),
            None => error,
        })
    }
}

/// What was seen of a job.
#[derive(Debug, Default)]
struct FollowedJob {
    is_state: bool,
    tests: u64,
    bytes: Option<u64>,
    last_report: Option<Instant>,
}

impl FollowedJob {
    /// Adds a line of the events. Returns whether the job has ended.
    fn add(&mut self, line: &str, report: &mut impl FnMut(&str)) -> bool {
        if let Some(kind) = line.strip_prefix("event: ") {
            self.is_state = kind == "state";
        }
        let Some(data) = line.strip_prefix("data: ") else { return false };
        let event: Value = serde_json::from_str(data).unwrap_or_default();
        if self.is_state {
            let state = event["state"].as_str().unwrap_or_default();
            report(state);
            return matches!(state, "done" | "failed" | "cancelled");
        }
        self.tests = event["tests"].as_u64().unwrap_or(self.tests);
        if event["event"] == "step" && event["side"] != "passing" {
            self.bytes = event["bytes"].as_u64().or(self.bytes);
        }
        if self.last_report.is_none_or(|last| last.elapsed() > MESSAGE_INTERVAL) {
            self.last_report = Some(Instant::now());
            report(&match self.bytes {
                Some(bytes) => {
                    format!("{} after {}", count(bytes, "byte"), count(self.tests, "test"))
                }
                None => count(self.tests, "test"),
            });
        }
        false
    }
}

fn parse(body: &[u8]) -> Result<Value, Error> {
    serde_json::from_slice(body).map_err(|error| {
        Error::new(ErrorKind::Unexpected, format!("the server does not speak JSON: {error}"))
    })
}

/// A form with its boundary, which does not occur in it.
fn form(parts: &[UploadPart]) -> (String, Vec<u8>) {
    let mut number = u64::from(std::process::id());
    loop {
        let boundary = format!("wynot-{number:016x}");
        let occurs =
            |part: &UploadPart| memchr::memmem::find(&part.contents, boundary.as_bytes()).is_some();
        if !parts.iter().any(occurs) {
            return (boundary.clone(), form_with(&boundary, parts));
        }
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    }
}

fn form_with(boundary: &str, parts: &[UploadPart]) -> Vec<u8> {
    let mut body = Vec::new();
    for part in parts {
        body.extend_from_slice(
            format!("--{boundary}\r\ncontent-disposition: form-data; name=\"{}\"", part.name)
                .as_bytes(),
        );
        if let Some(name) = &part.file_name {
            // As browsers do it; names with control characters are refused by the server.
            let name = name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
            body.extend_from_slice(
                format!("; filename=\"{name}\"\r\ncontent-type: application/octet-stream")
                    .as_bytes(),
            );
        }
        body.extend_from_slice(b"\r\n\r\n");
        body.extend_from_slice(&part.contents);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    body
}
