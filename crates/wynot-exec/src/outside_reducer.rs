//! Programs of the user that propose smaller texts, in the protocol of Shrink Ray's `--reduce-with`.
//!
//! Messages are JSON objects, one per line, on the standard input and output of the program; texts are in base64. The
//! program gets `{"content": TEXT, "interesting": true}` with a text to work on, answers with `{"content": TEXT}` for each
//! text that it wants tested, and gets each of these back with its outcome. With `{"idle": true}`, or its end, it says that
//! it has nothing more to propose for the text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use wynot_process::death_signal::kill_with_parent;

/// The time after which a program that says nothing is ended.
pub const MAX_SILENCE: Duration = Duration::from_secs(60);

/// The time that a program has to end by itself when its standard input is closed.
const MAX_TIME_TO_END: Duration = Duration::from_millis(200);

/// The interval at which requests to stop are noticed.
const STOP_INTERVAL: Duration = Duration::from_millis(100);

/// The number of bytes that a line may have besides the text in it.
const MAX_LINE_OVERHEAD_BYTES: usize = 4096;

/// The number of times that a program which ends without a proposal is started again.
const MAX_LAUNCHES_IN_VAIN: u32 = 2;

/// What a program says about a text.
#[derive(Debug, PartialEq, Eq)]
pub enum ReducerAnswer {
    /// It proposes another text.
    Proposal(Vec<u8>),
    /// It has nothing more to propose.
    Nothing,
    /// It cannot be used any more, for this reason.
    Unusable(String),
}

/// A program of the user that proposes smaller texts.
#[derive(Debug)]
pub struct OutsideReducer {
    command: Vec<OsString>,
    directory: PathBuf,
    /// The file that gets what it prints on standard error.
    log: PathBuf,
    jobs: usize,
    max_silence: Duration,
    process: Option<ReducerProcess>,
    /// How often it was started since it has proposed something.
    launches_in_vain: u32,
}

/// A message to the program.
#[derive(Serialize)]
struct Feedback {
    content: String,
    interesting: bool,
}

/// A message from the program.
#[derive(Deserialize)]
struct ReducerMessage {
    content: Option<String>,
    #[serde(default)]
    idle: bool,
}

impl OutsideReducer {
    /// A program that is started in a directory when it is needed, beside this many tests that run at the same time.
    pub fn new(command: Vec<OsString>, directory: &Path, log: PathBuf, jobs: usize) -> Self {
        Self {
            command,
            directory: directory.to_owned(),
            log,
            jobs,
            max_silence: MAX_SILENCE,
            process: None,
            launches_in_vain: 0,
        }
    }

    /// The same with another time after which silence ends it.
    #[must_use]
    pub fn with_max_silence(mut self, max_silence: Duration) -> Self {
        self.max_silence = max_silence;
        self
    }

    /// Says that a text, which the program has proposed or not, is interesting or not.
    pub fn inform(&mut self, text: &[u8], interesting: bool) {
        let message = Feedback { content: STANDARD.encode(text), interesting };
        if let Some(process) = &mut self.process {
            process.unsent.extend(serde_json::to_vec(&message).unwrap_or_default());
            process.unsent.push(b'\n');
        }
    }

    /// Whether the program runs, and so remembers what it was told.
    pub fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// Starts the program, if it does not run.
    pub fn start(&mut self) -> Result<(), String> {
        if self.process.is_none() {
            if self.launches_in_vain >= MAX_LAUNCHES_IN_VAIN {
                return Err(format!(
                    "it has ended {MAX_LAUNCHES_IN_VAIN} times without a proposal"
                ));
            }
            self.launches_in_vain += 1;
            let started =
                ReducerProcess::start(&self.command, &self.directory, &self.log, self.jobs);
            self.process = Some(started.map_err(|error| format!("it cannot be started: {error}"))?);
        }
        Ok(())
    }

    /// The next message of the program, which works on a text with `size` bytes. It is ended when `is_stopped` asks for an
    /// end, and when it says nothing for too long.
    pub fn next(&mut self, size: usize, is_stopped: &dyn Fn() -> bool) -> ReducerAnswer {
        let Some(process) = &mut self.process else { return ReducerAnswer::Nothing };
        let max_line = size.saturating_mul(4) / 3 + MAX_LINE_OVERHEAD_BYTES;
        match process.read_line(max_line, self.max_silence, is_stopped) {
            Ok(Some(line)) => match message(&line) {
                Some(ReducerAnswer::Proposal(text)) => {
                    self.launches_in_vain = 0;
                    ReducerAnswer::Proposal(text)
                }
                Some(answer) => answer,
                None => {
                    let line = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
                    self.end_as(format!("it has printed {line:?}, which is no message"))
                }
            },
            Ok(None) => {
                let (status, said) = self.end();
                match status.filter(|status| !status.success()) {
                    Some(status) => {
                        ReducerAnswer::Unusable(format!("it has ended with {status}{said}"))
                    }
                    None => ReducerAnswer::Nothing,
                }
            }
            Err(reason) => self.end_as(reason),
        }
    }

    fn end_as(&mut self, reason: String) -> ReducerAnswer {
        let (_, said) = self.end();
        ReducerAnswer::Unusable(format!("{reason}{said}"))
    }

    /// Ends the program. Returns how it has ended, and its last line on standard error.
    fn end(&mut self) -> (Option<std::process::ExitStatus>, String) {
        let status = self.process.take().and_then(ReducerProcess::end);
        let printed = std::fs::read(&self.log).unwrap_or_default();
        let printed = String::from_utf8_lossy(&printed).into_owned();
        let last = printed.lines().rfind(|line| !line.trim().is_empty());
        (status, last.map(|line| format!(" ({})", line.trim())).unwrap_or_default())
    }
}

/// The meaning of a line; `None` if it is no message.
fn message(line: &[u8]) -> Option<ReducerAnswer> {
    let message: ReducerMessage = serde_json::from_slice(line).ok()?;
    match message.content {
        Some(content) => STANDARD.decode(content).ok().map(ReducerAnswer::Proposal),
        None => message.idle.then_some(ReducerAnswer::Nothing),
    }
}

impl Drop for OutsideReducer {
    fn drop(&mut self) {
        self.end();
    }
}

/// A started program.
#[derive(Debug)]
struct ReducerProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    unsent: Vec<u8>,
    received: Vec<u8>,
}

impl ReducerProcess {
    fn start(command: &[OsString], directory: &Path, log: &Path, jobs: usize) -> io::Result<Self> {
        let [program, args @ ..] = command else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it has no name"));
        };
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(directory)
            .env("SHRINKRAY_REDUCER_PARALLELISM", jobs.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(log)?)
            .process_group(0);
        kill_with_parent(&mut command);
        let mut child = command.spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let stdout = stdout.ok_or_else(|| io::Error::other("it has no standard output"))?;
        for fd in stdin.iter().map(AsFd::as_fd).chain([stdout.as_fd()]) {
            fcntl_setfl(fd, fcntl_getfl(fd)? | OFlags::NONBLOCK)?;
        }
        Ok(Self { child, stdin, stdout, unsent: Vec::new(), received: Vec::new() })
    }

    /// The next line; `None` at the end of the output.
    fn read_line(
        &mut self,
        max_line: usize,
        max_silence: Duration,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<u8>>, String> {
        let deadline = Instant::now() + max_silence;
        loop {
            if let Some(end) = self.received.iter().position(|&byte| byte == b'\n') {
                let mut line: Vec<u8> = self.received.drain(..=end).collect();
                line.pop();
                return Ok(Some(line));
            }
            if self.received.len() > max_line {
                return Err(format!("it has printed a line of more than {max_line} bytes"));
            }
            if is_stopped() {
                return Err("the search was stopped".to_owned());
            }
            if Instant::now() > deadline {
                return Err(format!("it has said nothing for {} s", max_silence.as_secs()));
            }
            let (can_write, can_read) = self.poll().map_err(|error| error.to_string())?;
            if can_write {
                self.write();
            }
            if can_read && self.read().map_err(|error| error.to_string())? == 0 {
                return Ok(None);
            }
        }
    }

    /// Waits until the program can be written to or read from.
    fn poll(&self) -> io::Result<(bool, bool)> {
        let timeout =
            Timespec::try_from(STOP_INTERVAL).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
        let stdout = PollFd::new(&self.stdout, PollFlags::IN);
        let mut fds = vec![stdout];
        if let Some(stdin) = self.stdin.as_ref().filter(|_| !self.unsent.is_empty()) {
            fds.push(PollFd::new(stdin, PollFlags::OUT));
        }
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready = |fd: Option<&PollFd<'_>>| fd.is_some_and(|fd| !fd.revents().is_empty());
        Ok((is_ready(fds.get(1)), is_ready(fds.first())))
    }

    /// Writes as much as the program takes. One that reads no more is noticed by its silence or its end.
    fn write(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        match stdin.write(&self.unsent) {
            Ok(written) => drop(self.unsent.drain(..written)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => {
                self.stdin = None;
                self.unsent.clear();
            }
        }
    }

    /// Reads what there is; 0 at the end.
    fn read(&mut self) -> io::Result<usize> {
        let mut buffer = [0; 64 << 10];
        match self.stdout.read(&mut buffer) {
            Ok(length) => {
                self.received.extend_from_slice(&buffer[..length]);
                Ok(length)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(1),
            Err(error) => Err(error),
        }
    }

    /// Ends the program and what it has started.
    fn end(mut self) -> Option<std::process::ExitStatus> {
        drop(self.stdin.take());
        let started = Instant::now();
        let mut ended = self.child.try_wait().ok().flatten();
        while ended.is_none() && started.elapsed() < MAX_TIME_TO_END {
            std::thread::sleep(Duration::from_millis(1));
            ended = self.child.try_wait().ok().flatten();
        }
        if let Some(group) = Pid::from_raw(self.child.id() as i32) {
            // An error means that there are no such processes any more.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let killed = self.child.wait().ok();
        ended.or(killed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reducer(script: &str) -> (OutsideReducer, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let command = ["sh", "-c", script].map(OsString::from).to_vec();
        let log = dir.path().join("log");
        (OutsideReducer::new(command, dir.path(), log, 1), dir)
    }

    fn first_answer(script: &str) -> ReducerAnswer {
        let (reducer, _dir) = reducer(script);
        let mut reducer = reducer.with_max_silence(Duration::from_secs(2));
        if let Err(reason) = reducer.start() {
            return ReducerAnswer::Unusable(reason);
        }
        reducer.inform(b"text", true);
        reducer.next(4, &|| false)
    }

    fn reason(answer: ReducerAnswer) -> String {
        match answer {
            ReducerAnswer::Unusable(reason) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_proposal_is_read_and_idleness_is_understood() {
        let answer = first_answer(r#"read line; echo '{"content": "dGU="}'; sleep 9"#);
        assert_eq!(answer, ReducerAnswer::Proposal(b"te".to_vec()));
        assert_eq!(first_answer(r#"read line; echo '{"idle": true}'"#), ReducerAnswer::Nothing);
        assert_eq!(first_answer("exit 0"), ReducerAnswer::Nothing);
    }

    #[test]
    fn hostile_programs_are_ended_with_a_reason() {
        assert!(
            reason(first_answer("echo trouble >&2; exit 3")).contains("exit status: 3 (trouble)")
        );
        assert!(reason(first_answer("echo hello")).contains("is no message"));
        assert!(reason(first_answer(r#"echo '{"content": "%%%"}'"#)).contains("is no message"));
        assert!(reason(first_answer("sleep 60")).contains("said nothing for 2 s"));
        let endless = reason(first_answer("tr '\\0' x < /dev/zero | head -c 1000000000"));
        assert!(endless.contains("a line of more than"), "{endless}");
    }

    #[test]
    fn a_program_that_ends_without_proposals_is_not_started_forever() {
        let (mut reducer, _dir) = reducer("exit 0");
        for _ in 0..MAX_LAUNCHES_IN_VAIN {
            reducer.start().unwrap();
            assert_eq!(reducer.next(4, &|| false), ReducerAnswer::Nothing);
        }
        assert!(reducer.start().unwrap_err().contains("without a proposal"));
        let (mut missing, _dir) = reducer_named("/no/such/program");
        assert!(missing.start().unwrap_err().contains("cannot be started"));
    }

    fn reducer_named(program: &str) -> (OutsideReducer, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        (OutsideReducer::new(vec![program.into()], dir.path(), log, 1), dir)
    }
}
