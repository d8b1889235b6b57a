//! Tracing threads of other processes with `ptrace(2)`.
//!
//! The only file that makes the call. A thread is traced in one of two ways:
//!
//! - *seized* ([`seize_started`]): the thread stops when something happens to it and otherwise runs as if it
//!   were not traced, job control included. Backtraces of crashes are taken this way;
//! - *controlled* ([`control_started`]): the process stays stopped before its first instruction, and also
//!   reports system calls that its seccomp filter selects. Debuggers work this way.

use libc::{c_long, c_void, pid_t};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, waitpid};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Why a seized thread has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceStop {
    /// This signal is about to be delivered to the thread.
    Signal(i32),
    /// A signal of job control has stopped all threads of the process.
    Group,
    /// The process has just executed another program.
    Exec,
    /// The thread has started a thread or a process, or has just been started.
    Other,
}

impl TraceStop {
    /// Decodes the status that `wait` returned; `None` if the thread has not stopped but ended.
    pub fn from_wait_status(status: i32) -> Option<Self> {
        if !libc::WIFSTOPPED(status) {
            return None;
        }
        let signal = libc::WSTOPSIG(status);
        Some(match (status >> 16, signal) {
            (0, signal) => Self::Signal(signal),
            (
                libc::PTRACE_EVENT_STOP,
                libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU,
            ) => Self::Group,
            (libc::PTRACE_EVENT_EXEC, _) => Self::Exec,
            _ => Self::Other,
        })
    }
}

/// What a controlled thread has done, apart from receiving a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// The thread has started a thread, or a process with a copy of its memory.
    Fork,
    /// The thread has started a process that shares its memory, and waits until that process is done with it.
    Vfork,
    /// The process that [shared the memory](Self::Vfork) is done with it.
    VforkDone,
    /// The process has just executed another program.
    Exec,
    /// The thread is about to make a system call that its seccomp filter selects.
    SyscallEntry,
    /// The thread has finished the system call after which it was to stop.
    SyscallExit,
}

impl TraceEvent {
    /// Decodes the status that `wait` returned; `None` if it reports a signal or the end of the thread.
    pub fn from_wait_status(status: i32) -> Option<Self> {
        if libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == SYSCALL_STOP_SIGNAL {
            return Some(Self::SyscallExit);
        }
        match status >> 16 {
            libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_CLONE => Some(Self::Fork),
            libc::PTRACE_EVENT_VFORK => Some(Self::Vfork),
            libc::PTRACE_EVENT_VFORK_DONE => Some(Self::VforkDone),
            libc::PTRACE_EVENT_EXEC => Some(Self::Exec),
            libc::PTRACE_EVENT_SECCOMP => Some(Self::SyscallEntry),
            _ => None,
        }
    }
}

/// The signal that reports the end of a system call under `PTRACE_O_TRACESYSGOOD`.
const SYSCALL_STOP_SIGNAL: i32 = libc::SIGTRAP | 0x80;

/// The option (`__WALL`) that makes `wait` report all traced threads, also those that are no children.
pub const WAIT_ALL_THREADS: u32 = libc::__WALL as u32;

/// The integer type of a request differs between C libraries.
#[cfg(not(target_env = "musl"))]
type Request = libc::c_uint;
#[cfg(target_env = "musl")]
type Request = libc::c_int;

fn request(request: Request, tid: pid_t, address: usize, data: usize) -> io::Result<c_long> {
    #[expect(
        unsafe_code,
        reason = "requests that write to memory of this process are given memory of the right size"
    )]
    let result = unsafe { libc::ptrace(request, tid, address as *mut c_void, data as *mut c_void) };
    match result {
        -1 => Err(io::Error::last_os_error()),
        result => Ok(result),
    }
}

/// Makes a command start its program stopped before the first instruction, until the caller passes the new
/// process to [`seize_started`] or [`control_started`].
pub fn stop_at_start(command: &mut Command) {
    let trace_me = || request(libc::PTRACE_TRACEME, 0, 0, 0).map(drop);
    #[expect(unsafe_code, reason = "a single system call, which is allowed between fork and exec")]
    unsafe {
        command.pre_exec(trace_me);
    }
}

/// Seizes a process whose command was prepared with [`stop_at_start`], and lets it run. Lets it run untraced
/// if `is_wanted` returns false or if the system does not allow the tracing. Returns whether it is traced.
///
/// A process can only ask for the older kind of tracing (`PTRACE_TRACEME`), which breaks job control. So the
/// process is detached again, stopped, and then seized.
pub fn seize_started(pid: pid_t, is_wanted: impl FnOnce() -> bool) -> io::Result<bool> {
    wait_for_stop(pid)?;
    if !is_wanted() {
        return detach(pid, 0).map(|()| false);
    }
    detach(pid, libc::SIGSTOP)?;
    if seize(pid).is_err() {
        // The program has more rights than this process, or its file must not be read.
        return send_signal(pid, pid, libc::SIGCONT).map(|()| false);
    }
    if wait_for_stop(pid)? == TraceStop::Group {
        send_signal(pid, pid, libc::SIGCONT)?;
    }
    // Otherwise the SIGSTOP has not been delivered yet, and resuming discards it.
    resume(pid, 0).map(|()| true)
}

/// Waits until a thread stops; fails if it ends instead.
fn wait_for_stop(tid: pid_t) -> io::Result<TraceStop> {
    loop {
        let pid = Pid::from_raw(tid).ok_or(Errno::SRCH)?;
        match waitpid(Some(pid), WaitOptions::from_bits_retain(WAIT_ALL_THREADS)) {
            Ok(Some((_, status))) => {
                return TraceStop::from_wait_status(status.as_raw()).ok_or(Errno::SRCH.into());
            }
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Seizes a thread, and all threads and processes that it will start. They are killed when this process ends.
pub fn seize(tid: pid_t) -> io::Result<()> {
    let options = libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEEXEC
        | libc::PTRACE_O_EXITKILL;
    request(libc::PTRACE_SEIZE, tid, 0, options as usize).map(drop)
}

/// Controls a process whose command was prepared with [`stop_at_start`]. The process stays stopped before its
/// first instruction. It and all that it starts are killed when this process ends.
///
/// As the process is not seized, a stop of its process group looks like a signal that is about to be
/// delivered.
pub fn control_started(pid: pid_t) -> io::Result<()> {
    wait_for_stop(pid)?;
    let options = libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_TRACEVFORKDONE
        | libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEEXEC
        | libc::PTRACE_O_TRACESECCOMP
        | libc::PTRACE_O_TRACESYSGOOD
        | libc::PTRACE_O_EXITKILL;
    request(libc::PTRACE_SETOPTIONS, pid, 0, options as usize).map(drop)
}

/// The thread or process that a thread stopped by [`TraceEvent::Fork`] or [`TraceEvent::Vfork`] has started.
pub fn started_child(tid: pid_t) -> io::Result<pid_t> {
    let mut number: libc::c_ulong = 0;
    request(libc::PTRACE_GETEVENTMSG, tid, 0, (&raw mut number) as usize)?;
    pid_t::try_from(number).map_err(|_| Errno::SRCH.into())
}

/// Resumes a stopped thread and delivers a signal to it; 0 delivers none.
pub fn resume(tid: pid_t, signal: i32) -> io::Result<()> {
    request(libc::PTRACE_CONT, tid, 0, signal as usize).map(drop)
}

/// Resumes a stopped thread for one instruction and delivers a signal to it first; 0 delivers none.
pub fn step(tid: pid_t, signal: i32) -> io::Result<()> {
    request(libc::PTRACE_SINGLESTEP, tid, 0, signal as usize).map(drop)
}

/// Resumes a thread stopped by [`TraceEvent::SyscallEntry`] until the system call has been made.
pub fn resume_to_syscall_exit(tid: pid_t) -> io::Result<()> {
    request(libc::PTRACE_SYSCALL, tid, 0, 0).map(drop)
}

/// Leaves a seized thread stopped together with its process, until a signal continues the process.
pub fn stay_stopped(tid: pid_t) -> io::Result<()> {
    request(libc::PTRACE_LISTEN, tid, 0, 0).map(drop)
}

/// Stops tracing a stopped thread, resumes it and delivers a signal to it; 0 delivers none.
pub fn detach(tid: pid_t, signal: i32) -> io::Result<()> {
    request(libc::PTRACE_DETACH, tid, 0, signal as usize).map(drop)
}

/// Sends a signal to one thread of a process.
pub fn send_signal(process: pid_t, tid: pid_t, signal: i32) -> io::Result<()> {
    #[expect(unsafe_code, reason = "all arguments are integers")]
    let result = unsafe { libc::syscall(libc::SYS_tgkill, process, tid, signal) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The address whose use has caused the signal that a thread is stopped by; `None` if the signal was sent by
/// a process, or has another cause.
pub fn fault_address(tid: pid_t) -> io::Result<Option<u64>> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    request(libc::PTRACE_GETSIGINFO, tid, 0, info.as_mut_ptr() as usize)?;
    #[expect(unsafe_code, reason = "zero is a valid value of every field, and the address is one")]
    let (code, address) = unsafe {
        let info = info.assume_init();
        (info.si_code, info.si_addr() as u64)
    };
    // Positive codes stand for faults and the like, the others for processes that have sent the signal.
    Ok((code > 0 && code != libc::SI_KERNEL).then_some(address))
}

/// The general registers of a stopped thread, in the system's own layout. On x86-64 the registers of a 32-bit
/// program are the lower halves.
#[cfg(target_arch = "x86_64")]
pub fn registers(tid: pid_t) -> io::Result<libc::user_regs_struct> {
    let mut registers = MaybeUninit::<libc::user_regs_struct>::zeroed();
    request(libc::PTRACE_GETREGS, tid, 0, registers.as_mut_ptr() as usize)?;
    #[expect(unsafe_code, reason = "the structure consists of integers, and all of them are set")]
    return Ok(unsafe { registers.assume_init() });
}

/// Sets the general registers of a stopped thread.
#[cfg(target_arch = "x86_64")]
pub fn set_registers(tid: pid_t, registers: &libc::user_regs_struct) -> io::Result<()> {
    request(libc::PTRACE_SETREGS, tid, 0, (&raw const *registers) as usize).map(drop)
}

/// The general registers of a stopped thread, in the system's own layout.
#[cfg(target_arch = "aarch64")]
pub fn registers(tid: pid_t) -> io::Result<libc::user_regs_struct> {
    /// The set of general registers, as core files name it.
    const NT_PRSTATUS: usize = 1;
    let mut registers = MaybeUninit::<libc::user_regs_struct>::zeroed();
    let size = size_of::<libc::user_regs_struct>();
    let mut buffer = libc::iovec { iov_base: registers.as_mut_ptr().cast(), iov_len: size };
    request(libc::PTRACE_GETREGSET, tid, NT_PRSTATUS, (&raw mut buffer) as usize)?;
    if buffer.iov_len != size {
        // A 32-bit program.
        return Err(io::ErrorKind::Unsupported.into());
    }
    #[expect(unsafe_code, reason = "the structure consists of integers, and all of them are set")]
    return Ok(unsafe { registers.assume_init() });
}

/// The set of floating-point and vector registers, as core files name it.
#[cfg(target_arch = "x86_64")]
const NT_X86_XSTATE: usize = 0x202;

/// The largest size of that set. Processors of today need up to 11 KiB.
#[cfg(target_arch = "x86_64")]
const MAX_XSTATE_BYTES: usize = 64 << 10;

/// The floating-point and vector registers of a stopped thread, in the form that
/// [`set_extended_registers`] takes.
#[cfg(target_arch = "x86_64")]
pub fn extended_registers(tid: pid_t) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; MAX_XSTATE_BYTES];
    let mut buffer = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    request(libc::PTRACE_GETREGSET, tid, NT_X86_XSTATE, (&raw mut buffer) as usize)?;
    bytes.truncate(buffer.iov_len);
    Ok(bytes)
}

/// Sets the registers that [`extended_registers`] has read.
#[cfg(target_arch = "x86_64")]
pub fn set_extended_registers(tid: pid_t, bytes: &[u8]) -> io::Result<()> {
    let mut buffer =
        libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    request(libc::PTRACE_SETREGSET, tid, NT_X86_XSTATE, (&raw mut buffer) as usize).map(drop)
}
