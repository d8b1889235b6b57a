//! The process of a job, from its start to its end.

use super::contained_job::{clone_bundle, contained, launcher};
use super::control_groups::JobGroups;
use super::failure_identity::failure_identity;
use super::job_command::job_command;
use super::job_context::JobContext;
use super::live_jobs::LiveJob;
use crate::store::job_files::{create_plain, open_plain, read_plain};
use crate::store::{JobDirectory, JobEnd, JobState, ServedJob, StoreError, TestEnvironment};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The time between two looks at a process and its events.
const WATCH_INTERVAL: Duration = Duration::from_millis(50);

/// The time between two looks at the size of a job's files, and at whether it was cancelled.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// How long a process may take to end by itself after it was asked to.
const MAX_END_TIME: Duration = Duration::from_secs(15);

/// The most bytes of events that are read at once.
const MAX_READ_BYTES: u64 = 4 << 20;

/// The most bytes of a result object.
const MAX_RESULT_BYTES: u64 = 64 << 20;

/// The most bytes of messages that are read.
const MAX_MESSAGE_BYTES: u64 = 1 << 20;

/// Why a process was asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndReason {
    Cancelled,
    ServerStops,
    TimeLimit,
    DiskLimit,
}

/// How a job ended; `None` if it has to wait again because the server stops.
pub type Ended = Option<(JobState, JobEnd)>;

/// Runs a job to its end.
pub fn run_job(context: &JobContext, job: &ServedJob, live: &LiveJob) -> Result<Ended, StoreError> {
    let directory = context.data.job(&job.code);
    let environment = match &job.submission.environment {
        Some(name) => {
            context.store.environment(name, job.environment_version)?.map(|found| found.0)
        }
        None => None,
    };
    live.start(job.attempts);
    match JobRun::start(context, job, environment.as_ref(), &directory) {
        Ok(run) => Ok(run.wait(live)?),
        Err(message) => {
            Ok(Some((JobState::Failed, JobEnd { message: Some(message), ..JobEnd::default() })))
        }
    }
}

/// A running process.
struct JobRun<'a> {
    context: &'a JobContext,
    job: &'a ServedJob,
    directory: &'a JobDirectory,
    child: Child,
    groups: JobGroups,
    started: Instant,
    /// Why and when the process was asked to end.
    asked: Option<(EndReason, Instant)>,
    /// The number of bytes of the events that were read.
    read: u64,
}

impl<'a> JobRun<'a> {
    /// Starts the process. An error is a message for people.
    fn start(
        context: &'a JobContext,
        job: &'a ServedJob,
        environment: Option<&TestEnvironment>,
        directory: &'a JobDirectory,
    ) -> Result<Self, String> {
        let data = context.data.path();
        let command = job_command(job, environment, directory, data, &context.config)
            .map_err(|error| error.to_string())?;
        let groups = context
            .groups
            .for_job(job.code.as_str(), &context.config.limits)
            .map_err(|error| format!("the limits of the job cannot be set: {error}"))?;
        if let Some((bundle, repository)) = &command.bundle
            && !repository.exists()
        {
            clone_bundle(context, directory, &groups, bundle, repository)?;
        }
        let result = create(&directory.result(job.attempts))?;
        let messages = create(&directory.messages(job.attempts))?;
        let contained = contained(context, directory, &groups, &command)
            .map_err(|error| format!("the job cannot be contained: {error}"))?;
        let child = launcher(context, &contained, directory, &command.directory)
            .stdout(result)
            .stderr(messages)
            .spawn()
            .map_err(|error| format!("the process of the job cannot be started: {error}"))?;
        let started = Instant::now();
        Ok(Self { context, job, directory, child, groups, started, asked: None, read: 0 })
    }

    /// Waits for the end of the process, and ends it when it must not go on.
    fn wait(mut self, live: &LiveJob) -> Result<Ended, StoreError> {
        let status = match self.watch(live) {
            Ok(status) => status,
            Err(error) => {
                // Nothing may run that the server does not know about.
                let _ = self.child.kill();
                let _ = self.child.wait();
                self.groups.end()?;
                return Err(error);
            }
        };
        let has_run_out_of_memory = self.groups.has_run_out_of_memory();
        let (job, reason) = (self.job, self.asked.map(|(reason, _)| reason));
        let end = self.end(status, has_run_out_of_memory);
        self.groups.end()?;
        Ok(match reason {
            Some(EndReason::ServerStops) => None,
            Some(EndReason::Cancelled) => Some((JobState::Cancelled, end)),
            _ => Some((if has_result(&end, job) { JobState::Done } else { JobState::Failed }, end)),
        })
    }

    /// Follows the process to its end.
    fn watch(&mut self, live: &LiveJob) -> Result<ExitStatus, StoreError> {
        let mut next_check = Instant::now() + CHECK_INTERVAL;
        loop {
            let ended = self.child.try_wait()?;
            self.read_events(live)?;
            if let Some(status) = ended {
                return Ok(status);
            }
            if Instant::now() >= next_check {
                let started = Instant::now();
                if let Some(reason) = self.reason_to_end()? {
                    self.ask_to_end(reason);
                }
                // Looking at many files takes long, and must not take all the time.
                next_check = Instant::now() + CHECK_INTERVAL.max(started.elapsed() * 20);
            }
            if self.asked.is_some_and(|(_, at)| at.elapsed() > MAX_END_TIME) {
                self.child.kill()?;
            }
            std::thread::sleep(WATCH_INTERVAL);
        }
    }

    fn reason_to_end(&self) -> Result<Option<EndReason>, StoreError> {
        let config = &self.context.config;
        if self.context.is_stopping.load(Ordering::Relaxed) {
            return Ok(Some(EndReason::ServerStops));
        }
        let job = self.context.store.job(&self.job.code)?;
        Ok(if job.is_none_or(|job| job.is_cancelled) {
            Some(EndReason::Cancelled)
        } else if self.started.elapsed() > config.limits.time {
            Some(EndReason::TimeLimit)
        } else if size_of(self.directory.path()) > config.limits.disk {
            Some(EndReason::DiskLimit)
        } else {
            None
        })
    }

    /// Asks the process to end, so that it leaves the best so far. One that fills the disk is killed.
    fn ask_to_end(&mut self, reason: EndReason) {
        if self.asked.is_some() {
            return;
        }
        self.asked = Some((reason, Instant::now()));
        let signal = match reason {
            EndReason::DiskLimit => rustix::process::Signal::KILL,
            _ => rustix::process::Signal::INT,
        };
        if let Some(id) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            // It may have ended by itself.
            let _ = rustix::process::kill_process(id, signal);
        }
    }

    /// Reads complete lines of new events.
    fn read_events(&mut self, live: &LiveJob) -> io::Result<()> {
        let lines = complete_lines(&self.directory.events(self.job.attempts), self.read)?;
        if !lines.is_empty() {
            self.read += lines.len() as u64;
            live.add(&lines);
        }
        Ok(())
    }

    fn end(&self, status: ExitStatus, has_run_out_of_memory: bool) -> JobEnd {
        let limits = &self.context.config.limits;
        let result = read_result(&self.directory.result(self.job.attempts), self.directory);
        let of_result = result.as_ref().and_then(|result| result["message"].as_str());
        let message = match self.asked.map(|(reason, _)| reason) {
            Some(EndReason::Cancelled) => Some("it was cancelled".to_owned()),
            Some(EndReason::ServerStops) => None,
            Some(EndReason::TimeLimit) => {
                Some(format!("it was stopped after {} s, the time limit", limits.time.as_secs()))
            }
            Some(EndReason::DiskLimit) => {
                Some(format!("its files had more than {} bytes, the limit", limits.disk))
            }
            None if of_result.is_some() => of_result.map(str::to_owned),
            None if has_run_out_of_memory && status.code() != Some(0) => {
                Some(format!("it needed more than {} bytes of memory, the limit", limits.memory))
            }
            None => match (status.code(), status.signal()) {
                (Some(0 | 3..=5 | 130), _) => None,
                (Some(_), _) => last_line(&self.directory.messages(self.job.attempts)),
                (None, signal) => {
                    Some(format!("its process was ended by signal {}", signal.unwrap_or_default()))
                }
            },
        };
        let failure =
            result.as_ref().and_then(|result| failure_identity(&self.job.submission, result));
        JobEnd { exit: status.code(), message, result, failure }
    }
}

/// Whether a job has found something, if not everything.
fn has_result(end: &JobEnd, job: &ServedJob) -> bool {
    let is_error =
        end.result.as_ref().is_none_or(|result| result["status"] == "error" || result.is_null());
    let is_usual = matches!(end.exit, Some(0 | 4 | 5 | 130));
    !is_error && is_usual && job.attempts > 0
}

/// The complete lines of a file from a place on, at most a few megabytes.
pub(crate) fn complete_lines(path: &Path, from: u64) -> io::Result<Vec<u8>> {
    let mut file = match open_plain(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    if file.metadata()?.len() <= from {
        return Ok(Vec::new());
    }
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(MAX_READ_BYTES).read_to_end(&mut bytes)?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    bytes.truncate(end);
    Ok(bytes)
}

/// The result object, in which the files of the job have the names that they have for people.
fn read_result(path: &Path, directory: &JobDirectory) -> Option<Value> {
    let text = read_plain(path, MAX_RESULT_BYTES).ok()?;
    let mut result = serde_json::from_slice(&text).ok()?;
    let prefixes = [directory.out(), directory.work()].map(|path| format!("{}/", path.display()));
    rename_files(&mut result, &prefixes);
    Some(result)
}

/// Removes the paths of this machine from all texts of a value.
fn rename_files(value: &mut Value, prefixes: &[String]) {
    match value {
        Value::String(text) => {
            for prefix in prefixes {
                if text.contains(prefix.as_str()) {
                    *text = text.replace(prefix, "");
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|one| rename_files(one, prefixes)),
        Value::Object(all) => all.values_mut().for_each(|one| rename_files(one, prefixes)),
        _ => {}
    }
}

/// The last line of the messages of a process.
fn last_line(path: &Path) -> Option<String> {
    let text = read_plain(path, MAX_MESSAGE_BYTES).ok()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let line = text.lines().rfind(|line| !line.trim().is_empty())?;
    Some(line.strip_prefix("wynot: ").unwrap_or(line).to_owned())
}

fn create(path: &Path) -> Result<File, String> {
    create_plain(path).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The size of all files of a tree.
fn size_of(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    let inside = match metadata.is_dir() {
        true => fs::read_dir(path)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| size_of(&entry.path()))
            .sum(),
        false => 0,
    };
    // What files use, which is less than their length if they have holes.
    inside + metadata.blocks() * 512
}
