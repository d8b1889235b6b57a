//! `wynot mcp` with a public client of the protocol, and with clients that break its rules.

mod support;

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Place, gcc, ran};
use wynot_test_support::{Tool, mcp_client_directory, require};

/// How long a process may take to end on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A place with inputs and tests.
fn place() -> Place {
    let place = Place::new();
    place.write("quick.txt", "bad\n".to_owned() + &"good\n".repeat(3));
    place.write("passing.txt", "fine\n".to_owned() + &"good\n".repeat(3));
    let lines: String = (0..3000).map(|line| format!("good {line}\n")).collect();
    place.write("slow.txt", format!("bad\n{lines}"));
    place.write("binary", b"one\n\xff\xfebad\0\nthree\n");
    place.script("quick.sh", "! grep -q bad \"$1\"");
    // Every line that is left is needed, so that this takes hours.
    place.script(
        "slow.sh",
        "sleep 0.05; test $(wc -l < \"$1\") -ge 1500 && grep -q bad \"$1\" && exit 1; exit 0",
    );
    place.script("binary.sh", "! LC_ALL=C grep -q $(printf '\\377') \"$1\"");
    place.script("options.sh", "case \" $* \" in *' -b '*) exit 1;; esac");
    place
}

/// The directories below `/proc` of the processes that were started by servers of a place.
fn processes_of(place: &Place) -> Vec<PathBuf> {
    let marker = place.path("state").into_os_string().into_encoded_bytes();
    let is_ours = |process: &PathBuf| {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        environment.windows(marker.len()).any(|part| part == marker)
    };
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    all.filter(is_ours).collect()
}

/// The commands of these processes.
fn commands_of(place: &Place) -> Vec<String> {
    let commands = processes_of(place).into_iter().map(|process| fs::read(process.join("cmdline")));
    let texts = commands.flatten().map(|command| String::from_utf8_lossy(&command).into_owned());
    texts.map(|text| text.replace('\0', " ")).collect()
}

#[track_caller]
fn assert_nothing_left(place: &Place) {
    let end = Instant::now() + PATIENCE;
    loop {
        let left = commands_of(place);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < end, "still there: {left:#?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Runs a scenario of the client.
#[track_caller]
fn scenario(place: &Place, name: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/client.py");
    let mut command = Command::new("python3");
    command
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_wynot"))
        .arg(place.dir.path())
        .arg(name)
        .env("PYTHONPATH", mcp_client_directory())
        .stdin(Stdio::null());
    let client = ran(&mut command);
    assert_eq!(client.code, Some(0), "{}\n{}", client.stdout, client.stderr);
    assert_nothing_left(place);
}

#[test]
fn tools_are_listed_with_schemas_and_examples() {
    require!(Tool::McpClient);
    scenario(&place(), "tools");
}

#[test]
fn a_search_tells_its_progress_and_goes_on_after_a_limit() {
    require!(Tool::McpClient);
    scenario(&place(), "progress");
}

#[test]
fn a_cancelled_request_ends_its_search_with_the_best_so_far() {
    require!(Tool::McpClient);
    scenario(&place(), "cancellation");
}

#[test]
fn searches_in_the_background_are_asked_for() {
    require!(Tool::McpClient);
    scenario(&place(), "background");
}

#[test]
fn errors_say_what_to_do() {
    require!(Tool::McpClient);
    scenario(&place(), "errors");
}

#[test]
fn a_search_that_is_killed_is_an_error_with_the_best_so_far() {
    require!(Tool::McpClient);
    scenario(&place(), "killed");
}

#[test]
fn a_search_that_does_not_react_is_killed() {
    require!(Tool::McpClient);
    scenario(&place(), "unresponsive");
}

#[test]
fn a_hundred_calls_run_two_at_a_time() {
    require!(Tool::McpClient);
    let place = place();
    fs::create_dir(place.path("many")).unwrap();
    for number in 0..100 {
        place.write(&format!("many/{number}.txt"), "good\nbad\n");
    }
    scenario(&place, "queue");
}

#[test]
fn all_searches_answer_in_words() {
    require!(Tool::McpClient);
    let place = place();
    gcc(
        &place,
        "program",
        &["-g", "-O0"],
        "#include <stdlib.h>\nint main(int count, char **words) {\n  int number = atoi(words[1]);\n  \
         int twice = number * 2;\n  return twice > 10;\n}\n",
    );
    let git = "git init -q repository && cd repository && git config user.name A && git config user.email a@b && \
               for text in good same broken; do echo $text > file; echo \"! grep broken file\" > check.sh; \
               git add . && git commit -q --allow-empty -m \"now it is $text\"; done";
    let mut shell = Command::new("sh");
    place.prepare(&mut shell);
    let made = ran(shell.args(["-c", git]));
    assert_eq!(made.code, Some(0), "{made:?}");
    scenario(&place, "searches_of_all_kinds");
}

#[test]
fn a_client_that_leaves_ends_its_searches() {
    require!(Tool::McpClient);
    scenario(&place(), "leaving");
}

/// A server, and a client that writes what it wants.
struct Server {
    process: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl Server {
    fn start(place: &Place) -> Self {
        Self::start_command(&mut place.interruptible())
    }

    fn start_command(wynot: &mut Command) -> Self {
        let command = wynot.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { input: process.stdin.take(), process, output }
    }

    fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.write_all(b"\n").unwrap();
    }

    /// Sends a request and returns the message with its id.
    fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(request.to_string().as_bytes());
        self.messages().find(|message| message["id"] == id).unwrap()
    }

    /// The messages of the server, each of which must be one of the protocol.
    fn messages(&mut self) -> impl Iterator<Item = Value> + '_ {
        self.output.by_ref().map(|line| {
            let line = line.unwrap();
            let message: Value = serde_json::from_str(&line).expect(&line);
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            message
        })
    }

    fn initialize(&mut self) {
        let client = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let answer = self.ask(0, "initialize", params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "wynot", "{answer}");
        self.send(br#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    }

    /// Calls a tool that takes hours, and waits until its process runs.
    fn start_slow_search(&mut self, place: &Place) {
        let arguments = json!({"input": "slow.txt", "test": ["./slow.sh", "{}"]});
        let params = json!({
            "name": "reduce", "arguments": arguments, "_meta": {"progressToken": "p"},
        });
        let request = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
        self.send(request.to_string().as_bytes());
        let has_tests = |message: &Value| message["params"]["progress"].as_f64() > Some(2.0);
        assert!(self.messages().any(|message| has_tests(&message)));
        assert!(processes_of(place).len() > 2);
    }

    /// The exit code, which must come soon.
    #[track_caller]
    fn code(&mut self) -> Option<i32> {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < end, "the server does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn lines_that_are_no_messages_do_no_harm() {
    let place = place();
    let mut server = Server::start(&place);
    let wrong: [&[u8]; 6] =
        [b"", b"hello", b"{\"jsonrpc\": \"2.0\", ", b"[1, 2", b"\xff\xfe\0", b"{"];
    wrong.iter().for_each(|line| server.send(line));
    server.send(&b"[".repeat(1_000_000));
    server.initialize();
    wrong.iter().for_each(|line| server.send(line));
    server.send(br#"{"jsonrpc": "2.0", "id": {}, "method": 5}"#);
    server.send(
        br#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}"#,
    );
    let answer = server.ask(1, "no/such/method", json!({}));
    assert!(answer["error"]["code"].is_i64(), "{answer}");
    let answer = server.ask(2, "tools/call", json!({"name": "reduce", "arguments": [1]}));
    assert!(answer["error"]["code"].is_i64(), "{answer}");
    // Longer than what is accepted: there is no answer, but the next message gets one.
    server.send(&b"x".repeat(20 << 20));
    let answer = server.ask(3, "tools/list", json!({}));
    assert_eq!(answer["result"]["tools"][0]["name"], "reduce");
    server.input = None;
    assert_eq!(server.code(), Some(0));
}

#[test]
fn the_end_of_input_ends_a_running_search() {
    let place = place();
    let mut server = Server::start(&place);
    server.initialize();
    server.start_slow_search(&place);
    server.input = None;
    // The result so far is sent to whoever may still read it.
    let answer = server.messages().find(|message| message["id"] == 7).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["status"], "stopped", "{answer}");
    assert_eq!(server.code(), Some(0));
    assert_nothing_left(&place);
}

#[test]
fn signals_end_the_server_and_its_searches() {
    for signal in ["TERM", "INT", "KILL"] {
        let place = place();
        let mut server = Server::start(&place);
        server.initialize();
        server.start_slow_search(&place);
        let id = server.process.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        assert_eq!(server.code(), (signal != "KILL").then_some(0), "{signal}");
        assert_nothing_left(&place);
    }
}

#[test]
fn every_search_gets_the_secret_headers() {
    let place = place();
    let mut command = place.command();
    command.env("WYNOT_REMOTE_HEADER", "x-key=secret");
    let mut server = Server::start_command(&mut command);
    server.initialize();
    for number in 1..=2 {
        let input = format!("slow{number}.txt");
        fs::copy(place.path("slow.txt"), place.path(&input)).unwrap();
        let arguments = json!({"input": input, "test": ["./slow.sh", "{}"], "background": true});
        server.ask(number, "tools/call", json!({"name": "reduce", "arguments": arguments}));
    }
    let is_running = |server: &mut Server| {
        let answer = server.ask(3, "tools/call", json!({"name": "status", "arguments": {}}));
        let searches = answer["result"]["structuredContent"]["searches"].clone();
        searches.as_array().unwrap().iter().all(|search| search["tests"].as_u64() > Some(0))
    };
    let end = Instant::now() + PATIENCE;
    while !is_running(&mut server) {
        assert!(Instant::now() < end, "the searches do not begin");
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut headers = BTreeSet::new();
    for process in processes_of(&place) {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&environment).contains("secret"));
        let descriptors = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        for file in descriptors.map(|entry| entry.path()) {
            let name = fs::read_link(&file).unwrap_or_default();
            if name.to_string_lossy().starts_with("/memfd:wynot-headers") {
                headers.extend(fs::metadata(&file).map(|metadata| metadata.ino()));
            }
        }
    }
    assert_eq!(headers.len(), 2, "each search has headers of its own, which it can read");
    server.input = None;
    assert_eq!(server.code(), Some(0));
    assert_nothing_left(&place);
}

#[test]
fn a_client_that_says_nothing_is_no_error() {
    let ran = place().wynot("mcp");
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn the_help_has_a_configuration() {
    let ran = place().wynot("mcp --help");
    assert!(
        ran.stdout.contains(r#"{"mcpServers": {"wynot": {"command": "wynot", "args": ["mcp"]}}}"#)
    );
}
