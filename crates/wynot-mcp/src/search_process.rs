//! The process of a search: its start, its output and its end.

use crate::search_state::{Ending, SearchState};
use crate::tool_call::SearchCall;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::Child;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use wynot_process::death_signal::kill_with_parent;

/// The program that runs searches.
#[derive(Clone, Debug)]
pub struct SearchProgram {
    /// The path of wynot.
    pub path: PathBuf,
    /// The variables in which its environment differs from that of this process; `None` removes one.
    pub environment: Vec<(&'static str, Option<String>)>,
}

/// How long a search may take to end with its best so far.
const GRACE: Duration = Duration::from_secs(10);

/// How long the output may stay open after the end of the process, by processes that it has left.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);

/// How much of standard error is kept.
const MAX_ERROR_BYTES: usize = 8 << 10;

/// Runs a search to its end; events go to `state`. When `stop` becomes true, the search is asked to end.
pub async fn run_search(
    program: &SearchProgram,
    call: &SearchCall,
    state: &watch::Sender<SearchState>,
    stop: &mut watch::Receiver<bool>,
) -> Ending {
    let mut child = match start(program, call) {
        Ok(child) => child,
        Err(error) => {
            let process = format!("cannot start {}: {error}", program.path.display());
            return Ending { process, ..Ending::default() };
        }
    };
    let mut output = ProcessOutput::default();
    let is_cancelled = read_to_end(&mut child, &mut output, call, state, stop).await;
    let process = match child.wait().await {
        Ok(status) => in_words(status),
        Err(error) => format!("cannot wait for the search: {error}"),
    };
    let errors = String::from_utf8_lossy(&output.errors).into_owned();
    Ending { object: output.object, errors, process, is_cancelled }
}

fn start(program: &SearchProgram, call: &SearchCall) -> io::Result<Child> {
    let mut command = Command::new(&program.path);
    command
        .args(&call.command_line)
        .current_dir(&call.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (name, value) in &program.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // The thread that starts it is that of the whole server.
    kill_with_parent(&mut command);
    tokio::process::Command::from(command).kill_on_drop(true).spawn()
}

/// What a process has printed.
#[derive(Default)]
struct ProcessOutput {
    object: Option<Value>,
    errors: Vec<u8>,
}

/// Reads until the process ends and its output is closed; whether it was asked to end.
async fn read_to_end(
    child: &mut Child,
    output: &mut ProcessOutput,
    call: &SearchCall,
    state: &watch::Sender<SearchState>,
    stop: &mut watch::Receiver<bool>,
) -> bool {
    let (Some(stdout), Some(mut stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return false;
    };
    let mut stdout = BufReader::new(stdout);
    let (mut line, mut errors) = (Vec::new(), [0; 4096]);
    let (mut has_stdout, mut has_stderr) = (true, true);
    let (mut deadline, mut drain_end) = (None, None);
    while has_stdout || has_stderr {
        tokio::select! {
            // What was read of a line stays in it if something else happens first.
            read = stdout.read_until(b'\n', &mut line), if has_stdout => {
                has_stdout = matches!(read, Ok(1..));
                output.take_line(&line, call, state);
                line.clear();
            }
            read = stderr.read(&mut errors), if has_stderr => match read {
                Ok(count @ 1..) => output.take_errors(&errors[..count]),
                _ => has_stderr = false,
            },
            _ = child.wait(), if drain_end.is_none() => {
                drain_end = Some(Instant::now() + DRAIN_LIMIT);
            }
            () = sleep_until(drain_end.unwrap_or_else(Instant::now)), if drain_end.is_some() => break,
            _ = stop.wait_for(|is_stopped| *is_stopped), if deadline.is_none() => {
                // Not SIGINT, which is ignored by whatever a shell starts in the background. The effect is the same.
                signal(child, Signal::TERM);
                deadline = Some(Instant::now() + GRACE);
            }
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                signal(child, Signal::KILL);
                return true;
            }
        }
    }
    deadline.is_some()
}

/// Sends a signal. The process has not been waited for, so that its id is its own.
fn signal(child: &Child, signal: Signal) {
    let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    if let Some(id) = id {
        // An error means that it has ended.
        let _ = kill_process(id, signal);
    }
}

impl ProcessOutput {
    /// Takes a line of standard output: an event or the object at the end. Other lines mean nothing here.
    fn take_line(&mut self, line: &[u8], call: &SearchCall, state: &watch::Sender<SearchState>) {
        match serde_json::from_slice::<Value>(line) {
            Ok(value) if value.get("event").is_some() => {
                state.send_modify(|state| state.on_event(&value, &call.directory));
            }
            Ok(value) if value.get("schema").is_some() => self.object = Some(value),
            _ => {}
        }
    }

    /// Takes a piece of standard error, of which the end is kept.
    fn take_errors(&mut self, bytes: &[u8]) {
        self.errors.extend_from_slice(bytes);
        let excess = self.errors.len().saturating_sub(MAX_ERROR_BYTES);
        self.errors.drain(..excess);
    }
}

fn in_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("the search ended with exit code {code}"),
        (None, Some(signal)) => format!("the search was killed by signal {signal}"),
        (None, None) => "the search ended".to_owned(),
    }
}
