//! A second service, BuildGrid, with a small worker of our own. It is not run by default: BuildGrid and what it needs are
//! 200 MB of Python packages. See CONTRIBUTING.md for how to install it.

mod support;

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use support::Place;

/// A program of the environment in which BuildGrid is installed.
fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/buildgrid/bin").join(name)
}

/// A file beside this one.
fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/remote/buildgrid").join(name)
}

/// A process that is ended with the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.0), Signal::TERM);
        let _ = self.0.wait();
    }
}

/// A server and its workers. They end in the order of the fields.
struct BuildGrid {
    _workers: Process,
    _server: Process,
    _directory: tempfile::TempDir,
    port: u16,
}

impl BuildGrid {
    fn start(workers: usize) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let directory = tempfile::tempdir().unwrap();
        let ready = directory.path().join("pid");
        let log = fs::File::create(directory.path().join("log")).unwrap();
        let server = Command::new(program("bgd"))
            .args(["server", "start", "--pid-file"])
            .arg(&ready)
            .arg(file("server.yml"))
            .env("BGD_PORT", port.to_string())
            .env("TMPDIR", directory.path())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let server = Process(server);
        let started = Instant::now();
        while !ready.exists() {
            let log = || fs::read_to_string(directory.path().join("log")).unwrap_or_default();
            assert!(started.elapsed() < Duration::from_secs(60), "{}", log());
            sleep(Duration::from_millis(50));
        }
        let mut worker = Command::new(program("python"))
            .arg(file("worker.py"))
            .arg(format!("127.0.0.1:{port}"))
            .args(["--workers", &workers.to_string()])
            .env("TMPDIR", directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(worker.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "ready");
        Self { _workers: Process(worker), _server: server, _directory: directory, port }
    }
}

#[test]
#[ignore = "needs BuildGrid, 200 MB of Python packages"]
fn another_service_gives_the_same_answer() {
    let reduced = |options: &str| {
        let place = Place::new();
        let line = |i| if i % 13 == 5 { "want this\n".to_owned() } else { format!("line {i}\n") };
        place.write("in.txt", (0..40).map(line).collect::<String>());
        place.script("t", "[ $(grep -c want \"$1\") = 3 ] && exit 1; exit 0");
        let found = place.json(&format!("reduce in.txt {options} -- ./t {{}}"));
        let counts = ["executed", "cached"].map(|kind| found["remote"][kind].as_u64());
        ((place.text("in.min.txt"), found["tests"]["executed"].clone()), counts)
    };
    let (expected, _) = reduced("-j 2");
    for workers in [1, 4] {
        let service = BuildGrid::start(workers);
        let options = format!("-j {workers} --executor grpc://127.0.0.1:{}", service.port);
        let (answer, [executed, _]) = reduced(&options);
        assert_eq!(answer, expected, "{workers} workers");
        let (again, [executed_again, known]) = reduced(&format!("{options}/main"));
        assert_eq!(again, expected, "{workers} workers");
        assert!(executed > Some(20), "{executed:?}");
        // Both instances have one storage and one cache.
        assert!(executed_again.unwrap() * 10 <= executed.unwrap(), "{executed_again:?}");
        assert!(known > Some(20), "{known:?}");
    }
}
