//! What goes wrong between a search and its workers: the search goes on, or stops with the best so far and says why.

mod remote;
mod support;

use remote::cable::Cable;
use remote::front::{Authority, Front, write_pem};
use remote::{Server, ServerOptions};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use support::{Place, ran};
use wynot_test_support::{Tool, buildbox, require};

const RESULT: &str = "firstsecond";

/// A search whose tests take a moment, and that is over after some 60 of them.
fn place() -> Place {
    let place = Place::new();
    let line = |i| match i {
        17 => "first\n".to_owned(),
        33 => "second\n".to_owned(),
        _ => format!("line {i} of the text\n"),
    };
    place.write("in.txt", (0..48).map(line).collect::<String>());
    place.script("t", "sleep 0.1; grep -q first \"$1\" && grep -q second \"$1\" && exit 3; exit 0");
    place
}

fn start(place: &Place, options: &str) -> Child {
    let mut command = place.command();
    command
        .args(["reduce", "in.txt", "--json", "--events", "events.jsonl"])
        .args(options.split_whitespace());
    command.args(["--", "./t", "{}"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until the search is in the middle of its work.
fn wait_for_steps(place: &Place) {
    let started = Instant::now();
    let events = || fs::read_to_string(place.path("events.jsonl")).unwrap_or_default();
    while events().matches("\"step\"").count() < 3 {
        assert!(started.elapsed() < Duration::from_secs(60), "{}", events());
        sleep(Duration::from_millis(10));
    }
}

fn finish(child: Child) -> (Value, i32, String) {
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let object =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    (object, output.status.code().unwrap_or(-1), said)
}

#[track_caller]
fn assert_complete(place: &Place, (found, code, said): (Value, i32, String)) -> Value {
    assert_eq!((code, &found["status"]), (0, &Value::from("minimal")), "{found} {said}");
    let left: String = place.text("in.min.txt").split_whitespace().collect();
    assert_eq!(left, RESULT);
    found
}

#[test]
fn a_worker_that_is_killed_in_a_test_changes_nothing() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(2);
    let place = place();
    let search = start(&place, &format!("-j 2 --executor {}", server.url()));
    wait_for_steps(&place);
    let (started, mut killed) = (Instant::now(), 0);
    while killed < 3 && started.elapsed() < Duration::from_secs(60) {
        if let Some(worker) = server.workers().first() {
            killed += i32::from(remote::kill(*worker));
        }
        sleep(Duration::from_millis(100));
    }
    assert_complete(&place, finish(search));
    assert_eq!(killed, 3);
}

#[test]
fn a_server_that_is_killed_and_restarted_is_waited_for() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let mut server = Server::with_workers(2);
    let place = place();
    let search = start(&place, &format!("-j 2 --executor {}", server.url()));
    wait_for_steps(&place);
    server.kill();
    sleep(Duration::from_secs(1));
    server.restart();
    assert_complete(&place, finish(search));
}

#[test]
fn a_connection_that_is_cut_for_five_seconds_is_made_again() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(2);
    let cable = Cable::to(server.address);
    let place = place();
    let search = start(&place, &format!("-j 2 --executor grpc://{}", cable.address));
    wait_for_steps(&place);
    cable.cut(Duration::from_secs(5));
    assert_complete(&place, finish(search));
}

#[test]
fn a_server_that_does_not_come_back_ends_the_search_with_the_best_so_far() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let mut server = Server::with_workers(2);
    let place = place();
    let options = format!("-j 2 --executor {} --remote-timeout 2s", server.url());
    let search = start(&place, &options);
    wait_for_steps(&place);
    server.kill();
    let (found, code, said) = finish(search);
    assert_eq!((code, &found["status"]), (1, &Value::from("stopped")), "{found}");
    assert!(said.contains("it has failed for 2 s"), "{said}");
    assert!(said.contains("the best so far is in in.min.txt"), "{said}");
    let best = place.text("in.min.txt");
    assert!(best.contains("first") && best.contains("second"), "{best}");
    server.restart();
    let resumed = finish(start(&place, &options));
    let found = assert_complete(&place, resumed);
    assert!(found["tests"]["replayed"].as_u64().unwrap() > 0, "{found}");
}

/// A program in place of buildbox-run that fails as often as a file says, and then works.
fn broken_runner(place: &Place, failure: &str) -> PathBuf {
    let run = buildbox("buildbox-run").canonicalize().unwrap();
    let count = place.path("broken");
    place.script(
        "runner",
        &format!(
            "case \"$*\" in *--validate-parameters*|*--version*|*--help*|*--capabilities*) exec {run} \"$@\";; esac\n\
             left=$(cat {count} 2>/dev/null || echo 0)\n\
             if [ \"$left\" -gt 0 ]; then echo $((left - 1)) > {count}; {failure}; fi\n\
             exec {run} \"$@\"",
            run = run.display(),
            count = count.display()
        ),
    )
}

#[test]
fn a_worker_without_outcomes_decides_nothing() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    // The second one writes an empty result with exit code 0, and the server keeps it.
    let empty = "for a; do case $a in --action-result=*) : > ${a#*=};; esac; done; exit 0";
    for failure in ["exit 1", empty] {
        let place = place();
        let runner = Some(broken_runner(&place, failure));
        let server = Server::start(ServerOptions { runner, ..ServerOptions::default() });
        let search = start(&place, &format!("-j 2 --executor {}", server.url()));
        wait_for_steps(&place);
        fs::write(place.path("broken"), "3").unwrap();
        let found = assert_complete(&place, finish(search));
        assert!(found["remote"]["lost"].as_u64().unwrap() > 0, "{failure}: {found}");
        // A worker that never works ends the search, whatever its results look like.
        fs::write(place.path("broken"), "1000000").unwrap();
        let (_, code, said) = finish(start(
            &place,
            &format!("--fresh -j 2 --platform a=b --executor {}", server.url()),
        ));
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("a test was lost 4 times"), "{said}");
    }
}

#[test]
fn a_program_that_workers_do_not_have_is_named() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(1);
    let place = place();
    fs::create_dir(place.path("bin")).unwrap();
    place.script("bin/only-here", "grep -q first \"$1\" && exit 3; exit 0");
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
    let search = |test: &[&str]| {
        let mut command = place.command();
        command.env("PATH", &path).args(["reduce", "in.txt", "--executor", &server.url(), "--"]);
        ran(command.args(test))
    };
    let direct = search(&["only-here", "{}"]);
    direct.ends(1, "a worker cannot run");
    assert!(direct.stderr.contains("workers may not have"), "{direct:?}");
    let inside = search(&["sh", "-c", "only-here {}"]);
    inside.ends(3, "only-here: not found");
    assert!(inside.stderr.contains("on this machine, the original ends with exit 3"), "{inside:?}");
}

#[test]
fn a_full_storage_ends_the_search_and_is_named() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let arguments = ["--quota-high=1M", "--reserved=1M"].map(str::to_owned).to_vec();
    let server = Server::start(ServerOptions { arguments, ..ServerOptions::default() });
    let place = place();
    let (found, code, said) =
        finish(start(&place, &format!("-j 1 --executor {} --remote-timeout 1s", server.url())));
    assert_eq!(code, 1, "{found} {said}");
    assert!(said.contains("it has failed for 1 s") && said.contains("storage"), "{said}");
}

#[test]
fn a_wrong_instance_is_named() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(1);
    let place = place();
    let (_, code, said) = finish(start(&place, &format!("--executor {}/nothing", server.url())));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("cannot run tests at") && said.contains("nothing"), "{said}");
}

#[test]
fn a_wrong_token_is_refused_and_never_shown() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(1);
    let front = Front::with_token(server.address, "Bearer right");
    let place = place();
    let executor = format!("--executor grpc://{} --remote-timeout 5s", front.address);
    let mut wrong = place.command();
    wrong.args(["reduce", "in.txt"]).args(executor.split_whitespace());
    wrong.args(["--remote-header", "authorization=Bearer wrong", "--", "./t", "{}"]);
    let wrong = ran(&mut wrong);
    wrong.ends(1, "it does not accept these credentials");
    assert!(!wrong.stderr.contains("Bearer"), "{wrong:?}");
    let missing = place.wynot(&format!("reduce in.txt {executor} -- ./t {{}}"));
    missing.ends(1, "it does not accept these credentials");
    let mut right = place.command();
    right.args(["reduce", "in.txt", "--json", "-j", "1"]).args(executor.split_whitespace());
    right.args(["--remote-header=authorization=Bearer right", "--", "./t", "{}"]);
    let right = right.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert_complete(&place, finish(right));
}

#[test]
fn certificates_must_match_on_both_sides() {
    require!(Tool::Buildbox, Tool::Bubblewrap);
    let server = Server::with_workers(1);
    let (company, stranger) = (Authority::new(), Authority::new());
    let place = place();
    fs::write(place.path("company.pem"), company.certificate()).unwrap();
    fs::write(place.path("stranger.pem"), stranger.certificate()).unwrap();
    write_pem(place.dir.path(), "me", &company.sign("me"));
    write_pem(place.dir.path(), "other", &stranger.sign("me"));
    let host = company.sign("127.0.0.1");
    let front = Front::encrypted(server.address, None, &host, Some(&company));
    let wrong_host = Front::encrypted(server.address, None, &company.sign("127.0.0.9"), None);
    let options = |front: &Front, roots: &str, client: &str| {
        let client = match client {
            "" => String::new(),
            name => format!("--tls-certificate {name}.pem --tls-key {name}.key"),
        };
        format!(
            "-j 1 --executor grpcs://{} --remote-timeout 3s --tls-roots {roots}.pem {client}",
            front.address
        )
    };
    for (front, roots, client) in [
        (&front, "stranger", "me"),
        (&front, "company", "other"),
        (&front, "company", ""),
        (&wrong_host, "company", ""),
    ] {
        let (_, code, said) = finish(start(&place, &options(front, roots, client)));
        assert_eq!(code, 1, "{roots} {client}: {said}");
        assert!(said.contains("cannot run tests at grpcs://"), "{roots} {client}: {said}");
    }
    let unknown = finish(start(&place, &options(&front, "stranger", "me"))).2;
    assert!(unknown.contains("certificate"), "{unknown}");
    let right = finish(start(&place, &options(&front, "company", "me")));
    assert_complete(&place, right);
}
