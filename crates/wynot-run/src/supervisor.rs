//! The small process that starts and watches the tests of one slot.
//!
//! It is a *subreaper*: processes whose parent has died become its children, whatever session or
//! process group they moved to. It runs one test at a time, so after each test every child it still
//! has belongs to that test and is killed. When wynot itself dies, even by `kill -9`, the supervisor
//! sees its socket close, kills the test and removes the private directory.
//!
//! It is also small and single-threaded, which makes starting a process cheap.

use crate::capture::Capture;
use crate::room::{self, Copy};
use crate::wire::{Reply, Request, Setup, receive, send};
use crate::{Ending, Limits, Observation, Output};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getrlimit,
    kill_process, kill_process_group, pidfd_open, set_child_subreaper, setrlimit, wait,
};
use rustix::time::{ClockId, clock_gettime};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a test may go on after a polite request to end.
const GRACE: Duration = Duration::from_millis(200);

/// How long to try to kill processes that keep coming back.
const PERSISTENCE: Duration = Duration::from_secs(10);

/// Which preparation of the private directories failed; see [`Reply::Scratch`].
pub(crate) const COPY: u8 = 0;
pub(crate) const CLEAN: u8 = 1;

/// Serves test requests that come in over standard input, a socket, until it closes.
pub fn supervise() -> io::Result<()> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let Some(setup) = receive(&socket)? else { return Ok(()) };
    let setup: Setup = serde_json::from_slice(&setup)?;
    set_child_subreaper(Some(getpid()))?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    let mut supervisor = match Supervisor::new(setup, socket.try_clone()?) {
        Ok(supervisor) => supervisor,
        Err(reply) => return send(&socket, &reply.encode()),
    };
    while let Some(frame) = receive(&socket)? {
        // A request to cancel that comes after the end of its test has nothing to do.
        if let Request::Run { timeout, want_output } = Request::decode(&frame)? {
            let reply = match supervisor.run(timeout, want_output) {
                Ok(reply) => reply,
                Err(Gone) => break,
            };
            if send(&socket, &reply.encode()).is_err() {
                break;
            }
        }
    }
    supervisor.leave();
    Ok(())
}

/// The process that asked for the tests is gone.
struct Gone;

struct Supervisor {
    socket: UnixStream,
    command: Command,
    room: PathBuf,
    temp: PathBuf,
    project: Option<Copy>,
    stdin: Option<PathBuf>,
    limits: Limits,
    stdout: Capture,
    stderr: Capture,
}

/// Why a test is over.
enum Over {
    Ended,
    TimedOut,
    Cancelled,
}

impl Supervisor {
    fn new(setup: Setup, socket: UnixStream) -> Result<Self, Reply> {
        let failed = |action: u8| move |error: io::Error| scratch(action, &error);
        let (stdout, stderr) =
            (Capture::new().map_err(failed(COPY))?, Capture::new().map_err(failed(COPY))?);
        let mut command = Command::new(setup.program.os());
        command
            .args(setup.args.iter().map(|arg| arg.os()))
            .current_dir(setup.cwd.path())
            .stdout(stdout.writer().map_err(failed(COPY))?)
            .stderr(stderr.writer().map_err(failed(COPY))?)
            .process_group(0);
        let room = setup.room.path();
        let project = match &setup.project {
            Some(source) => Some(Copy::new(&source.path(), &room).map_err(failed(COPY))?),
            None => None,
        };
        Ok(Self {
            socket,
            command,
            room,
            temp: setup.temp.path(),
            project,
            stdin: setup.stdin.map(|path| path.path()),
            limits: setup.limits,
            stdout,
            stderr,
        })
    }

    /// Runs one test to its end and leaves nothing of it behind.
    fn run(&mut self, timeout: Duration, want_output: bool) -> Result<Reply, Gone> {
        let started = Instant::now();
        let leader = match self.start() {
            Ok(leader) => leader,
            Err(error) => {
                return Ok(Reply::CannotStart { errno: error.raw_os_error().unwrap_or_default() });
            }
        };
        let watched = pidfd_open(leader, PidfdFlags::empty())
            .map_err(io::Error::from)
            .and_then(|pidfd| self.watch(&pidfd, started + timeout));
        let over = match watched {
            Ok(over) => over,
            Err(_) => {
                end_tree(leader, None);
                return Err(Gone);
            }
        };
        let elapsed = started.elapsed();
        let politely = (!matches!(over, Over::Ended)).then_some(GRACE);
        let Some(status) = end_tree(leader, politely) else { return Ok(Reply::Immortal) };
        let outputs = self.stdout.finish().and_then(|out| Ok([out, self.stderr.finish()?]));
        let cleaned = self.clean();
        let (Ok([stdout, stderr]), Ok(())) = (outputs, &cleaned) else {
            let error = cleaned.err().unwrap_or_else(|| Errno::IO.into());
            return Ok(scratch(CLEAN, &error));
        };
        let ending = match over {
            Over::Cancelled => return Ok(Reply::Cancelled { own_cpu: own_cpu() }),
            Over::TimedOut => Ending::Timeout,
            Over::Ended => ending(status),
        };
        let keep = |output: Output| if want_output { output } else { Output::default() };
        let (stdout, stderr) = (keep(stdout), keep(stderr));
        let observation = Observation { ending, stdout, stderr, elapsed };
        Ok(Reply::Observed { observation, own_cpu: own_cpu() })
    }

    fn start(&mut self) -> io::Result<Pid> {
        self.command.stdin(match &self.stdin {
            Some(path) => Stdio::from(File::open(path)?),
            None => Stdio::null(),
        });
        let command = &mut self.command;
        let child = under(&self.limits, || command.spawn())?;
        Pid::from_raw(child.id() as i32).ok_or_else(|| Errno::SRCH.into())
    }

    /// Waits until the test is over, taking in what it prints.
    fn watch(&mut self, pidfd: &OwnedFd, deadline: Instant) -> io::Result<Over> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let patience =
                Timespec::try_from(left).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
            let [ended, out, err, asked] = {
                let mut fds = [
                    PollFd::new(pidfd, PollFlags::IN),
                    PollFd::from_borrowed_fd(self.stdout.reader(), PollFlags::IN),
                    PollFd::from_borrowed_fd(self.stderr.reader(), PollFlags::IN),
                    PollFd::new(&self.socket, PollFlags::IN),
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
            if ended {
                return Ok(Over::Ended);
            }
            if asked {
                let frame = receive(&self.socket)?.ok_or(Errno::PIPE)?;
                if Request::decode(&frame)? == Request::Cancel {
                    return Ok(Over::Cancelled);
                }
            }
            // Output can keep poll from ever running out of time.
            if Instant::now() >= deadline {
                return Ok(Over::TimedOut);
            }
        }
    }

    fn clean(&mut self) -> io::Result<()> {
        match &mut self.project {
            Some(copy) => copy.restore()?,
            None => room::clear(&self.room)?,
        }
        room::clear(&self.temp)
    }

    /// Removes the private directories, and the one around them if no other slot uses it.
    fn leave(self) {
        let around = self.room.parent().map(ToOwned::to_owned);
        let removed = room::remove(&self.room).and_then(|()| room::remove(&self.temp));
        if let (Ok(()), Some(around)) = (removed, around) {
            // Fails while other slots are there: the last one succeeds.
            let _ = fs::remove_dir(around);
        }
    }
}

fn scratch(action: u8, error: &io::Error) -> Reply {
    Reply::Scratch { action, errno: error.raw_os_error().unwrap_or(Errno::IO.raw_os_error()) }
}

fn ending(status: WaitStatus) -> Ending {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ending::Exit(code),
        (None, Some(signal)) => Ending::Signal(signal),
        (None, None) => Ending::Exit(0),
    }
}

/// Calls `spawn` while the soft limits of this process are those of the test; children keep them.
fn under<T>(limits: &Limits, spawn: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let wanted = [
        (Resource::As, limits.memory),
        (Resource::Cpu, limits.cpu),
        (Resource::Fsize, limits.file),
    ];
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

/// Kills all processes of the test, the leader and whoever it left behind, and returns how the leader
/// ended; `None` if some cannot be killed.
fn end_tree(leader: Pid, politely: Option<Duration>) -> Option<WaitStatus> {
    let mut status = None;
    let started = Instant::now();
    if let Some(grace) = politely {
        let _ = kill_process_group(leader, Signal::TERM);
        while status.is_none() && started.elapsed() < grace {
            if !reap(leader, &mut status) {
                return status;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    while reap(leader, &mut status) {
        if started.elapsed() > PERSISTENCE {
            return None;
        }
        let _ = kill_process_group(leader, Signal::KILL);
        for child in children() {
            let _ = kill_process(child, Signal::KILL);
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    status
}

/// Collects the children that have died; whether any are left.
fn reap(leader: Pid, leader_status: &mut Option<WaitStatus>) -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == leader => *leader_status = Some(status),
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// The living children of this process, orphans of the test among them.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero().get();
    let listed = fs::read_to_string(format!("/proc/{own}/task/{own}/children"));
    let pids: Vec<i32> = match listed {
        Ok(list) => list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect(),
        Err(_) => {
            let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
            let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            numbers.filter(|pid| parent(*pid) == Some(own)).collect()
        }
    };
    pids.into_iter().filter_map(Pid::from_raw).collect()
}

/// The parent of a process, on systems that do not list children.
fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, behind_name) = stat.rsplit_once(')')?;
    behind_name.split_whitespace().nth(1)?.parse().ok()
}

fn own_cpu() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec as u64, used.tv_nsec as u32)
}
