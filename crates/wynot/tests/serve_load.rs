//! Many watchers, many submissions, and many malformed requests.

mod serve_support;
mod support;

use serde_json::{Value, json};
use serve_support::{PATIENCE, Server, form, grep_script, reduction};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use support::Place;
use wynot_test_support::{Tool, require};

/// The resident memory of a process, in bytes.
fn memory_of(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
}

fn address(server: &Server) -> &str {
    server.url.strip_prefix("http://").unwrap()
}

#[test]
fn a_thousand_idle_watchers_cost_little() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "--slots 1");
    let sleep: &[u8] = b"#!/bin/sh\nsleep 60; exit 1\n";
    let files: [(&str, &str, &[u8]); 2] = [("input", "a", b"x\n"), ("file", "t", sleep)];
    let running = server.accepted(&reduction(), &files);
    let waiting = server.accepted(&reduction(), &files);
    let mut watchers = Vec::new();
    for number in 0..1000 {
        let id = if number % 2 == 0 { &running } else { &waiting };
        let mut stream = TcpStream::connect(address(&server)).unwrap();
        let request = format!("GET /api/v1/jobs/{id}/events HTTP/1.1\r\nhost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"HTTP/1.1 200");
        watchers.push(stream);
    }
    let memory = memory_of(server.id());
    assert!(memory < 200 << 20, "{} MB", memory >> 20);
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("wynot_watchers 1000\n"), "{metrics}");
    drop(watchers);
    // Connections that were closed are noticed when something is sent.
    let cancel = format!("/api/v1/jobs/{waiting}/cancel");
    assert_eq!(server.request("POST", &cancel, &[], &[]).status, 200);
}

#[test]
fn fifty_submissions_a_second_are_accepted() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "--slots 1");
    let script = grep_script("bug");
    let (boundary, body) =
        form(&reduction(), &[("input", "a", b"x\nbug\n"), ("file", "t", &script)]);
    // The suite takes ten seconds; docs/serve.md has a minute.
    let (seconds, rate) = (10_u64, 50_u64);
    let started = Instant::now();
    let mut accepted = BTreeSet::new();
    let mut stream = TcpStream::connect(address(&server)).unwrap();
    for number in 0..seconds * rate {
        let due = Duration::from_millis(number * 1000 / rate);
        std::thread::sleep(due.saturating_sub(started.elapsed()));
        let head = format!(
            "POST /api/v1/jobs HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\
             content-type: multipart/form-data; boundary={boundary}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&body).unwrap();
        let response = read_response(&mut stream);
        assert!(response.starts_with("HTTP/1.1 201"), "{response}");
        let object = response.split_once("\r\n\r\n").unwrap().1;
        let job: Value = serde_json::from_str(object).unwrap();
        accepted.insert(job["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(accepted.len(), (seconds * rate) as usize);
    let list = |before: Option<i64>| {
        let query = before.map_or(String::new(), |before| format!("&before={before}"));
        server.get(&format!("/api/v1/jobs?limit=500{query}")).json()["jobs"]
            .as_array()
            .unwrap()
            .clone()
    };
    let mut known = BTreeSet::new();
    let mut before = None;
    loop {
        let page = list(before);
        let Some(last) = page.last() else { break };
        before = last["number"].as_i64();
        known.extend(page.iter().map(|job| job["id"].as_str().unwrap().to_owned()));
    }
    assert_eq!(known, accepted, "no job is lost");
}

/// Reads one response with a length.
fn read_response(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut byte = [0];
    while !text.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        text.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&text).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.trim().parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    text.extend(body);
    String::from_utf8(text).unwrap()
}

/// A generator of numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

// The parts of malformed requests.
const PATHS: &[&str] = &[
    "/",
    "/api/v1/jobs",
    "/api/v1/jobs/",
    "/submit",
    "/login",
    "/environments",
    "/api/v1/environments/x",
    "/api/v1/jobs/%00",
    "/api/v1/jobs/..%2f..%2fetc",
    "/api/v1/jobs?limit=-1",
    "/api/v1/jobs?before=x&state=%ff",
    "/api/v1/jobs?q=%F0%9F%92%A9%00",
    "/api/v1/projects/%ff/webhook",
    "/static/..%2f..%2fCargo.toml",
    "/jobs/ID",
    "/jobs/ID/files/..%2f..%2fwynot.sqlite",
    "/api/v1/jobs/ID/files/%2e%2e/%2e%2e/x",
    "/api/v1/jobs/ID/feedback",
    "/api/v1/jobs/ID/retry",
    "/jobs/ID/events?from=99999999999999999999-1",
    "/jobs/ID/submitted/%2fetc%2fpasswd",
    "//",
    "/\u{1}",
    "/api/v1/jobs/ID/events?from=-5--7",
    "*",
    "http://evil/",
    "/metrics",
    "/healthz",
];

const KINDS: &[&str] = &[
    "multipart/form-data; boundary=b",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "application/json",
    "application/x-www-form-urlencoded",
    "text/plain",
    "\u{fffd}",
    "multipart/form-data; boundary=\"b",
];

const BODIES: &[&str] = &[
    "",
    "{",
    "null",
    "[]",
    "{\"verb\": \"reduce\"}",
    "--b\r\n\r\n",
    "--b\r\ncontent-disposition: form-data\r\n\r\nx\r\n--b--",
    "--b\r\ncontent-disposition: form-data; name=\"request\"\r\n\r\n{\"verb\":\"reduce\",\"test\":[\"\\u0000\"]}\r\n--b--\r\n",
    "--b\r\ncontent-disposition: form-data; name=\"input\"; filename=\"../../x\"\r\n\r\nx\r\n--b--\r\n",
    "--b\r\ncontent-disposition: form-data; name=\"input\"; filename=\"\"\r\n\r\n\r\n--b--\r\n",
    "helped=yes&comment=%ff%00",
    "verb=reduce&form_key=x",
    "{\"helped\": null}",
    "{\"url\": \"file:///etc/passwd\"}",
    "{\"name\": \"x\", \"directory\": \"/nowhere\"}",
    "\u{0}\u{0}\u{0}",
    "token=%00%ff",
    "{\"helped\":true,\"comment\":\"\\ud800\"}",
];

const HEADERS: &[&str] = &[
    "",
    "cookie: wynot_login=%00\r\n",
    "authorization: Bearer\r\n",
    "authorization: Bearer x\r\n",
    "last-event-id: \u{fffd}\r\n",
    "transfer-encoding: chunked\r\n",
    "expect: 100-continue\r\n",
    "range: bytes=0-\r\n",
    "accept: \u{1}\r\n",
    "idempotency-key: \u{7f}\r\n",
    "host: evil\r\n",
    "connection: upgrade\r\nupgrade: websocket\r\n",
];

/// A request with something wrong in it.
fn malformed(numbers: &mut Numbers, id: &str) -> Vec<u8> {
    let path = numbers.pick(PATHS).replace("ID", id);
    let method =
        numbers.pick(&["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "BREW", "", "GET GET"]);
    let version = numbers.pick(&["HTTP/1.1", "HTTP/1.0", "HTTP/9.9", "", "HTTP/1.1"]);
    let body = numbers.pick(BODIES);
    let length = match numbers.below(6) {
        0 => "-1".to_owned(),
        1 => "99999999999999999999".to_owned(),
        _ => body.len().to_string(),
    };
    let extra = numbers.pick(HEADERS);
    let kind = numbers.pick(KINDS);
    let mut request = format!(
        "{method} {path} {version}\r\nhost: localhost\r\nconnection: close\r\ncontent-type: {kind}\r\n\
         content-length: {length}\r\n{extra}\r\n{body}"
    )
    .into_bytes();
    if numbers.below(5) == 0 {
        let at = numbers.below(request.len());
        request[at] = numbers.below(256) as u8;
    }
    if numbers.below(10) == 0 {
        request.truncate(numbers.below(request.len()));
    }
    request
}

#[test]
fn ten_thousand_malformed_requests_are_answered_or_dropped() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let script = grep_script("bug");
    let id = server.accepted(&reduction(), &[("input", "a", b"x\nbug\n"), ("file", "t", &script)]);
    server.ended(&id);
    let mut numbers = Numbers(0x5eed_5eed_5eed);
    let mut statuses: BTreeSet<String> = BTreeSet::new();
    for number in 0..10_000 {
        let request = malformed(&mut numbers, &id);
        let mut stream = TcpStream::connect(address(&server)).unwrap();
        let _ = stream.write_all(&request);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut response = Vec::new();
        let _ = stream.take(64 << 10).read_to_end(&mut response);
        let text = String::from_utf8_lossy(&response);
        let status = text.split(' ').nth(1).unwrap_or("none").to_owned();
        assert!(
            !status.starts_with('5'),
            "{number}: {} gives {text}",
            String::from_utf8_lossy(&request)
        );
        statuses.insert(status);
    }
    assert!(statuses.len() > 5, "{statuses:?}");
    assert!(!place.text("serve.log").contains("panicked"), "{}", place.text("serve.log"));
    assert_eq!(server.job(&id)["state"], "done");
    wait_until_nothing_is_incoming(&place);
    assert_eq!(server.get("/readyz").status, 200);
}

/// What was sent by clients that are gone is removed soon after they have gone.
fn wait_until_nothing_is_incoming(place: &Place) {
    let ended = Instant::now();
    while fs::read_dir(place.path("data/incoming")).unwrap().count() > 0 {
        assert!(ended.elapsed() < PATIENCE, "files of refused requests are left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn submissions_that_are_given_up_at_once_leave_nothing() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let (kind, body) = form(&reduction(), &[("input", "deep/inside/a", b"x\nbug\n")]);
    let request = format!(
        "POST /api/v1/jobs HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    // The connection is gone while the server makes the directory, or the file, of the submission.
    for length in (0..body.len()).cycle().take(2000) {
        let mut stream = TcpStream::connect(address(&server)).unwrap();
        stream.write_all(&[request.as_bytes(), &body[..length]].concat()).unwrap();
    }
    wait_until_nothing_is_incoming(&place);
    assert_eq!(server.get("/readyz").status, 200);
}

#[test]
fn responses_have_the_form_that_the_description_gives() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let description = server.get("/api/v1/openapi.json").json();
    let check = |method: &str, path: &str, status: u16, value: &Value| {
        let response = &description["paths"][path][method]["responses"][status.to_string()];
        let schema = &response["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{method} {path} {status} is not described");
        let mut schema = schema.clone();
        schema["components"] = description["components"].clone();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(value).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{method} {path}: {errors:?} in {value}");
    };
    let script = grep_script("bug");
    let created =
        server.submit(&reduction(), &[("input", "a", b"x\nbug\n"), ("file", "t", &script)]);
    check("post", "/api/v1/jobs", 201, &created.json());
    let id = created.json()["id"].as_str().unwrap().to_owned();
    check("get", "/api/v1/jobs/{id}", 200, &server.job(&id));
    check("get", "/api/v1/jobs/{id}", 200, &server.ended(&id));
    check("get", "/api/v1/jobs", 200, &server.get("/api/v1/jobs").json());
    check("get", "/api/v1/jobs", 400, &server.get("/api/v1/jobs?state=x").json());
    check("get", "/api/v1/jobs/{id}", 404, &server.get("/api/v1/jobs/none").json());
    check(
        "get",
        "/api/v1/jobs/{id}/result",
        200,
        &server.get(&format!("/api/v1/jobs/{id}/result")).json(),
    );
    check("post", "/api/v1/jobs", 422, &server.submit(&reduction(), &[]).json());
    check("get", "/api/v1/environments", 200, &server.get("/api/v1/environments").json());
    let environment = json!({"name": "e", "command": ["true"]}).to_string();
    let headers = [("content-type", "application/json")];
    let put = server.request("PUT", "/api/v1/environments/e", &headers, environment.as_bytes());
    check("put", "/api/v1/environments/{name}", 200, &put.json());
    let retry = server.request("POST", &format!("/api/v1/jobs/{id}/retry"), &[], &[]);
    check("post", "/api/v1/jobs/{id}/retry", 200, &retry.json());
}
