//! The small process that starts and watches the tests of one slot.
//!
//! It is a *subreaper*: processes whose parent has died become its children, whatever session or
//! process group they moved to. It runs one test at a time, so after each test every child it still
//! has belongs to that test and is killed. When wynot itself dies, even by `kill -9`, the supervisor
//! sees its socket close, kills the test and removes the private directory.
//!
//! It is also small and single-threaded, which makes starting a process cheap.

use super::capture::Capture;
use super::crash_tracer::CrashTracer;
use super::launch::Launcher;
use super::process_tree::ProcessTree;
use super::protocol::{Disturbed, Reply, Request, Run, Setup, receive, send};
use super::sandbox::Sandbox;
use crate::limits::Limits;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, WaitStatus, getpid, pidfd_open, set_child_subreaper,
    setrlimit,
};
use rustix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use std::collections::VecDeque;
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use wynot_session::files::{clear, remove};
use wynot_session::{Ending, JobId, Observation, plain};

/// How long a test may go on after a polite request to end.
const GRACE: Duration = Duration::from_millis(200);

/// Which preparation of the private directories failed; see [`Reply::Scratch`].
pub(crate) const COPY: u8 = 0;
pub(crate) const CLEAN: u8 = 1;
pub(crate) const SANDBOX: u8 = 2;

/// Serves test requests that come in over standard input, a socket, until it closes.
pub fn supervise() -> io::Result<()> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    stay_when_asked_to_go()?;
    let Some(setup) = receive(&socket)? else {
        leave_early();
        return Ok(());
    };
    let setup: Setup = serde_json::from_slice(&setup)?;
    set_child_subreaper(Some(getpid()))?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    let sandbox = match enter_sandbox(&setup) {
        Ok(sandbox) => sandbox,
        Err(error) => return send(&socket, &scratch(SANDBOX, &error).encode()),
    };
    let tracer = match setup.crashes.map(CrashTracer::new).transpose() {
        Ok(tracer) => tracer,
        Err(error) => return send(&socket, &Reply::CannotTrace { errno: errno(&error) }.encode()),
    };
    let mut supervisor = match Supervisor::new(&setup, tracer, socket.try_clone()?) {
        Ok(supervisor) => supervisor,
        Err(error) => return send(&socket, &scratch(COPY, &error).encode()),
    };
    // An error here means that the other side has gone.
    let _ = send(&socket, &Reply::Ready.encode()).and_then(|()| supervisor.serve());
    supervisor.leave();
    if let Some(sandbox) = sandbox {
        sandbox.leave();
    }
    Ok(())
}

/// Moves into a sandbox, if there is to be one.
fn enter_sandbox(setup: &Setup) -> io::Result<Option<Sandbox>> {
    let temp = setup.temp.path();
    match temp.parent().filter(|_| setup.sandbox) {
        Some(around) => Sandbox::enter(around).map(Some),
        None => Ok(None),
    }
}

/// Requests to end come to wynot itself, which ends its supervisors when tests are cleaned up. Handlers
/// are used since tests would inherit signals that are ignored.
fn stay_when_asked_to_go() -> io::Result<()> {
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGCHLD] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    Ok(())
}

/// Removes the private directories if wynot died before it could name them: those of the same slot.
fn leave_early() {
    let Some(temp) = std::env::var_os("TMPDIR").map(PathBuf::from) else { return };
    let (Some(around), Some(name)) = (temp.parent(), temp.file_name()) else { return };
    let name = name.to_string_lossy();
    let Some(slot) = name.strip_suffix("tmp") else { return };
    for entry in fs::read_dir(around).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(slot) {
            // Whatever cannot be removed now cannot be removed by anyone else either.
            let _ = remove(&entry.path());
        }
    }
    let _ = fs::remove_dir(around);
}

pub(crate) struct Supervisor {
    socket: UnixStream,
    pub test_dirs: Vec<Launcher>,
    temp: PathBuf,
    pub limits: Limits,
    stdout: Capture,
    pub stderr: Capture,
    /// Who looks for crashes, if anybody does.
    pub tracer: Option<CrashTracer>,
    /// What to run next.
    queue: VecDeque<Run>,
}

/// Why a test is over.
#[derive(Clone, Copy)]
pub(crate) enum Over {
    Ended,
    TimedOut,
    Cancelled,
}

impl Supervisor {
    fn new(setup: &Setup, tracer: Option<CrashTracer>, socket: UnixStream) -> io::Result<Self> {
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
        })
    }

    /// Runs what it is asked to run, in order, as long as anyone asks.
    fn serve(&mut self) -> io::Result<()> {
        loop {
            let Some(run) = self.queue.pop_front() else {
                // A request to cancel a test that has ended has nothing to do.
                self.take_request()?;
                continue;
            };
            let reply = self.run(&run)?;
            send(&self.socket, &reply.encode())?;
        }
    }

    /// Takes in one request: queues a test, or returns the one that is to be cancelled.
    fn take_request(&mut self) -> io::Result<Option<JobId>> {
        let frame = receive(&self.socket)?.ok_or(Errno::PIPE)?;
        match Request::decode(&frame)? {
            Request::Run(run) => {
                self.queue.push_back(run);
                Ok(None)
            }
            Request::Cancel(job) => Ok(Some(job)),
        }
    }

    /// Runs one test to its end and leaves nothing of it behind.
    fn run(&mut self, run: &Run) -> io::Result<Reply> {
        let test_dir = usize::from(run.test_dir);
        self.stdout.reset()?;
        self.stderr.reset()?;
        let started = Instant::now();
        if let Some(reply) = self.build(run, started)? {
            return Ok(reply);
        }
        let outputs = [&self.stdout, &self.stderr];
        let leader = match self.test_dirs[test_dir].start(&self.limits, run.call.as_ref(), outputs)
        {
            Ok(leader) => leader,
            Err(error) if self.test_dirs[test_dir].holds_the_test() => {
                let said =
                    format!("wynot: the test cannot be run in this version: {}", plain(&error));
                return self.unresolved(run, started, said.into_bytes());
            }
            Err(error) => {
                return Ok(Reply::CannotStart { errno: error.raw_os_error().unwrap_or_default() });
            }
        };
        if let Some(Err(error)) = self.tracer.as_mut().map(|tracer| tracer.follow(leader)) {
            ProcessTree::of(leader).end(None, self.tracer.as_mut());
            return Ok(Reply::CannotStart { errno: errno(&error) });
        }
        let (over, status) = self.attend(leader, run, started)?;
        let elapsed = started.elapsed();
        let Some(status) = status else { return Ok(Reply::Immortal) };
        let (stdout, stderr) = (self.stdout.finish()?, self.stderr.finish()?);
        let disturbed = match self.clean(test_dir) {
            Ok(disturbed) => disturbed,
            Err(error) => return Ok(scratch(CLEAN, &error)),
        };
        let ending = match over {
            Over::Cancelled => return Ok(Reply::Cancelled { job: run.job, disturbed }),
            Over::TimedOut => Ending::Timeout,
            Over::Ended => ending(status),
        };
        let crash = self.tracer.as_mut().and_then(|it| it.crash(ending, [&stdout, &stderr]));
        let observation = Observation { ending, stdout, stderr, elapsed, crash };
        Ok(Reply::Observed { job: run.job, observation, own_cpu: own_cpu(), disturbed })
    }

    /// Waits for the end of what was started, and ends all it leaves behind: why it is over, and how its
    /// first process ended, unless some cannot be killed.
    pub(crate) fn attend(
        &mut self,
        leader: Pid,
        run: &Run,
        started: Instant,
    ) -> io::Result<(Over, Option<WaitStatus>)> {
        let mut process_tree = ProcessTree::of(leader);
        let watched =
            pidfd_open(leader, PidfdFlags::empty()).map_err(io::Error::from).and_then(|pidfd| {
                self.watch(&mut process_tree, &pidfd, run.job, started + run.timeout)
            });
        let politely = matches!(watched, Ok(Over::TimedOut | Over::Cancelled)).then_some(GRACE);
        let status = process_tree.end(politely, self.tracer.as_mut());
        watched.map(|over| (over, status))
    }

    /// Leaves nothing of a test behind; what it has changed of what a build had made.
    pub(crate) fn clean(&mut self, test_dir: usize) -> io::Result<Disturbed> {
        let disturbed = self.test_dirs[test_dir].clean()?;
        clear(&self.temp)?;
        Ok(disturbed)
    }

    /// Waits until the test is over, taking in what it prints.
    fn watch(
        &mut self,
        process_tree: &mut ProcessTree,
        pidfd: &OwnedFd,
        job: JobId,
        deadline: Instant,
    ) -> io::Result<Over> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let patience =
                Timespec::try_from(left).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
            let [ended, out, err, asked, rung] = {
                // Without a tracer there is nothing else to wait for.
                let bell = self.tracer.as_ref().map_or(pidfd.as_fd(), CrashTracer::bell);
                let mut fds = [
                    PollFd::new(pidfd, PollFlags::IN),
                    PollFd::from_borrowed_fd(self.stdout.reader(), PollFlags::IN),
                    PollFd::from_borrowed_fd(self.stderr.reader(), PollFlags::IN),
                    PollFd::new(&self.socket, PollFlags::IN),
                    PollFd::from_borrowed_fd(bell, PollFlags::IN),
                ];
                match poll(&mut fds, Some(&patience)) {
                    Ok(0) => return Ok(Over::TimedOut),
                    Ok(_) | Err(Errno::INTR) => fds.map(|fd| !fd.revents().is_empty()),
                    Err(error) => return Err(error.into()),
                }
            };
            if out {
                self.stdout.take_in()?;
            }
            if err {
                self.stderr.take_in()?;
            }
            if rung && let Some(tracer) = &mut self.tracer {
                tracer.quieten();
                process_tree.reap(Some(tracer));
            }
            if ended || process_tree.status.is_some() {
                return Ok(Over::Ended);
            }
            if asked && let Some(cancelled) = self.take_request()? {
                if cancelled == job {
                    return Ok(Over::Cancelled);
                }
                self.drop_queued(cancelled)?;
            }
            // Output can keep poll from ever running out of time.
            if Instant::now() >= deadline {
                return Ok(Over::TimedOut);
            }
        }
    }

    /// Takes a test off the queue, if it is still there.
    fn drop_queued(&mut self, job: JobId) -> io::Result<()> {
        let Some(at) = self.queue.iter().position(|run| run.job == job) else {
            return Ok(());
        };
        self.queue.remove(at);
        let disturbed = Disturbed::default();
        send(&self.socket, &Reply::Cancelled { job, disturbed }.encode())
    }

    /// Removes the private directories, and the one around them if no other slot uses it.
    fn leave(self) {
        let around = self.temp.parent().map(ToOwned::to_owned);
        for path in self.test_dirs.iter().map(|dir| &dir.path).chain([&self.temp]) {
            let _ = remove(path);
        }
        if let Some(around) = around {
            // Fails while other slots are there: the last one succeeds.
            let _ = fs::remove_dir(around);
        }
    }
}

pub(crate) fn scratch(action: u8, error: &io::Error) -> Reply {
    Reply::Scratch { action, errno: errno(error) }
}

fn errno(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(Errno::IO.raw_os_error())
}

fn ending(status: WaitStatus) -> Ending {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ending::Exit(code),
        (None, Some(signal)) => Ending::Signal(signal),
        (None, None) => Ending::Exit(0),
    }
}

/// Processor time that this process itself has used.
pub fn own_cpu() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec as u64, used.tv_nsec as u32)
}
