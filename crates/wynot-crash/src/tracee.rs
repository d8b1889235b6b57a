//! Threads of other processes that are stopped at will, by the system's means for debuggers.
//!
//! The only file that calls `ptrace`. Threads are *seized*: they stop when something happens to them and
//! otherwise run as if nobody watched, job control included.

use libc::{c_long, c_void, pid_t};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, waitpid};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// What stopped a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A signal is about to be delivered.
    Signal(i32),
    /// All threads of the process were asked to stop, and will go on when asked to continue.
    Group,
    /// It has just become another program.
    Exec,
    /// It has started a thread or a process, or has just been started.
    Other,
}

impl Stop {
    /// Reads what `wait` tells about a stopped thread.
    pub fn from_status(status: i32) -> Option<Self> {
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

/// What a thread has done that its tracer is told of, in more detail than a [`Stop`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It has started a process with a copy of its memory, or a thread.
    Fork,
    /// It has started a process that uses its memory, and waits until that is done.
    Vfork,
    /// It has waited until then.
    VforkDone,
    /// It has just become another program.
    Exec,
    /// It is about to make a system call that a filter of its own shows to its tracer.
    SystemCall,
    /// It has made a system call, whose end was asked for.
    EndOfCall,
}

impl Event {
    /// Reads what `wait` tells about a stopped thread.
    pub fn from_status(status: i32) -> Option<Self> {
        if libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == END_OF_CALL {
            return Some(Self::EndOfCall);
        }
        match status >> 16 {
            libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_CLONE => Some(Self::Fork),
            libc::PTRACE_EVENT_VFORK => Some(Self::Vfork),
            libc::PTRACE_EVENT_VFORK_DONE => Some(Self::VforkDone),
            libc::PTRACE_EVENT_EXEC => Some(Self::Exec),
            libc::PTRACE_EVENT_SECCOMP => Some(Self::SystemCall),
            _ => None,
        }
    }
}

/// What ends of system calls look like to those who have asked to tell them apart from signals.
const END_OF_CALL: i32 = libc::SIGTRAP | 0x80;

/// Also of threads that are no children.
pub const WAIT_FOR_ALL: u32 = libc::__WALL as u32;

/// What kind of number a request is differs between C libraries.
#[cfg(not(target_env = "musl"))]
type Request = libc::c_uint;
#[cfg(target_env = "musl")]
type Request = libc::c_int;

fn request(request: Request, tid: pid_t, address: usize, data: usize) -> io::Result<c_long> {
    #[expect(
        unsafe_code,
        reason = "requests that write to memory here are given memory of their size"
    )]
    let result = unsafe { libc::ptrace(request, tid, address as *mut c_void, data as *mut c_void) };
    match result {
        -1 => Err(io::Error::last_os_error()),
        result => Ok(result),
    }
}

/// Makes a command start a program that stops before its first instruction, until it is taken over.
pub fn prepare(command: &mut Command) {
    let trace_me = || request(libc::PTRACE_TRACEME, 0, 0, 0).map(drop);
    #[expect(unsafe_code, reason = "a single system call, which may be made between fork and exec")]
    unsafe {
        command.pre_exec(trace_me);
    }
}

/// Takes over a program that was just started by a command that is [prepared](prepare), and lets it run;
/// or just lets it run, if it is not wanted or cannot be had. Whether it was taken over.
///
/// A program can only ask to be traced in the old way, which makes it forget that it was told to stop. So
/// it is let go again, stopped, and seized.
pub fn take_over(pid: pid_t, is_wanted: impl FnOnce() -> bool) -> io::Result<bool> {
    wait_for_stop(pid)?;
    if !is_wanted() {
        return let_go(pid, 0).map(|()| false);
    }
    let_go(pid, libc::SIGSTOP)?;
    if seize(pid).is_err() {
        // Programs that may do more than who has started them, or that nobody may read, cannot be seized.
        return send(pid, pid, libc::SIGCONT).map(|()| false);
    }
    if wait_for_stop(pid)? == Stop::Group {
        send(pid, pid, libc::SIGCONT)?;
    }
    // Otherwise it has not stopped yet, and does not have to.
    go_on(pid, 0).map(|()| true)
}

/// Waits until a thread stops; an error if it has ended.
fn wait_for_stop(tid: pid_t) -> io::Result<Stop> {
    loop {
        let pid = Pid::from_raw(tid).ok_or(Errno::SRCH)?;
        match waitpid(Some(pid), WaitOptions::from_bits_retain(WAIT_FOR_ALL)) {
            Ok(Some((_, status))) => {
                return Stop::from_status(status.as_raw()).ok_or(Errno::SRCH.into());
            }
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Takes over a thread and all that it will start. They die with this process.
pub fn seize(tid: pid_t) -> io::Result<()> {
    let options = libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEEXEC
        | libc::PTRACE_O_EXITKILL;
    request(libc::PTRACE_SEIZE, tid, 0, options as usize).map(drop)
}

/// Keeps a program that was just started by a command that is [prepared](prepare): it is stopped before its
/// first instruction, stays so, and will be told apart from all that it starts. All of them die with this
/// process.
///
/// It is not seized, so stops of its process group look like signals that are about to be delivered.
pub fn keep(pid: pid_t) -> io::Result<()> {
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

/// Which thread or process a stopped thread has just started.
pub fn started(tid: pid_t) -> io::Result<pid_t> {
    let mut number: libc::c_ulong = 0;
    request(libc::PTRACE_GETEVENTMSG, tid, 0, (&raw mut number) as usize)?;
    pid_t::try_from(number).map_err(|_| Errno::SRCH.into())
}

/// Lets a stopped thread execute one instruction, delivering a signal before; 0 delivers none.
pub fn step(tid: pid_t, signal: i32) -> io::Result<()> {
    request(libc::PTRACE_SINGLESTEP, tid, 0, signal as usize).map(drop)
}

/// Lets a stopped thread go on, delivering a signal; 0 delivers none.
pub fn go_on(tid: pid_t, signal: i32) -> io::Result<()> {
    request(libc::PTRACE_CONT, tid, 0, signal as usize).map(drop)
}

/// Lets a stopped thread go on that is about to make a system call, up to the end of the call.
pub fn go_on_to_end_of_call(tid: pid_t) -> io::Result<()> {
    request(libc::PTRACE_SYSCALL, tid, 0, 0).map(drop)
}

/// Leaves a thread stopped as the group is, until somebody continues it.
pub fn stay(tid: pid_t) -> io::Result<()> {
    request(libc::PTRACE_LISTEN, tid, 0, 0).map(drop)
}

/// Lets a stopped thread go on unwatched, delivering a signal; 0 delivers none.
pub fn let_go(tid: pid_t, signal: i32) -> io::Result<()> {
    request(libc::PTRACE_DETACH, tid, 0, signal as usize).map(drop)
}

/// Sends a signal to one thread.
pub fn send(process: pid_t, tid: pid_t, signal: i32) -> io::Result<()> {
    #[expect(unsafe_code, reason = "numbers only")]
    let result = unsafe { libc::syscall(libc::SYS_tgkill, process, tid, signal) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Why a signal was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The address that the program must not touch, if that is why.
    pub fault: Option<u64>,
}

/// Why the signal was sent that has stopped a thread.
pub fn sent(tid: pid_t) -> io::Result<Sent> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    request(libc::PTRACE_GETSIGINFO, tid, 0, info.as_mut_ptr() as usize)?;
    #[expect(
        unsafe_code,
        reason = "zero is a value of every field, and the address is one of them"
    )]
    let (code, address) = unsafe {
        let info = info.assume_init();
        (info.si_code, info.si_addr() as u64)
    };
    // Codes above zero are of faults and the like; the others are of processes that send signals.
    let fault = (code > 0 && code != libc::SI_KERNEL).then_some(address);
    Ok(Sent { fault })
}

/// The other registers, as they are called in core files.
#[cfg(target_arch = "x86_64")]
const NT_X86_XSTATE: usize = 0x202;

/// The general registers of a stopped thread. On x86-64 those of a program of 32 bits are the lower halves.
#[cfg(target_arch = "x86_64")]
pub fn registers(tid: pid_t) -> io::Result<libc::user_regs_struct> {
    let mut registers = MaybeUninit::<libc::user_regs_struct>::zeroed();
    request(libc::PTRACE_GETREGS, tid, 0, registers.as_mut_ptr() as usize)?;
    #[expect(unsafe_code, reason = "numbers only, and all of them were written")]
    return Ok(unsafe { registers.assume_init() });
}

/// Sets the general registers of a stopped thread.
#[cfg(target_arch = "x86_64")]
pub fn set_registers(tid: pid_t, registers: &libc::user_regs_struct) -> io::Result<()> {
    request(libc::PTRACE_SETREGS, tid, 0, (&raw const *registers) as usize).map(drop)
}

/// The general registers of a stopped thread.
#[cfg(target_arch = "aarch64")]
pub fn registers(tid: pid_t) -> io::Result<libc::user_regs_struct> {
    /// The kind of registers, as it is called in core files.
    const NT_PRSTATUS: usize = 1;
    let mut registers = MaybeUninit::<libc::user_regs_struct>::zeroed();
    let size = size_of::<libc::user_regs_struct>();
    let mut place = libc::iovec { iov_base: registers.as_mut_ptr().cast(), iov_len: size };
    request(libc::PTRACE_GETREGSET, tid, NT_PRSTATUS, (&raw mut place) as usize)?;
    if place.iov_len != size {
        // A program of 32 bits.
        return Err(io::ErrorKind::Unsupported.into());
    }
    #[expect(unsafe_code, reason = "numbers only, and all of them were written")]
    return Ok(unsafe { registers.assume_init() });
}

/// All other registers of a stopped thread, those for numbers with a point among them, in the form in
/// which [`set_extended_registers`] takes them back.
#[cfg(target_arch = "x86_64")]
pub fn extended_registers(tid: pid_t) -> io::Result<Vec<u8>> {
    // No processor has more than 11 KiB of them yet.
    let mut bytes = vec![0; 64 << 10];
    let mut place = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    request(libc::PTRACE_GETREGSET, tid, NT_X86_XSTATE, (&raw mut place) as usize)?;
    bytes.truncate(place.iov_len);
    Ok(bytes)
}

/// Sets what [`extended_registers`] has read.
#[cfg(target_arch = "x86_64")]
pub fn set_extended_registers(tid: pid_t, bytes: &[u8]) -> io::Result<()> {
    let mut place =
        libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    request(libc::PTRACE_SETREGSET, tid, NT_X86_XSTATE, (&raw mut place) as usize).map(drop)
}

/// The registers of a stopped thread, as far as they are needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers {
    pub ip: u64,
    pub sp: u64,
    /// The pointer to the frame.
    pub fp: u64,
    /// Where to return to, on processors that have a register for that.
    pub link: Option<u64>,
    /// Whether it is a program of 32 bits on a processor of 64.
    pub is_short: bool,
}

/// What the segment of code is called for programs of 32 bits.
#[cfg(target_arch = "x86_64")]
const SHORT_CODE: u64 = 0x23;

impl Registers {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) fn of(tid: pid_t) -> io::Result<Self> {
        let all = registers(tid)?;
        #[cfg(target_arch = "x86_64")]
        return Ok(Self {
            ip: all.rip,
            sp: all.rsp,
            fp: all.rbp,
            link: None,
            is_short: all.cs == SHORT_CODE,
        });
        #[cfg(target_arch = "aarch64")]
        return Ok(Self {
            ip: all.pc,
            sp: all.sp,
            fp: all.regs[29],
            link: Some(all.regs[30]),
            is_short: false,
        });
    }

    /// On other processors no backtrace is taken; gdb can.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(crate) fn of(_: pid_t) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Goes back to who has called what is at the instruction pointer, and nothing since.
    pub(crate) fn leave_call(&mut self, mut word: impl FnMut(u64) -> Option<u64>) -> Option<u64> {
        match self.link {
            Some(link) => self.ip = link,
            None => {
                self.ip = word(self.sp)?;
                self.sp = self.sp.checked_add(8)?;
            }
        }
        Some(self.ip)
    }
}
