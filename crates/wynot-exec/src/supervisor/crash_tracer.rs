//! Following all processes of a test, to see them crash.
//!
//! The supervisor is the tracer of the test and of everything that it starts. Threads stop when a signal is
//! about to reach them; if it is one of a crash, the backtrace is taken there and then, and the signal is
//! delivered as if nobody had looked. A test can handle its signals, so what counts is the last crash that
//! a process has died of, and only if there is none, the last one that was handled.
//!
//! No process can be traced twice. Debuggers, and programs with sanitizers that trace themselves to find
//! leaks, are let go when they start, with all that they start in turn.

use crate::spec::CrashDetection;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};
use signal_hook::consts::SIGCHLD;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wynot_crash::reports::{self, gdb};
use wynot_crash::{Backtracer, Cause, Crash};
use wynot_process::ptrace::{self, TraceStop};
use wynot_process::signal::is_crash;
use wynot_session::{Ending, Output};

/// How long gdb may take for a backtrace.
const GDB_PATIENCE: Duration = Duration::from_secs(60);

/// How long the threads of a process may take to stop for gdb.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// Follows the processes of a test.
pub(crate) struct CrashTracer {
    crashes: CrashDetection,
    backtracer: Backtracer,
    /// Threads that are traced, and the last crash of each.
    threads: HashMap<i32, Option<(i32, Crash)>>,
    /// Threads that gdb has looked at and that are about to be sent their signal again.
    looked_at: HashSet<i32>,
    /// The last crash that was not handled, and the last one that was.
    fatal: Option<Crash>,
    handled: Option<Crash>,
    /// Whether processes are to be killed instead of followed.
    killing: bool,
    /// Readable when something may have happened.
    bell: OwnedFd,
    /// The other end.
    ringer: OwnedFd,
}

impl CrashTracer {
    /// Makes sure that the system lets processes be traced.
    pub(crate) fn new(crashes: CrashDetection) -> io::Result<Self> {
        let (bell, ringer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        signal_hook::low_level::pipe::register(SIGCHLD, ringer.try_clone()?)?;
        let tracer = Self {
            crashes,
            backtracer: Backtracer::default(),
            threads: HashMap::new(),
            looked_at: HashSet::new(),
            fatal: None,
            handled: None,
            killing: false,
            bell,
            ringer,
        };
        tracer.try_out()?;
        Ok(tracer)
    }

    /// Starts this program once more, traced, and ends it before it does anything.
    fn try_out(&self) -> io::Result<()> {
        let mut command = Command::new("/proc/self/exe");
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null());
        self.prepare(&mut command);
        let mut child = command.spawn()?;
        let taken = ptrace::seize_started(child.id() as i32, || true);
        child.kill()?;
        child.wait()?;
        if taken? { Ok(()) } else { Err(Errno::PERM.into()) }
    }

    /// Makes a command start programs that can be [followed](Self::follow).
    pub(crate) fn prepare(&self, command: &mut Command) {
        ptrace::stop_at_start(command);
    }

    /// Follows a test that was just started.
    pub(crate) fn follow(&mut self, leader: Pid) -> io::Result<()> {
        self.threads.clear();
        self.looked_at.clear();
        self.backtracer.forget_last_thread();
        (self.fatal, self.handled, self.killing) = (None, None, false);
        let leader = leader.as_raw_nonzero().get();
        if ptrace::seize_started(leader, || !self.backtracer.is_tracer(leader))? {
            self.threads.insert(leader, None);
        }
        Ok(())
    }

    /// From now on, whatever stops is killed.
    pub(crate) fn kill_all(&mut self) {
        self.killing = true;
        for thread in self.threads.keys().filter(|thread| is_traced(**thread)) {
            kill(*thread);
        }
    }

    /// Makes `wait` tell about all threads that are traced.
    pub(crate) fn all() -> WaitOptions {
        WaitOptions::from_bits_retain(ptrace::WAIT_ALL_THREADS)
    }

    /// What to wait on.
    pub(crate) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// Says that something may have happened.
    pub(crate) fn ring(&self) {
        // If it is full, it is heard anyway.
        let _ = rustix::io::write(&self.ringer, b"!");
    }

    /// Stops the ringing. What happened since is then to be asked for.
    pub(crate) fn quieten(&self) {
        let mut heard = [0; 64];
        while rustix::io::read(&self.bell, &mut heard).is_ok_and(|count| count == heard.len()) {}
    }

    /// Takes note of what `wait` told about a thread, and lets it go on if it has stopped. Errors mean
    /// that the thread has died in the meantime, which will be told, too.
    pub(crate) fn note(&mut self, thread: Pid, status: i32) {
        let thread = thread.as_raw_nonzero().get();
        let Some(stop) = TraceStop::from_wait_status(status) else {
            self.ended(thread, status);
            return;
        };
        self.threads.entry(thread).or_default();
        if self.killing {
            kill(thread);
            return;
        }
        let _ = match stop {
            TraceStop::Signal(signal) if is_crash(signal) => self.crashed(thread, signal),
            TraceStop::Signal(signal) => ptrace::resume(thread, signal),
            TraceStop::Group => ptrace::stay_stopped(thread),
            TraceStop::Exec if self.backtracer.is_tracer(thread) => {
                self.let_go(thread);
                Ok(())
            }
            TraceStop::Exec | TraceStop::Other => ptrace::resume(thread, 0),
        };
    }

    fn let_go(&mut self, thread: i32) {
        self.threads.remove(&thread);
        // If it has died, that will be told.
        let _ = ptrace::detach(thread, 0);
    }

    fn ended(&mut self, thread: i32, status: i32) {
        let Some(Some((signal, crash))) = self.threads.remove(&thread) else { return };
        // The lowest bits of a status are the signal that has killed.
        match status & 0x7f == signal {
            true => self.fatal = Some(crash),
            false => self.handled = Some(crash),
        }
    }

    fn crashed(&mut self, thread: i32, signal: i32) -> io::Result<()> {
        let crash = match self.crashes.by_gdb {
            false => self.backtracer.backtrace(thread, signal, self.crashes.functions),
            true => return self.crashed_by_gdb(thread, signal),
        };
        self.remember(thread, signal, crash);
        ptrace::resume(thread, signal)
    }

    fn remember(&mut self, thread: i32, signal: i32, crash: Crash) {
        if let Some((_, earlier)) = self.threads.insert(thread, Some((signal, crash))).flatten() {
            self.handled = Some(earlier);
        }
    }

    /// Which crash it was, if any. To be asked when all processes are dead.
    pub(crate) fn crash(&mut self, ending: Ending, outputs: [&Output; 2]) -> Option<Crash> {
        let reported = outputs.into_iter().rev().find_map(|output| reports::read(&output.kept));
        let unwatched = match ending {
            Ending::Signal(signal) if is_crash(signal) => {
                Some(Crash::without_frames(Cause::Signal(signal)))
            }
            _ => None,
        };
        reported.or(self.fatal.take()).or(self.handled.take()).or(unwatched)
    }
}

/// By gdb, which cannot look at what is traced already: the process is stopped, let go, and taken over
/// again when gdb has gone.
impl CrashTracer {
    fn crashed_by_gdb(&mut self, thread: i32, signal: i32) -> io::Result<()> {
        if self.looked_at.remove(&thread) {
            return ptrace::resume(thread, signal);
        }
        let process = field(thread, "Tgid:").unwrap_or(thread);
        let cause = self.backtracer.cause(thread, signal);
        let is_fault = ptrace::fault_address(thread)?.is_some();
        // All threads of the process stop with it.
        ptrace::detach(thread, STOP)?;
        for other in tasks(process).into_iter().filter(|other| *other != thread) {
            self.let_go_stopped(other)?;
        }
        let crash = match ask_gdb(process, thread) {
            Ok(text) => gdb::read(cause, &text),
            Err(_) => Crash::without_frames(cause),
        };
        self.remember(thread, signal, crash);
        for task in tasks(process) {
            ptrace::seize(task)?;
        }
        self.looked_at.insert(thread);
        if !is_fault {
            // What faults will do so again; what was sent has to be sent again.
            ptrace::send_signal(process, thread, signal)?;
        }
        kill_process(Pid::from_raw(process).ok_or(Errno::SRCH)?, Signal::CONT)?;
        Ok(())
    }

    /// Waits until a thread has stopped with its process, and lets it go, still stopped.
    fn let_go_stopped(&mut self, thread: i32) -> io::Result<()> {
        let pid = Pid::from_raw(thread);
        let started = Instant::now();
        // A thread that waits for a child to become another program does not stop before.
        while started.elapsed() < STOP_PATIENCE {
            let Some((_, status)) = waitpid(pid, Self::all() | WaitOptions::NOHANG)? else {
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
const STOP: i32 = 19;

/// What gdb says about a thread.
fn ask_gdb(process: i32, thread: i32) -> io::Result<String> {
    let mut file: File = tempfile::tempfile()?;
    let mut gdb = Command::new("gdb")
        .args(gdb::arguments(process, thread))
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(Stdio::null())
        .spawn()?;
    let started = Instant::now();
    while gdb.try_wait()?.is_none() {
        if started.elapsed() > GDB_PATIENCE {
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

/// The threads of a process.
fn tasks(process: i32) -> Vec<i32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    tasks.filter_map(|task| task.file_name().to_str()?.parse().ok()).collect()
}

/// A number that the system tells about a thread.
fn field(thread: i32, name: &str) -> Option<i32> {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().parse().ok()
}

/// Whether a thread is still the one that is traced: numbers are used again.
fn is_traced(thread: i32) -> bool {
    field(thread, "TracerPid:") == Some(getpid().as_raw_nonzero().get())
}

fn kill(thread: i32) {
    if let Some(pid) = Pid::from_raw(thread) {
        // It may be dead already.
        let _ = kill_process(pid, Signal::KILL);
    }
}
