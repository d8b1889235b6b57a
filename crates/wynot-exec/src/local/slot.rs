//! A slot: a supervisor process and the private directories of its tests.

use super::local_options::LocalOptions;
use super::test_dir::{TestDir, variant_path};
use crate::command::{StandardInput, WorkDir};
use crate::spec::{TestSpec, VariantForm};
use crate::supervisor::protocol::{
    Bytes, Reply, Request, Setup, TestDirSetup, gone, receive, send,
};
use crate::supervisor::{COPY, SANDBOX};
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
use wynot_session::ExecutorError;

/// A supervisor process that serves one test specification.
pub(crate) struct Slot {
    pub spec: Arc<TestSpec>,
    process: Child,
    pub socket: UnixStream,
    pub test_dirs: Vec<TestDir>,
    /// The TMPDIR of the tests.
    pub temp: PathBuf,
    /// Processor time that the supervisor itself has used.
    pub own_cpu: Duration,
}

impl Slot {
    /// Starts a supervisor, with private directories in `scratch`.
    pub(crate) fn new(
        options: &LocalOptions,
        spec: &Arc<TestSpec>,
        scratch: &Path,
        index: usize,
    ) -> Result<Self, ExecutorError> {
        let make = |name: String| {
            let path = scratch.join(name);
            let failed =
                |source| ExecutorError::Scratch { action: "make", path: path.clone(), source };
            fs::create_dir(&path).map_err(failed)?;
            Ok(path)
        };
        // With one slot tests come strictly one after the other, and copies of a project are expensive.
        let count = if options.jobs > 1 && spec.project.is_none() { 2 } else { 1 };
        // Names of equal length, so that nothing a test prints depends on its directory but the number.
        let paths = (0..count).map(|number| make(format!("{index:03}-{number}")));
        let paths = paths.collect::<Result<Vec<PathBuf>, ExecutorError>>()?;
        let temp = make(format!("{index:03}-tmp"))?;
        let (ours, theirs) = UnixStream::pair().map_err(ExecutorError::Supervisor)?;
        let process = supervisor_command(options, spec, &temp, theirs)
            .spawn()
            .map_err(ExecutorError::Supervisor)?;
        let setup = Setup {
            test_dirs: paths.iter().map(|path| test_dir_setup(spec, path)).collect(),
            temp: temp.as_path().into(),
            project: spec.project.as_deref().map(Bytes::from),
            build: spec.command.build.clone().map(Bytes::from),
            left_alone: spec.form == VariantForm::Folder,
            sandbox: spec.sandbox,
            limits: spec.limits,
            crashes: spec.crashes,
        };
        let encoded = serde_json::to_vec(&setup).map_err(io::Error::from);
        encoded.and_then(|bytes| send(&ours, &bytes)).map_err(ExecutorError::Supervisor)?;
        let test_dirs =
            paths.into_iter().map(|path| TestDir::new(path, &spec.name, spec.keeps_products));
        Ok(Self {
            spec: Arc::clone(spec),
            process,
            socket: ours,
            test_dirs: test_dirs.collect(),
            temp,
            own_cpu: Duration::ZERO,
        })
    }

    /// Sends a request to the supervisor.
    pub(crate) fn ask(&mut self, request: &Request) -> Result<(), ExecutorError> {
        match send(&self.socket, &request.encode()) {
            Ok(()) => Ok(()),
            // The supervisor may have left a last word before it went: `wait` will find it.
            Err(error) if gone(&error) => Ok(()),
            Err(error) => Err(ExecutorError::Supervisor(error)),
        }
    }

    /// Waits for the private directories: a project that is still being copied would overwrite a variant.
    pub(crate) fn wait_until_ready(&self) -> Result<(), ExecutorError> {
        let frame = receive(&self.socket).map_err(ExecutorError::Supervisor)?;
        let frame = frame.ok_or(ExecutorError::SupervisorDied)?;
        match Reply::decode(&frame).map_err(ExecutorError::Supervisor)? {
            Reply::Ready => Ok(()),
            Reply::Scratch { action, errno } => Err(self.scratch_error(action, errno)),
            Reply::CannotTrace { errno } => {
                Err(ExecutorError::CannotTrace(io::Error::from_raw_os_error(errno)))
            }
            _ => Err(ExecutorError::SupervisorDied),
        }
    }

    pub(crate) fn scratch_error(&self, action: u8, errno: i32) -> ExecutorError {
        let source = io::Error::from_raw_os_error(errno);
        let action = match action {
            SANDBOX => return ExecutorError::Sandbox(source),
            COPY => "copy the project to",
            _ => "clean",
        };
        ExecutorError::Scratch { action, path: self.test_dirs[0].path.clone(), source }
    }

    /// Ends the supervisor, which ends its tests and removes its directories.
    pub(crate) fn end(&mut self) {
        // Nothing is left to do about a supervisor that cannot be reached or waited for.
        let _ = self.socket.shutdown(Shutdown::Both);
        let _ = self.process.wait();
    }

    /// How many tests run here or wait for their turn.
    pub(crate) fn tests(&self) -> usize {
        self.test_dirs.iter().filter(|dir| dir.job.is_some()).count()
    }
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
        // It would name the wrong directory.
        command.env_remove("PWD");
    }
    for (name, value) in &spec.command.env {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    command
}

/// How a test runs in a private directory.
fn test_dir_setup(spec: &TestSpec, path: &Path) -> TestDirSetup {
    let command = &spec.command;
    let variant = variant_path(path, &spec.name);
    let cwd = match command.work_dir {
        WorkDir::Private => path,
        WorkDir::Here => &command.here,
    };
    // What lies in the project is run and read in the copy of it.
    let copied = |word: &OsStr| {
        let project = spec.project.as_deref();
        let inside = project.and_then(|project| Path::new(word).strip_prefix(project).ok());
        inside.map_or_else(|| word.to_owned(), |inside| path.join(inside).into_os_string())
    };
    TestDirSetup {
        path: path.into(),
        // A program that has no absolute path is one of the files that vary.
        program: path.join(copied(command.program.as_os_str())).into_os_string().into(),
        fallback: command.fallback.as_ref().map(|path| path.as_path().into()),
        args: command.args_for(&variant).iter().map(|arg| copied(arg).into()).collect(),
        cwd: cwd.into(),
        stdin: (command.stdin == StandardInput::Variant).then(|| variant.as_path().into()),
    }
}
