//! A server that is killed, stopped or copied loses nothing.

mod serve_support;
mod support;

use serde_json::{Value, json};
use serve_support::{PATIENCE, Server, grep_script, reduction};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::Place;
use wynot_test_support::{Tool, require};

/// The input of a job, different for each.
fn input(number: usize) -> Vec<u8> {
    (0..20).map(|line| format!("line {line} of {number}\n")).collect::<String>().into_bytes()
}

/// A script that fails on one line of the input, and takes a moment.
fn script(number: usize) -> Vec<u8> {
    format!(
        "#!/bin/sh\nsleep 0.01\ngrep -q 'line {} of' \"$1\" && {{ echo 'error: bad line' >&2; exit 3; }}\nexit 0\n",
        number % 20
    )
    .into_bytes()
}

/// A number that differs from round to round; the moments of kills.
fn moment(round: u64) -> Duration {
    Duration::from_millis(300 + round.wrapping_mul(6_364_136_223_846_793_005) % 1700)
}

#[test]
fn a_hundred_jobs_survive_five_kills_and_watchers_miss_nothing() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let mut server = Server::start(&place, "--slots 2");
    let unit = json!(["--unit=line"]);
    let request = json!({"verb": "reduce", "test": ["./t", "{}"], "options": unit});
    let ids: Vec<String> = (0..100)
        .map(|number| {
            server.accepted(
                &request,
                &[("input", "in.txt", &input(number)), ("file", "t", &script(number))],
            )
        })
        .collect();
    // A watcher of the job in the middle comes back after each kill.
    let watched = ids[50].clone();
    let (mut seen, mut last) = (Vec::new(), String::new());
    for round in 0..5 {
        let until = Instant::now() + moment(round);
        follow(&server, &watched, &mut last, &mut seen, until);
        let left = until.saturating_duration_since(Instant::now());
        std::thread::sleep(left);
        server.kill_and_restart(&place);
    }
    follow(&server, &watched, &mut last, &mut seen, Instant::now() + PATIENCE);
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    for (number, id) in ids.iter().enumerate() {
        let job = server.ended(id);
        *states.entry(job["state"].to_string()).or_default() += 1;
        let result = server.get(&format!("/api/v1/jobs/{id}/files/in.txt"));
        assert_eq!(result.text(), format!("line {} of {number}\n", number % 20), "{job}");
    }
    assert_eq!(states, BTreeMap::from([("\"done\"".to_owned(), 100)]));
    let list = server.get("/api/v1/jobs?limit=500").json();
    assert_eq!(list["jobs"].as_array().unwrap().len(), 100, "none is doubled");
    // What the watcher saw is what the server has, attempt by attempt.
    let logs = place.path("data/jobs").join(&watched).join("logs");
    let attempts = server.job(&watched)["attempts"].as_u64().unwrap();
    let recorded: Vec<String> = (1..=attempts)
        .flat_map(|attempt| {
            let text = fs::read_to_string(logs.join(format!("events-{attempt}.jsonl")));
            let text = text.unwrap_or_default();
            // A line that was being written when the server died is not an event.
            let complete = text.rfind('\n').map_or(0, |end| end + 1);
            text[..complete].lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(seen, recorded);
    // By hand, one of them gives the same bytes in the same number of tests.
    place.write("in.txt", input(7));
    fs::write(place.path("script"), script(7)).unwrap();
    assert!(Command::new("chmod").arg("755").arg(place.path("script")).status().unwrap().success());
    let by_hand = place.json("reduce --unit line in.txt -- ./script {}");
    let by_server = server.get(&format!("/api/v1/jobs/{}/result", ids[7])).json();
    assert_eq!(by_hand["tests"]["executed"], by_server["tests"]["executed"]);
    assert_eq!(place.text("in.min.txt"), "line 7 of 7\n");
    assert!(no_process_of(&place), "processes of jobs are left");
}

/// Reads events of a job until it ends, the server dies, or it is time.
fn follow(server: &Server, id: &str, last: &mut String, seen: &mut Vec<String>, until: Instant) {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(until.saturating_duration_since(Instant::now())))
        .build();
    let agent = ureq::Agent::new_with_config(config);
    let url = format!("{}/api/v1/jobs/{id}/events", server.url);
    let Ok(response) = agent.get(&url).header("last-event-id", last.as_str()).call() else {
        return;
    };
    let mut is_search = false;
    let mut id = String::new();
    for line in BufReader::new(response.into_body().into_reader()).lines() {
        let Ok(line) = line else { return };
        if let Some(kind) = line.strip_prefix("event: ") {
            is_search = kind == "search";
        } else if let Some(new) = line.strip_prefix("id: ") {
            id = new.to_owned();
        } else if let (true, Some(data)) = (is_search, line.strip_prefix("data: ")) {
            seen.push(data.to_owned());
            last.clone_from(&id);
        }
    }
}

/// Whether no process has the data of a place in its command line. Some time is allowed for their end.
fn no_process_of(place: &Place) -> bool {
    let data = place.path("data").display().to_string();
    let is_of_job = |path: &std::path::Path| {
        let line = fs::read(path.join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.contains(&data) && !line.contains("--listen")
    };
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(20) {
        let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        if !processes.into_iter().any(|path| is_of_job(&path)) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    false
}

#[test]
fn a_stopped_server_goes_on_with_its_jobs() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let mut server = Server::start(&place, "");
    let slow = b"#!/bin/sh\nsleep 0.3; grep -q bug $1 && exit 3; exit 0\n";
    let text = b"a\nb\nc\nd\nbug\ne\nf\ng\nh\n";
    let id = server.accepted(&reduction(), &[("input", "a.txt", text), ("file", "t", slow)]);
    let started = Instant::now();
    while server.job(&id)["progress"]["tests"].as_u64().unwrap_or(0) < 2 {
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(server.stop(), Some(0));
    assert!(no_process_of(&place));
    let server = Server::start(&place, "");
    let job = server.ended(&id);
    assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(2)), "{job}");
    assert!(job["result"]["tests"]["replayed"].as_u64() > Some(0), "{job}");
}

#[test]
fn a_copy_of_the_directory_is_a_backup_even_while_it_is_written() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let script = grep_script("bug");
    let files: [(&str, &str, &[u8]); 2] = [("input", "a.txt", b"x\nbug\n"), ("file", "t", &script)];
    let first = server.accepted(&reduction(), &files);
    server.ended(&first);
    let stop = Arc::new(AtomicBool::new(false));
    let copied = std::thread::scope(|scope| {
        let writer = Arc::clone(&stop);
        let (server, files) = (&server, &files);
        scope.spawn(move || {
            while !writer.load(Ordering::Relaxed) {
                server.accepted(&reduction(), files);
            }
        });
        std::thread::sleep(Duration::from_millis(500));
        let mut copy = Command::new("cp");
        let status =
            copy.arg("-r").args([place.path("data"), place.path("copy")]).status().unwrap();
        stop.store(true, Ordering::Relaxed);
        status
    });
    // Files that vanish while they are copied are reported by cp, and belong to no finished job.
    assert!(copied.code().is_some());
    drop(server);
    fs::rename(place.path("data"), place.path("lost")).unwrap();
    fs::rename(place.path("copy"), place.path("data")).unwrap();
    let server = Server::start(&place, "");
    assert_eq!(server.job(&first)["state"], "done");
    // A database that was copied at a bad moment is replaced by its snapshot.
    drop(server);
    let damage = vec![0x55; 8192];
    fs::write(place.path("data/wynot.sqlite"), damage).unwrap();
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(place.path(format!("data/wynot.sqlite{suffix}")));
    }
    let server = Server::start(&place, "");
    let jobs = server.get("/api/v1/jobs").json();
    assert!(jobs["jobs"].is_array(), "{jobs}");
}

#[test]
fn old_jobs_are_removed() {
    require!(Tool::UserNamespaces);
    let place = Place::new();
    let server = Server::start(&place, "");
    let script = grep_script("bug");
    let files: [(&str, &str, &[u8]); 2] = [("input", "a.txt", b"x\nbug\n"), ("file", "t", &script)];
    let id = server.accepted(&reduction(), &files);
    server.ended(&id);
    drop(server);
    std::thread::sleep(Duration::from_millis(1100));
    let server = Server::start(&place, "--keep 1s");
    let started = Instant::now();
    while server.get(&format!("/api/v1/jobs/{id}")).status != 404 {
        assert!(started.elapsed() < PATIENCE, "the job is still there");
        std::thread::sleep(Duration::from_millis(50));
    }
    while place.path("data/jobs").join(&id).exists() {
        assert!(started.elapsed() < PATIENCE, "its files are still there");
    }
    let list: Value = server.get("/api/v1/jobs").json();
    assert_eq!(list["jobs"], json!([]));
}
