//! Tracing all processes of a test to detect crashes.
//!
//! The supervisor traces the test and all its descendants. A thread stops before a signal is delivered to it; if the
//! signal indicates a crash, the tracer takes a backtrace and then delivers the signal. A test can handle its signals,
//! so the crash of a test is the last one that killed a process or, if there is none, the last one that was handled.
//!
//! A process can have only one tracer. Debuggers, and programs with sanitizers that trace themselves to find leaks, are
//! therefore detached when they start, together with their descendants.

use crate::Ending;
use crate::crash_detection::CrashDetection;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};
use signal_hook::consts::SIGCHLD;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wynot_crash::reports::gdb;
use wynot_crash::{Backtracer, Cause, Crash};
use wynot_process::process_stat::{status_field, threads};
use wynot_process::ptrace::{self, TraceStop};
use wynot_process::signal::is_crash;

/// The time limit of gdb for one backtrace.
const GDB_TIMEOUT: Duration = Duration::from_secs(60);

/// The time limit for a thread to stop before gdb attaches to its process.
const THREAD_STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// Traces the processes of a test.
pub(crate) struct CrashTracer {
    crashes: CrashDetection,
    backtracer: Backtracer,
    /// The traced threads, each with the signal and the crash of its last crash.
    threads: HashMap<i32, Option<(i32, Crash)>>,
    /// The threads whose backtrace gdb has taken, and which are about to receive their signal once more.
    seen_by_gdb: HashSet<i32>,
    /// The last crash that killed a process.
    fatal: Option<Crash>,
    /// The last crash that a process survived.
    handled: Option<Crash>,
    /// Whether stopped threads are killed instead of continued.
    killing: bool,
    /// The reading end of the wake-up pipe, readable when the state of a child may have changed.
    wake_up_reader: OwnedFd,
    /// The writing end of the wake-up pipe, to which the handler of SIGCHLD writes.
    wake_up_writer: OwnedFd,
}

impl CrashTracer {
    /// Creates a tracer, after a check that the system permits tracing. Programs and libraries for which `belongs_to_input`
    /// holds were built by the test.
    pub(crate) fn new(
        crashes: CrashDetection,
        belongs_to_input: impl Fn(&Path) -> bool + 'static,
    ) -> io::Result<Self> {
        let (wake_up_reader, wake_up_writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        signal_hook::low_level::pipe::register(SIGCHLD, wake_up_writer.try_clone()?)?;
        let tracer = Self {
            crashes,
            backtracer: Backtracer::new(belongs_to_input),
            threads: HashMap::new(),
            seen_by_gdb: HashSet::new(),
            fatal: None,
            handled: None,
            killing: false,
            wake_up_reader,
            wake_up_writer,
        };
        Self::check_permission()?;
        Ok(tracer)
    }

    /// Checks that the system permits tracing: starts a shell as a tracee and kills it before it runs.
    fn check_permission() -> io::Result<()> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", ":"]).stdin(Stdio::null()).stdout(Stdio::null());
        Self::prepare(&mut command);
        let mut child = command.spawn()?;
        let attached = ptrace::seize_started(child.id() as i32, || true);
        child.kill()?;
        child.wait()?;
        if attached? { Ok(()) } else { Err(Errno::PERM.into()) }
    }

    /// Prepares a command so that its process can be [traced](Self::trace).
    pub(crate) fn prepare(command: &mut Command) {
        ptrace::stop_at_start(command);
    }

    /// Starts to trace a test whose first process was just started.
    pub(crate) fn trace(&mut self, leader: Pid) -> io::Result<()> {
        self.threads.clear();
        self.seen_by_gdb.clear();
        self.backtracer.forget_last_thread();
        (self.fatal, self.handled, self.killing) = (None, None, false);
        let leader = leader.as_raw_nonzero().get();
        if ptrace::seize_started(leader, || !self.backtracer.is_tracer(leader))? {
            self.threads.insert(leader, None);
        }
        Ok(())
    }

    /// Kills all traced threads, and from now on every thread that stops.
    pub(crate) fn kill_all(&mut self) {
        self.killing = true;
        for thread in self.threads.keys().filter(|thread| is_traced(**thread)) {
            kill(*thread);
        }
    }

    /// The options with which `wait` reports all traced threads.
    pub(crate) fn wait_options() -> WaitOptions {
        WaitOptions::from_bits_retain(ptrace::WAIT_ALL_THREADS)
    }

    /// The reading end of the wake-up pipe, for `poll`.
    pub(crate) fn wake_up_fd(&self) -> BorrowedFd<'_> {
        self.wake_up_reader.as_fd()
    }

    /// Makes the wake-up pipe readable.
    pub(crate) fn wake_up(&self) {
        // A full pipe is readable anyway.
        let _ = rustix::io::write(&self.wake_up_writer, b"!");
    }

    /// Empties the wake-up pipe. The caller then waits for all children whose state has changed.
    pub(crate) fn drain_wake_ups(&self) {
        let mut buffer = [0; 64];
        let read = |buffer: &mut [u8; 64]| rustix::io::read(&self.wake_up_reader, buffer);
        while read(&mut buffer).is_ok_and(|count| count == buffer.len()) {}
    }

    /// Handles a status that `wait` reported for a thread, and continues the thread if it has stopped. Errors mean that
    /// the thread has died in the meantime, which `wait` reports as well.
    pub(crate) fn handle_status(&mut self, thread: Pid, status: i32) {
        let thread = thread.as_raw_nonzero().get();
        let Some(stop) = TraceStop::from_wait_status(status) else {
            self.handle_end(thread, status);
            return;
        };
        self.threads.entry(thread).or_default();
        if self.killing {
            kill(thread);
            return;
        }
        let _ = match stop {
            TraceStop::Signal(signal) if is_crash(signal) => self.handle_crash(thread, signal),
            TraceStop::Signal(signal) => ptrace::resume(thread, signal),
            TraceStop::Group => ptrace::stay_stopped(thread),
            TraceStop::Exec if self.backtracer.is_tracer(thread) => {
                self.detach(thread);
                Ok(())
            }
            TraceStop::Exec | TraceStop::Other => ptrace::resume(thread, 0),
        };
    }

    /// Stops tracing a thread.
    fn detach(&mut self, thread: i32) {
        self.threads.remove(&thread);
        // An error means that the thread has died, which `wait` reports.
        let _ = ptrace::detach(thread, 0);
    }

    /// Records the crash of a thread that has ended, if there was one.
    fn handle_end(&mut self, thread: i32, status: i32) {
        let Some(Some((signal, crash))) = self.threads.remove(&thread) else { return };
        // The lowest bits of a status are the signal that killed the process.
        match status & 0x7f == signal {
            true => self.fatal = Some(crash),
            false => self.handled = Some(crash),
        }
    }

    /// Takes the backtrace of a thread that has stopped with a crash signal, and delivers the signal.
    fn handle_crash(&mut self, thread: i32, signal: i32) -> io::Result<()> {
        let crash = match self.crashes.by_gdb {
            false => self.backtracer.backtrace(thread, signal, self.crashes.functions),
            true => return self.handle_crash_by_gdb(thread, signal),
        };
        self.record_crash(thread, signal, crash);
        ptrace::resume(thread, signal)
    }

    /// Records the crash of a thread. If the thread has an earlier one, it has handled that.
    fn record_crash(&mut self, thread: i32, signal: i32, crash: Crash) {
        if let Some((_, earlier)) = self.threads.insert(thread, Some((signal, crash))).flatten() {
            self.handled = Some(earlier);
        }
    }

    /// The crash that was observed, if there was one. All processes must be dead.
    pub(crate) fn crash(&mut self, ending: Ending) -> Option<Crash> {
        let without_backtrace = match ending {
            Ending::Signal(signal) if is_crash(signal) => {
                Some(Crash::without_frames(Cause::Signal(signal)))
            }
            _ => None,
        };
        self.fatal.take().or(self.handled.take()).or(without_backtrace)
    }
}

/// Backtraces by gdb. Since gdb cannot attach to a traced process, the process is stopped and detached, and traced
/// again after gdb has ended.
impl CrashTracer {
    fn handle_crash_by_gdb(&mut self, thread: i32, signal: i32) -> io::Result<()> {
        if self.seen_by_gdb.remove(&thread) {
            return ptrace::resume(thread, signal);
        }
        let process = status_field(thread, "Tgid:").unwrap_or(thread);
        let cause = self.backtracer.cause(thread, signal);
        let is_fault = ptrace::fault_address(thread)?.is_some();
        // SIGSTOP stops all threads of the process.
        ptrace::detach(thread, SIGSTOP)?;
        for other in threads(process).into_iter().filter(|other| *other != thread) {
            self.detach_stopped(other)?;
        }
        let crash = match run_gdb(process, thread) {
            Ok(text) => gdb::read(cause, &text),
            Err(_) => Crash::without_frames(cause),
        };
        self.record_crash(thread, signal, crash);
        for task in threads(process) {
            ptrace::seize(task)?;
        }
        self.seen_by_gdb.insert(thread);
        if !is_fault {
            // The thread repeats a fault by itself; a signal that was sent must be sent once more.
            ptrace::send_signal(process, thread, signal)?;
        }
        kill_process(Pid::from_raw(process).ok_or(Errno::SRCH)?, Signal::CONT)?;
        Ok(())
    }

    /// Waits until a thread has stopped together with its process, and detaches from it while it is stopped.
    fn detach_stopped(&mut self, thread: i32) -> io::Result<()> {
        let pid = Pid::from_raw(thread);
        let started = Instant::now();
        // A thread in `vfork` does not stop until its child has called `exec`.
        while started.elapsed() < THREAD_STOP_TIMEOUT {
            let Some((_, status)) = waitpid(pid, Self::wait_options() | WaitOptions::NOHANG)?
            else {
                std::thread::sleep(Duration::from_micros(100));
                continue;
            };
            match TraceStop::from_wait_status(status.as_raw()) {
                None => return Ok(()),
                Some(TraceStop::Group) => return ptrace::detach(thread, 0),
                Some(TraceStop::Signal(signal)) => ptrace::resume(thread, signal)?,
                Some(TraceStop::Exec | TraceStop::Other) => ptrace::resume(thread, 0)?,
            }
        }
        Err(io::ErrorKind::TimedOut.into())
    }
}

/// The number of the signal that stops processes.
const SIGSTOP: i32 = 19;

/// Runs gdb on a stopped process. Returns its output about a thread.
fn run_gdb(process: i32, thread: i32) -> io::Result<String> {
    let mut file: File = tempfile::tempfile()?;
    let mut gdb = Command::new("gdb")
        .args(gdb::arguments(process, thread))
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(Stdio::null())
        .spawn()?;
    let started = Instant::now();
    while gdb.try_wait()?.is_none() {
        if started.elapsed() > GDB_TIMEOUT {
            gdb.kill()?;
            gdb.wait()?;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut text = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Whether this process still traces a thread; its number may have been reused since.
fn is_traced(thread: i32) -> bool {
    status_field(thread, "TracerPid:") == Some(getpid().as_raw_nonzero().get())
}

fn kill(thread: i32) {
    if let Some(pid) = Pid::from_raw(thread) {
        // An error means that the thread is already dead.
        let _ = kill_process(pid, Signal::KILL);
    }
}
