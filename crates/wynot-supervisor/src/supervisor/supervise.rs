//! The main loop of the supervisor process.
//!
//! Processes whose parent has died become children of the supervisor, whatever session or process group they have moved
//! to. It runs one test at a time, so every child that is left after a test belongs to that test and is killed. The
//! [guard](super::guard) ends the supervisor.
//!
//! The process is small and single-threaded, which makes starting other processes cheap.

use super::capture::Capture;
use super::crash_tracer::CrashTracer;
use super::launch::Launcher;
use super::process_namespace;
use super::process_tree::ProcessTree;
use super::protocol::{ChangedPaths, Run, SupervisorReply, SupervisorRequest, receive, send};
use super::sandbox::Sandbox;
use super::setup::{Bytes, SandboxPlaces, Setup};
use super::temporary_directory::TemporaryDirectory;
use super::test_time::{ExceededLimit, Overrun, Sampled, TestClock, TimeLimit};
use crate::clear;
use crate::limits::Limits;
use crate::{Ending, JobId, Observation, plain};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, pidfd_open, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// The action of [`SupervisorReply::Scratch`] that copies the project.
pub const COPY: u8 = 0;

/// The action of [`SupervisorReply::Scratch`] that cleans a private directory.
pub(crate) const CLEAN: u8 = 1;

/// Prepares this process for the tests of a slot and runs them, until the socket is closed.
pub(crate) fn serve(setup: &Setup, socket: UnixStream, has_namespace: bool) -> io::Result<()> {
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    let sandbox = match contain(setup, has_namespace) {
        Ok(sandbox) => sandbox,
        Err(reply) => return send(&socket, &reply.encode()),
    };
    let tracer = setup.crashes.map(|crashes| CrashTracer::new(crashes, built_by_test(setup)));
    let tracer = match tracer.transpose() {
        Ok(tracer) => tracer,
        Err(error) => {
            return send(&socket, &SupervisorReply::CannotTrace { errno: errno(&error) }.encode());
        }
    };
    let supervisor = Supervisor::new(setup, tracer, socket.try_clone()?, has_namespace);
    let mut supervisor = match supervisor {
        Ok(supervisor) => supervisor,
        Err(error) => return send(&socket, &scratch_error(COPY, &error).encode()),
    };
    supervisor.temporary = sandbox.writable.into_iter().map(TemporaryDirectory::new).collect();
    send(&socket, &SupervisorReply::Ready { missing: sandbox.missing }.encode())?;
    supervisor.run_all()
}

/// Enters the process namespace and the sandbox, as far as the setup wants them. Returns the reply that ends the slot if
/// the system does not permit them.
fn contain(setup: &Setup, has_namespace: bool) -> Result<Sandbox, SupervisorReply> {
    let Some(sandbox) = &setup.containment.sandbox else {
        if has_namespace {
            let shown = process_namespace::show_in_proc();
            let shown = shown.and_then(|()| process_namespace::withhold_tracing());
            shown.map_err(|error| SupervisorReply::CannotIsolate { errno: errno(&error) })?;
            process_namespace::keep_devices();
            limit_processes(setup);
            process_namespace::spread_process_ids(Path::new("/proc"), setup.slot);
        }
        return Ok(Sandbox::default());
    };
    let entered = Sandbox::enter(&SandboxPlaces::from(setup), sandbox, has_namespace);
    // In a process namespace without its own `/proc`, the processes of the test could not be found.
    let is_usable = entered.has_file_view || !has_namespace;
    if entered.missing.is_empty() || (sandbox.partial && is_usable) {
        Ok(entered)
    } else {
        Err(SupervisorReply::Missing(entered.missing))
    }
}

/// Limits the processes of the namespace, in which there are no others than those of the test.
fn limit_processes(setup: &Setup) {
    if let Some(limit) = setup.limits.processes {
        process_namespace::limit_processes(Path::new("/proc"), limit);
    }
}

/// Whether a program or library was built by the test: it is in a private directory, but not in the project of which that
/// is a copy.
fn built_by_test(setup: &Setup) -> impl Fn(&Path) -> bool + 'static {
    let private = setup.temp.path().parent().map(Path::to_owned);
    let project = setup.original.as_ref().map(Bytes::path);
    move |path| {
        let inside = private.as_ref().and_then(|private| path.strip_prefix(private).ok());
        let inside = inside.map(|inside| inside.components().skip(1).collect::<PathBuf>());
        inside.is_some_and(|inside| {
            !project.as_ref().is_some_and(|project| project.join(inside).exists())
        })
    }
}

/// The state of the supervisor process.
pub(crate) struct Supervisor {
    socket: UnixStream,
    pub test_dirs: Vec<Launcher>,
    temp: PathBuf,
    pub limits: Limits,
    stdout: Capture,
    pub stderr: Capture,
    /// The tracer, if crashes are detected.
    pub tracer: Option<CrashTracer>,
    /// The requested tests that have not started.
    queue: VecDeque<Run>,
    /// The clock of the present test.
    pub clock: TestClock,
    /// The peak of the memory of the processes that ran last, in bytes.
    pub peak_memory: u64,
    /// Whether this process is the first one of a process namespace.
    owns_namespace: bool,
    /// The directories besides the private ones that tests can write.
    temporary: Vec<TemporaryDirectory>,
}

/// When a process is ended after its job was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cancellation {
    AtOnce,
    /// It comes to its own end.
    AtEnd,
}

/// Why a test or build has ended.
#[derive(Clone, Copy)]
pub(crate) enum EndCause {
    Ended,
    TimedOut,
    Cancelled,
    /// The test exceeded another limit than that of time.
    Exceeded(ExceededLimit),
}

impl Supervisor {
    fn new(
        setup: &Setup,
        tracer: Option<CrashTracer>,
        socket: UnixStream,
        owns_namespace: bool,
    ) -> io::Result<Self> {
        let (stdout, stderr) = (Capture::new()?, Capture::new()?);
        let outputs = [&stdout, &stderr];
        let test_dirs =
            setup.test_dirs.iter().map(|dir| Launcher::new(setup, dir, outputs, tracer.as_ref()));
        Ok(Self {
            socket,
            test_dirs: test_dirs.collect::<io::Result<_>>()?,
            temp: setup.temp.path(),
            limits: setup.limits,
            stdout,
            stderr,
            tracer,
            queue: VecDeque::new(),
            clock: TestClock::new(&setup.limits)?,
            peak_memory: 0,
            owns_namespace,
            temporary: Vec::new(),
        })
    }

    /// Runs the requested tests in order, until the socket is closed.
    fn run_all(&mut self) -> io::Result<()> {
        loop {
            let Some(run) = self.queue.pop_front() else {
                // A request to cancel a test that has already ended needs no action.
                self.receive_request()?;
                continue;
            };
            let reply = self.run(&run)?;
            send(&self.socket, &reply.encode())?;
        }
    }

    /// Receives one request: queues a test, or returns the job to cancel.
    fn receive_request(&mut self) -> io::Result<Option<JobId>> {
        let frame = receive(&self.socket)?.ok_or(Errno::PIPE)?;
        match SupervisorRequest::decode(&frame)? {
            SupervisorRequest::Run(run) => {
                self.queue.push_back(run);
                Ok(None)
            }
            SupervisorRequest::Cancel(job) => Ok(Some(job)),
        }
    }

    /// Runs one test, kills all its processes and cleans up.
    fn run(&mut self, run: &Run) -> io::Result<SupervisorReply> {
        let test_dir = usize::from(run.test_dir);
        self.stdout.reset()?;
        self.stderr.reset()?;
        let started = Instant::now();
        self.clock.begin(TimeLimit { limit: run.timeout.whole, is_alone: run.alone });
        if let Some(reply) = self.build(run, started)? {
            return Ok(reply);
        }
        let build = self.clock.used().time();
        self.clock.limit_rest(run.timeout.after_build);
        let outputs = [&self.stdout, &self.stderr];
        let leader = match self.test_dirs[test_dir].start(&self.limits, run.call.as_ref(), outputs)
        {
            Ok(leader) => leader,
            Err(error) if self.test_dirs[test_dir].test_may_be_missing() => {
                let name = self.test_dirs[test_dir].program_name();
                let message = format!(
                    "wynot: the test {name} cannot be run in this version: {}",
                    plain(&error)
                );
                return self.unresolved(run, started, message.into_bytes());
            }
            Err(error) => {
                return Ok(SupervisorReply::CannotStart {
                    errno: error.raw_os_error().unwrap_or_default(),
                });
            }
        };
        if let Some(Err(error)) = self.tracer.as_mut().map(|tracer| tracer.trace(leader)) {
            ProcessTree::new(leader, self.owns_namespace).kill(None, self.tracer.as_mut());
            return Ok(SupervisorReply::CannotStart { errno: errno(&error) });
        }
        let ((cause, _), status) = self.wait_and_kill(leader, run, Cancellation::AtOnce)?;
        let elapsed = started.elapsed();
        let Some(status) = status else { return Ok(SupervisorReply::Immortal) };
        let (stdout, stderr) = (self.stdout.finish()?, self.stderr.finish()?);
        let changed = match self.clean(test_dir) {
            Ok(changed) => changed,
            Err(error) => return Ok(scratch_error(CLEAN, &error)),
        };
        let overrun = self.clock.overrun();
        let ending = match cause {
            EndCause::Cancelled => return Ok(SupervisorReply::Cancelled { job: run.job, changed }),
            EndCause::Exceeded(limit) => {
                let message = format!("wynot: {}", limit.message(&self.limits));
                return self.unresolved(run, started, message.into_bytes());
            }
            EndCause::Ended if overrun == Overrun::Within => Ending::of(status),
            // A test that ends between two samples is late as well.
            EndCause::Ended | EndCause::TimedOut => Ending::Timeout,
        };
        let crash = self.tracer.as_mut().and_then(|tracer| tracer.crash(ending));
        let observation = Box::new(Observation {
            stdout,
            stderr,
            elapsed,
            cpu: self.clock.used().cpu,
            waited: self.clock.used().waited,
            build,
            memory: self.peak_memory,
            crash,
            ..Observation::ending_with(ending)
        });
        Ok(SupervisorReply::Observed {
            job: run.job,
            observation,
            overrun,
            own_cpu: own_cpu(),
            changed,
        })
    }

    /// Waits until a process ends, times out or is cancelled, and kills all its descendants.
    ///
    /// Returns the cause of the end, and the exit status of the process unless some process cannot be killed.
    pub(crate) fn wait_and_kill(
        &mut self,
        leader: Pid,
        run: &Run,
        cancellation: Cancellation,
    ) -> io::Result<((EndCause, bool), Option<ExitStatus>)> {
        let mut process_tree = ProcessTree::new(leader, self.owns_namespace);
        self.clock.start();
        let cause = pidfd_open(leader, PidfdFlags::empty())
            .map_err(io::Error::from)
            .and_then(|pidfd| self.watch(&mut process_tree, &pidfd, run.job, cancellation));
        let is_early = matches!(cause, Ok((EndCause::TimedOut | EndCause::Cancelled, _)));
        let grace = is_early.then_some(&mut self.clock);
        let status = process_tree.kill(grace, self.tracer.as_mut());
        self.peak_memory = process_tree.peak_memory;
        self.clock.finish();
        cause.map(|cause| (cause, status))
    }

    /// Removes the files that a test has left. Returns the paths that it changed since the end of the build.
    pub(crate) fn clean(&mut self, test_dir: usize) -> io::Result<ChangedPaths> {
        let changed = self.test_dirs[test_dir].clean()?;
        clear(&self.temp)?;
        for directory in &self.temporary {
            directory.clear()?;
        }
        Ok(changed)
    }

    /// Captures the output of a process until it ends, times out or is cancelled. Returns the cause of the end, and
    /// whether the job was cancelled.
    fn watch(
        &mut self,
        process_tree: &mut ProcessTree,
        pidfd: &OwnedFd,
        job: JobId,
        cancellation: Cancellation,
    ) -> io::Result<(EndCause, bool)> {
        let mut is_cancelled = false;
        loop {
            let timeout = Timespec::try_from(self.clock.time_to_sample())
                .unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
            let [ended, stdout, stderr, request, wake_up] = {
                // Without a tracer, the pidfd takes the place of the wake-up pipe.
                let wake_up_fd =
                    self.tracer.as_ref().map_or(pidfd.as_fd(), CrashTracer::wake_up_fd);
                let mut fds = [
                    PollFd::new(pidfd, PollFlags::IN),
                    PollFd::from_borrowed_fd(self.stdout.reader(), PollFlags::IN),
                    PollFd::from_borrowed_fd(self.stderr.reader(), PollFlags::IN),
                    PollFd::new(&self.socket, PollFlags::IN),
                    PollFd::from_borrowed_fd(wake_up_fd, PollFlags::IN),
                ];
                match poll(&mut fds, Some(&timeout)) {
                    Ok(_) | Err(Errno::INTR) => fds.map(|fd| !fd.revents().is_empty()),
                    Err(error) => return Err(error.into()),
                }
            };
            if stdout {
                self.stdout.read_available()?;
            }
            if stderr {
                self.stderr.read_available()?;
            }
            if wake_up && let Some(tracer) = &mut self.tracer {
                tracer.drain_wake_ups();
                process_tree.reap(Some(tracer));
            }
            if ended || process_tree.status.is_some() {
                return Ok((EndCause::Ended, is_cancelled));
            }
            if request && let Some(cancelled) = self.receive_request()? {
                match cancelled == job {
                    true if cancellation == Cancellation::AtOnce => {
                        return Ok((EndCause::Cancelled, true));
                    }
                    true => is_cancelled = true,
                    false => self.cancel_queued(cancelled)?,
                }
            }
            if self.clock.time_to_sample().is_zero() {
                // The time of orphans counts when they are reaped.
                process_tree.reap(self.tracer.as_mut());
                if process_tree.status.is_some() {
                    return Ok((EndCause::Ended, is_cancelled));
                }
                match self.clock.sample() {
                    Sampled::Within => {}
                    Sampled::TimedOut => return Ok((EndCause::TimedOut, is_cancelled)),
                    Sampled::Exceeded(limit) => {
                        return Ok((EndCause::Exceeded(limit), is_cancelled));
                    }
                }
            }
        }
    }

    /// Removes a test from the queue, if it is still there.
    fn cancel_queued(&mut self, job: JobId) -> io::Result<()> {
        let Some(at) = self.queue.iter().position(|run| run.job == job) else {
            return Ok(());
        };
        self.queue.remove(at);
        let changed = ChangedPaths::default();
        send(&self.socket, &SupervisorReply::Cancelled { job, changed }.encode())
    }
}

/// The reply for a failed action on the private directories.
pub(crate) fn scratch_error(action: u8, error: &io::Error) -> SupervisorReply {
    SupervisorReply::Scratch { action, errno: errno(error) }
}

/// The error number of an error; EIO if it has none.
pub(crate) fn errno(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(Errno::IO.raw_os_error())
}

/// The processor time that this process itself has used.
pub fn own_cpu() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec as u64, used.tv_nsec as u32)
}
