//! Whether a thread has used up its stack.

use std::io;
use wynot_process::maps::MemoryMap;
use wynot_process::{ptrace, signal};

/// The largest distance from the stack pointer at which an access still counts as one to the stack.
const MAX_STACK_DISTANCE: u64 = 64 << 10;

/// Whether a thread is stopped by a signal because it needs more stack than there is.
pub(super) fn is_stack_overflow(
    tid: i32,
    signal: i32,
    stack_pointer: u64,
    map: &MemoryMap,
) -> io::Result<bool> {
    if !matches!(signal::name(signal).as_str(), "SEGV" | "BUS") {
        return Ok(false);
    }
    let Some(fault) = ptrace::fault_address(tid)? else { return Ok(false) };
    let is_near = fault.abs_diff(stack_pointer) <= MAX_STACK_DISTANCE;
    Ok(is_near && map.region_at(fault).is_none_or(|region| !region.readable))
}
