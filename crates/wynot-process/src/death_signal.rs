//! Processes that do not survive this one.

use rustix::io::Errno;
use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Makes a command start a process that gets SIGKILL when the thread that starts it ends, even if this process is killed.
pub fn kill_with_parent(command: &mut Command) {
    let parent = getpid();
    let prepare = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have died before; then there is no signal.
        if getppid() == Some(parent) { Ok(()) } else { Err(Errno::CHILD.into()) }
    };
    #[expect(unsafe_code, reason = "two system calls, which are allowed between fork and exec")]
    unsafe {
        command.pre_exec(prepare);
    }
}
