//! A private directory as the supervisor sees it, and the test that runs in it.

use super::build_products::BuildProducts;
use super::capture::Capture;
use super::crash_tracer::CrashTracer;
use super::project_copy::ProjectCopy;
use super::protocol::{Bytes, Call, Disturbed, Setup, TestDirSetup};
use crate::command::with_options;
use crate::limits::Limits;
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use wynot_session::files::clear;

/// A private directory, and the test that runs in it.
pub(crate) struct Launcher {
    pub path: PathBuf,
    command: Command,
    /// The same with the program that is run if that one is not there.
    fallback: Option<Command>,
    /// The arguments, among which words of the call may have their place.
    args: Vec<OsString>,
    stdin: Option<PathBuf>,
    project: Option<ProjectCopy>,
    /// What builds before the test.
    build: Option<OsString>,
    /// What there was when the build had ended.
    pub products: Option<BuildProducts>,
    left_alone: bool,
}

impl Launcher {
    pub(crate) fn new(
        setup: &Setup,
        dir: &TestDirSetup,
        outputs: [&Capture; 2],
        tracer: Option<&CrashTracer>,
    ) -> io::Result<Self> {
        let args: Vec<OsString> = dir.args.iter().map(|arg| arg.os()).collect();
        let prepared = |program: &Bytes| -> io::Result<Command> {
            let mut command = Command::new(program.os());
            command
                .args(&args)
                .current_dir(dir.cwd.path())
                .stdout(outputs[0].writer()?)
                .stderr(outputs[1].writer()?)
                .process_group(0);
            if let Some(tracer) = tracer {
                tracer.prepare(&mut command);
            }
            Ok(command)
        };
        let command = prepared(&dir.program)?;
        let fallback = dir.fallback.as_ref().map(prepared).transpose()?;
        let path = dir.path.path();
        let project = match &setup.project {
            Some(source) => Some(ProjectCopy::new(&source.path(), &path)?),
            None => None,
        };
        let stdin = dir.stdin.as_ref().map(|stdin| stdin.path());
        let build = setup.build.as_ref().map(Bytes::os);
        let left_alone = setup.left_alone;
        let products = None;
        Ok(Self { path, command, fallback, args, stdin, project, build, products, left_alone })
    }

    /// The command of a call in which something varies.
    fn called(&self, call: &Call, outputs: [&Capture; 2]) -> io::Result<Command> {
        let mut command = Command::new(self.command.get_program());
        match call {
            Call::Words(words) => {
                let words: Vec<OsString> = words.iter().map(Bytes::os).collect();
                command.args(with_options(&self.args, &words))
            }
            Call::Environment(variables) => {
                let pairs = variables.iter().map(Bytes::pair);
                command.args(&self.args).env_clear().envs(pairs)
            }
        };
        if let Some(dir) = self.command.get_current_dir() {
            command.current_dir(dir);
        }
        command.stdout(outputs[0].writer()?).stderr(outputs[1].writer()?).process_group(0);
        Ok(command)
    }

    pub(crate) fn start(
        &mut self,
        limits: &Limits,
        call: Option<&Call>,
        outputs: [&Capture; 2],
    ) -> io::Result<Pid> {
        let mut called = call.map(|call| self.called(call, outputs)).transpose()?;
        let own = match &mut self.fallback {
            Some(fallback) if !Path::new(self.command.get_program()).exists() => fallback,
            _ => &mut self.command,
        };
        let command = called.as_mut().unwrap_or(own);
        command.stdin(match &self.stdin {
            Some(path) => Stdio::from(File::open(path)?),
            None => Stdio::null(),
        });
        spawned(command, limits)
    }

    /// Starts the build, if there is one. It is not traced: crashes of a compiler are none of the test.
    pub(crate) fn start_build(&self, limits: &Limits, output: &Capture) -> io::Result<Option<Pid>> {
        let Some(build) = &self.build else { return Ok(None) };
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(build).stdin(Stdio::null()).process_group(0);
        command.stdout(output.writer()?).stderr(output.writer()?);
        if let Some(dir) = self.command.get_current_dir() {
            command.current_dir(dir);
        }
        spawned(&mut command, limits).map(Some)
    }

    /// Whether the test is part of what varies, so that it may not be there.
    pub(crate) fn holds_the_test(&self) -> bool {
        self.left_alone && Path::new(self.command.get_program()).starts_with(&self.path)
    }

    /// Removes what the test has left; what it has changed of what a build had made.
    pub(crate) fn clean(&mut self) -> io::Result<Disturbed> {
        let nothing = |()| Vec::new();
        match (&mut self.project, self.products.take()) {
            (Some(copy), _) => copy.restore().map(nothing),
            (None, Some(products)) => {
                let disturbed = products.settle(&self.path)?;
                Ok(disturbed.iter().map(|path| path.as_path().into()).collect())
            }
            (None, None) if self.left_alone => Ok(Vec::new()),
            (None, None) => clear(&self.path).map(nothing),
        }
    }
}

/// Starts a command within limits.
fn spawned(command: &mut Command, limits: &Limits) -> io::Result<Pid> {
    let child = under(limits, || command.spawn())?;
    let pid = Pid::from_raw(child.id() as i32).ok_or(Errno::SRCH)?;
    if let Some(seconds) = limits.cpu {
        // Not inherited like the others: this process has used processor time of its own. A test
        // that has ended already needs no limit.
        let limit = Rlimit { current: Some(seconds), maximum: Some(seconds) };
        let _ = prlimit(Some(pid), Resource::Cpu, limit);
    }
    Ok(pid)
}

/// Calls `spawn` while the soft limits of this process are those of the test; children keep them.
fn under<T>(limits: &Limits, spawn: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let wanted = [(Resource::As, limits.memory), (Resource::Fsize, limits.file)];
    let mut before = Vec::new();
    for (resource, limit) in wanted {
        let Some(limit) = limit else { continue };
        let now = getrlimit(resource);
        let lowered = now.maximum.map_or(limit, |maximum| maximum.min(limit));
        setrlimit(resource, Rlimit { current: Some(lowered), maximum: now.maximum })?;
        before.push((resource, now));
    }
    let result = spawn();
    for (resource, limit) in before {
        setrlimit(resource, limit)?;
    }
    result
}
