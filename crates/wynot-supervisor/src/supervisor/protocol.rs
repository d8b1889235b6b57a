//! The protocol between the executor and its supervisor processes.

use super::setup::{Bytes, MissingPart};
use super::test_time::Overrun;
use crate::{Ending, JobId, Observation, Output, Timeout};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::time::Duration;
use wynot_crash::Crash;

/// A request to a supervisor.
#[derive(Debug, PartialEq, Eq)]
pub enum SupervisorRequest {
    /// Run a test after the tests that were requested before it.
    Run(Run),
    /// End a test early, or remove it from the queue.
    Cancel(JobId),
}

/// A test to run.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    /// The number that the reply refers to.
    pub job: JobId,
    /// The index of the private directory that contains the variant.
    pub test_dir: u8,
    /// The time limits.
    pub timeout: Timeout,
    /// Whether no other test runs beside this one.
    pub alone: bool,
    /// The variant, if it is part of the call.
    pub call: Option<Call>,
}

/// The call of a test whose variant is part of the call. It takes the place of the command of the private directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The program.
    pub program: Bytes,
    /// The program to run if `program` does not exist.
    pub fallback: Option<Bytes>,
    /// The arguments.
    pub args: Vec<Bytes>,
    /// The shell command that builds before the test.
    pub build: Option<Bytes>,
    /// The environment.
    pub environment: Environment,
}

/// The environment of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Environment {
    /// That of the supervisor, with these variables, as `NAME=value`, also for the build.
    With(Vec<Bytes>),
    /// These variables and no others.
    Only(Vec<Bytes>),
}

/// The paths in the private directory that a test has changed or removed since the end of its build.
pub type ChangedPaths = Vec<Bytes>;

/// A reply of a supervisor.
#[derive(Debug)]
pub enum SupervisorReply {
    /// The private directories are prepared; variants may be written. These parts of the sandbox are missing.
    Ready {
        /// The parts of the sandbox that are missing.
        missing: Vec<MissingPart>,
    },
    /// A test has ended.
    Observed {
        /// The number of the test.
        job: JobId,
        /// What the test has shown.
        observation: Box<Observation>,
        /// Whether the test exceeded its time limit.
        overrun: Overrun,
        /// The processor time that the supervisor itself has used so far.
        own_cpu: Duration,
        /// The paths that the test has changed.
        changed: ChangedPaths,
    },
    /// A test was cancelled.
    Cancelled {
        /// The number of the test.
        job: JobId,
        /// The paths that the test has changed.
        changed: ChangedPaths,
    },
    /// The test program cannot be started.
    CannotStart {
        /// The error number of the system.
        errno: i32,
    },
    /// An action on the private directories failed.
    Scratch {
        /// The action: [`COPY`](super::COPY) or cleaning.
        action: u8,
        /// The error number of the system.
        errno: i32,
    },
    /// The system does not permit tracing.
    CannotTrace {
        /// The error number of the system.
        errno: i32,
    },
    /// A process of a test cannot be killed.
    Immortal,
    /// The system does not permit a process namespace.
    CannotIsolate {
        /// The error number of the system.
        errno: i32,
    },
    /// The system cannot provide these parts of the sandbox.
    Missing(Vec<MissingPart>),
}

/// Sends one frame: its length, then its bytes.
pub fn send(mut to: impl Write, payload: &[u8]) -> io::Result<()> {
    let mut frame = Vec::with_capacity(4 + payload.len());
    frame.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    frame.extend_from_slice(payload);
    to.write_all(&frame)
}

/// The length of the longest frame: captured output and a backtrace take much less.
const MAX_FRAME_BYTES: u32 = 64 << 20;

/// Receives one frame; `None` if the other process has closed the connection.
pub fn receive(mut from: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if is_disconnect(&error) => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_FRAME_BYTES {
        return Err(malformed());
    }
    let mut payload = vec![0; length as usize];
    match from.read_exact(&mut payload) {
        Ok(()) => Ok(Some(payload)),
        Err(error) if is_disconnect(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether an error means that the other process has closed the connection.
pub fn is_disconnect(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), UnexpectedEof | ConnectionReset | BrokenPipe)
}

impl SupervisorRequest {
    /// The message as bytes.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Cancel(job) => {
                let mut bytes = vec![b'c'];
                bytes.extend_from_slice(&job.0.to_le_bytes());
                bytes
            }
            Self::Run(run) => {
                let mut bytes = vec![b'r', run.test_dir, u8::from(run.alone)];
                bytes.extend_from_slice(&run.job.0.to_le_bytes());
                put_duration(&mut bytes, run.timeout.whole);
                put_duration(&mut bytes, run.timeout.after_build);
                if let Some(call) = &run.call {
                    // Lists of byte strings can always be serialized.
                    bytes.extend(serde_json::to_vec(call).unwrap_or_default());
                }
                bytes
            }
        }
    }

    /// The message that some bytes stand for.
    pub fn decode(bytes: &[u8]) -> io::Result<Self> {
        let mut fields = Fields(bytes);
        match fields.byte()? {
            b'c' => Ok(Self::Cancel(JobId(fields.u64()?))),
            b'r' => Ok(Self::Run(Run {
                test_dir: fields.byte()?,
                alone: fields.byte()? != 0,
                job: JobId(fields.u64()?),
                timeout: Timeout {
                    whole: Duration::from_micros(fields.u64()?),
                    after_build: Duration::from_micros(fields.u64()?),
                },
                call: match fields.0 {
                    [] => None,
                    call => Some(serde_json::from_slice(call)?),
                },
            })),
            _ => Err(malformed()),
        }
    }
}

impl SupervisorReply {
    /// The message as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Self::Observed { job, observation, overrun, own_cpu, changed } => {
                bytes.push(b'o');
                bytes.extend_from_slice(&job.0.to_le_bytes());
                let Observation { elapsed, cpu, waited, build, .. } = &**observation;
                for duration in [own_cpu, elapsed, cpu, waited, build] {
                    put_duration(&mut bytes, *duration);
                }
                bytes.extend_from_slice(&observation.memory.to_le_bytes());
                bytes.push(overrun.code());
                let (kind, value) = match observation.ending {
                    Ending::Exit(code) => (b'e', code),
                    Ending::Signal(number) => (b's', number),
                    Ending::Timeout => (b't', 0),
                    Ending::NotReached => (b'n', 0),
                };
                bytes.push(kind);
                bytes.extend_from_slice(&value.to_le_bytes());
                for output in [&observation.stdout, &observation.stderr] {
                    bytes.extend_from_slice(&output.total.to_le_bytes());
                    bytes.extend_from_slice(&(output.kept.len() as u64).to_le_bytes());
                    bytes.extend_from_slice(&output.kept);
                }
                put_details(&mut bytes, observation.crash.as_ref(), changed);
            }
            Self::Cancelled { job, changed } => {
                bytes.push(b'c');
                bytes.extend_from_slice(&job.0.to_le_bytes());
                put_details(&mut bytes, None, changed);
            }
            Self::CannotStart { errno } => {
                bytes.push(b'n');
                bytes.extend_from_slice(&errno.to_le_bytes());
            }
            Self::Scratch { action, errno } => {
                bytes.extend_from_slice(&[b'd', *action]);
                bytes.extend_from_slice(&errno.to_le_bytes());
            }
            Self::CannotTrace { errno } => {
                bytes.push(b'p');
                bytes.extend_from_slice(&errno.to_le_bytes());
            }
            Self::Immortal => bytes.push(b'i'),
            Self::CannotIsolate { errno } => {
                bytes.push(b'u');
                bytes.extend_from_slice(&errno.to_le_bytes());
            }
            Self::Ready { missing } => put_json(&mut bytes, b'y', missing),
            Self::Missing(missing) => put_json(&mut bytes, b'm', missing),
        }
        bytes
    }

    /// The message that some bytes stand for.
    pub fn decode(bytes: &[u8]) -> io::Result<Self> {
        let mut fields = Fields(bytes);
        Ok(match fields.byte()? {
            b'o' => {
                let job = JobId(fields.u64()?);
                let own_cpu = Duration::from_micros(fields.u64()?);
                let [elapsed, cpu, waited, build] =
                    [fields.u64()?, fields.u64()?, fields.u64()?, fields.u64()?]
                        .map(Duration::from_micros);
                let memory = fields.u64()?;
                let overrun = Overrun::from_code(fields.byte()?).ok_or_else(malformed)?;
                let ending = match (fields.byte()?, fields.i32()?) {
                    (b'e', code) => Ending::Exit(code),
                    (b's', number) => Ending::Signal(number),
                    (b'n', _) => Ending::NotReached,
                    _ => Ending::Timeout,
                };
                let stdout = fields.output()?;
                let stderr = fields.output()?;
                let (crash, changed) = fields.details()?;
                let observation = Box::new(Observation {
                    ending,
                    stdout,
                    stderr,
                    elapsed,
                    cpu,
                    waited,
                    build,
                    memory,
                    crash,
                    read: None,
                });
                Self::Observed { job, observation, overrun, own_cpu, changed }
            }
            b'c' => Self::Cancelled { job: JobId(fields.u64()?), changed: fields.details()?.1 },
            b'n' => Self::CannotStart { errno: fields.i32()? },
            b'd' => Self::Scratch { action: fields.byte()?, errno: fields.i32()? },
            b'p' => Self::CannotTrace { errno: fields.i32()? },
            b'i' => Self::Immortal,
            b'u' => Self::CannotIsolate { errno: fields.i32()? },
            b'y' => Self::Ready { missing: serde_json::from_slice(fields.0)? },
            b'm' => Self::Missing(serde_json::from_slice(fields.0)?),
            _ => return Err(malformed()),
        })
    }
}

fn put_duration(bytes: &mut Vec<u8>, duration: Duration) {
    bytes.extend_from_slice(&(duration.as_micros() as u64).to_le_bytes());
}

/// Appends the crash and the changed paths as JSON, if there are any. They are rare, so their encoding need not be
/// fast.
fn put_details(bytes: &mut Vec<u8>, crash: Option<&Crash>, changed: &ChangedPaths) {
    if crash.is_some() || !changed.is_empty() {
        bytes.extend(serde_json::to_vec(&(crash, changed)).unwrap_or_default());
    }
}

/// Appends a kind of message and the parts of the sandbox that it lists.
fn put_json(bytes: &mut Vec<u8>, kind: u8, missing: &[MissingPart]) {
    bytes.push(kind);
    bytes.extend(serde_json::to_vec(missing).unwrap_or_default());
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "malformed message")
}

/// The rest of a message, whose fields are read from the front.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take(&mut self, count: usize) -> io::Result<&[u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn byte(&mut self) -> io::Result<u8> {
        self.array().map(|[byte]| byte)
    }

    fn i32(&mut self) -> io::Result<i32> {
        self.array().map(i32::from_le_bytes)
    }

    fn u64(&mut self) -> io::Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// The crash and the changed paths at the end of a message.
    fn details(&mut self) -> io::Result<(Option<Crash>, ChangedPaths)> {
        match self.0 {
            [] => Ok((None, Vec::new())),
            details => Ok(serde_json::from_slice(details)?),
        }
    }

    fn output(&mut self) -> io::Result<Output> {
        let total = self.u64()?;
        let length = self.u64()? as usize;
        Ok(Output { kept: self.take(length)?.to_vec(), total })
    }
}

#[cfg(test)]
#[path = "protocol_tests.rs"]
mod tests;
