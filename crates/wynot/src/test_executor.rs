//! The executor of a search: on this machine, or on the workers of a service.

use crate::error::{Error, ErrorKind};
use crate::init;
use crate::notes::Notes;
use crate::plan::{Plan, TestSpecs};
use crate::remote_request::RemoteRequest;
use crate::request::Request;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wynot_exec::command::WorkDir;
use wynot_exec::{Local, LocalOptions, ScratchDirectory, TestSpec};
use wynot_remote::{NeededFile, Remote, RemoteCounts, RemoteOptions, SharedResults};
use wynot_session::{
    Completion, Executor, ExecutorError, Job, JobId, Stop, Submitted, observe, plain,
};

/// The time limit of a test that shows how workers differ from this machine.
const COMPARISON_TIMEOUT: Duration = Duration::from_secs(30);

/// The executor of a search.
pub(crate) enum TestExecutor {
    /// On this machine.
    Local(Box<Local>),
    /// On the workers of a service.
    Remote(Box<RemoteTests>),
    /// On this machine, with results that are shared through a service.
    Shared(Box<SharedResults<Local>>),
}

/// Tests on workers, and a directory on this machine for other temporary files.
pub(crate) struct RemoteTests {
    remote: Remote,
    scratch: ScratchDirectory,
}

/// Whether tests may be answered by results of earlier ones that a service knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheUse {
    /// They may.
    Known,
    /// They may not: something is checked by new tests.
    OnlyNew,
}

impl TestExecutor {
    /// The executor of a plan's tests.
    pub(crate) fn new(
        plan: &Plan,
        request: &Request,
        specs: &TestSpecs,
        cache: CacheUse,
        notes: &mut dyn Notes,
    ) -> Result<Self, Error> {
        let Some(remote) = &request.run.remote else {
            let local = local_executor(plan, request, specs, notes)?;
            return Ok(Self::Local(Box::new(local)));
        };
        let options = remote_options(plan, request, remote, cache)?;
        if !remote.cache_only {
            return remote_executor(plan, request, options, specs, notes);
        }
        let local = local_executor(plan, request, specs, notes)?;
        let shared = SharedResults::new(local, options, &plan.command.program);
        shared.map(|shared| Self::Shared(Box::new(shared))).map_err(failed)
    }

    /// The directory for other temporary files of the search.
    pub(crate) fn scratch(&self) -> &Path {
        match self {
            Self::Local(local) => local.scratch(),
            Self::Remote(tests) => tests.scratch.path(),
            Self::Shared(shared) => shared.inner().scratch(),
        }
    }

    /// The processor time that the supervisors on this machine have used.
    pub(crate) fn own_cpu(&self) -> Duration {
        match self {
            Self::Local(local) => local.own_cpu(),
            Self::Remote(_) => Duration::ZERO,
            Self::Shared(shared) => shared.inner().own_cpu(),
        }
    }

    /// The jobs of workers so far, if there are any.
    pub(crate) fn remote_counts(&self) -> Option<RemoteCounts> {
        match self {
            Self::Local(_) => None,
            Self::Remote(tests) => Some(tests.remote.counts()),
            Self::Shared(shared) => Some(shared.counts()),
        }
    }

    /// An error of the first runs, with how workers and this machine differ.
    pub(crate) fn with_differences(
        &self,
        error: Error,
        plan: &Plan,
        request: &Request,
        specs: &TestSpecs,
    ) -> Error {
        let Self::Remote(tests) = self else { return error };
        if !matches!(error.kind, ErrorKind::NoFailure | ErrorKind::Indeterminate) {
            return error;
        }
        let mut error = error.detail("the test ran on a worker");
        if let Some(ending) = ending_here(plan, request, specs) {
            error = error.detail(format!("on this machine, the original ends with {ending}"));
        }
        for difference in tests.remote.worker_differences(&plan.command.program) {
            error = error.detail(difference);
        }
        error.hint("--with FILE brings files to workers, --remote-env NAME sets a variable there")
    }
}

impl Executor for TestExecutor {
    type Spec = TestSpec;

    fn capacity(&self) -> usize {
        match self {
            Self::Local(local) => local.capacity(),
            Self::Remote(tests) => tests.remote.capacity(),
            Self::Shared(shared) => shared.capacity(),
        }
    }

    fn submit(&mut self, job: Job<TestSpec>) -> Result<Submitted, ExecutorError> {
        match self {
            Self::Local(local) => local.submit(job),
            Self::Remote(tests) => tests.remote.submit(job),
            Self::Shared(shared) => shared.submit(job),
        }
    }

    fn cancel(&mut self, id: JobId) -> Result<(), ExecutorError> {
        match self {
            Self::Local(local) => local.cancel(id),
            Self::Remote(tests) => tests.remote.cancel(id),
            Self::Shared(shared) => shared.cancel(id),
        }
    }

    fn wait(&mut self, until: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        match self {
            Self::Local(local) => local.wait(until),
            Self::Remote(tests) => tests.remote.wait(until),
            Self::Shared(shared) => shared.wait(until),
        }
    }

    fn remark(&mut self) -> Option<String> {
        match self {
            Self::Local(local) => local.remark(),
            Self::Remote(tests) => tests.remote.remark(),
            Self::Shared(shared) => shared.remark(),
        }
    }
}

/// The executor of a plan's tests on this machine.
fn local_executor(
    plan: &Plan,
    request: &Request,
    specs: &TestSpecs,
    notes: &mut dyn Notes,
) -> Result<Local, Error> {
    let options = LocalOptions {
        supervisor: init::supervisor_command()?,
        jobs: plan.jobs,
        scratch: request.run.scratch.as_ref().map(|dir| request.at(dir)),
    };
    let mut executor = Local::new(options, &specs.test).map_err(failed)?;
    match executor.missing_parts() {
        _ if plan.isolation.sandbox.is_none() => {}
        [] => notes.note(
            "the sandbox is complete: namespaces, read-only files, no privileges, seccomp and Landlock",
        ),
        missing => {
            notes.warn(&format!("the sandbox is partial, it has no: {}", missing.join(", ")))
        }
    }
    if let Some(validity) = &specs.validity {
        executor.add_specification(validity).map_err(failed)?;
    }
    Ok(executor)
}

/// What a service and its workers need to know.
fn remote_options(
    plan: &Plan,
    request: &Request,
    remote: &RemoteRequest,
    cache: CacheUse,
) -> Result<RemoteOptions, Error> {
    Ok(RemoteOptions {
        address: remote.address.clone(),
        jobs: plan.jobs,
        platform: remote.platform.clone(),
        headers: remote.headers.clone(),
        tls: remote.tls.clone(),
        patience: remote.patience,
        environment: remote.environment.clone(),
        needed: needed_files(request, remote)?,
        excluded: plan.written_files(),
        use_cache: cache == CacheUse::Known,
    })
}

/// The executor of a plan's tests on the workers of a service.
fn remote_executor(
    plan: &Plan,
    request: &Request,
    options: RemoteOptions,
    specs: &TestSpecs,
    notes: &mut dyn Notes,
) -> Result<TestExecutor, Error> {
    if plan.isolation.sandbox.is_some() {
        let message = "--sandbox is for tests on this machine; workers have their own";
        return Err(Error::usage(message).hint("leave it out, or use --executor local"));
    }
    if plan.command.work_dir == WorkDir::Here {
        let message = "the test runs in the current directory, which workers do not have";
        return Err(Error::usage(message).hint("--in DIR runs it in a copy of a directory"));
    }
    let chosen = request.run.scratch.as_ref().map(|dir| request.at(dir));
    let mut scratch = ScratchDirectory::for_tests(chosen.as_deref(), 0).map_err(failed)?;
    scratch.make().map_err(failed)?;
    let mut remote = Remote::new(options).map_err(failed)?;
    for spec in std::iter::once(&specs.test).chain(&specs.validity) {
        for path in remote.doubtful_paths(spec).map_err(failed)? {
            notes.warn(&format!(
                "workers may not have {}, which the test mentions; --with brings it along",
                path.display()
            ));
        }
    }
    Ok(TestExecutor::Remote(Box::new(RemoteTests { remote, scratch })))
}

/// The files that the user names, with their places on workers.
fn needed_files(request: &Request, remote: &RemoteRequest) -> Result<Vec<NeededFile>, Error> {
    let here = request.directory.canonicalize().unwrap_or_else(|_| request.directory.clone());
    let needed = remote.with.iter().map(|given| {
        let path = request.at(given).canonicalize().map_err(|error| {
            Error::usage(format!("--with: cannot read {}: {}", given.display(), plain(&error)))
        })?;
        let name = match path.strip_prefix(&here) {
            Ok(inside) if !inside.as_os_str().is_empty() => inside.to_owned(),
            _ => PathBuf::from(path.file_name().unwrap_or_default()),
        };
        Ok(NeededFile { path, name })
    });
    needed.collect()
}

/// How the original ends on this machine, if it can be tested here.
fn ending_here(plan: &Plan, request: &Request, specs: &TestSpecs) -> Option<String> {
    let options = LocalOptions {
        supervisor: init::supervisor_command().ok()?,
        jobs: 1,
        scratch: request.run.scratch.as_ref().map(|dir| request.at(dir)),
    };
    let mut local = Local::new(options, &specs.test).ok()?;
    let original = plan.subject().original();
    let spec = Arc::clone(&specs.test);
    let observation =
        observe(&mut local, &spec, original, COMPARISON_TIMEOUT.into(), || Ok(())).ok()?;
    Some(observation.ending.to_string())
}

/// The error of an executor that cannot be used.
fn failed(error: ExecutorError) -> Error {
    Error::from(&Stop::Executor(error))
}
