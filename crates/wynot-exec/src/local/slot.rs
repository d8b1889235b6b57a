//! A slot: one supervisor process and the private directories of its tests.

use super::local_options::LocalOptions;
use super::sandbox_files::sandbox_setup;
use super::test_dir::{TestDir, variant_path};
use crate::command::{StandardInput, WorkDir, mentions_version};
use crate::scratch_directory::ScratchDirectory;
use crate::spec::{TestSpec, VariantForm};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use wynot_process::process_stat::ProcessStat;
use wynot_session::files::remove;
use wynot_session::{ExecutorError, plain};
use wynot_supervisor::supervisor::COPY;
use wynot_supervisor::supervisor::protocol::{
    SupervisorReply, SupervisorRequest, is_disconnect, receive, send,
};
use wynot_supervisor::supervisor::setup::{Bytes, Containment, MissingPart, Setup, TestDirSetup};

/// The time in which the rest of a frame must arrive. The supervisor sends each frame with one call, so the rest is only
/// missing if a test has forged the beginning.
const MAX_FRAME_TIME: Duration = Duration::from_secs(60);

/// The distance between the numbers of the first slots of two processes of wynot with consecutive ids.
const SLOTS_PER_PROCESS: u32 = 64;

/// A supervisor process that serves one test specification.
pub(crate) struct Slot {
    pub spec: Arc<TestSpec>,
    process: Child,
    pub socket: UnixStream,
    pub test_dirs: Vec<TestDir>,
    /// The TMPDIR of the tests.
    pub temp: PathBuf,
    /// The directory of the supervisor.
    root: PathBuf,
    /// The processor time that the supervisor itself has used.
    pub own_cpu: Duration,
}

impl Slot {
    /// Starts a supervisor, with private directories in `scratch`, which is made if needed.
    pub(crate) fn new(
        options: &LocalOptions,
        spec: &Arc<TestSpec>,
        scratch: &mut ScratchDirectory,
        index: usize,
        own_processes: bool,
        earlier: Option<&mut Self>,
    ) -> Result<Self, ExecutorError> {
        let sandbox = spec.isolation.sandbox.as_ref();
        let sandbox = sandbox.map(|sandbox| sandbox_setup(sandbox, spec)).transpose()?;
        let (ours, theirs) = UnixStream::pair().map_err(ExecutorError::Supervisor)?;
        let temp = scratch.path().join(format!("{index:03}-tmp"));
        // The guard is there before the directories that it removes.
        let process = supervisor_command(options, spec, &temp, theirs)
            .spawn()
            .map_err(ExecutorError::Supervisor)?;
        // Until now, there was the guard of the earlier slot, so there is one at every moment.
        if let Some(earlier) = earlier {
            earlier.end();
        }
        scratch.make()?;
        let create = |name: String| {
            let path = scratch.path().join(name);
            let failed =
                |source| ExecutorError::Scratch { action: "make", path: path.clone(), source };
            fs::create_dir(&path).map_err(failed)?;
            Ok(path)
        };
        // A second directory is useless with one slot, whose tests are strictly sequential, and expensive with a
        // project, which each directory copies. In a sandbox, a test must not see the next variant.
        let has_second = options.jobs > 1 && spec.project.is_none() && sandbox.is_none();
        let count = if has_second { 2 } else { 1 };
        // The names have equal lengths, so that the output of a test depends on its directory as little as possible.
        let paths = (0..count).map(|number| create(format!("{index:03}-{number}")));
        let paths = paths.collect::<Result<Vec<PathBuf>, ExecutorError>>()?;
        let temp = create(format!("{index:03}-tmp"))?;
        let root = create(format!("{index:03}-root"))?;
        let setup = Setup {
            test_dirs: paths.iter().map(|path| test_dir_setup(spec, path)).collect(),
            slot: std::process::id().wrapping_mul(SLOTS_PER_PROCESS).wrapping_add(index as u32),
            temp: temp.as_path().into(),
            project: spec.project.as_deref().map(Bytes::from),
            original: spec.project.as_deref().map(Bytes::from),
            build: spec.command.build.clone().map(Bytes::from),
            executor_cleans: spec.form == VariantForm::Folder,
            root: root.as_path().into(),
            containment: Containment { own_processes, sandbox },
            limits: spec.limits,
            crashes: spec.crashes,
        };
        let encoded = serde_json::to_vec(&setup).map_err(io::Error::from);
        encoded.and_then(|bytes| send(&ours, &bytes)).map_err(ExecutorError::Supervisor)?;
        let test_dirs = setup.test_dirs.into_iter().zip(paths);
        let test_dirs = test_dirs.map(|(setup, path)| TestDir::new(path, setup, spec));
        Ok(Self {
            spec: Arc::clone(spec),
            process,
            socket: ours,
            test_dirs: test_dirs.collect(),
            temp,
            root,
            own_cpu: Duration::ZERO,
        })
    }

    /// Sends a request to the supervisor.
    pub(crate) fn send_request(
        &mut self,
        request: &SupervisorRequest,
    ) -> Result<(), ExecutorError> {
        match send(&self.socket, &request.encode()) {
            Ok(()) => Ok(()),
            // The supervisor may have sent a last reply before it ended; `wait` receives it.
            Err(error) if is_disconnect(&error) => Ok(()),
            Err(error) => Err(ExecutorError::Supervisor(error)),
        }
    }

    /// Waits until the supervisor has prepared the private directories. Copying the project would overwrite a variant
    /// that was written earlier. Returns the parts of the sandbox that are missing.
    pub(crate) fn wait_until_ready(&self) -> Result<Vec<String>, ExecutorError> {
        match self.receive_reply()? {
            SupervisorReply::Ready { missing } => {
                let limited = self.socket.set_read_timeout(Some(MAX_FRAME_TIME));
                limited.map_err(ExecutorError::Supervisor)?;
                Ok(in_words(missing))
            }
            SupervisorReply::Missing(missing) => Err(ExecutorError::Sandbox(in_words(missing))),
            SupervisorReply::CannotIsolate { errno } => {
                Err(ExecutorError::CannotIsolate(io::Error::from_raw_os_error(errno)))
            }
            SupervisorReply::Scratch { action, errno } => Err(self.scratch_error(action, errno)),
            SupervisorReply::CannotTrace { errno } => {
                Err(ExecutorError::CannotTrace(io::Error::from_raw_os_error(errno)))
            }
            _ => Err(ExecutorError::SupervisorDied),
        }
    }

    /// Receives the next reply.
    pub(crate) fn receive_reply(&self) -> Result<SupervisorReply, ExecutorError> {
        let frame = receive(&self.socket).and_then(|frame| match frame {
            Some(frame) => SupervisorReply::decode(&frame).map(Some),
            None => Ok(None),
        });
        match frame {
            Ok(Some(reply)) => Ok(reply),
            Ok(None) => Err(ExecutorError::SupervisorDied),
            Err(error) if is_forged(&error) => Err(ExecutorError::SupervisorDied),
            Err(error) => Err(ExecutorError::Supervisor(error)),
        }
    }

    /// Whether a test has stopped the guard, which it can only do if it shares processes.
    pub(crate) fn is_stopped(&self) -> bool {
        let stat = ProcessStat::of_process(self.process.id() as i32);
        stat.is_some_and(|stat| stat.state == 'T')
    }

    /// The error that a [`SupervisorReply::Scratch`] stands for.
    pub(crate) fn scratch_error(&self, action: u8, errno: i32) -> ExecutorError {
        let source = io::Error::from_raw_os_error(errno);
        let action = match action {
            COPY => "copy the project to",
            _ => "clean",
        };
        ExecutorError::Scratch { action, path: self.test_dirs[0].path.clone(), source }
    }

    /// Begins to end the supervisor; its guard kills its tests and removes its directories.
    pub(crate) fn close(&mut self) {
        if self.is_stopped() {
            // The processes below the guard die with it.
            let _ = self.process.kill();
        }
        // An error means that the supervisor has already ended.
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    /// Ends the supervisor, and waits until its guard has ended.
    pub(crate) fn end(&mut self) {
        self.close();
        let _ = self.process.wait();
    }

    /// Ends a supervisor that could not prepare itself, and removes the directories that it has not removed.
    pub(crate) fn abandon(&mut self) {
        self.end();
        for path in self.test_dirs.iter().map(|dir| &dir.path).chain([&self.temp, &self.root]) {
            // An error means that there is nothing left.
            let _ = remove(path);
        }
    }

    /// The number of running and queued tests of this slot.
    pub(crate) fn tests(&self) -> usize {
        self.test_dirs.iter().filter(|dir| dir.job.is_some()).count()
    }
}

/// Whether an error means that a message does not come from the supervisor.
fn is_forged(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, TimedOut, WouldBlock};
    matches!(error.kind(), InvalidData | TimedOut | WouldBlock)
}

/// The missing parts of a sandbox, each with its reason.
fn in_words(missing: Vec<MissingPart>) -> Vec<String> {
    let in_words = |MissingPart { part, errno }: MissingPart| match errno {
        0 => part,
        errno => format!("{part} ({})", plain(&io::Error::from_raw_os_error(errno))),
    };
    missing.into_iter().map(in_words).collect()
}

/// The command that starts a supervisor, connected to a socket.
fn supervisor_command(
    options: &LocalOptions,
    spec: &TestSpec,
    temp: &Path,
    socket: UnixStream,
) -> Command {
    let (program, args) = &options.supervisor;
    let mut command = Command::new(program);
    command
        .args(args)
        .env("TMPDIR", temp)
        .stdin(Stdio::from(OwnedFd::from(socket)))
        .stdout(Stdio::null())
        .process_group(0);
    if spec.command.work_dir == WorkDir::Private {
        // The inherited value would name the wrong directory.
        command.env_remove("PWD");
    }
    for (name, value) in &spec.command.env {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    command
}

/// The setup of a test in a private directory.
pub fn test_dir_setup(spec: &TestSpec, path: &Path) -> TestDirSetup {
    let command = &spec.command;
    let variant = variant_path(path, &spec.name);
    let cwd = match command.work_dir {
        WorkDir::Private => path,
        WorkDir::Here => &command.here,
    };
    // Programs and files of the project are used from its copy.
    let redirect = |word: &OsStr| {
        let project = spec.project.as_deref();
        let inside = project.and_then(|project| Path::new(word).strip_prefix(project).ok());
        inside.map_or_else(|| word.to_owned(), |inside| path.join(inside).into_os_string())
    };
    TestDirSetup {
        path: path.into(),
        // A relative path names a program in the varying folder.
        program: path.join(redirect(command.program.as_os_str())).into_os_string().into(),
        fallback: command.fallback.as_ref().map(|path| path.as_path().into()),
        program_varies: mentions_version(command.program.as_os_str()),
        args: command.args_for(&variant).iter().map(|arg| redirect(arg).into()).collect(),
        cwd: cwd.into(),
        stdin: (command.stdin == StandardInput::Variant).then(|| variant.as_path().into()),
    }
}
