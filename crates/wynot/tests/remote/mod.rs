//! A service that speaks the Remote Execution API, started for a test, and what can go wrong on the way to it.

#![allow(dead_code, clippy::allow_attributes, reason = "each test file uses its own part of this")]

pub mod cable;
pub mod front;

use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use wynot_test_support::buildbox;

/// The directories of this machine that workers have.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc"];

/// buildbox-casd with workers on this machine.
pub struct Server {
    process: Option<Child>,
    options: ServerOptions,
    pub directory: tempfile::TempDir,
    pub address: SocketAddr,
}

/// How a server is started.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The number of tests that run at the same time.
    pub workers: usize,
    /// The loopback address.
    pub host: &'static str,
    /// The program that runs an action; buildbox-run if absent.
    pub runner: Option<PathBuf>,
    /// Further arguments.
    pub arguments: Vec<String>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { workers: 2, host: "127.0.0.1", runner: None, arguments: Vec::new() }
    }
}

impl Server {
    pub fn start(options: ServerOptions) -> Self {
        let listener = TcpListener::bind((options.host, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let directory = tempfile::tempdir().unwrap();
        let mut server = Self { process: None, options, directory, address };
        server.restart();
        server
    }

    pub fn with_workers(workers: usize) -> Self {
        Self::start(ServerOptions { workers, ..ServerOptions::default() })
    }

    /// The value of `--executor`.
    pub fn url(&self) -> String {
        format!("grpc://{}", self.address)
    }

    /// Starts the server, at the same address and with the same storage as before.
    pub fn restart(&mut self) {
        let log = File::create(self.directory.path().join("log")).unwrap();
        let runner = self.options.runner.clone().unwrap_or_else(|| buildbox("buildbox-run"));
        let mut command = Command::new(buildbox("buildbox-casd"));
        command
            .arg(format!("--bind={}", self.address))
            .arg(format!("--buildbox-run={}", runner.canonicalize().unwrap().display()))
            .arg(format!("--jobs={}", self.options.workers))
            .args(&self.options.arguments);
        for path in SYSTEM.iter().filter(|path| Path::new(path).exists()) {
            command.arg(format!("--runner-arg=--bind-mount={path}:{path}"));
        }
        command.arg(self.directory.path().join("cas"));
        let process = command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.process = Some(process.spawn().unwrap());
        let started = Instant::now();
        while TcpStream::connect(self.address).is_err() {
            assert!(started.elapsed() < Duration::from_secs(60), "{}", self.log());
            sleep(Duration::from_millis(20));
        }
    }

    /// Kills the server as a crash of its machine would.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// The processes of the workers that run actions now.
    pub fn workers(&self) -> Vec<i32> {
        let server = self.process.as_ref().map_or(0, Child::id) as i32;
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        ids.filter(|id| parent_of(*id) == Some(server) && program_of(*id).contains("buildbox-run"))
            .collect()
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for worker in self.workers() {
            kill(worker);
        }
        self.kill();
    }
}

/// Kills a process. Returns whether it was there.
pub fn kill(process: i32) -> bool {
    Pid::from_raw(process).is_some_and(|process| kill_process(process, Signal::KILL).is_ok())
}

fn parent_of(process: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
}

fn program_of(process: i32) -> String {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(line.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
}
