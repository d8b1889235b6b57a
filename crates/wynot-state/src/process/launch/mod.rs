//! Starting a program that stops before its first instruction.
//!
//! [`invocation`] says what is run and with which limits, [`executable`] refuses files that cannot be
//! controlled with a message that helps, [`captured_output`] keeps what the program prints, and with [`private_files`] it
//! writes into a directory of its own. With a [`substituted_file`], it finds the contents of one file in another.

pub(super) mod captured_output;
pub(super) mod executable;
pub(super) mod invocation;
pub(super) mod private_files;
pub(super) mod substituted_file;

use super::determinism::seccomp;
use super::error::ProcessError;
use captured_output::CapturedOutput;
use invocation::{InferiorLimits, Invocation};
use libc::sock_filter;
use private_files::{PreparedMounts, PrivateFiles};
use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getpid, getppid, getrlimit, set_parent_process_death_signal,
    setrlimit, setsid,
};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use wynot_process::ptrace;

/// The size of the stack, on which the addresses of libraries depend.
const STACK_BYTES: u64 = 8 << 20;

/// Starts a program. It is the only process of a session of its own, and has nothing open but its input and
/// output. When this returns, it has stopped or is about to stop.
///
/// The program dies with the calling thread. Tracing ensures that, too, but only from the moment when the program
/// has stopped and its tracer has seen that.
pub(super) fn launch(
    invocation: &Invocation,
    limits: &InferiorLimits,
    outputs: &[CapturedOutput; 2],
) -> Result<Child, ProcessError> {
    let path = std::path::absolute(&invocation.program)?;
    executable::check(&path)?;
    if !invocation.directory.is_dir() {
        return Err(ProcessError::Directory(invocation.directory.clone()));
    }
    let mut command = Command::new(&path);
    command
        .arg0(&invocation.program)
        .args(&invocation.arguments)
        .env_clear()
        .envs(invocation.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&invocation.directory)
        .stdin(open_input(invocation)?)
        .stdout(outputs[0].stdio()?)
        .stderr(outputs[1].stdio()?);
    let limits = *limits;
    let mut filter = seccomp::filter();
    let tracer = getpid();
    let mounts = invocation.private_files.as_ref().map(PrivateFiles::mounts).transpose()?;
    let prepare = move || prepare_child(tracer, mounts.as_ref(), &limits, &mut filter);
    #[expect(unsafe_code, reason = "system calls only, which are allowed between fork and exec")]
    unsafe {
        command.pre_exec(prepare);
    }
    ptrace::stop_at_start(&mut command);
    command.spawn().map_err(|source| ProcessError::Start { path, source })
}

fn open_input(invocation: &Invocation) -> Result<Stdio, ProcessError> {
    let Some(path) = &invocation.input else { return Ok(Stdio::null()) };
    let failed = |source| ProcessError::Input { path: path.clone(), source };
    let kind = fs::metadata(path).map_err(failed)?.file_type();
    // Opening a pipe would block until some process writes to it.
    if kind.is_fifo() || kind.is_socket() || kind.is_dir() {
        let message = "it has to be a file, which can be read several times";
        return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, message)));
    }
    File::open(path).map(Stdio::from).map_err(failed)
}

/// Prepares the child process before it executes the program.
fn prepare_child(
    tracer: Pid,
    mounts: Option<&PreparedMounts>,
    limits: &InferiorLimits,
    filter: &mut [sock_filter],
) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid() != Some(tracer) {
        // It has died before, and sends no signal any more.
        return Err(Errno::SRCH.into());
    }
    if let Some(mounts) = mounts {
        mounts.enter()?;
        // A new user namespace forgets it.
        set_parent_process_death_signal(Some(Signal::KILL))?;
    }
    setsid()?;
    // A limit that this process already has cannot be raised.
    let set_limit = |resource, value: u64| {
        let value = getrlimit(resource).maximum.map_or(value, |most| value.min(most));
        setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })
    };
    set_limit(Resource::Stack, STACK_BYTES)?;
    set_limit(Resource::Core, 0)?;
    set_limit(Resource::Fsize, limits.file)?;
    if let Some(memory) = limits.memory {
        set_limit(Resource::As, memory)?;
    }
    #[expect(unsafe_code, reason = "all arguments are integers")]
    unsafe {
        // The parent checks the result, because it can report an error better.
        if limits.fixed_addresses {
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
        }
        libc::close_range(3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC as libc::c_int);
    }
    seccomp::install(filter);
    Ok(())
}

/// Whether a process was loaded at fixed addresses.
pub(super) fn has_fixed_addresses(pid: i32) -> io::Result<bool> {
    let text = fs::read_to_string(format!("/proc/{pid}/personality"))?;
    let flags = u64::from_str_radix(text.trim(), 16).unwrap_or(0);
    Ok(flags & libc::ADDR_NO_RANDOMIZE as u64 != 0)
}
