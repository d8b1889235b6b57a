//! A real server for tests: `wynot serve` as a process, on a port of its own.

#![allow(dead_code, clippy::allow_attributes, reason = "each test file uses its own part of this")]

use super::support::Place;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a test waits for what should happen soon, on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A running server, which is killed at the end.
pub struct Server {
    pub url: String,
    child: Child,
    args: Vec<String>,
}

/// A response: its status and its body.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Server {
    /// Starts a server whose data is in `data` of a place.
    pub fn start(place: &Place, args: &str) -> Self {
        Self::start_with(place, args.split_whitespace().map(str::to_owned).collect())
    }

    fn start_with(place: &Place, args: Vec<String>) -> Self {
        let log = place.path("serve.log");
        let file = File::create(&log).unwrap();
        let mut command = place.command();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(place.path("data"));
        command.args(&args).stdout(Stdio::null()).stderr(file);
        let mut child = command.spawn().unwrap();
        let started = Instant::now();
        loop {
            let text = std::fs::read_to_string(&log).unwrap();
            let line = text.lines().find_map(|line| line.strip_prefix("wynot: listening on "));
            if let Some(url) = line.filter(|_| text.ends_with('\n')) {
                return Self { url: url.to_owned(), child, args };
            }
            if let Some(status) = child.try_wait().unwrap() {
                panic!("the server has ended with {status}: {text}");
            }
            assert!(started.elapsed() < PATIENCE, "the server does not start: {text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills the server with SIGKILL and starts it once more, with the same data.
    pub fn kill_and_restart(&mut self, place: &Place) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut next = Self::start_with(place, self.args.clone());
        std::mem::swap(self, &mut next);
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks the server to stop, and waits until it has.
    pub fn stop(&mut self) -> Option<i32> {
        let killed = Command::new("kill").arg(self.id().to_string()).status().unwrap();
        assert!(killed.success());
        self.child.wait().unwrap().code()
    }

    pub fn get(&self, path: &str) -> Response {
        self.request("GET", path, &[], &[])
    }

    /// Any request.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        let config = ureq::Agent::config_builder().http_status_as_error(false).build();
        let agent = ureq::Agent::new_with_config(config);
        let url = format!("{}{path}", self.url);
        let mut request = ureq::http::Request::builder().method(method).uri(&url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = agent.run(request.body(body).unwrap()).unwrap();
        let status = response.status().as_u16();
        let mut body = Vec::new();
        response.into_body().into_reader().read_to_end(&mut body).unwrap();
        Response { status, body }
    }

    /// Submits a request with files, each a role, a name and contents.
    pub fn submit(&self, request: &Value, files: &[(&str, &str, &[u8])]) -> Response {
        self.submit_with(request, files, &[])
    }

    pub fn submit_with(
        &self,
        request: &Value,
        files: &[(&str, &str, &[u8])],
        headers: &[(&str, &str)],
    ) -> Response {
        let (boundary, body) = form(request, files);
        let kind = format!("multipart/form-data; boundary={boundary}");
        let mut all = vec![("content-type", kind.as_str())];
        all.extend_from_slice(headers);
        self.request("POST", "/api/v1/jobs", &all, &body)
    }

    /// Submits a job that is accepted, and returns its id.
    pub fn accepted(&self, request: &Value, files: &[(&str, &str, &[u8])]) -> String {
        let response = self.submit(request, files);
        assert_eq!(response.status, 201, "{}", response.text());
        response.json()["id"].as_str().unwrap().to_owned()
    }

    /// A job with everything about it.
    pub fn job(&self, id: &str) -> Value {
        let response = self.get(&format!("/api/v1/jobs/{id}"));
        assert_eq!(response.status, 200, "{}", response.text());
        response.json()
    }

    /// Waits until a job has ended.
    pub fn ended(&self, id: &str) -> Value {
        let started = Instant::now();
        loop {
            let job = self.job(id);
            if !["queued", "running"].contains(&job["state"].as_str().unwrap()) {
                return job;
            }
            assert!(started.elapsed() < PATIENCE, "the job does not end: {job}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A form as a program sends it.
pub fn form(request: &Value, files: &[(&str, &str, &[u8])]) -> (String, Vec<u8>) {
    let boundary = "boundary-of-a-test".to_owned();
    let mut body = Vec::new();
    let mut add = |text: String| body.extend_from_slice(text.as_bytes());
    add(format!(
        "--{boundary}\r\ncontent-disposition: form-data; name=\"request\"\r\n\r\n{request}\r\n"
    ));
    for (role, name, contents) in files {
        let mut part = format!(
            "--{boundary}\r\ncontent-disposition: form-data; name=\"{role}\"; filename=\"{name}\"\r\n\r\n"
        )
        .into_bytes();
        part.extend_from_slice(contents);
        part.extend_from_slice(b"\r\n");
        body.extend_from_slice(&part);
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (boundary, body)
}

/// A script that fails if its input contains a word.
pub fn grep_script(word: &str) -> Vec<u8> {
    format!("#!/bin/sh\ngrep -q {word} \"$1\" && {{ echo \"error: found {word}\" >&2; exit 3; }}\nexit 0\n")
        .into_bytes()
}

/// A reduction with a script of its own.
pub fn reduction() -> Value {
    json!({"verb": "reduce", "test": ["./t", "{}"], "project": "demo"})
}
