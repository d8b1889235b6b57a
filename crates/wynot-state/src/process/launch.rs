//! Starting a program that is stopped before its first instruction.

use super::output::Output;
use super::requests;
use super::{Invocation, Limits, ProcessError};
use libc::sock_filter;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit, setsid};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use wynot_crash::tracee;

/// The size of the stack. Where libraries are loaded depends on it.
const STACK: u64 = 8 << 20;

/// Starts a program. It is the only process of a session of its own, and has nothing open but its input and
/// output. It is stopped, or about to stop.
pub(super) fn launch(
    invocation: &Invocation,
    limits: &Limits,
    outputs: &[Output; 2],
) -> Result<Child, ProcessError> {
    let path = std::path::absolute(&invocation.program)?;
    super::executable::check(&path)?;
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
        .stdin(input(invocation)?)
        .stdout(outputs[0].stdio()?)
        .stderr(outputs[1].stdio()?);
    let limits = *limits;
    let mut filter = requests::filter();
    let prepare = move || prepare(&limits, &mut filter);
    #[expect(unsafe_code, reason = "system calls only, which may be made between fork and exec")]
    unsafe {
        command.pre_exec(prepare);
    }
    tracee::prepare(&mut command);
    command.spawn().map_err(|source| ProcessError::Start { path, source })
}

fn input(invocation: &Invocation) -> Result<Stdio, ProcessError> {
    let Some(path) = &invocation.input else { return Ok(Stdio::null()) };
    let failed = |source| ProcessError::Input { path: path.clone(), source };
    let kind = fs::metadata(path).map_err(failed)?.file_type();
    // To open a pipe would take until somebody writes to it.
    if kind.is_fifo() || kind.is_socket() || kind.is_dir() {
        let words = "it has to be a file, which can be read again and again";
        return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, words)));
    }
    File::open(path).map(Stdio::from).map_err(failed)
}

/// What the process that becomes the program does before.
fn prepare(limits: &Limits, filter: &mut [sock_filter]) -> io::Result<()> {
    setsid()?;
    // What is forbidden already is not allowed again.
    let fix = |resource, value: u64| {
        let value = getrlimit(resource).maximum.map_or(value, |most| value.min(most));
        setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })
    };
    fix(Resource::Stack, STACK)?;
    fix(Resource::Core, 0)?;
    fix(Resource::Fsize, limits.file)?;
    if let Some(memory) = limits.memory {
        fix(Resource::As, memory)?;
    }
    #[expect(unsafe_code, reason = "numbers only")]
    unsafe {
        // Whether it worked is looked at from outside, where more can be said about it.
        libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
        libc::close_range(3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC as libc::c_int);
    }
    requests::show(filter);
    Ok(())
}

/// Whether a process lies at the addresses at which it always lies.
pub(super) fn is_fixed(pid: i32) -> io::Result<bool> {
    let text = fs::read_to_string(format!("/proc/{pid}/personality"))?;
    let flags = u64::from_str_radix(text.trim(), 16).unwrap_or(0);
    Ok(flags & libc::ADDR_NO_RANDOMIZE as u64 != 0)
}
