//! The guard: the process between wynot and the supervisor of a slot.
//!
//! wynot starts the guard, and the guard starts the supervisor, where possible as the first process of a
//! [process namespace](super::process_namespace). The guard does nothing but wait. When wynot closes the socket or dies,
//! when the supervisor ends, or when a test has stopped or traced the supervisor, the guard kills the supervisor and
//! every process that is left, and removes the private directories. Tests cannot see the guard from their namespace.
//!
//! Where the system has no process namespaces, the guard and the supervisor are *subreapers*: a process whose parent has
//! died becomes a child of the nearest one, so that no process gets lost as long as one of the two lives.

use super::descendants;
use super::process_namespace;
use super::process_tree::MAX_KILL_TIME;
use super::protocol::{SupervisorReply, receive, send};
use super::sandbox::NAMESPACES;
use super::setup::{Containment, MissingPart, Setup};
use super::supervise::{errno, serve};
use crate::locked_directory;
use crate::remove;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Signal, WaitOptions, getpid, getppid, kill_process,
    pidfd_open, set_child_subreaper, set_dumpable_behavior, set_parent_process_death_signal, wait,
    waitpid,
};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use std::fs::{self, File};
use std::io;
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use wynot_process::process_stat::{ProcessStat, status_field};

/// The time between two looks at the state of the supervisor.
const WATCH_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// The time between two looks for dead children.
const REAP_INTERVAL: Duration = Duration::from_micros(500);

/// Serves the requests that arrive on standard input, which is a socket, until it is closed.
pub fn supervise() -> io::Result<()> {
    let wynot = getppid();
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    ignore_termination_signals()?;
    // A test that shares processes may stop the guard. When wynot dies, the guard goes on and removes what is left.
    set_parent_process_death_signal(Some(Signal::CONT))?;
    let Some(setup) = receive(&socket)? else {
        remove_directories_of_slot(wynot);
        return Ok(());
    };
    let setup: Setup = serde_json::from_slice(&setup)?;
    // The lock shows other runs of wynot that the directory is in use.
    let lock = setup.temp.path().parent().and_then(locked_directory::lock);
    set_child_subreaper(Some(getpid()))?;
    let has_namespace = setup.containment.own_processes;
    if has_namespace && let Err(reply) = isolate(&setup.containment) {
        return send(&socket, &reply.encode());
    }
    // Tests can then neither trace the two processes nor take their descriptors.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    match fork()? {
        None => {
            // An error means that the executor has closed the socket.
            let _ = start_supervisor(&setup, socket, has_namespace);
            exit(0)
        }
        Some(supervisor) => {
            watch(&socket, supervisor, has_namespace)?;
            end(supervisor, has_namespace);
            remove_directories(&setup);
            // A supervisor that a test has ended is no reason for wynot to end. The guard stays until wynot has noticed:
            // if wynot is killed before, no other process removes the directory around the private ones.
            socket.shutdown(Shutdown::Write)?;
            wait_for_close(&socket)?;
            remove_surroundings(&setup, lock, wynot);
            Ok(())
        }
    }
}

/// Makes termination signals harmless: wynot itself handles them and closes the socket. The signals get empty handlers,
/// because tests would inherit ignored signals.
fn ignore_termination_signals() -> io::Result<()> {
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGCHLD] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    Ok(())
}

/// Prepares the process namespace of the supervisor. An error is the reply that ends the slot.
fn isolate(containment: &Containment) -> Result<(), SupervisorReply> {
    let has_sandbox = containment.sandbox.is_some();
    process_namespace::prepare(has_sandbox).map_err(|error| match has_sandbox {
        true => SupervisorReply::Missing(vec![MissingPart::new(NAMESPACES, &error)]),
        false => SupervisorReply::CannotIsolate { errno: errno(&error) },
    })
}

/// Divides this process in two. Returns the other process in this one, and `None` in the other.
pub(super) fn fork() -> io::Result<Option<Pid>> {
    #[expect(unsafe_code, reason = "this process has one thread, so the other one can do anything")]
    // SAFETY: with a single thread, no lock can be held by a thread that does not exist in the other process.
    let result = unsafe { libc::fork() };
    match result {
        -1 => Err(io::Error::last_os_error()),
        result => Ok(Pid::from_raw(result)),
    }
}

/// The supervisor, from its first moment to its end.
fn start_supervisor(setup: &Setup, socket: UnixStream, has_namespace: bool) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    set_child_subreaper(Some(getpid()))?;
    // A session of its own has no terminal, to which tests could type.
    rustix::process::setsid()?;
    serve(setup, socket, has_namespace)
}

/// Waits until wynot has closed the socket, or the supervisor has ended or was disabled by a test.
fn watch(socket: &UnixStream, supervisor: Pid, has_namespace: bool) -> io::Result<()> {
    let pidfd = pidfd_open(supervisor, PidfdFlags::empty())?;
    loop {
        let mut fds = [PollFd::new(socket, PollFlags::RDHUP), PollFd::new(&pidfd, PollFlags::IN)];
        match poll(&mut fds, Some(&WATCH_INTERVAL)) {
            Ok(0) if is_disabled(supervisor, has_namespace) => return Ok(()),
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether a test has stopped the supervisor, which it can only do outside of a namespace, or traces it.
fn is_disabled(supervisor: Pid, has_namespace: bool) -> bool {
    let id = supervisor.as_raw_nonzero().get();
    let is_stopped = || ProcessStat::of_process(id).is_some_and(|stat| stat.state == 'T');
    let tracer = || status_field(id, "TracerPid:").filter(|tracer| *tracer != 0);
    (!has_namespace && is_stopped()) || tracer().is_some_and(descendants::is_descendant)
}

/// Kills the supervisor and all processes that are left. If the supervisor is the first process of a namespace, the kernel
/// kills the others.
fn end(supervisor: Pid, has_namespace: bool) {
    let _ = kill_process(supervisor, Signal::KILL);
    if has_namespace {
        let _ = waitpid(Some(supervisor), WaitOptions::empty());
        return;
    }
    let started = Instant::now();
    while started.elapsed() < MAX_KILL_TIME {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => continue,
            Ok(None) | Err(Errno::INTR) => {}
            // There are no children left.
            Err(_) => return,
        }
        descendants::kill_all();
        std::thread::sleep(REAP_INTERVAL);
    }
}

/// Whether wynot, which has started this guard, is ending. The guard gets another parent only after the sockets of wynot
/// are closed.
fn is_ending(wynot: Option<Pid>) -> bool {
    let stat = || ProcessStat::of_process(wynot?.as_raw_nonzero().get());
    getppid() != wynot || stat().is_some_and(|stat| stat.is_ending)
}

/// Waits until wynot has closed its end of the socket.
fn wait_for_close(socket: &UnixStream) -> io::Result<()> {
    loop {
        let mut fds = [PollFd::new(socket, PollFlags::RDHUP)];
        match poll(&mut fds, None) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Removes the private directories. There is no process to which an error could be reported; the next run of wynot removes
/// what is left.
fn remove_directories(setup: &Setup) {
    let (temp, root) = (setup.temp.path(), setup.root.path());
    for path in setup.test_dirs.iter().map(|dir| dir.path.path()).chain([root, temp]) {
        let _ = remove(&path);
    }
}

/// Removes the directory around the private ones if neither wynot nor another guard uses it.
fn remove_surroundings(setup: &Setup, lock: Option<File>, wynot: Option<Pid>) {
    drop(lock);
    if let Some(parent) = setup.temp.path().parent() {
        locked_directory::remove_unlocked(parent, || is_ending(wynot));
    }
}

/// Removes the private directories of this slot, found by name, if wynot died before it sent the setup.
fn remove_directories_of_slot(wynot: Option<Pid>) {
    let Some(temp) = std::env::var_os("TMPDIR").map(PathBuf::from) else { return };
    let (Some(parent), Some(name)) = (temp.parent(), temp.file_name()) else { return };
    let name = name.to_string_lossy();
    let Some(slot_prefix) = name.strip_suffix("tmp") else { return };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(slot_prefix) {
            // There is no process left to which an error could be reported.
            let _ = remove(&entry.path());
        }
    }
    locked_directory::remove_unlocked(parent, || is_ending(wynot));
}
