//! The filter of system calls: what has no place in a test is refused.
//!
//! The filter names what is forbidden, because tests are arbitrary programs. Three groups are: what reaches outside of
//! namespaces (keys, sockets of families without namespaces, typing into terminals), what attacks on the kernel usually
//! begin with (performance counters, programs in the kernel, user faults, asynchronous rings, which also evade filters),
//! and administration, which needs privileges anyway.
//!
//! Programs for 32-bit x86 have other numbers, so the filter tests the machine first.

use libc::{c_ulong, sock_filter, sock_fprog};
use std::io;

/// The families of sockets that have namespaces: local, IPv4, IPv6, and questions to the kernel about the network.
const ALLOWED_FAMILIES: [u32; 4] =
    [libc::AF_UNIX as u32, libc::AF_INET as u32, libc::AF_INET6 as u32, libc::AF_NETLINK as u32];

/// The number by which `socketcall` makes a socket. Pairs of sockets have another one.
const SOCKETCALL_SOCKET: u32 = 1;

/// The requests that type into a terminal.
const FORBIDDEN_IOCTLS: [u32; 2] = [libc::TIOCSTI as u32, libc::TIOCLINUX as u32];

/// The bit that marks numbers of the x32 interface.
const X32_BIT: u32 = 0x4000_0000;

/// The offsets at which a filter finds the number of the call, the machine, and the low halves of the arguments.
const NUMBER_OFFSET: u32 = 0;
const MACHINE_OFFSET: u32 = 4;
const ARGUMENT_OFFSETS: [u32; 2] = [16, 24];

/// The numbers of the system calls of a machine.
struct SystemCalls {
    /// The number by which filters know the machine.
    machine: u32,
    /// The calls that fail with EPERM.
    forbidden: &'static [u32],
    /// The calls that fail with ENOSYS, after which programs use others.
    unknown: &'static [u32],
    socket: u32,
    ioctl: u32,
    /// The call that stands for all calls about sockets, if there is one. It hides the family.
    socketcall: Option<u32>,
}

#[cfg(target_arch = "x86_64")]
const MACHINES: &[SystemCalls] = &[NATIVE, I386];
#[cfg(not(target_arch = "x86_64"))]
const MACHINES: &[SystemCalls] = &[NATIVE];

#[cfg(target_arch = "x86_64")]
const NATIVE_MACHINE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const NATIVE_MACHINE: u32 = 0xc000_00b7;

const NATIVE: SystemCalls = SystemCalls {
    machine: NATIVE_MACHINE,
    forbidden: &[
        libc::SYS_add_key as u32,
        libc::SYS_request_key as u32,
        libc::SYS_keyctl as u32,
        libc::SYS_bpf as u32,
        libc::SYS_perf_event_open as u32,
        libc::SYS_userfaultfd as u32,
        libc::SYS_kcmp as u32,
        libc::SYS_open_by_handle_at as u32,
        libc::SYS_mount as u32,
        libc::SYS_umount2 as u32,
        libc::SYS_pivot_root as u32,
        libc::SYS_open_tree as u32,
        libc::SYS_move_mount as u32,
        libc::SYS_fsopen as u32,
        libc::SYS_fsmount as u32,
        libc::SYS_fspick as u32,
        libc::SYS_mount_setattr as u32,
        libc::SYS_setns as u32,
        libc::SYS_unshare as u32,
        libc::SYS_init_module as u32,
        libc::SYS_finit_module as u32,
        libc::SYS_delete_module as u32,
        libc::SYS_kexec_load as u32,
        libc::SYS_reboot as u32,
        libc::SYS_swapon as u32,
        libc::SYS_swapoff as u32,
        libc::SYS_acct as u32,
        libc::SYS_quotactl as u32,
        libc::SYS_settimeofday as u32,
        libc::SYS_clock_settime as u32,
        libc::SYS_fanotify_init as u32,
        libc::SYS_lookup_dcookie as u32,
        libc::SYS_vhangup as u32,
    ],
    unknown: &[
        libc::SYS_io_uring_setup as u32,
        libc::SYS_io_uring_enter as u32,
        libc::SYS_io_uring_register as u32,
    ],
    socket: libc::SYS_socket as u32,
    ioctl: libc::SYS_ioctl as u32,
    socketcall: None,
};

/// The same calls for 32-bit programs, and the setting of the clock with 64 bits.
#[cfg(target_arch = "x86_64")]
const I386: SystemCalls = SystemCalls {
    machine: 0x4000_0003,
    forbidden: &[
        286, 287, 288, 357, 336, 374, 349, 342, 21, 52, 217, 428, 429, 430, 432, 433, 442, 346,
        310, 128, 350, 129, 283, 88, 87, 115, 51, 131, 79, 264, 404, 338, 253, 111,
    ],
    unknown: &[425, 426, 427],
    socket: 359,
    ioctl: 54,
    socketcall: Some(102),
};

/// Installs the filter in this process; its future children inherit it.
pub(crate) fn install() -> io::Result<()> {
    let mut filter = program();
    let filter = sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    let mode = libc::SECCOMP_MODE_FILTER as c_ulong;
    #[expect(unsafe_code, reason = "a system call, and the filter outlives it")]
    // SAFETY: the kernel copies the filter, whose length is right.
    let result = unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const filter) };
    match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// The instructions of the filter.
fn program() -> Vec<sock_filter> {
    let mut program = vec![load(MACHINE_OFFSET)];
    for calls in MACHINES {
        let section = section(calls);
        program.push(skip_unless_equal(calls.machine, 1));
        program.push(skip(1));
        program.push(skip(section.len()));
        program.extend(section);
    }
    // An unknown machine has unknown numbers.
    program.push(fail(libc::ENOSYS));
    program
}

/// The instructions for one machine, which end with a result.
fn section(calls: &SystemCalls) -> Vec<sock_filter> {
    let mut section = vec![load(NUMBER_OFFSET)];
    if calls.machine == NATIVE_MACHINE && cfg!(target_arch = "x86_64") {
        let is_less = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
        section.push(instruction(is_less, X32_BIT, 0, 1));
        section.push(fail(libc::ENOSYS));
    }
    for (numbers, error) in [(calls.forbidden, libc::EPERM), (calls.unknown, libc::ENOSYS)] {
        for number in numbers {
            section.push(skip_unless_equal(*number, 1));
            section.push(fail(error));
        }
    }
    let mut families = vec![load(ARGUMENT_OFFSETS[0])];
    for family in ALLOWED_FAMILIES {
        families.extend([skip_unless_equal(family, 1), allow()]);
    }
    families.push(fail(libc::EAFNOSUPPORT));
    section.extend([skip_unless_equal(calls.socket, families.len() as u8)]);
    section.extend(families);
    if let Some(socketcall) = calls.socketcall {
        section.push(skip_unless_equal(socketcall, 4));
        section.push(load(ARGUMENT_OFFSETS[0]));
        section.push(skip_unless_equal(SOCKETCALL_SOCKET, 1));
        section.push(fail(libc::EAFNOSUPPORT));
        section.push(allow());
    }
    let mut requests = vec![load(ARGUMENT_OFFSETS[1])];
    for request in FORBIDDEN_IOCTLS {
        requests.extend([skip_unless_equal(request, 1), fail(libc::EPERM)]);
    }
    section.push(skip_unless_equal(calls.ioctl, requests.len() as u8));
    section.extend(requests);
    section.push(allow());
    section
}

fn instruction(code: u32, k: u32, if_true: u8, if_false: u8) -> sock_filter {
    sock_filter { code: code as u16, jt: if_true, jf: if_false, k }
}

fn load(offset: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0)
}

/// Skips instructions unless the loaded number has this value.
fn skip_unless_equal(value: u32, skipped: u8) -> sock_filter {
    instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, 0, skipped)
}

fn skip(skipped: usize) -> sock_filter {
    instruction(libc::BPF_JMP | libc::BPF_JA, skipped as u32, 0, 0)
}

fn allow() -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0)
}

fn fail(error: i32) -> sock_filter {
    instruction(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | error as u32, 0, 0)
}
