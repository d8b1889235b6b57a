//! What wynot and the processes that watch its tests say to each other.

use crate::limits::Limits;
use crate::spec::CrashDetection;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use wynot_crash::Crash;
use wynot_session::{Ending, JobId, Observation, Output};

/// A path or argument, which need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bytes(Vec<u8>);

impl Bytes {
    pub(crate) fn os(&self) -> OsString {
        OsString::from_vec(self.0.clone())
    }

    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(self.os())
    }

    /// `NAME=value` as its two parts.
    pub(crate) fn pair(&self) -> (OsString, OsString) {
        let at = self.0.iter().position(|&byte| byte == b'=').unwrap_or(self.0.len());
        let value = self.0.get(at + 1..).unwrap_or_default();
        (OsString::from_vec(self.0[..at].to_vec()), OsString::from_vec(value.to_vec()))
    }
}

impl From<&Path> for Bytes {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl From<&Vec<u8>> for Bytes {
    fn from(bytes: &Vec<u8>) -> Self {
        Self(bytes.clone())
    }
}

impl From<OsString> for Bytes {
    fn from(text: OsString) -> Self {
        Self(text.into_vec())
    }
}

/// What a supervisor is told once.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Setup {
    /// The private directories, used in turn: the next variant is written while a test runs.
    pub test_dirs: Vec<TestDirSetup>,
    /// The tests' TMPDIR, emptied after each test.
    pub temp: Bytes,
    /// The directory of which each room is kept a faithful copy.
    pub project: Option<Bytes>,
    /// A shell command that builds in a room before each test.
    pub build: Option<Bytes>,
    /// Whether rooms are left to whoever writes the variants, instead of being emptied.
    pub left_alone: bool,
    /// Whether tests run without network and with everything else read-only.
    pub sandbox: bool,
    pub limits: Limits,
    /// How crashes are told apart, if they are.
    pub crashes: Option<CrashDetection>,
}

/// A private directory, emptied or restored after each test.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TestDirSetup {
    pub path: Bytes,
    pub program: Bytes,
    /// What is run if that is not there.
    pub fallback: Option<Bytes>,
    pub args: Vec<Bytes>,
    /// Where the test runs.
    pub cwd: Bytes,
    /// What standard input reads from; nothing if absent.
    pub stdin: Option<Bytes>,
}

/// What a supervisor is asked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// To be run when the tests asked for before have ended.
    Run(Run),
    Cancel(JobId),
}

/// A test to run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub job: JobId,
    /// Which room holds the variant.
    pub test_dir: u8,
    pub timeout: Duration,
    /// What varies in the call itself, if anything does.
    pub call: Option<Call>,
}

/// What varies in the call of a test.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Call {
    /// Words that take the place of the marker among the arguments.
    Words(Vec<Bytes>),
    /// The whole environment, as `NAME=value`.
    Environment(Vec<Bytes>),
}

/// What a test has changed or removed of what was there when its build had ended, below its room.
pub(crate) type Disturbed = Vec<Bytes>;

/// What a supervisor answers.
#[derive(Debug)]
pub(crate) enum Reply {
    /// The rooms are prepared; variants may be written.
    Ready,
    Observed {
        job: JobId,
        observation: Observation,
        own_cpu: Duration,
        disturbed: Disturbed,
    },
    Cancelled {
        job: JobId,
        disturbed: Disturbed,
    },
    CannotStart {
        errno: i32,
    },
    Scratch {
        action: u8,
        errno: i32,
    },
    /// The system does not let processes be traced.
    CannotTrace {
        errno: i32,
    },
    Immortal,
}

/// Sends one frame: its length, then its bytes.
pub(crate) fn send(mut to: impl Write, payload: &[u8]) -> io::Result<()> {
    let mut frame = Vec::with_capacity(4 + payload.len());
    frame.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    frame.extend_from_slice(payload);
    to.write_all(&frame)
}

/// Receives one frame; `None` if the other side has gone.
pub(crate) fn receive(mut from: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if gone(&error) => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut payload = vec![0; u32::from_le_bytes(length) as usize];
    match from.read_exact(&mut payload) {
        Ok(()) => Ok(Some(payload)),
        Err(error) if gone(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether an error means that the other side has gone.
pub(crate) fn gone(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), UnexpectedEof | ConnectionReset | BrokenPipe)
}

impl Request {
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Cancel(job) => {
                let mut bytes = vec![b'c'];
                bytes.extend_from_slice(&job.0.to_le_bytes());
                bytes
            }
            Self::Run(run) => {
                let mut bytes = vec![b'r', run.test_dir];
                bytes.extend_from_slice(&run.job.0.to_le_bytes());
                put_duration(&mut bytes, run.timeout);
                if let Some(call) = &run.call {
                    // Lists of byte strings can always be written.
                    bytes.extend(serde_json::to_vec(call).unwrap_or_default());
                }
                bytes
            }
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> io::Result<Self> {
        let mut fields = Fields(bytes);
        match fields.byte()? {
            b'c' => Ok(Self::Cancel(JobId(fields.u64()?))),
            b'r' => Ok(Self::Run(Run {
                test_dir: fields.byte()?,
                job: JobId(fields.u64()?),
                timeout: Duration::from_micros(fields.u64()?),
                call: match fields.0 {
                    [] => None,
                    call => Some(serde_json::from_slice(call)?),
                },
            })),
            _ => Err(malformed()),
        }
    }
}

impl Reply {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Self::Observed { job, observation, own_cpu, disturbed } => {
                bytes.push(b'o');
                bytes.extend_from_slice(&job.0.to_le_bytes());
                put_duration(&mut bytes, *own_cpu);
                put_duration(&mut bytes, observation.elapsed);
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
                put_rare(&mut bytes, observation.crash.as_ref(), disturbed);
            }
            Self::Cancelled { job, disturbed } => {
                bytes.push(b'c');
                bytes.extend_from_slice(&job.0.to_le_bytes());
                put_rare(&mut bytes, None, disturbed);
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
            Self::Ready => bytes.push(b'y'),
        }
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> io::Result<Self> {
        let mut fields = Fields(bytes);
        Ok(match fields.byte()? {
            b'o' => {
                let job = JobId(fields.u64()?);
                let own_cpu = Duration::from_micros(fields.u64()?);
                let elapsed = Duration::from_micros(fields.u64()?);
                let ending = match (fields.byte()?, fields.i32()?) {
                    (b'e', code) => Ending::Exit(code),
                    (b's', number) => Ending::Signal(number),
                    (b'n', _) => Ending::NotReached,
                    _ => Ending::Timeout,
                };
                let stdout = fields.output()?;
                let stderr = fields.output()?;
                let (crash, disturbed) = fields.rare()?;
                let observation = Observation { ending, stdout, stderr, elapsed, crash };
                Self::Observed { job, observation, own_cpu, disturbed }
            }
            b'c' => Self::Cancelled { job: JobId(fields.u64()?), disturbed: fields.rare()?.1 },
            b'n' => Self::CannotStart { errno: fields.i32()? },
            b'd' => Self::Scratch { action: fields.byte()?, errno: fields.i32()? },
            b'p' => Self::CannotTrace { errno: fields.i32()? },
            b'i' => Self::Immortal,
            b'y' => Self::Ready,
            _ => return Err(malformed()),
        })
    }
}

fn put_duration(bytes: &mut Vec<u8>, duration: Duration) {
    bytes.extend_from_slice(&(duration.as_micros() as u64).to_le_bytes());
}

/// Adds what is rare, and small: nothing but names.
fn put_rare(bytes: &mut Vec<u8>, crash: Option<&Crash>, disturbed: &Disturbed) {
    if crash.is_some() || !disturbed.is_empty() {
        bytes.extend(serde_json::to_vec(&(crash, disturbed)).unwrap_or_default());
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "malformed message")
}

/// Reads the fields of a message from the front.
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

    /// What is rare, at the end of a message.
    fn rare(&mut self) -> io::Result<(Option<Crash>, Disturbed)> {
        match self.0 {
            [] => Ok((None, Vec::new())),
            rare => Ok(serde_json::from_slice(rare)?),
        }
    }

    fn output(&mut self) -> io::Result<Output> {
        let total = self.u64()?;
        let length = self.u64()? as usize;
        Ok(Output { kept: self.take(length)?.to_vec(), total })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_the_wire() {
        let timeout = Duration::from_millis(1500);
        let words = [b"-O2".to_vec(), b"\xff \0".to_vec()];
        for call in [None, Some(Call::Words(words.iter().map(Bytes::from).collect()))] {
            let request = Request::Run(Run { job: JobId(7), test_dir: 1, timeout, call });
            assert_eq!(Request::decode(&request.encode()).unwrap(), request);
        }
        let observation = Observation {
            ending: Ending::Signal(11),
            stdout: Output { kept: b"a\xff".to_vec(), total: 99 },
            stderr: Output::default(),
            elapsed: Duration::from_micros(77),
            crash: Some(Crash::reported("panic", vec!["main".to_owned()])),
        };
        let own_cpu = Duration::from_micros(5);
        let disturbed = vec![Bytes::from(Path::new("a b"))];
        let reply =
            Reply::Observed { job: JobId(7), observation: observation.clone(), own_cpu, disturbed };
        match Reply::decode(&reply.encode()).unwrap() {
            Reply::Observed { job: JobId(7), observation: received, disturbed, .. } => {
                assert_eq!(received, observation);
                assert_eq!(disturbed[0].path(), Path::new("a b"));
            }
            other => panic!("{other:?}"),
        }
        assert!(Reply::decode(b"o12").is_err(), "a short message is refused");
    }
}
