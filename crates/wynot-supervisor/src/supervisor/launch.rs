//! Starting a test or a build in a private directory, and cleaning the directory afterwards.

use super::build_products::BuildProducts;
use super::capture::Capture;
use super::crash_tracer::CrashTracer;
use super::project_copy::ProjectCopy;
use super::protocol::{Call, ChangedPaths, Environment};
use super::setup::{Bytes, Setup, TestDirSetup};
use crate::clear;
use crate::limits::Limits;
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A private directory and the commands that run in it.
pub(crate) struct Launcher {
    pub path: PathBuf,
    command: Command,
    /// The command with the program that is run if that of `command` does not exist.
    fallback: Option<Command>,
    /// Whether the path of the program differs from one variant to the next.
    program_varies: bool,
    /// Whether the processes of tests are traced.
    is_traced: bool,
    stdin: Option<PathBuf>,
    project: Option<ProjectCopy>,
    /// The shell command of the build, if there is one.
    build: Option<OsString>,
    /// The snapshot of the directory at the end of the last build.
    pub products: Option<BuildProducts>,
    /// The products that a killed build has left, and that were removed. Others may depend on them.
    pub lost_products: Vec<PathBuf>,
    /// Whether the executor cleans the directory, because it writes whole folders.
    executor_cleans: bool,
}

impl Launcher {
    pub(crate) fn new(
        setup: &Setup,
        dir: &TestDirSetup,
        outputs: [&Capture; 2],
        tracer: Option<&CrashTracer>,
    ) -> io::Result<Self> {
        let args: Vec<OsString> = dir.args.iter().map(|arg| arg.os()).collect();
        let prepare = |program: &Bytes| -> io::Result<Command> {
            let mut command = Command::new(program.os());
            command
                .args(&args)
                .current_dir(dir.cwd.path())
                .stdout(outputs[0].writer()?)
                .stderr(outputs[1].writer()?)
                .process_group(0);
            if tracer.is_some() {
                CrashTracer::prepare(&mut command);
            }
            Ok(command)
        };
        let command = prepare(&dir.program)?;
        let fallback = dir.fallback.as_ref().map(prepare).transpose()?;
        let path = dir.path.path();
        let project = match &setup.project {
            Some(source) => Some(ProjectCopy::new(&source.path(), &path)?),
            None => None,
        };
        let stdin = dir.stdin.as_ref().map(|stdin| stdin.path());
        let build = setup.build.as_ref().map(Bytes::os);
        let executor_cleans = setup.executor_cleans;
        let (products, lost_products, is_traced) = (None, Vec::new(), tracer.is_some());
        Ok(Self {
            path,
            command,
            fallback,
            program_varies: dir.program_varies,
            is_traced,
            stdin,
            project,
            build,
            products,
            lost_products,
            executor_cleans,
        })
    }

    /// The command for a variant that is part of the call.
    fn command_for(&self, call: &Call, outputs: [&Capture; 2]) -> io::Result<Command> {
        let program = match &call.fallback {
            Some(fallback) if !call.program.path().exists() => fallback,
            _ => &call.program,
        };
        let mut command = Command::new(program.os());
        command.args(call.args.iter().map(Bytes::os));
        let (Environment::With(variables) | Environment::Only(variables)) = &call.environment;
        if matches!(call.environment, Environment::Only(_)) {
            command.env_clear();
        }
        command.envs(variables.iter().map(Bytes::pair));
        if self.is_traced {
            CrashTracer::prepare(&mut command);
        }
        if let Some(dir) = self.command.get_current_dir() {
            command.current_dir(dir);
        }
        command.stdout(outputs[0].writer()?).stderr(outputs[1].writer()?).process_group(0);
        Ok(command)
    }

    /// Starts the test. Returns its first process.
    pub(crate) fn start(
        &mut self,
        limits: &Limits,
        call: Option<&Call>,
        outputs: [&Capture; 2],
    ) -> io::Result<Pid> {
        let mut varying = call.map(|call| self.command_for(call, outputs)).transpose()?;
        let fixed = match &mut self.fallback {
            Some(fallback) if !Path::new(self.command.get_program()).exists() => fallback,
            _ => &mut self.command,
        };
        let command = varying.as_mut().unwrap_or(fixed);
        command.stdin(match &self.stdin {
            Some(path) => Stdio::from(File::open(path)?),
            None => Stdio::null(),
        });
        spawn(command, limits)
    }

    /// Starts the build, if there is one. It is not traced, because a crash of a compiler is not a crash of the test.
    pub(crate) fn start_build(
        &self,
        limits: &Limits,
        call: Option<&Call>,
        output: &Capture,
    ) -> io::Result<Option<Pid>> {
        let own_build = call.and_then(|call| call.build.as_ref()).map(Bytes::os);
        let Some(build) = own_build.as_ref().or(self.build.as_ref()) else { return Ok(None) };
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(build).stdin(Stdio::null()).process_group(0);
        if let Some(Call { environment: Environment::With(variables), .. }) = call {
            command.envs(variables.iter().map(Bytes::pair));
        }
        command.stdout(output.writer()?).stderr(output.writer()?);
        if let Some(dir) = self.command.get_current_dir() {
            command.current_dir(dir);
        }
        spawn(&mut command, limits).map(Some)
    }

    /// Whether the test program may be missing in a variant: it is part of the varying folder or made by the build, or its
    /// path depends on the version.
    pub(crate) fn test_may_be_missing(&self) -> bool {
        let program = self.command.get_program();
        let varies = self.executor_cleans || self.build.is_some();
        varies && Path::new(program).starts_with(&self.path) || self.program_varies
    }

    /// The name of the test program.
    pub(crate) fn program_name(&self) -> String {
        let program = Path::new(self.command.get_program());
        program.strip_prefix(&self.path).unwrap_or(program).display().to_string()
    }

    /// Removes the files that the test has left. Returns the paths that it changed since the end of the build.
    pub(crate) fn clean(&mut self) -> io::Result<ChangedPaths> {
        let no_paths = |()| Vec::new();
        match (&mut self.project, self.products.take()) {
            (Some(copy), _) => copy.restore().map(no_paths),
            // What the build of a version has installed must not be there for the next version.
            (None, _) if !self.executor_cleans => clear(&self.path).map(no_paths),
            (None, Some(products)) => {
                let changed = products.remove_new_files(&self.path)?;
                Ok(changed.iter().map(|path| path.as_path().into()).collect())
            }
            (None, None) => {
                let lost = std::mem::take(&mut self.lost_products);
                Ok(lost.iter().map(|path| path.as_path().into()).collect())
            }
        }
    }
}

/// Starts a command with resource limits.
fn spawn(command: &mut Command, limits: &Limits) -> io::Result<Pid> {
    let child = with_limits(limits, || command.spawn())?;
    let pid = Pid::from_raw(child.id() as i32).ok_or(Errno::SRCH)?;
    if let Some(seconds) = limits.cpu {
        // This limit is not inherited like the others, because the supervisor has used processor time of its own. An
        // error means that the test has already ended.
        let limit = Rlimit { current: Some(seconds), maximum: Some(seconds) };
        let _ = prlimit(Some(pid), Resource::Cpu, limit);
    }
    Ok(pid)
}

/// Calls `spawn` while the soft limits of this process are those of the test; the child inherits them.
fn with_limits<T>(limits: &Limits, spawn: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let limits = [(Resource::As, limits.memory), (Resource::Fsize, limits.file)];
    let mut earlier = Vec::new();
    for (resource, limit) in limits {
        let Some(limit) = limit else { continue };
        let now = getrlimit(resource);
        let lowered = now.maximum.map_or(limit, |maximum| maximum.min(limit));
        setrlimit(resource, Rlimit { current: Some(lowered), maximum: now.maximum })?;
        earlier.push((resource, now));
    }
    let result = spawn();
    for (resource, limit) in earlier {
        setrlimit(resource, limit)?;
    }
    result
}
