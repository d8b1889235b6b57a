//! The supervisor process of tests: this program, started once more.

use crate::error::{Error, ErrorKind};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};

/// The first argument with which this program is started as a supervisor.
const SUPERVISE: &str = "__supervise";

/// The first argument with which this program is started to contain a process, such as a job of a server.
const CONTAIN: &str = wynot_supervisor::CONTAIN;

/// The stack of a supervisor, whatever limit (`ulimit -s`) was set for programs. Unwinding the stack of a crash needs some.
const SUPERVISOR_STACK_BYTES: usize = 8 << 20;

/// Whether `init` was called, so that this program can be started as a supervisor.
static IS_READY: AtomicBool = AtomicBool::new(false);

/// Serves as the supervisor of tests if this process was started as one, and then does not return.
///
/// Programs that use this library call it first in `main`: tests are supervised by a small process of their own,
/// which is the same program, started once more.
pub fn init() {
    let mut args = std::env::args_os().skip(1);
    let first = args.next();
    if first.as_ref().is_some_and(|first| first == CONTAIN) {
        let description = args.next().unwrap_or_default();
        wynot_supervisor::run_contained(&description.to_string_lossy());
    }
    if first.is_some_and(|first| first == SUPERVISE) {
        // Only a process of one thread can enter namespaces, so this is another stack, not another thread.
        match stacker::grow(SUPERVISOR_STACK_BYTES, wynot_exec::supervise) {
            Ok(()) => exit(0),
            Err(_) => exit(1),
        }
    }
    IS_READY.store(true, Ordering::Relaxed);
}

/// The command that starts a supervisor.
pub(crate) fn supervisor_command() -> Result<(PathBuf, Vec<OsString>), Error> {
    if !IS_READY.load(Ordering::Relaxed) {
        let message = "this program cannot supervise tests: wynot::init() was not called";
        return Err(Error::new(ErrorKind::Unexpected, message).hint("call it first in main"));
    }
    // The link names this program even if its file has been replaced, but it does not work under every debugger.
    let file = std::env::current_exe().ok().filter(|path| path.exists());
    let program = file.unwrap_or_else(|| PathBuf::from("/proc/self/exe"));
    Ok((program, vec![OsString::from(SUPERVISE)]))
}
