//! Headers, tokens and keys are seen nowhere but in requests to the service.

mod remote;
mod support;

use remote::Server;
use remote::front::{Authority, Front, write_pem};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use support::Place;
use wynot_test_support::{Tool, require};

const TOKENS: [&str; 4] = [
    "Bearer from-the-command-line",
    "Bearer from-environment",
    "Bearer from-a-file",
    "Bearer from-config",
];

/// The secrets that must not be found: the tokens, and the text of the client's key. The last lines of that text are the
/// public part, which the certificate contains as well.
fn secrets(place: &Place) -> Vec<String> {
    let (key, certificate) = (place.text("me.key"), place.text("me.pem"));
    let is_secret = |line: &&str| !line.starts_with('-') && !certificate.contains(line);
    let lines: Vec<String> = key.lines().filter(is_secret).map(str::to_owned).collect();
    assert!(!lines.is_empty(), "{key}");
    TOKENS.iter().map(|token| token.trim_start_matches("Bearer ").to_owned()).chain(lines).collect()
}

/// All files below a directory that contain one of the secrets.
fn leaks(directory: &Path, secrets: &[String], except: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().unwrap().is_dir() {
            found.extend(leaks(&path, secrets, except));
        } else if !except.contains(&&*name) {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
            let leak = secrets.iter().find(|secret| text.contains(&***secret));
            found.extend(leak.map(|secret| format!("{}: {secret}", path.display())));
        }
    }
    found
}

/// The arguments and the environment of all processes that contain one of the secrets.
fn seen_in_processes(secrets: &[String]) -> BTreeSet<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let is_process =
        |path: &Path| path.file_name().unwrap().to_string_lossy().parse::<u32>().is_ok();
    let own = std::process::id().to_string();
    let mut seen = BTreeSet::new();
    for process in processes.filter(|path| is_process(path) && !path.ends_with(&own)) {
        for file in ["cmdline", "environ"] {
            let text = fs::read(process.join(file)).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            if secrets.iter().any(|secret| text.contains(&**secret)) {
                seen.insert(format!("{}: {text}", process.join(file).display()));
            }
        }
    }
    seen
}

#[test]
fn secrets_appear_nowhere() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(1);
    let company = Authority::new();
    for (number, token) in TOKENS.into_iter().enumerate() {
        let place = Place::new();
        place.write("in.txt", "a\nb\nwant\nc\nd\ne\n");
        place.script("t", "sleep 0.2; env; set; ! grep -q want \"$1\"");
        fs::write(place.path("company.pem"), company.certificate()).unwrap();
        write_pem(place.dir.path(), "me", &company.sign("me"));
        let host = company.sign("127.0.0.1");
        let front = Front::encrypted(server.address, Some(token), &host, Some(&company));
        let mut command = place.command();
        command
            .args([
                "reduce",
                "in.txt",
                "-v",
                "--trace",
                "--json",
                "-j",
                "1",
                "--events",
                "events.jsonl",
            ])
            .args(["--report", "page.html", "--any-failure", "--tls-roots", "company.pem"])
            .args(["--tls-certificate", "me.pem", "--tls-key", "me.key"])
            .args(["--executor", &format!("grpcs://{}", front.address)]);
        let header = format!("authorization={token}");
        match number {
            0 => command.args(["--remote-header", &header]),
            1 => command.env("WYNOT_REMOTE_HEADER", &header),
            2 => {
                fs::write(place.path("headers"), format!("# a comment\n{header}\n")).unwrap();
                command.args(["--remote-header-file", "headers"])
            }
            _ => {
                let config = format!("[remote]\nheaders = {{ authorization = \"{token}\" }}\n");
                fs::write(place.path("wynot.toml"), config).unwrap();
                &mut command
            }
        };
        let mut search = command
            .args(["--", "./t", "{}"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let secrets = secrets(&place);
        // The moment in which the process starts itself again is over when its first event is there.
        while !place.path("events.jsonl").exists() && search.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut seen = BTreeSet::new();
        while search.try_wait().unwrap().is_none() {
            seen.extend(seen_in_processes(&secrets));
            std::thread::sleep(Duration::from_millis(20));
        }
        let output = search.wait_with_output().unwrap();
        let said = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(seen.is_empty(), "{seen:?}");
        assert!(said.contains("headers, not shown: authorization"), "{said}");
        assert!(secrets.iter().all(|secret| !said.contains(&**secret)), "{said}");
        let leaks = leaks(place.dir.path(), &secrets, &["me.key", "headers", "wynot.toml"]);
        assert!(leaks.is_empty(), "{leaks:?}");
        assert!(place.path("page.html").exists() && place.path("state/wynot").is_dir());
        let stored = leaks_in_storage(&server, &secrets);
        assert!(stored.is_empty(), "{stored:?}");
    }
}

/// What the service has stored, which workers see.
fn leaks_in_storage(server: &Server, secrets: &[String]) -> Vec<String> {
    leaks(&server.directory.path().join("cas"), secrets, &[])
}
