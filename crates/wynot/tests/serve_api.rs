//! The interface of `wynot serve` for programs: rights, errors, events, duplicates, feedback, webhooks.

mod serve_support;
mod support;

use serde_json::{Value, json};
use serve_support::{PATIENCE, Server, grep_script, reduction};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Instant;
use support::Place;
use wynot_test_support::{Tool, require};

/// A file of a submission: its role, its name and its contents.
type File<'a> = (&'a str, &'a str, &'a [u8]);

const INPUT: &[u8] = b"one\ntwo\nbug here\nthree\n";

#[test]
fn a_job_is_submitted_followed_and_downloaded() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let files: [File<'_>; 2] = [("input", "a.txt", INPUT), ("file", "t", &grep_script("bug"))];
    let id = server.accepted(&reduction(), &files);
    let job = server.ended(&id);
    assert_eq!((&job["state"], &job["exit"]), (&json!("done"), &json!(0)), "{job}");
    assert_eq!(job["outputs"][0]["name"], "a.txt", "{job}");
    assert_eq!(job["command"], "wynot reduce a.txt -- ./t {}");
    assert_eq!(server.get(&format!("/api/v1/jobs/{id}/files/a.txt")).body, b"bug");
    let result = server.get(&format!("/api/v1/jobs/{id}/result")).json();
    assert_eq!(result["bytes"]["after"], 3, "{result}");
    assert!(!result.to_string().contains(place.dir.path().to_str().unwrap()), "{result}");
    let report = server.get(&format!("/api/v1/jobs/{id}/report"));
    assert!(report.text().contains("<svg"), "{}", report.text());
    // By hand, the same command gives the same bytes.
    place.write("a.txt", INPUT);
    place.script("t", "grep -q bug \"$1\" && { echo \"error: found bug\" >&2; exit 3; }\nexit 0");
    let by_hand = place.json("reduce a.txt -- ./t {}");
    assert_eq!(place.read("a.min.txt"), b"bug");
    assert_eq!(by_hand["tests"]["executed"], result["tests"]["executed"]);
}

#[test]
fn events_are_complete_for_those_who_come_late_and_those_who_come_back() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let files: [File<'_>; 2] = [("input", "a.txt", INPUT), ("file", "t", &grep_script("bug"))];
    let id = server.accepted(&reduction(), &files);
    server.ended(&id);
    let path = format!("/api/v1/jobs/{id}/events");
    let all = server.get(&path).text();
    let ids: Vec<&str> = all.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    assert!(ids.len() > 5, "{all}");
    for (index, last) in ids.iter().enumerate() {
        let rest = server.request("GET", &path, &[("last-event-id", last)], &[]).text();
        let rest: Vec<&str> = rest.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
        assert_eq!(rest, ids[index + 1..], "after {last}");
    }
    assert!(all.trim_end().ends_with('}') && all.contains("event: state"), "{all}");
    assert!(all.contains("\"state\":\"done\""), "{all}");
}

#[test]
fn tokens_decide_what_is_allowed() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let token = |name: &str, rights: &str| {
        let args = format!("serve --data data token add {name} --rights {rights}");
        place.wynot(&args).stdout.trim().to_owned()
    };
    let reader = token("reader", "read");
    let submitter = token("submitter", "read,submit");
    let runner = token("runner", "read,submit,commands");
    let administrator = token("root", "read,submit,commands,administer");
    place.wynot("serve --data data token add x --rights everything").ends(2, "is no right");
    let server = Server::start(&place, "");
    let as_ = |token: &str| format!("Bearer {token}");
    let script = grep_script("bug");
    let files: [File<'_>; 2] = [("input", "a.txt", INPUT), ("file", "t", &script)];
    let status = |token: &str, request: &Value, files: &[File<'_>]| {
        let value = as_(token);
        server.submit_with(request, files, &[("authorization", value.as_str())]).status
    };
    assert_eq!(server.get("/api/v1/jobs").status, 401);
    assert_eq!(server.submit(&reduction(), &files).status, 401);
    assert_eq!(status("wynot_wrong", &reduction(), &files), 401);
    assert_eq!(status(&reader, &reduction(), &files), 403);
    assert_eq!(status(&submitter, &reduction(), &files), 403, "a command of one's own");
    assert_eq!(status(&runner, &reduction(), &files), 201);
    let environment =
        json!({"name": "grep", "command": ["/bin/sh", "-c", "! grep -q bug \"$0\"", "{}"]});
    let put = |token: &str| {
        let value = as_(token);
        let headers = [("authorization", value.as_str()), ("content-type", "application/json")];
        let body = environment.to_string().into_bytes();
        server.request("PUT", "/api/v1/environments/grep", &headers, &body)
    };
    assert_eq!(put(&runner).status, 403);
    assert_eq!(put(&administrator).json()["version"], 1);
    let chosen = json!({"verb": "reduce", "environment": "grep"});
    assert_eq!(status(&submitter, &chosen, &files[..1]), 201, "an environment is enough");
    assert_eq!(status(&submitter, &json!({"verb": "changes", "environment": "grep"}), &[]), 422);
    for header in ["Basic abc", "Bearer", "wynot_x", ""] {
        let refused = server.request("GET", "/api/v1/jobs", &[("authorization", header)], &[]);
        assert_eq!(refused.status, 401, "{header:?}");
    }
    // The database has no token, and neither has the log.
    let database = place.read("data/wynot.sqlite");
    let wal = std::fs::read(place.path("data/wynot.sqlite-wal")).unwrap_or_default();
    for bytes in [database, wal, place.read("serve.log")] {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(&runner) && !text.contains(&runner[6..]));
    }
    assert_eq!(place.wynot("serve --data data token remove runner").code, Some(0));
    assert_eq!(status(&runner, &reduction(), &files), 401, "removed while the server runs");
}

#[test]
fn what_is_wrong_with_a_request_is_said() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "--max-upload 100K --max-queued 3 --slots 1");
    let script = grep_script("bug");
    let large = vec![b'x'; 200_000];
    let submit = |request: Value, files: &[File<'_>]| server.submit(&request, files);
    let cases: Vec<(Value, Vec<File<'_>>, u16, &str)> = vec![
        (json!({}), vec![], 400, "missing field `verb`"),
        (json!({"verb": "destroy"}), vec![], 400, "unknown variant"),
        (json!({"verb": "reduce", "surprise": 1}), vec![], 400, "unknown field"),
        (json!({"verb": "reduce"}), vec![], 422, "there is no test"),
        (reduction(), vec![], 422, "there is no input"),
        (reduction(), vec![("input", "../x", INPUT)], 422, "relative paths without"),
        (reduction(), vec![("input", "/etc/x", INPUT)], 422, "relative paths without"),
        (reduction(), vec![("input", "a", INPUT), ("file", "a", INPUT)], 422, "two files"),
        (reduction(), vec![("input", "a/b", INPUT), ("file", "a", INPUT)], 422, "two files"),
        (reduction(), vec![("secret", "a", INPUT)], 400, "not the name of a part"),
        (reduction(), vec![("input", "a", &large)], 413, "more than 102400 bytes"),
        (
            json!({"verb": "reduce", "environment": "none"}),
            vec![("input", "a", INPUT)],
            422,
            "no environment",
        ),
        (
            json!({"verb": "reduce", "test": ["x"], "options": ["--session=/tmp"]}),
            vec![("input", "a", INPUT)],
            422,
            "--session is not an option",
        ),
    ];
    for (request, files, status, message) in cases {
        let response = submit(request.clone(), &files);
        let text = response.text();
        assert_eq!(response.status, status, "{request} {text}");
        assert!(response.json()["error"]["message"].as_str().unwrap().contains(message), "{text}");
    }
    for path in [
        "/api/v1/jobs/abcdefghij",
        "/api/v1/jobs/..%2f..",
        "/api/v1/nothing",
        "/api/v1/jobs?state=odd",
    ] {
        let response = server.get(path);
        assert!((400..500).contains(&response.status), "{path}: {}", response.text());
        assert!(response.json()["error"]["message"].is_string(), "{path}: {}", response.text());
    }
    // Nothing of what was refused is left.
    assert_eq!(std::fs::read_dir(place.path("data/jobs")).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(place.path("data/incoming")).unwrap().count(), 0);
    // A quota: the first job runs for long, three others wait.
    let slow = json!({"verb": "reduce", "test": ["./t", "{}"]});
    let sleep: &[u8] = b"#!/bin/sh\nsleep 2; grep -q bug $1 && exit 3; exit 0\n";
    let files: [File<'_>; 2] = [("input", "a", INPUT), ("file", "t", sleep)];
    let first = server.accepted(&slow, &files);
    let started = Instant::now();
    while server.job(&first)["state"] != "running" {
        assert!(started.elapsed() < PATIENCE);
    }
    let waiting: Vec<String> = (0..3).map(|_| server.accepted(&slow, &files)).collect();
    let refused = server.submit(&slow, &[("input", "a", INPUT), ("file", "t", &script)]);
    assert_eq!(refused.status, 429, "{}", refused.text());
    assert_eq!(server.job(&waiting[2])["position"], 2);
    for id in waiting.iter().chain([&first]) {
        let path = format!("/api/v1/jobs/{id}/cancel");
        assert_eq!(server.request("POST", &path, &[], &[]).status, 200);
        assert_eq!(server.ended(id)["state"], "cancelled");
    }
}

#[test]
fn a_repeated_submission_with_a_key_is_one_job() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let script = grep_script("bug");
    let files: [File<'_>; 2] = [("input", "a.txt", INPUT), ("file", "t", &script)];
    let submit = |key: &str| {
        let response = server.submit_with(&reduction(), &files, &[("idempotency-key", key)]);
        assert_eq!(response.status, 201, "{}", response.text());
        response.json()["id"].clone()
    };
    let first = submit("build 7");
    assert_eq!(submit("build 7"), first);
    assert_ne!(submit("build 8"), first);
    assert_eq!(server.get("/api/v1/jobs").json()["jobs"].as_array().unwrap().len(), 2);
}

#[test]
fn failures_that_are_known_are_shown_and_found() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let script = grep_script("bug");
    let submit = |input: &[u8], script: &[u8], project: &str| {
        let request = json!({"verb": "reduce", "test": ["./t", "{}"], "project": project});
        let id = server.accepted(&request, &[("input", "a.txt", input), ("file", "t", script)]);
        server.ended(&id)
    };
    let first = submit(INPUT, &script, "gcc");
    let second = submit(b"another bug\nin another text\n", &script, "gcc");
    let other = submit(b"a fault\n", &grep_script("fault"), "clang");
    assert_eq!(second["duplicates"], json!([first["id"]]));
    assert_eq!(other["duplicates"], json!([]));
    let list = |query: &str| {
        let jobs = server.get(&format!("/api/v1/jobs?{query}")).json();
        jobs["jobs"].as_array().unwrap().iter().map(|job| job["id"].clone()).collect::<Vec<_>>()
    };
    let failure = first["failure"].as_str().unwrap();
    assert_eq!(list(&format!("failure={failure}")), [second["id"].clone(), first["id"].clone()]);
    assert_eq!(list("project=clang"), [other["id"].clone()]);
    assert_eq!(list("q=FOUND+fault"), [other["id"].clone()]);
    assert_eq!(list("state=done&limit=1"), [other["id"].clone()]);
    assert!(list("state=failed").is_empty());
    let path = format!("/api/v1/jobs/{}/feedback", first["id"].as_str().unwrap());
    let body = br#"{"helped": true, "comment": "<b>thanks</b>"}"#;
    let json = [("content-type", "application/json")];
    assert_eq!(server.request("POST", &path, &json, body).status, 204);
    assert_eq!(server.request("POST", &path, &json, b"{\"helped\": 3}").status, 422);
    assert_eq!(server.request("POST", &path, &json, b"{").status, 400);
    assert_eq!(server.request("POST", &path, &[], body).status, 415);
}

#[test]
fn a_job_without_its_failure_fails_and_can_be_retried() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let script = grep_script("bug");
    let files: [File<'_>; 2] = [("input", "a.txt", b"fine\n"), ("file", "t", &script)];
    let id = server.accepted(&reduction(), &files);
    let job = server.ended(&id);
    assert_eq!((&job["state"], &job["exit"]), (&json!("failed"), &json!(3)), "{job}");
    assert!(
        job["message"].as_str().unwrap().contains("the test succeeds on the original"),
        "{job}"
    );
    let retry = format!("/api/v1/jobs/{id}/retry");
    assert_eq!(server.request("POST", &retry, &[], &[]).status, 200);
    assert_eq!(server.ended(&id)["attempts"], 2);
}

#[test]
fn a_webhook_is_called_when_a_job_has_ended() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let body = json!({ "url": url }).to_string();
    let json = [("content-type", "application/json")];
    let set = server.request("PUT", "/api/v1/projects/demo/webhook", &json, body.as_bytes());
    assert_eq!(set.status, 204, "{}", set.text());
    let files: [File<'_>; 2] = [("input", "a.txt", INPUT), ("file", "t", &grep_script("bug"))];
    let id = server.accepted(&reduction(), &files);
    let (mut stream, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim().to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
    let call: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((&call["job"], &call["state"]), (&json!(id), &json!("done")), "{call}");
    assert!(call["page"].as_str().unwrap().ends_with(&format!("/jobs/{id}")), "{call}");
}

#[test]
fn requests_of_other_sites_and_other_names_are_refused() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "--public-url https://wynot.example");
    let script = grep_script("bug");
    let files: [File<'_>; 2] = [("input", "a.txt", INPUT), ("file", "t", &script)];
    for headers in [
        &[("origin", "https://evil.example")][..],
        &[("sec-fetch-site", "cross-site")],
        &[("origin", "null")],
    ] {
        assert_eq!(server.submit_with(&reduction(), &files, headers).status, 403, "{headers:?}");
    }
    let address = server.url.strip_prefix("http://").unwrap();
    let raw = |text: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    };
    let ask = |host: &str| {
        raw(&format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"))
    };
    assert!(ask("rebound.example").starts_with("HTTP/1.1 421"), "{}", ask("rebound.example"));
    for host in ["localhost:1", "127.0.0.1", "[::1]:80", "wynot.example", "WYNOT.example:443"] {
        assert!(ask(host).starts_with("HTTP/1.1 200"), "{host}");
    }
}

#[test]
fn a_server_that_others_can_reach_needs_tokens() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let ran = place.wynot("serve --data data --listen 0.0.0.0:0");
    ran.ends(1, "0.0.0.0:0 can be reached by others, but there are no tokens");
    let server = Server::start(&place, "");
    place
        .wynot("serve --data data --listen 127.0.0.1:0")
        .ends(1, "another server uses the data directory");
    let address = server.url.strip_prefix("http://").unwrap();
    place.wynot(&format!("serve --data other --listen {address}")).ends(1, "cannot listen on");
}

#[test]
fn health_metrics_and_the_description_are_there() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let mut server = Server::start(&place, "");
    assert_eq!(server.get("/healthz").text(), "ok\n");
    assert_eq!(server.get("/readyz").text(), "ready\n");
    let metrics = server.get("/metrics").text();
    assert!(metrics.contains("wynot_jobs{state=\"queued\"} 0\n"), "{metrics}");
    let description = server.get("/api/v1/openapi.json").json();
    assert_eq!(description["openapi"], "3.1.0");
    assert_eq!(server.stop(), Some(0));
}
