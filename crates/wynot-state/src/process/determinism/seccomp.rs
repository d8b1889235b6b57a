//! The seccomp filter that stops a program before an intercepted system call.

use super::intercepted_call::InterceptedCall;
use libc::{c_ulong, sock_filter, sock_fprog};
use wynot_process::Machine;

/// The numbers by which filters know the machines.
const AUDIT_MACHINES: [(u32, Machine); 2] =
    [(0xc000_003e, Machine::X86_64), (0x4000_0003, Machine::I386)];

/// The offsets at which a filter finds the number of the system call, and the machine.
const CALL_NUMBER_OFFSET: u32 = 0;
const MACHINE_OFFSET: u32 = 4;

/// A filter that reports intercepted system calls of programs for any machine to the tracer. The numbers of
/// system calls differ between machines, so the filter tests the machine first.
pub(crate) fn filter() -> Vec<sock_filter> {
    let instruction = |code: u32, k: u32, if_true: usize, if_false: usize| sock_filter {
        code: code as u16,
        jt: if_true as u8,
        jf: if_false as u8,
        k,
    };
    let load = |offset| instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0);
    let jump_if_equal = |value, if_true, if_false| {
        instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, if_true, if_false)
    };
    let result = |result| instruction(libc::BPF_RET | libc::BPF_K, result, 0, 0);
    let mut program = vec![load(MACHINE_OFFSET)];
    for (audit_number, machine) in AUDIT_MACHINES {
        let calls = InterceptedCall::all(machine);
        let count = calls.len();
        program.push(jump_if_equal(audit_number, 0, count + 3));
        program.push(load(CALL_NUMBER_OFFSET));
        // An equal number jumps over the remaining comparisons and the result for all other calls.
        program.extend(
            (0..).zip(calls).map(|(at, (number, _))| jump_if_equal(*number as u32, count - at, 0)),
        );
        program.push(result(libc::SECCOMP_RET_ALLOW));
        program.push(result(libc::SECCOMP_RET_TRACE));
    }
    program.push(result(libc::SECCOMP_RET_ALLOW));
    program
}

/// Installs the filter in this process, between fork and exec. On systems without seccomp nothing happens,
/// and runs are not repeatable.
pub(crate) fn install(filter: &mut [sock_filter]) {
    let filter = sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    let one: c_ulong = 1;
    let mode = libc::SECCOMP_MODE_FILTER as c_ulong;
    #[expect(unsafe_code, reason = "system calls only, and the filter outlives them")]
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, one, 0, 0, 0);
        libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter);
    }
}
