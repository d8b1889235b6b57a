//! Children that have ended, with the greatest amount of memory that they have used.

#![expect(unsafe_code, reason = "no safe crate offers wait4")]

use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// A child that has changed its state.
pub(crate) struct ReapedChild {
    pub pid: Pid,
    pub status: ExitStatus,
    /// The peak of the resident memory of the child, or of one of its descendants that were waited for, in bytes.
    pub peak_memory: u64,
}

impl ReapedChild {
    /// Whether the child has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.status.code().is_some() || self.status.signal().is_some()
    }
}

/// Waits for any child; `None` if there are children, but none has changed its state.
pub(crate) fn wait_for_child(options: WaitOptions) -> Result<Option<ReapedChild>, Errno> {
    let mut status = 0;
    // SAFETY: `rusage` consists of numbers, for which zero bytes are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to values on the stack, which outlive the call.
    let pid = unsafe { libc::wait4(-1, &mut status, options.bits() as i32, &mut usage) };
    match pid {
        0 => Ok(None),
        1.. => Ok(Pid::from_raw(pid).map(|pid| ReapedChild {
            pid,
            status: ExitStatus::from_raw(status),
            peak_memory: (usage.ru_maxrss as u64) << 10,
        })),
        _ => {
            let error = std::io::Error::last_os_error();
            Err(Errno::from_raw_os_error(error.raw_os_error().unwrap_or_default()))
        }
    }
}
