//! One process that is limited and contained as a whole, such as a search that a server runs for other people.
//!
//! This program, started once more, moves into control groups, becomes another user, enters the sandbox if there is one, and
//! then becomes or starts the process. Tests of searches have a sandbox of their own, made by their supervisor; this one is
//! for programs that have none.

use super::guard::fork;
use super::process_namespace;
use super::sandbox::{NAMESPACES, Sandbox};
use super::setup::{Bytes, MissingPart, SandboxPlaces, SandboxSetup};
use rustix::process::{
    DumpableBehavior, Gid, Pid, Resource, Rlimit, Signal, Uid, WaitOptions, getpid, getppid,
    kill_process, set_dumpable_behavior, set_parent_process_death_signal, setpriority_process,
    setrlimit, setsid, wait, waitpid,
};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use serde::{Deserialize, Serialize};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, exit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A process and its limits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contained {
    /// The process that starts it. If it has died, nothing is started.
    pub parent: i32,
    /// The directories of the control groups that it moves into.
    pub groups: Vec<Bytes>,
    /// The user and group that it becomes.
    pub user: Option<(u32, u32)>,
    /// The size of the largest file that it may write.
    pub file_bytes: u64,
    /// The sandbox that it enters.
    pub sandbox: Option<ContainedSandbox>,
    /// The program.
    pub program: Bytes,
    /// Its arguments.
    pub args: Vec<Bytes>,
}

/// The sandbox of a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContainedSandbox {
    /// What it can read.
    pub files: SandboxSetup,
    /// An empty directory, in which the view of the files is built.
    pub root: Bytes,
    /// The directories that can be written, all in one directory.
    pub private: Vec<Bytes>,
    /// The number of processes inside.
    pub max_processes: u64,
}

/// The first argument with which `wynot` is started to contain a process; the second is a [`Contained`] in JSON.
pub const CONTAIN: &str = "__contain";

/// The exit code if the process cannot be contained. Standard error then says why.
const CANNOT_CONTAIN: i32 = 125;

/// How much the process stands back behind others.
const NICENESS: i32 = 10;

/// The time between two looks at the process and at signals to be forwarded.
const WATCH_INTERVAL: Duration = Duration::from_millis(10);

/// Does what a description in JSON says, and ends with the exit code of the process.
pub fn run_contained(description: &str) -> ! {
    let result = serde_json::from_str::<Contained>(description)
        .map_err(io::Error::from)
        .and_then(|contained| contained.run());
    match result {
        Ok(code) => exit(code),
        Err(error) => exit(report(&error)),
    }
}

/// Says why a process is not contained, where its own messages would be, and returns the exit code.
fn report(error: &io::Error) -> i32 {
    let _ = writeln!(io::stderr(), "wynot: cannot contain the process: {error}");
    CANNOT_CONTAIN
}

impl Contained {
    fn run(&self) -> io::Result<i32> {
        for group in &self.groups {
            // The number 0 stands for the process that writes it.
            fs::write(group.path().join("cgroup.procs"), "0")?;
        }
        if let Some((user, group)) = self.user {
            let (user, group) = (Uid::from_raw(user), Gid::from_raw(group));
            set_thread_groups(&[])?;
            set_thread_res_gid(group, group, group)?;
            set_thread_res_uid(user, user, user)?;
            // After the change, the files of this process in /proc belong to root, and no namespace could be made.
            set_dumpable_behavior(DumpableBehavior::Dumpable)?;
        }
        let most = Some(self.file_bytes);
        setrlimit(Resource::Fsize, Rlimit { current: most, maximum: most })?;
        setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
        // Whoever looks at the results has priority.
        let _ = setpriority_process(None, NICENESS);
        // A change of the user takes the signal back, so it is requested afterwards.
        set_parent_process_death_signal(Some(Signal::KILL))?;
        if getppid() != Pid::from_raw(self.parent) {
            return Err(io::Error::other("the process that wanted it has ended"));
        }
        match &self.sandbox {
            None => Err(self.command().exec()),
            Some(sandbox) => self.run_in_sandbox(sandbox),
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.program.os());
        command.args(self.args.iter().map(Bytes::os));
        command
    }

    /// Starts the process in a sandbox, forwards signals to it, and waits for its end.
    fn run_in_sandbox(&self, sandbox: &ContainedSandbox) -> io::Result<i32> {
        let signals = ForwardedSignals::new()?;
        process_namespace::prepare(true)
            .map_err(|error| missing(&[MissingPart::new(NAMESPACES, &error)]))?;
        let Some(first) = fork()? else {
            let ended = self.start_in_namespace(sandbox, &signals);
            exit(ended.unwrap_or_else(|error| report(&error)))
        };
        loop {
            match waitpid(Some(first), WaitOptions::NOHANG)? {
                Some((_, status)) => {
                    return Ok(status.exit_status().unwrap_or(CANNOT_CONTAIN));
                }
                None => signals.forward(first),
            }
            std::thread::sleep(WATCH_INTERVAL);
        }
    }

    /// The first process of the namespace: enters the sandbox, starts the process, and ends with all others when that has
    /// ended.
    fn start_in_namespace(
        &self,
        sandbox: &ContainedSandbox,
        signals: &ForwardedSignals,
    ) -> io::Result<i32> {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        setsid()?;
        let here = std::env::current_dir()?;
        let places = SandboxPlaces {
            root: sandbox.root.path(),
            private: sandbox.private.iter().map(Bytes::path).collect(),
            max_processes: Some(sandbox.max_processes),
        };
        let entered = Sandbox::enter(&places, &sandbox.files, true);
        let is_usable = sandbox.files.partial && entered.has_file_view;
        if !entered.missing.is_empty() && !is_usable {
            return Err(missing(&entered.missing));
        }
        std::env::set_current_dir(here)?;
        let child = self.command().spawn()?;
        let id = Pid::from_raw(child.id().cast_signed()).ok_or(io::ErrorKind::NotFound)?;
        wait_forwarding(id, signals)
    }
}

/// Waits for a process as the first process of a namespace, which inherits the processes whose parents have ended.
fn wait_forwarding(child: Pid, signals: &ForwardedSignals) -> io::Result<i32> {
    loop {
        match wait(WaitOptions::NOHANG)? {
            Some((ended, status)) if ended == child => {
                let signal = || 128 + status.terminating_signal().unwrap_or_default();
                return Ok(status.exit_status().unwrap_or_else(signal));
            }
            Some(_) => {}
            None => {
                signals.forward(child);
                std::thread::sleep(WATCH_INTERVAL);
            }
        }
    }
}

/// The error about parts that the system cannot provide.
fn missing(parts: &[MissingPart]) -> io::Error {
    let names: Vec<&str> = parts.iter().map(|part| part.part.as_str()).collect();
    io::Error::other(format!("this system does not permit: {}", names.join(", ")))
}

/// Signals by which the process is asked to end.
struct ForwardedSignals([(Arc<AtomicBool>, Signal); 2]);

impl ForwardedSignals {
    fn new() -> io::Result<Self> {
        let flag = |number| -> io::Result<Arc<AtomicBool>> {
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(number, Arc::clone(&flag))?;
            Ok(flag)
        };
        Ok(Self([(flag(SIGINT)?, Signal::INT), (flag(SIGTERM)?, Signal::TERM)]))
    }

    fn forward(&self, to: Pid) {
        for (flag, signal) in &self.0 {
            if flag.swap(false, Ordering::Relaxed) && to != getpid() {
                let _ = kill_process(to, *signal);
            }
        }
    }
}
